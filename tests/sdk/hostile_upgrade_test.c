/* Servers that do not answer an upgrade as they should. */
#include "tg_cmocka.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "io_rig.h"
#include "policy.h"
#include "raw_server.h"

/* Nonsense must neither stop the client for good nor cost it its token. */
static void assert_is_retried(const io_rig *rig, const char *name)
{
    const tg__policy policy = tg__policy_of(&rig->closed).policy;
    if (policy != TG__POLICY_RETRY && policy != TG__POLICY_RETRY_SLOW) {
        fail_msg("%s: policy %d, cause %d code %u: %s", name, (int)policy, (int)rig->closed.cause,
                 rig->closed.code, rig->closed.text);
    }
}

/* --- refused in good order --- */

static const char *answer;

static void say_answer(raw_server *server, int fd)
{
    if (raw_read_request(server, fd)) {
        (void)raw_write(fd, answer, strlen(answer));
    }
}

static void refusals_keep_status_and_delay(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        unsigned status;
        uint32_t floor_ms;
    } rows[] = {
        {"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", 503, 7000},
        {"HTTP/1.1 503 Busy\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
         "Retry-After: Sun, 06 Nov 1994 08:49:57 GMT\r\nContent-Length: 0\r\n\r\n",
         503, 20000},
        {"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", 503, 0},
        {"HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n", 401, 0},
        {"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", 403, 0},
        {"HTTP/1.1 404 What\r\nContent-Length: 0\r\n\r\n", 404, 0},
        {"HTTP/1.1 200 Yes\r\nContent-Length: 2\r\n\r\nhi", 200, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        answer = rows[i].answer;
        io_rig *rig = io_rig_start(say_answer);
        io_rig_serve(rig);
        assert_int_equal(rig->connected, 0);
        if (rig->closed.cause != TG__CAUSE_HTTP_STATUS || rig->closed.code != rows[i].status ||
            rig->closed.floor_ms != rows[i].floor_ms) {
            fail_msg("%s: cause %d code %u floor %lu: %s", answer, (int)rig->closed.cause,
                     rig->closed.code, (unsigned long)rig->closed.floor_ms, rig->closed.text);
        }
        io_rig_finish(rig);
    }
}

static void a_redirect_is_not_followed(void **state)
{
    (void)state;
    answer = "HTTP/1.1 302 Elsewhere\r\nLocation: http://127.0.0.1:1/steal\r\n"
             "Content-Length: 0\r\n\r\n";
    io_rig *rig = io_rig_start(say_answer);
    io_rig_serve(rig);
    assert_int_equal(rig->connected, 0);
    assert_int_equal(rig->closed_count, 1);
    assert_int_equal(rig->closed.code, 302);
    io_rig_finish(rig);
    assert_int_equal(rig->server.connections, 1);
}

static void answers_that_are_no_upgrade_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n"
        "Sec-WebSocket-Protocol: tickglass.1\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\r\n\r\n\r\n",
        "",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 \r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 -101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 00000000000000000000000101\r\n\r\n",
        "HTTP/9.9 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 101\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\n\n",
        "HTTP/1.1 101 Switching Protocols\r\n: \r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n:::\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\x01\x80\xff\xfe: \xff\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: you\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01",
        "\x88\x02\x03\xe8",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        answer = rows[i];
        io_rig *rig = io_rig_start(say_answer);
        io_rig_serve(rig);
        assert_int_equal(rig->connected, 0);
        assert_int_equal(rig->closed_count, 1);
        assert_is_retried(rig, answer);
        io_rig_finish(rig);
    }
}

static const char *upgrade_from;
static const char *upgrade_to;

static void say_changed_upgrade(raw_server *server, int fd)
{
    char text[512];
    char changed[768];
    if (!raw_read_request(server, fd)) {
        return;
    }
    (void)raw_upgrade_text(server, text, sizeof text);
    const char *at = strstr(text, upgrade_from);
    const size_t size = (size_t)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text),
                                         text, upgrade_to, at + strlen(upgrade_from));
    (void)raw_write(fd, changed, size);
    raw_read_until_close(server, fd);
}

static void an_upgrade_to_something_else_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *to;
    } rows[] = {
        {"tickglass.1", "chat"},
        {"tickglass.1", "tickglass.10"},
        {"tickglass.1", "tickglass."},
        {"tickglass.1", "tickglass.1, tickglass.1"},
        {"Upgrade: websocket", "Upgrade: h2c"},
        {"Upgrade: websocket\r\n", ""},
        {"Connection: Upgrade\r\n", ""},
        {"Connection: Upgrade", "Connection: close"},
        {"Sec-WebSocket-Accept: ", "Sec-WebSocket-Accept: x"},
        {"Sec-WebSocket-Accept: ", "Sec-WebSocket-Reject: "},
        {"Sec-WebSocket-Accept: ", "Sec-WebSocket-Accept: \r\nX: "},
        {"=\r\nSec-WebSocket-Protocol", "==\r\nSec-WebSocket-Protocol"},
        {"=\r\nSec-WebSocket-Protocol", "\r\nSec-WebSocket-Protocol"},
        {"HTTP/1.1 101", "HTTP/1.1 200"},
        {"HTTP/1.1 101", "HTTP/1.1 100"},
        {"Sec-WebSocket-Protocol: tickglass.1\r\n", ""},
        {"Sec-WebSocket-Protocol: tickglass.1\r\n",
         "Sec-WebSocket-Protocol: tickglass.1\r\n"
         "Sec-WebSocket-Extensions: permessage-deflate\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        upgrade_from = rows[i].from;
        upgrade_to = rows[i].to;
        io_rig *rig = io_rig_start(say_changed_upgrade);
        io_rig_serve(rig);
        if (rig->connected != 0) {
            fail_msg("\"%s\" instead of \"%s\" was taken", upgrade_to, upgrade_from);
        }
        assert_int_equal(rig->closed_count, 1);
        assert_is_retried(rig, upgrade_to);
        io_rig_finish(rig);
    }
}

/* The first ones are 401, 403 and 401 in their low 16 bits. */
static void a_status_that_is_no_status_is_not_taken_for_one(void **state)
{
    (void)state;
    static const char *const numbers[] = {"65937", "65939", "131473", "1000",
                                          "600",   "99",    "7",      "99999999999"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "HTTP/1.1 %s What\r\nContent-Length: 0\r\n\r\n",
                       numbers[i]);
        answer = text;
        io_rig *rig = io_rig_start(say_answer);
        io_rig_serve(rig);
        assert_int_equal(rig->connected, 0);
        assert_is_retried(rig, numbers[i]);
        assert_int_not_equal(rig->closed.cause, TG__CAUSE_HTTP_STATUS);
        io_rig_finish(rig);
    }
}

/* --- answers without an end --- */

#define MUCH (16u * 1024u * 1024u) /* more than all buffers on the way can hold */

static const char *endless_start;
static const char *endless_piece;
static size_t endless_bytes;

static void say_without_end(raw_server *server, int fd)
{
    static char pieces[65536];
    if (!raw_read_request(server, fd)) {
        return;
    }
    const size_t length = strlen(endless_piece);
    size_t size = 0;
    for (; size + length <= sizeof pieces; size += length) {
        memcpy(pieces + size, endless_piece, length);
    }
    endless_bytes = 0;
    bool good = raw_write(fd, endless_start, strlen(endless_start));
    while (good && endless_bytes < 4 * (size_t)MUCH) {
        good = raw_write(fd, pieces, size);
        endless_bytes += good ? size : 0;
    }
}

static void an_answer_without_an_end_is_cut_off(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *start;
        const char *piece;
    } rows[] = {
        {"unknown headers", "HTTP/1.1 101 Yes\r\n", "X-Noise: 1\r\n"},
        {"the same known header", "HTTP/1.1 503 No\r\n", "Retry-After: 1\r\n"},
        {"cookies", "HTTP/1.1 101 Yes\r\n", "Set-Cookie: a=b\r\n"},
        {"a header's name", "HTTP/1.1 101 Yes\r\n", "X-Noise-"},
        {"an unknown header's value", "HTTP/1.1 101 Yes\r\nX-Noise: ", "x"},
        {"a known header's value", "HTTP/1.1 101 Yes\r\nUpgrade: ", "x"},
        {"folded lines", "HTTP/1.1 101 Yes\r\nUpgrade: x\r\n", " y\r\n"},
        {"a reason", "HTTP/1.1 101 ", "Yes "},
        {"a version", "HTTP/", "1"},
        {"a status", "HTTP/1.1 ", "1"},
        {"empty lines", "", "\r\n"},
        {"a line", "", "x"},
        {"spaces", "", " "},
        {"a body", "HTTP/1.1 200 OK\r\n\r\n", "body"},
        {"a body of known length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
         "body"},
        {"a refusal's body", "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "body"},
        {"chunks", "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
        {"a chunk's length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1"},
        {"a redirect's body", "HTTP/1.1 302 There\r\nLocation: /\r\n\r\n", "body"},
        {"continues", "", "HTTP/1.1 100 Continue\r\n\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        endless_start = rows[i].start;
        endless_piece = rows[i].piece;
        const struct mallinfo2 before = mallinfo2();
        io_rig *rig = io_rig_start(say_without_end);
        io_rig_serve(rig);
        const struct mallinfo2 after = mallinfo2();
        assert_int_equal(rig->connected, 0);
        assert_is_retried(rig, rows[i].name);
        io_rig_finish(rig);
        const size_t kept_before = before.uordblks + before.hblkhd;
        const size_t kept_after = after.uordblks + after.hblkhd;
        if (endless_bytes > MUCH || kept_after > kept_before + 4 * 1024 * 1024) {
            fail_msg("%s: %zu bytes were taken, %zu are kept after %zu", rows[i].name,
                     endless_bytes, kept_after, kept_before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_keep_status_and_delay),
        cmocka_unit_test(a_redirect_is_not_followed),
        cmocka_unit_test(answers_that_are_no_upgrade_are_refused),
        cmocka_unit_test(an_upgrade_to_something_else_is_refused),
        cmocka_unit_test(a_status_that_is_no_status_is_not_taken_for_one),
        cmocka_unit_test(an_answer_without_an_end_is_cut_off),
    };
    return cmocka_run_group_tests_name("sdk.hostile_upgrade", tests, NULL, NULL);
}

/* Frames that RFC 6455 does not allow, and allowed ones that wear a client out. */
#include "tg_cmocka.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io_rig.h"
#include "policy.h"
#include "raw_server.h"

#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

static void await_let_go(raw_server *server)
{
    while (!atomic_load_explicit(&server->let_go, memory_order_relaxed)) {
        (void)poll(NULL, 0, 1);
    }
}

static void serve_until_gone(io_rig *rig)
{
    io_rig_serve(rig);
    while (tg__io_leaving(rig->io) > 0) {
        tg__io_service(rig->io, true);
    }
}

/* --- one cut at every byte of the upgrade and of what is glued to it --- */

#define GLUED_MESSAGES 5u

typedef struct glued {
    uint8_t bytes[1024];
    size_t size;
    size_t ends[GLUED_MESSAGES]; /* of each message's last byte */
} glued;

static size_t cut_at; /* 0: ask for the size only */
static size_t glued_size;
static size_t glued_ends[GLUED_MESSAGES];
static _Atomic bool first_part_sent;

static void add(glued *g, uint8_t opcode, const void *payload, size_t size)
{
    g->size += raw_frame(opcode, payload, size, g->bytes + g->size);
}

static glued glue(const raw_server *server)
{
    static const uint8_t filler[130];
    glued g = {.size = 0};
    g.size = raw_upgrade_text(server, (char *)g.bytes, sizeof g.bytes);
    add(&g, 0x82, "first", 5);
    g.ends[0] = g.size;
    add(&g, 0x02, "sec", 3); /* a fragment */
    add(&g, 0x89, "ping", 4);
    add(&g, 0x00, "o", 1);
    add(&g, 0x8a, "pong", 4);
    add(&g, 0x80, "nd", 2);
    g.ends[1] = g.size;
    add(&g, 0x82, "", 0);
    g.ends[2] = g.size;
    add(&g, 0x82, filler, sizeof filler); /* two bytes of length */
    g.ends[3] = g.size;
    memcpy(g.bytes + g.size,
           "\x82\x7f\0\0\0\0\0\0\0\x05"
           "eight",
           15); /* eight bytes of length */
    g.size += 15;
    g.ends[4] = g.size;
    add(&g, 0x88, "\x03\xe8", 2);
    return g;
}

static void say_in_two_parts(raw_server *server, int fd)
{
    if (!raw_read_request(server, fd)) {
        return;
    }
    const glued g = glue(server);
    glued_size = g.size;
    memcpy(glued_ends, g.ends, sizeof glued_ends);
    if (raw_write(fd, g.bytes, cut_at)) {
        atomic_store_explicit(&first_part_sent, true, memory_order_release);
        await_let_go(server);
        (void)raw_write(fd, g.bytes + cut_at, g.size - cut_at);
        raw_read_until_close(server, fd);
    }
}

/* The first part is handled to its end before the second is sent: without that two writes would
 * arrive as one now and then, and the cut would not be where the test thinks it is. */
static void handle_first_part(io_rig *rig, int fd)
{
    while (!atomic_load_explicit(&first_part_sent, memory_order_acquire)) {
        tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) + 1000000);
        tg__io_service(rig->io, true);
    }
    struct pollfd event = {fd, POLLIN, 0};
    while (poll(&event, 1, 0) == 1) {
        tg__io_service(rig->io, false);
    }
}

static void a_cut_at_every_byte_of_upgrade_and_frames_changes_nothing(void **state)
{
    (void)state;
    glued_size = 2;
    for (cut_at = 0; cut_at < glued_size; cut_at++) {
        atomic_store_explicit(&first_part_sent, false, memory_order_relaxed);
        io_rig *rig = io_rig_start(say_in_two_parts);
        int fd = -1;
        assert_int_equal(tg__io_fd(rig->io, &fd), TG_OK);
        handle_first_part(rig, fd);
        unsigned expected = 0;
        while (expected < GLUED_MESSAGES && glued_ends[expected] <= cut_at) {
            expected++;
        }
        if (rig->messages != expected) {
            fail_msg("cut at %zu of %zu: %u messages before it instead of %u", cut_at, glued_size,
                     rig->messages, expected);
        }
        atomic_store_explicit(&rig->server.let_go, true, memory_order_relaxed);
        io_rig_serve(rig);
        assert_int_equal(rig->connected, 1);
        assert_int_equal(rig->messages, GLUED_MESSAGES);
        assert_int_equal(rig->message_bytes, 5 + 6 + 0 + 130 + 5);
        assert_memory_equal(rig->last, "eight", 5);
        assert_int_equal(rig->closed.code, 1000);
        io_rig_finish(rig);
    }
    assert_true(glued_size > 300); /* the upgrade alone has more than 120 */
}

/* --- control frames between the fragments of a message --- */

static const uint8_t *said;
static size_t said_size;

static void say_bytes(raw_server *server, int fd)
{
    if (raw_upgrade(server, fd) && raw_write(fd, said, said_size)) {
        raw_read_until_close(server, fd);
    }
}

static io_rig *hear(const uint8_t *bytes, size_t size)
{
    said = bytes;
    said_size = size;
    io_rig *rig = io_rig_start(say_bytes);
    io_rig_serve(rig);
    return rig;
}

static void a_ping_between_fragments_is_answered_with_its_own_bytes(void **state)
{
    (void)state;
    said = (const uint8_t *)"\x02\x03"
                            "one\x89\x05"
                            "12345\x80\x03two";
    said_size = 2 + 3 + 2 + 5 + 2 + 3;
    io_rig *rig = io_rig_start(say_bytes);
    while (rig->messages == 0) {
        tg__io_service(rig->io, true);
    }
    assert_memory_equal(rig->last, "onetwo", 6);
    tg__io_close_connection(rig->io, 7, 1000);
    rig->left = true;
    io_rig_serve(rig);
    io_rig_finish(rig);
    assert_int_equal(rig->server.pongs, 1);
    assert_int_equal(rig->server.last_pong_size, 5);
    assert_memory_equal(rig->server.last_pong, "12345", 5);
}

static void a_close_between_fragments_ends_the_session_without_half_a_message(void **state)
{
    (void)state;
    io_rig *rig = hear(BYTES("\x02\x03"
                             "one\x8a\x02hi\x00\x03"
                             "two\x88\x02\x03\xf4\x80\x05three"));
    assert_int_equal(rig->messages, 0);
    assert_int_equal(rig->closed.cause, TG__CAUSE_CLOSE_CODE);
    assert_int_equal(rig->closed.code, 1012);
    io_rig_finish(rig);
}

/* --- what is not allowed --- */

static void a_frame_that_is_not_allowed_ends_the_connection(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const uint8_t *bytes;
        size_t size;
        unsigned messages; /* that came before it */
    } rows[] = {
        {"masked", BYTES("\x82\x83\1\2\3\4abc"), 0},
        {"masked and empty", BYTES("\x82\x80\1\2\3\4"), 0},
        {"masked ping", BYTES("\x89\x80\1\2\3\4"), 0},
        {"RSV1", BYTES("\xc2\x01x"), 0},
        {"RSV2", BYTES("\xa2\x01x"), 0},
        {"RSV3", BYTES("\x92\x01x"), 0},
        {"RSV1 in a continuation", BYTES("\x02\x01x\xc0\x01y"), 0},
        {"RSV1 in a ping", BYTES("\xc9\x00"), 0},
        {"opcode 3", BYTES("\x83\x01x"), 0},
        {"opcode 4", BYTES("\x84\x01x"), 0},
        {"opcode 5", BYTES("\x85\x01x"), 0},
        {"opcode 6", BYTES("\x86\x01x"), 0},
        {"opcode 7", BYTES("\x87\x01x"), 0},
        {"opcode 11", BYTES("\x8b\x01x"), 0},
        {"opcode 12", BYTES("\x8c\x01x"), 0},
        {"opcode 13", BYTES("\x8d\x01x"), 0},
        {"opcode 14", BYTES("\x8e\x01x"), 0},
        {"opcode 15", BYTES("\x8f\x01x"), 0},
        {"a continuation of nothing", BYTES("\x80\x01x"), 0},
        {"a continuation of nothing that goes on", BYTES("\x00\x01x"), 0},
        {"a continuation of what is complete", BYTES("\x82\x01x\x80\x01y"), 1},
        {"a continuation after fragments that are complete", BYTES("\x02\x01x\x80\x01y\x80\x01z"),
         1},
        {"a new message inside one", BYTES("\x02\x01x\x82\x01y"), 0},
        {"a new fragmented message inside one", BYTES("\x02\x01x\x02\x01y"), 0},
        {"a text message inside a binary one", BYTES("\x02\x01x\x81\x01y"), 0},
        {"a length with its highest bit", BYTES("\x82\x7f\x80\0\0\0\0\0\0\x01x"), 0},
        {"a length with every bit", BYTES("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xffx"), 0},
        {"a ping in fragments", BYTES("\x09\x01x"), 0},
        {"a close in fragments", BYTES("\x08\x02\x03\xe8"), 0},
        {"a ping of 126 bytes", BYTES("\x89\x7e\x00\x7e"), 0},
        {"a pong of 2^16 bytes", BYTES("\x8a\x7f\0\0\0\0\0\x01\0\0"), 0},
        {"a close of 126 bytes", BYTES("\x88\x7e\x00\x7e\x03\xf4"), 0},
        {"a close of 2^40 bytes", BYTES("\x88\x7f\0\0\x01\0\0\0\0\0\x03\xf4"), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        io_rig *rig = hear(rows[i].bytes, rows[i].size);
        const tg__policy policy = tg__policy_of(&rig->closed).policy;
        if (rig->connected != 1 || rig->messages != rows[i].messages ||
            rig->closed.cause == TG__CAUSE_CLOSE_CODE ||
            (policy != TG__POLICY_RETRY && policy != TG__POLICY_RETRY_SLOW)) {
            fail_msg("%s: %u messages, cause %d code %u: %s", rows[i].name, rig->messages,
                     (int)rig->closed.cause, rig->closed.code, rig->closed.text);
        }
        io_rig_finish(rig);
    }
}

static void a_close_code_that_may_not_be_sent_gives_a_slow_retry(void **state)
{
    (void)state;
    static const unsigned codes[] = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        uint8_t payload[64] = {(uint8_t)(codes[i] >> 8), (uint8_t)codes[i]};
        static const char reason[] = "{\"reconnect_after_ms\":1840}";
        memcpy(payload + 2, reason, sizeof reason - 1);
        uint8_t frame[80];
        io_rig *rig = hear(frame, raw_frame(0x88, payload, 2 + sizeof reason - 1, frame));
        if (rig->closed.cause != TG__CAUSE_CLOSE_CODE || rig->closed.floor_ms != 1840 ||
            tg__policy_of(&rig->closed).policy != TG__POLICY_RETRY_SLOW) {
            fail_msg("close code %u: cause %d code %u floor %lu", codes[i], (int)rig->closed.cause,
                     rig->closed.code, (unsigned long)rig->closed.floor_ms);
        }
        io_rig_finish(rig);
    }
}

static void half_a_close_code_is_none(void **state)
{
    (void)state;
    io_rig *rig = hear(BYTES("\x88\x01\x03"));
    assert_int_equal(rig->closed.cause, TG__CAUSE_CLOSE_CODE);
    assert_int_equal(rig->closed.code, 1005);
    io_rig_finish(rig);
}

static void a_close_reason_of_the_full_length_is_read(void **state)
{
    (void)state;
    uint8_t payload[125];
    memset(payload, ' ', sizeof payload);
    memcpy(payload, "\x03\xf4{\"reconnect_after_ms\":77}", 28);
    uint8_t frame[140];
    io_rig *rig = hear(frame, raw_frame(0x88, payload, sizeof payload, frame));
    assert_int_equal(rig->closed.code, 1012);
    io_rig_finish(rig);
}

/* --- too much --- */

static uint8_t zeros[IO_RIG_MESSAGE_MAX + 64];

/* The header promises more than may come; only the first 40,000 bytes of it are there, so that who
 * waits for the limit to be passed waits for ever. */
static uint64_t promised;
static size_t sent_before; /* in a fragment of its own */

static void promise_too_much(raw_server *server, int fd)
{
    static uint8_t frame[IO_RIG_MESSAGE_MAX + 64];
    if (!raw_upgrade(server, fd)) {
        return;
    }
    if (sent_before > 0 && !raw_write(fd, frame, raw_frame(0x02, zeros, sent_before, frame))) {
        return;
    }
    uint8_t head[10] = {sent_before > 0 ? 0x80 : 0x82, 127};
    for (unsigned i = 0; i < 8; i++) {
        head[2 + i] = (uint8_t)(promised >> (56 - 8 * i));
    }
    if (raw_write(fd, head, sizeof head) && raw_write(fd, zeros, 40000)) {
        raw_read_until_close(server, fd);
    }
}

static void a_size_that_only_the_header_promises_is_refused_when_its_first_bytes_come(void **state)
{
    (void)state;
    static const struct {
        uint64_t promised;
        size_t before;
    } rows[] = {
        {IO_RIG_MESSAGE_MAX + 1, 0},
        {UINT64_C(1) << 32, 0},
        {UINT64_C(1) << 40, 0},
        {INT64_MAX, 0},
        {IO_RIG_MESSAGE_MAX / 2 + 1, IO_RIG_MESSAGE_MAX / 2},
        {INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        promised = rows[i].promised;
        sent_before = rows[i].before;
        io_rig *rig = io_rig_start(promise_too_much);
        serve_until_gone(rig);
        assert_int_equal(rig->messages, 0);
        assert_int_equal(rig->closed.cause, TG__CAUSE_PEER_FAULT);
        io_rig_finish(rig);
        assert_memory_equal(rig->server.closed_with, "\x03\xf1", 2);
    }
}

static void say_crumbs(raw_server *server, int fd)
{
    static uint8_t crumbs[3 * (IO_RIG_MESSAGE_MAX + 1)];
    if (!raw_upgrade(server, fd)) {
        return;
    }
    for (size_t i = 0; i < IO_RIG_MESSAGE_MAX + 1; i++) {
        memcpy(crumbs + 3 * i, i == 0 ? "\x02\x01x" : "\x00\x01x", 3);
    }
    if (raw_write(fd, crumbs, sizeof crumbs)) {
        raw_read_until_close(server, fd);
    }
}

static void fragments_of_one_byte_add_up_to_too_much(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_crumbs);
    serve_until_gone(rig);
    assert_int_equal(rig->messages, 0);
    assert_int_equal(rig->closed.cause, TG__CAUSE_PEER_FAULT);
    io_rig_finish(rig);
    assert_memory_equal(rig->server.closed_with, "\x03\xf1", 2);
}

/* Writes, and takes what the client says only if drain is set; without it gives up when nothing
 * moves any more. Bytes written. */
static size_t push(int fd, const uint8_t *bytes, size_t size, bool drain)
{
    static uint8_t taken[65536];
    struct pollfd event = {fd, (short)(drain ? POLLIN | POLLOUT : POLLOUT), 0};
    size_t used = 0;
    while (used < size && poll(&event, 1, drain ? -1 : 500) == 1) {
        if ((event.revents & POLLIN) != 0 && recv(fd, taken, sizeof taken, 0) <= 0) {
            break;
        }
        if ((event.revents & POLLOUT) != 0) {
            const ssize_t n = send(fd, bytes + used, size - used, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n < 0 && errno != EAGAIN) {
                break;
            }
            used += n > 0 ? (size_t)n : 0;
        }
    }
    return used;
}

#define PINGS     200000u
#define PING_SIZE 127u

static _Atomic size_t ping_bytes;

static void ping_without_reading(raw_server *server, int fd)
{
    static uint8_t flood[PINGS * PING_SIZE];
    static uint8_t end[16];
    const int little = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    if (!raw_upgrade(server, fd)) {
        return;
    }
    for (size_t i = 0; i < PINGS; i++) {
        (void)raw_frame(0x89, zeros, 125, flood + i * PING_SIZE);
    }
    size_t used = push(fd, flood, sizeof flood, false);
    atomic_store_explicit(&ping_bytes, used, memory_order_release);
    await_let_go(server);
    /* To the end of the ping that it was in. */
    const size_t rest = (PING_SIZE - used % PING_SIZE) % PING_SIZE;
    used = push(fd, flood + used, rest, true);
    size_t size = raw_frame(0x82, "alive", 5, end);
    size += raw_frame(0x88, "\x03\xe8", 2, end + size);
    if (used == rest && push(fd, end, size, true) == size) {
        raw_read_until_close(server, fd);
    }
}

/* Pings whose pongs nobody takes: the client owes one pong, not as many as it was sent, and stops
 * reading before it would have to keep them. When they are taken the session goes on. (The
 * sanitizers' allocators do not report to mallinfo2(): there only the session is judged.) */
static void pongs_that_nobody_takes_do_not_pile_up(void **state)
{
    (void)state;
    atomic_store_explicit(&ping_bytes, 0, memory_order_relaxed);
    io_rig *rig = io_rig_start(ping_without_reading);
    while (rig->connected == 0) {
        tg__io_service(rig->io, true);
    }
    const struct mallinfo2 before = mallinfo2();
    while (atomic_load_explicit(&ping_bytes, memory_order_acquire) == 0) {
        tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) + 1000000);
        tg__io_service(rig->io, true);
    }
    const struct mallinfo2 after = mallinfo2();
    assert_true(atomic_load_explicit(&ping_bytes, memory_order_relaxed) > 10000 * PING_SIZE);
    assert_true(after.uordblks + after.hblkhd < before.uordblks + before.hblkhd + 65536);
    atomic_store_explicit(&rig->server.let_go, true, memory_order_relaxed);
    io_rig_serve(rig);
    assert_int_equal(rig->messages, 1);
    assert_memory_equal(rig->last, "alive", 5);
    assert_int_equal(rig->closed.code, 1000);
    io_rig_finish(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_at_every_byte_of_upgrade_and_frames_changes_nothing),
        cmocka_unit_test(a_ping_between_fragments_is_answered_with_its_own_bytes),
        cmocka_unit_test(a_close_between_fragments_ends_the_session_without_half_a_message),
        cmocka_unit_test(a_frame_that_is_not_allowed_ends_the_connection),
        cmocka_unit_test(a_close_code_that_may_not_be_sent_gives_a_slow_retry),
        cmocka_unit_test(half_a_close_code_is_none),
        cmocka_unit_test(a_close_reason_of_the_full_length_is_read),
        cmocka_unit_test(a_size_that_only_the_header_promises_is_refused_when_its_first_bytes_come),
        cmocka_unit_test(fragments_of_one_byte_add_up_to_too_much),
        cmocka_unit_test(pongs_that_nobody_takes_do_not_pile_up),
    };
    return cmocka_run_group_tests_name("sdk.hostile_frames", tests, NULL, NULL);
}

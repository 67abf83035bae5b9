/* The adapter against servers that misbehave, byte by byte. */
#include "tg_cmocka.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io_rig.h"
#include "raw_server.h"

/* --- what is asked for --- */

static void say_close(raw_server *server, int fd)
{
    uint8_t frame[64];
    if (raw_upgrade(server, fd)) {
        const char reason[] = "\x03\xf4{\"reconnect_after_ms\":1840}";
        (void)raw_write(fd, frame, raw_frame(0x88, reason, sizeof reason - 1, frame));
        raw_read_until_close(server, fd);
    }
}

/* Header names have no case. */
static const char *find_header(const char *request, const char *header)
{
    for (const char *at = request; *at != '\0'; at++) {
        if (strncasecmp(at, header, strlen(header)) == 0) {
            return at;
        }
    }
    return NULL;
}

static void the_request_carries_token_and_subprotocol_and_no_extension(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_close);
    io_rig_serve(rig);
    io_rig_finish(rig);
    assert_non_null(strstr(rig->server.request, "GET /tickglass HTTP/1.1\r\n"));
    assert_non_null(find_header(rig->server.request, "authorization: bearer the-token\r\n"));
    assert_non_null(find_header(rig->server.request, "sec-websocket-protocol: tickglass.1\r\n"));
    assert_null(find_header(rig->server.request, "sec-websocket-extensions"));
}

static void a_close_frame_gives_code_and_delay(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_close);
    io_rig_serve(rig);
    assert_int_equal(rig->connected, 1);
    assert_int_equal(rig->closed.cause, TG__CAUSE_CLOSE_CODE);
    assert_int_equal(rig->closed.code, 1012);
    assert_int_equal(rig->closed.floor_ms, 1840);
    io_rig_finish(rig);
}

static void say_close_without_a_code(raw_server *server, int fd)
{
    uint8_t frame[64];
    if (raw_upgrade(server, fd)) {
        (void)raw_write(fd, frame, raw_frame(0x88, "", 0, frame));
        raw_read_until_close(server, fd);
    }
}

static void a_close_frame_without_a_code_is_one_of_its_own(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_close_without_a_code);
    io_rig_serve(rig);
    assert_int_equal(rig->closed.cause, TG__CAUSE_CLOSE_CODE);
    assert_int_equal(rig->closed.code, 1005);
    io_rig_finish(rig);
}

static void say_close_with_bad_text(raw_server *server, int fd)
{
    uint8_t frame[64];
    if (raw_upgrade(server, fd)) {
        const char reason[] = "\x03\xf4\xff\xfe{\"reconnect_after_ms\":1}";
        (void)raw_write(fd, frame, raw_frame(0x88, reason, sizeof reason - 1, frame));
        raw_read_until_close(server, fd);
    }
}

static void a_close_reason_that_is_not_utf8_ends_the_connection_all_the_same(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_close_with_bad_text);
    io_rig_serve(rig);
    assert_int_equal(rig->closed_count, 1);
    assert_int_equal(rig->closed.floor_ms, 0);
    io_rig_finish(rig);
}

/* --- messages, however they are cut --- */

static size_t glued_step; /* bytes a write */

static void say_glued(raw_server *server, int fd)
{
    uint8_t bytes[2048];
    if (!raw_read_request(server, fd)) {
        return;
    }
    size_t size = raw_upgrade_text(server, (char *)bytes, sizeof bytes);
    size += raw_frame(0x82, "first", 5, bytes + size);
    size += raw_frame(0x02, "sec", 3, bytes + size);  /* a fragment */
    size += raw_frame(0x89, "ping", 4, bytes + size); /* a control frame between */
    size += raw_frame(0x80, "ond", 3, bytes + size);  /* the rest */
    size += raw_frame(0x82, "", 0, bytes + size);     /* an empty message */
    size += raw_frame(0x88, "\x03\xe8", 2, bytes + size);
    for (size_t at = 0; at < size; at += glued_step) {
        const size_t n = size - at < glued_step ? size - at : glued_step;
        if (!raw_write(fd, bytes + at, n)) {
            return;
        }
    }
    raw_read_until_close(server, fd);
}

static void frames_glued_to_the_upgrade_arrive_however_they_are_cut(void **state)
{
    (void)state;
    static const size_t steps[] = {100000, 1, 2, 3, 7, 150, 200, 201, 202, 203, 204, 205, 206};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        glued_step = steps[i];
        io_rig *rig = io_rig_start(say_glued);
        io_rig_serve(rig);
        assert_int_equal(rig->messages, 3);
        assert_int_equal(rig->message_bytes, 11);
        assert_int_equal(rig->closed.code, 1000);
        io_rig_finish(rig);
    }
}

static uint8_t big_payload[IO_RIG_MESSAGE_MAX + 1];
static uint8_t big_frame[IO_RIG_MESSAGE_MAX + 64];

static void say_exactly_the_limit(raw_server *server, int fd)
{
    if (raw_upgrade(server, fd)) {
        (void)raw_write(fd, big_frame, raw_frame(0x82, big_payload, IO_RIG_MESSAGE_MAX, big_frame));
        (void)raw_write(fd, big_frame, raw_frame(0x88, "\x03\xe8", 2, big_frame));
        raw_read_until_close(server, fd);
    }
}

static void say_too_much(raw_server *server, int fd)
{
    if (!raw_upgrade(server, fd)) {
        return;
    }
    bool good =
        raw_write(fd, big_frame, raw_frame(0x02, big_payload, IO_RIG_MESSAGE_MAX / 2, big_frame));
    for (int i = 0; i < 3 && good; i++) {
        good = raw_write(fd, big_frame,
                         raw_frame(0x00, big_payload, IO_RIG_MESSAGE_MAX / 2, big_frame));
    }
    raw_read_until_close(server, fd);
}

static void a_message_of_the_limit_is_taken_and_one_over_it_closes_with_1009(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_exactly_the_limit);
    io_rig_serve(rig);
    assert_int_equal(rig->messages, 1);
    assert_int_equal(rig->message_bytes, IO_RIG_MESSAGE_MAX);
    assert_true(rig->progress >= IO_RIG_MESSAGE_MAX - 32u * 1024u); /* it came in parts */
    assert_true(rig->progress < IO_RIG_MESSAGE_MAX);
    io_rig_finish(rig);

    rig = io_rig_start(say_too_much);
    io_rig_serve(rig);
    assert_int_equal(rig->messages, 0);
    assert_int_equal(rig->closed.cause, TG__CAUSE_PEER_FAULT);
    rig->left = false;
    while (tg__io_leaving(rig->io) > 0) {
        tg__io_service(rig->io, true);
    }
    io_rig_finish(rig);
    assert_int_equal(rig->server.closed_size, 2);
    assert_memory_equal(rig->server.closed_with, "\x03\xf1", 2);
}

static void say_text(raw_server *server, int fd)
{
    uint8_t frame[64];
    if (raw_upgrade(server, fd)) {
        (void)raw_write(fd, frame, raw_frame(0x81, "text", 4, frame));
        raw_read_until_close(server, fd);
    }
}

static void a_text_message_closes_with_1003(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_text);
    io_rig_serve(rig);
    assert_int_equal(rig->messages, 0);
    assert_int_equal(rig->closed.cause, TG__CAUSE_PEER_FAULT);
    while (tg__io_leaving(rig->io) > 0) {
        tg__io_service(rig->io, true);
    }
    io_rig_finish(rig);
    assert_memory_equal(rig->server.closed_with, "\x03\xeb", 2);
}

static void say_pings(raw_server *server, int fd)
{
    uint8_t frame[200];
    if (!raw_upgrade(server, fd)) {
        return;
    }
    const size_t size = raw_frame(0x89, big_payload, 125, frame);
    for (int i = 0; i < 20000 && raw_write(fd, frame, size); i++) {
    }
    (void)raw_write(fd, frame, raw_frame(0x82, "alive", 5, frame));
    (void)raw_write(fd, frame, raw_frame(0x88, "\x03\xe8", 2, frame));
    raw_read_until_close(server, fd);
}

static void a_flood_of_pings_is_survived(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_pings);
    io_rig_serve(rig);
    assert_int_equal(rig->messages, 1);
    io_rig_finish(rig);
    assert_true(rig->server.pongs > 0);
}

/* --- leaving from inside the receive callback --- */

static void say_many_in_one_piece(raw_server *server, int fd)
{
    static uint8_t bytes[64 * 1024];
    if (!raw_upgrade(server, fd)) {
        return;
    }
    size_t size = 0;
    for (int i = 0; i < 40; i++) {
        size += raw_frame(0x82, big_payload, 1000, bytes + size);
    }
    size += raw_frame(0x82, big_payload, 3000, bytes + size) - 1500; /* the middle of a frame */
    (void)raw_write(fd, bytes, size);
    raw_read_until_close(server, fd);
}

static void dropping_inside_the_receive_callback_is_safe(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        io_rig *rig = io_rig_start(say_many_in_one_piece);
        rig->reaction = IO_RIG_DROP;
        io_rig_serve(rig);
        assert_int_equal(rig->messages, 1);
        assert_int_equal(rig->closed_count, 0);
        io_rig_finish(rig);
    }
}

static void closing_inside_the_receive_callback_is_safe_and_says_why(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        io_rig *rig = io_rig_start(say_many_in_one_piece);
        rig->reaction = IO_RIG_CLOSE;
        io_rig_serve(rig);
        assert_int_equal(rig->messages, 1);
        assert_int_equal(rig->closed_count, 0);
        io_rig_finish(rig);
        assert_memory_equal(rig->server.closed_with, "\x0f\xaa", 2); /* 4010 */
    }
}

/* --- resets --- */

static int reset_stage;

static void reset_somewhere(raw_server *server, int fd)
{
    char text[512];
    uint8_t frame[64];
    raw_reset(fd);
    if (reset_stage == 0 || !raw_read_request(server, fd) || reset_stage == 1) {
        return;
    }
    const size_t size = raw_upgrade_text(server, text, sizeof text);
    (void)raw_write(fd, text, reset_stage == 2 ? size / 2 : size);
    if (reset_stage == 4) {
        (void)raw_write(fd, frame, raw_frame(0x82, "whole", 5, frame) - 2);
    }
}

static void a_reset_in_every_stage_is_reported_once(void **state)
{
    (void)state;
    for (reset_stage = 0; reset_stage <= 4; reset_stage++) {
        io_rig *rig = io_rig_start(reset_somewhere);
        io_rig_serve(rig);
        assert_int_equal(rig->closed_count, 1);
        assert_int_equal(rig->messages, 0);
        io_rig_finish(rig);
    }
}

/* --- sending --- */

static void say_nothing_and_do_not_read(raw_server *server, int fd)
{
    if (raw_upgrade(server, fd)) {
        uint8_t byte = 0;
        /* Waits for the end of the connection without taking what the client sends. */
        while (recv(fd, &byte, 1, MSG_PEEK) > 0 &&
               !atomic_load_explicit(&server->let_go, memory_order_relaxed)) {
            (void)poll(NULL, 0, 10);
        }
    }
}

static void a_peer_that_does_not_read_fills_a_bounded_queue(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_nothing_and_do_not_read);
    while (rig->connected == 0) {
        tg__io_service(rig->io, true);
    }
    assert_int_equal(tg__io_send(rig->io, 6, big_payload, 10), TG_OK); /* not that connection */
    tg_err err = TG_OK;
    unsigned sent = 0;
    for (; sent < 10000 && err == TG_OK; sent++) {
        err = tg__io_send(rig->io, 7, big_payload, 60000);
        tg__io_service(rig->io, false);
    }
    assert_int_equal(err, TG_ERR_FULL);
    tg__io_drop(rig->io, 7);
    rig->left = true;
    atomic_store_explicit(&rig->server.let_go, true, memory_order_relaxed);
    io_rig_serve(rig);
    io_rig_finish(rig);
}

static void timers_ring_and_wakes_come(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_close);
    rig->timer = false;
    tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) - 5);
    while (!rig->timer) {
        tg__io_service(rig->io, true);
    }
    rig->timer = false;
    tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) + 1000000);
    tg__io_timer(rig->io, INT64_MAX);
    io_rig_serve(rig);
    io_rig_finish(rig);
}

static _Atomic bool all_written;

static void say_more_when_let_go(raw_server *server, int fd)
{
    static uint8_t frame[60016];
    if (!raw_upgrade(server, fd) || !raw_write(fd, frame, raw_frame(0x82, "first", 5, frame))) {
        return;
    }
    while (!atomic_load_explicit(&server->let_go, memory_order_relaxed)) {
        (void)poll(NULL, 0, 1);
    }
    (void)raw_write(fd, frame, raw_frame(0x82, big_payload, 60000, frame));
    (void)raw_write(fd, frame, raw_frame(0x82, big_payload, 30000, frame));
    atomic_store_explicit(&all_written, true, memory_order_relaxed);
    raw_read_until_close(server, fd);
}

/* As in a program whose loop did not run for a while: the deadline has passed, and the messages
 * that renew it lie in the socket. */
static void a_late_timer_rings_after_what_came_meanwhile(void **state)
{
    (void)state;
    io_rig *rig = io_rig_start(say_more_when_let_go);
    atomic_store_explicit(&all_written, false, memory_order_relaxed);
    while (rig->messages == 0) {
        tg__io_service(rig->io, true);
    }
    atomic_store_explicit(&rig->server.let_go, true, memory_order_relaxed);
    while (!atomic_load_explicit(&all_written, memory_order_relaxed)) {
        (void)poll(NULL, 0, 1);
    }
    rig->timer = false;
    tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) - 1000000);
    while (!rig->timer) {
        tg__io_service(rig->io, true);
    }
    assert_int_equal(rig->messages_at_timer, 3);
    tg__io_drop(rig->io, 7);
    rig->left = true;
    io_rig_serve(rig);
    io_rig_finish(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_request_carries_token_and_subprotocol_and_no_extension),
        cmocka_unit_test(a_close_frame_gives_code_and_delay),
        cmocka_unit_test(a_close_frame_without_a_code_is_one_of_its_own),
        cmocka_unit_test(a_close_reason_that_is_not_utf8_ends_the_connection_all_the_same),
        cmocka_unit_test(frames_glued_to_the_upgrade_arrive_however_they_are_cut),
        cmocka_unit_test(a_message_of_the_limit_is_taken_and_one_over_it_closes_with_1009),
        cmocka_unit_test(a_text_message_closes_with_1003),
        cmocka_unit_test(a_flood_of_pings_is_survived),
        cmocka_unit_test(dropping_inside_the_receive_callback_is_safe),
        cmocka_unit_test(closing_inside_the_receive_callback_is_safe_and_says_why),
        cmocka_unit_test(a_reset_in_every_stage_is_reported_once),
        cmocka_unit_test(a_peer_that_does_not_read_fills_a_bounded_queue),
        cmocka_unit_test(timers_ring_and_wakes_come),
        cmocka_unit_test(a_late_timer_rings_after_what_came_meanwhile),
    };
    return cmocka_run_group_tests_name("sdk.websocket_io", tests, NULL, NULL);
}

/* The reader against a far end that sends what it likes. */
#include "tg_cmocka.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus_reader.h"
#include "scratch_folder.h"

typedef struct far_end {
    scratch_folder folder;
    int listener;
    int fd;
    tg__bus_reader reader;
    tg__bus_message message;
    tg__cause cause;
} far_end;

static const tg__bus_hello hello = {.time_resolution_ns = 1, .instrument_count = 65535};

static int set_up(void **state)
{
    static far_end f;
    memset(&f, 0, sizeof f);
    scratch_folder_open(&f.folder);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = scratch_path(&f.folder, "bus");
    memcpy(address.sun_path, path, strlen(path));
    f.listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(f.listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(f.listener, 1), 0);
    assert_int_equal(tg__bus_reader_open(&f.reader, path, &f.cause), TG_OK);
    f.fd = accept(f.listener, NULL, NULL);
    assert_true(f.fd >= 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    far_end *f = *state;
    tg__bus_reader_close(&f->reader);
    tg__bus_reader_close(&f->reader); /* once more is once */
    (void)close(f->fd);
    (void)close(f->listener);
    scratch_folder_close(&f->folder);
    return 0;
}

static tg_err next(far_end *f)
{
    return tg__bus_reader_next(&f->reader, &hello, &f->message, &f->cause);
}

static void say(const far_end *f, const uint8_t *bytes, size_t size)
{
    assert_int_equal(write(f->fd, bytes, size), size);
}

static void a_message_in_pieces_is_one_message(void **state)
{
    far_end *f = *state;
    uint8_t bytes[128];
    size_t size = 0;
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(next(f), TG_ERR_NOT_FOUND);
            say(f, bytes + i, 1);
        }
        assert_int_equal(next(f), TG_OK);
        assert_memory_equal(&f->message.as.hello, &hello, sizeof hello);
    }
    say(f, bytes, size);
    say(f, bytes, size);
    assert_int_equal(next(f), TG_OK);
    assert_int_equal(next(f), TG_OK);
    assert_int_equal(next(f), TG_ERR_NOT_FOUND);
}

static void a_message_larger_than_the_buffer_makes_it_grow(void **state)
{
    far_end *f = *state;
    static uint8_t bytes[2u << 20];
    const tg_image image = {.epoch = 1, .seq = 1};
    tg__bus_draft draft;
    size_t size = 0;
    tg__bus_begin_cut(&draft, 9, 0, bytes, sizeof bytes);
    for (uint32_t id = 0; id < 65535; id++) {
        tg__bus_put_image(&draft, (tg_instrument_id)id, &image);
    }
    assert_int_equal(tg__bus_finish(&draft, &size), TG_OK);
    for (size_t at = 0; at < size;) {
        const ssize_t sent = send(f->fd, bytes + at, size - at, MSG_DONTWAIT);
        at += sent > 0 ? (size_t)sent : 0;
        const tg_err err = next(f);
        assert_int_equal(err, at < size ? TG_ERR_NOT_FOUND : TG_OK);
    }
    assert_int_equal(f->message.as.cut.boundary, 9);
    assert_int_equal(f->message.as.cut.images.left, 65535);
}

static void the_end_is_told_after_what_came_before_it(void **state)
{
    far_end *f = *state;
    uint8_t bytes[128];
    size_t size = 0;
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    say(f, bytes, size);
    say(f, bytes, 7);
    assert_int_equal(shutdown(f->fd, SHUT_WR), 0);
    assert_int_equal(next(f), TG_OK);
    assert_int_equal(next(f), TG_ERR_DISCONNECTED);
    assert_non_null(strstr(f->cause.text, "closed it after 50 bytes"));
}

static void bad_bytes_are_refused_with_their_place_in_the_stream(void **state)
{
    far_end *f = *state;
    uint8_t bytes[128];
    size_t size = 0;
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    say(f, bytes, size);
    bytes[20] ^= 1;
    say(f, bytes, size);
    assert_int_equal(next(f), TG_OK);
    assert_int_equal(next(f), TG_ERR_CORRUPT);
    assert_string_equal(f->cause.text, "bus: at byte 96: a block's checksum does not match");
}

static void a_size_without_bounds_is_refused_before_memory_is_taken(void **state)
{
    far_end *f = *state;
    static const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, TG__BUS_CUT};
    const size_t before = f->reader.capacity;
    say(f, bytes, sizeof bytes);
    assert_int_equal(next(f), TG_ERR_FRAME_SIZE);
    assert_int_equal(f->reader.capacity, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_in_pieces_is_one_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_larger_than_the_buffer_makes_it_grow, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_end_is_told_after_what_came_before_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(bad_bytes_are_refused_with_their_place_in_the_stream,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_size_without_bounds_is_refused_before_memory_is_taken,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.bus_reader", tests, NULL, NULL);
}

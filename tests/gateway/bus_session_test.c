#include "tg_cmocka.h"

#include <string.h>

#include "bus_session.h"

static uint8_t bytes[4096];
static size_t size;
static tg__bus_session session;
static tg__cause cause;

static tg_err take(void)
{
    tg__bus_message message;
    tg__fault fault;
    assert_int_equal(tg__bus_message_decode(bytes, size, &session.hello, &message, &fault), TG_OK);
    return tg__bus_session_take(&session, &message, &cause);
}

static tg_err take_hello(void)
{
    const tg__bus_hello hello = {.lineage = 9,
                                 .dictionary_generation = 3,
                                 .time_resolution_ns = 1,
                                 .venue_count = 1,
                                 .instrument_count = 2};
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    return take();
}

/* The same with a market that must be known to both ends. */
static tg_err take_simulated(uint32_t instruments)
{
    const tg__bus_hello hello = {.time_resolution_ns = 1,
                                 .venue_count = 6,
                                 .instrument_count = instruments,
                                 .simulated = true,
                                 .seed = 5};
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
    return take();
}

static tg_err take_entry(uint32_t generation, tg__dictionary_op op, uint16_t id, const char *name)
{
    tg__dictionary_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.op = op;
    if (op == TG__DICTIONARY_VENUE) {
        entry.as.venue.id = (tg_venue_id)id;
        memcpy(entry.as.venue.name, name, strlen(name));
    } else {
        entry.as.instrument.id = id;
        entry.as.instrument.band_count = 1;
        entry.as.instrument.band[0].tick_size = 1;
        memcpy(entry.as.instrument.symbol, name, strlen(name));
    }
    assert_int_equal(tg__bus_dictionary_encode(generation, &entry, 1, bytes, sizeof bytes, &size),
                     TG_OK);
    return take();
}

static tg_err take_images(bool cut, uint64_t boundary, tg_instrument_id id, uint32_t epoch,
                          uint64_t seq)
{
    const tg_image image = {.epoch = epoch, .seq = seq};
    tg__bus_draft draft;
    if (cut) {
        tg__bus_begin_cut(&draft, boundary, 0, bytes, sizeof bytes);
    } else {
        tg__bus_begin_ticks(&draft, bytes, sizeof bytes);
    }
    if (seq > 0) {
        tg__bus_put_image(&draft, id, &image);
    }
    assert_int_equal(tg__bus_finish(&draft, &size), TG_OK);
    return take();
}

static int set_up(void **state)
{
    (void)state;
    memset(&session, 0, sizeof session);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__bus_session_deinit(&session);
    tg__bus_session_deinit(&session); /* once more is once */
    return 0;
}

static void follow(void)
{
    assert_int_equal(take_hello(), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_VENUE, 0, "V"), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 0, "A"), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 1, "B"), TG_OK);
    assert_false(session.follows);
    assert_int_equal(take_images(true, 50, 1, 7, 10), TG_OK);
    assert_true(session.follows);
}

static void the_market_comes_first_and_then_boundaries(void **state)
{
    (void)state;
    follow();
    assert_int_equal(tg__directory_find_name(&session.directory, "V", "B"), 1);
    assert_int_equal(session.boundary, 50);
    assert_int_equal(session.update_count, 1);
    assert_int_equal(session.updates[0].image.seq, 10);
    assert_int_equal(take_images(true, 51, 0, 0, 0), TG_OK); /* nothing changed */
    assert_int_equal(session.update_count, 0);
    assert_int_equal(take_images(false, 0, 1, 7, 10), TG_OK); /* a tick that the cut had, too */
    assert_int_equal(take_images(false, 0, 1, 7, 12), TG_OK);
    assert_int_equal(take_images(true, 52, 1, 8, 1), TG_OK); /* a new epoch */
    assert_int_equal(session.boundary, 52);
}

static void nothing_comes_before_the_hello_and_no_second_one(void **state)
{
    (void)state;
    assert_int_equal(take_images(true, 1, 0, 0, 0), TG_ERR_PROTOCOL);
    assert_string_equal(cause.text, "bus: no hello came first");
    assert_int_equal(take_hello(), TG_OK);
    assert_int_equal(take_hello(), TG_ERR_PROTOCOL);
}

static void a_simulated_market_of_another_size_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(take_simulated(2399), TG_ERR_PROTOCOL);
    assert_string_equal(cause.text, "bus: the simulated market of another build");
    assert_int_equal(take_simulated(2400), TG_OK);
    assert_true(session.hello.simulated && session.hello.seed == 5);
}

static void a_venue_is_stale_only_once_there_is_a_boundary(void **state)
{
    (void)state;
    const tg__venue_state stale = {0, TG__VENUE_STALE, 50};
    assert_int_equal(take_hello(), TG_OK);
    assert_int_equal(tg__bus_venue_state_encode(&stale, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(take(), TG_ERR_PROTOCOL);
    tg__bus_session_deinit(&session);
    follow();
    assert_int_equal(tg__bus_venue_state_encode(&stale, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(take(), TG_OK);
}

static void the_directory_is_whole_and_in_order(void **state)
{
    (void)state;
    assert_int_equal(take_hello(), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 0, "A"), TG_ERR_PROTOCOL); /* no venue */
    assert_int_equal(take_entry(3, TG__DICTIONARY_VENUE, 1, "V"), TG_ERR_PROTOCOL);
    assert_int_equal(take_entry(3, TG__DICTIONARY_VENUE, 0, "V"), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_VENUE, 1, "W"), TG_ERR_PROTOCOL); /* one only */
    assert_int_equal(take_entry(2, TG__DICTIONARY_ADD, 0, "A"), TG_ERR_PROTOCOL);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 1, "A"), TG_ERR_PROTOCOL);
    assert_int_equal(take_entry(3, TG__DICTIONARY_RENAME, 0, "A"), TG_ERR_PROTOCOL);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 0, "A"), TG_OK);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 1, "A"), TG_ERR_PROTOCOL); /* twice */
    assert_int_equal(take_images(false, 0, 0, 1, 1), TG_ERR_PROTOCOL); /* before a boundary */
    assert_int_equal(take_images(true, 1, 0, 1, 1), TG_ERR_PROTOCOL);
    assert_string_equal(cause.text, "bus: the directory ended early");
}

static void no_boundary_is_missing_and_no_version_falls(void **state)
{
    (void)state;
    follow();
    assert_int_equal(take_images(true, 52, 0, 0, 0), TG_ERR_BOUNDARY);
    assert_int_equal(take_images(true, 50, 0, 0, 0), TG_ERR_BOUNDARY);
    assert_int_equal(take_images(true, 51, 1, 7, 10), TG_ERR_VERSION);
    assert_int_equal(take_images(true, 51, 1, 6, 11), TG_ERR_VERSION);
    assert_int_equal(take_images(false, 0, 1, 7, 9), TG_ERR_VERSION);
    assert_int_equal(take_entry(3, TG__DICTIONARY_ADD, 2, "C"), TG_ERR_PROTOCOL); /* too late */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_market_comes_first_and_then_boundaries, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nothing_comes_before_the_hello_and_no_second_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_simulated_market_of_another_size_is_not_followed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_venue_is_stale_only_once_there_is_a_boundary, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_directory_is_whole_and_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_boundary_is_missing_and_no_version_falls, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("gateway.bus_session", tests, NULL, NULL);
}

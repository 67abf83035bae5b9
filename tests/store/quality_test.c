#include "tg_cmocka.h"

#include "quality.h"

#define S INT64_C(1000000000)

/* At 100 s: a row proved 1 s ago in era 5, everything well. */
typedef struct scene {
    tg__link_axis link;
    tg__venue_axis venue;
    tg__row_axis row;
} scene;

static scene all_well(void)
{
    return (scene){
        .link = {.alive_mono_ns = 100 * S,
                 .timeout_ns = 3 * S,
                 .state = TG__LINK_UP,
                 .doubt = TG_QUALITY_GAP,
                 .doubt_era = 5},
        .venue = {.doubt_era = 4},
        .row = {.proved_mono_ns = 99 * S, .proved_era = 5, .cadence_ms = 2000, .has_value = true},
    };
}

static tg__verdict verdict_of(const scene *at)
{
    const tg__loss_axis loss = {
        .latest_era =
            at->link.doubt_era > at->venue.doubt_era ? at->link.doubt_era : at->venue.doubt_era,
        .stale_venues = at->venue.stale ? 1 : 0,
    };
    return tg__quality_at(&at->link, &loss, &at->venue, &at->row, 100 * S);
}

static tg_quality judged(const scene *at)
{
    return verdict_of(at).quality;
}

static void one_axis_out_of_order_gives_its_own_word(void **state)
{
    (void)state;
    scene at = all_well();
    assert_int_equal(judged(&at), TG_QUALITY_LIVE);
    at.link.state = TG__LINK_DOWN;
    assert_int_equal(judged(&at), TG_QUALITY_DISCONNECTED);
    at = all_well();
    at.row.not_entitled = true;
    assert_int_equal(judged(&at), TG_QUALITY_NOT_ENTITLED);
    at = all_well();
    at.row.has_value = false;
    assert_int_equal(judged(&at), TG_QUALITY_UNKNOWN);
    at = all_well();
    at.row.halted = true;
    assert_int_equal(judged(&at), TG_QUALITY_HALTED);
    at = all_well();
    at.row.delayed = true;
    assert_int_equal(judged(&at), TG_QUALITY_DELAYED);
    at = all_well();
    at.venue.stale = true;
    assert_int_equal(judged(&at), TG_QUALITY_STALE);
    at = all_well();
    at.venue.doubt_era = 6; /* over, but the row has proved nothing since */
    assert_int_equal(judged(&at), TG_QUALITY_STALE);
    at = all_well();
    at.link.doubt_era = 6;
    assert_int_equal(judged(&at), TG_QUALITY_GAP);
    at.link.doubt = TG_QUALITY_RESYNCING;
    assert_int_equal(judged(&at), TG_QUALITY_RESYNCING);
    at = all_well();
    at.link.late = true;
    assert_int_equal(judged(&at), TG_QUALITY_STALE);
}

static void silence_is_quiet_while_the_channel_is_alive_and_stale_after(void **state)
{
    (void)state;
    scene at = all_well();
    at.row.proved_mono_ns = 98 * S;
    assert_int_equal(judged(&at), TG_QUALITY_LIVE); /* just within its cadence */
    at.row.proved_mono_ns = 98 * S - 1;
    assert_int_equal(judged(&at), TG_QUALITY_QUIET);
    at.link.alive_mono_ns = 97 * S;
    assert_int_equal(judged(&at), TG_QUALITY_QUIET);
    at.link.alive_mono_ns = 97 * S - 1;
    assert_int_equal(judged(&at), TG_QUALITY_QUIET); /* its own proof is within the timeout */
    at.row.proved_mono_ns = 97 * S - 1;
    assert_int_equal(judged(&at), TG_QUALITY_STALE);
    at.link.timeout_ns = 0; /* never */
    assert_int_equal(judged(&at), TG_QUALITY_QUIET);
    at.row.cadence_ms = 0; /* not known */
    assert_int_equal(judged(&at), TG_QUALITY_LIVE);
}

static void the_worst_axis_wins(void **state)
{
    (void)state;
    scene at = all_well();
    at.row.delayed = true;
    at.row.proved_mono_ns = 1; /* quiet as well */
    assert_int_equal(judged(&at), TG_QUALITY_DELAYED);
    at.row.halted = true;
    assert_int_equal(judged(&at), TG_QUALITY_HALTED);
    at.link.doubt_era = 6;
    assert_int_equal(judged(&at), TG_QUALITY_GAP);
    at.venue.stale = true;
    assert_int_equal(judged(&at), TG_QUALITY_STALE);
    at.row.not_entitled = true;
    assert_int_equal(judged(&at), TG_QUALITY_NOT_ENTITLED);
    at.link.state = TG__LINK_DOWN;
    assert_int_equal(judged(&at), TG_QUALITY_DISCONNECTED);
}

static void the_cause_is_the_axis_that_decided(void **state)
{
    (void)state;
    scene at = all_well();
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_NONE);
    at.row.proved_mono_ns = 1;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_CADENCE);
    at.row.delayed = true;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_FEED);
    at.row.halted = true;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_STATUS);
    at.link.late = true;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_LATENESS);
    at.link.alive_mono_ns = 1;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_SILENCE);
    at.venue.stale = true;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_VENUE);
    at.link.doubt_era = 6; /* a gap is less than what the venue makes it */
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_VENUE);
    at.link.doubt = TG_QUALITY_STALE;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_LINK);
    at.row.has_value = false;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_NO_VALUE);
    at.row.not_entitled = true;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_ENTITLEMENT);
    at.link.state = TG__LINK_DOWN;
    assert_int_equal(verdict_of(&at).cause, TG_QUALITY_CAUSE_LINK);
}

static void a_time_taken_before_the_proof_is_no_age(void **state)
{
    (void)state;
    assert_int_equal(tg__age_ns(5, 4), 0);
    assert_int_equal(tg__age_ns(INT64_MAX, INT64_MIN), 0);
    scene at = all_well();
    at.row.proved_mono_ns = 101 * S;
    at.link.alive_mono_ns = 102 * S;
    assert_int_equal(judged(&at), TG_QUALITY_LIVE);
}

static void every_quality_has_a_name(void **state)
{
    (void)state;
    for (int quality = TG_QUALITY_LIVE; quality <= TG_QUALITY_UNKNOWN; quality++) {
        assert_string_not_equal(tg_quality_name((tg_quality)quality), "?");
    }
    assert_string_equal(tg_quality_name((tg_quality)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_axis_out_of_order_gives_its_own_word),
        cmocka_unit_test(silence_is_quiet_while_the_channel_is_alive_and_stale_after),
        cmocka_unit_test(the_worst_axis_wins),
        cmocka_unit_test(the_cause_is_the_axis_that_decided),
        cmocka_unit_test(a_time_taken_before_the_proof_is_no_age),
        cmocka_unit_test(every_quality_has_a_name),
    };
    return cmocka_run_group_tests_name("store.quality", tests, NULL, NULL);
}

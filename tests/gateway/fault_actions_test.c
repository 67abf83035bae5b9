/*
 * Faults of handlers, lanes and the sequencer, as a client sees them that admits by version. Every
 * price of the tape only rises, so that a price that goes back is seen at once, whatever the
 * versions say.
 */
#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_actions.h"
#include "playback_fixture.h"
#include "prng.h"
#include "tape_line.h"

#define A            0u
#define B            1u
#define TAPE_MS      2000
#define QUIET_MS     400 /* between the rows of the quiet instrument */
#define INSTRUMENTS  5u
#define MIX_SEEDS    20u
#define LIVE_WITHIN  400u /* ms after the last fault is over */
#define TAPE_ROW_MAX 64u

/* In the order of the tape's first rows, which is that of ids. */
enum {
    BUSY = 0,   /* venue IDS, bid and ask each ms */
    QUIET = 1,  /* venue IDS, a bid now and then */
    PLAIN = 2,  /* venue PLAIN, whose rows have no ids */
    OTHER = 3,  /* venue OTHER, a bid each ms */
    TRADED = 4, /* venue OTHER, a trade each ms */
};

enum {
    IDS_VENUE = 0,
    PLAIN_VENUE = 1,
    OTHER_VENUE = 2,
};

typedef struct world {
    playback_fixture f;
    unsigned ms;
    int64_t utc_step_ns;
    tg__peer *peer;
    tg__channel channel;
    tg_instrument_id ids[INSTRUMENTS];
    tg_image images[INSTRUMENTS];
    tg_image shown[INSTRUMENTS];
    bool live[INSTRUMENTS];
    bool stale[3]; /* venues */
    unsigned venue_states;
    unsigned ticks;
    unsigned gaps;
    unsigned messages;
    tg__kind kinds[4]; /* of the first messages */
} world;

static world w;

static char *make_tape(void)
{
    char *tape = malloc((size_t)(TAPE_MS + 1) * 8 * TAPE_ROW_MAX);
    assert_non_null(tape);
    size_t at = (size_t)sprintf(tape, "%s\n", TG__TAPE_HEADER);
    for (int ms = 0; ms < TAPE_MS; ms++) {
        const int price = 1000 + ms;
        at += (size_t)sprintf(tape + at, "%d,IDS,BUSY,bid,%d,1,%d\n", ms * 1000000, price, ms);
        at += (size_t)sprintf(tape + at, "%d,IDS,BUSY,ask,%d,1,%d\n", ms * 1000000, price + 1, ms);
        if (ms % QUIET_MS == 0) {
            at += (size_t)sprintf(tape + at, "%d,IDS,QUIET,bid,%d,1,%d\n", ms * 1000000, price, ms);
        }
        at += (size_t)sprintf(tape + at, "%d,PLAIN,PLAIN,bid,%d,1,\n", ms * 1000000, price);
        at += (size_t)sprintf(tape + at, "%d,PLAIN,PLAIN,ask,%d,1,\n", ms * 1000000, price + 1);
        at += (size_t)sprintf(tape + at, "%d,OTHER,OTHER,bid,%d,1,%d\n", ms * 1000000, price, ms);
        at +=
            (size_t)sprintf(tape + at, "%d,OTHER,TRADED,trade,%d,1,%d\n", ms * 1000000, price, ms);
    }
    return tape;
}

/* ---- the client ---- */

static bool equal_images(const tg_image *a, const tg_image *b)
{
    return a->present == b->present && memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void admit(tg_instrument_id id, const tg_image *image)
{
    static const tg_field prices[] = {TG_FIELD_BID_PRICE, TG_FIELD_ASK_PRICE, TG_FIELD_LAST_PRICE};
    tg_image *shown = &w.shown[id];
    const int order = tg_version_compare(tg_image_version(image), tg_image_version(shown));
    if (order < 0) {
        return;
    }
    w.live[id] = w.live[id] || !w.stale[w.f.directory.instruments[id].venue];
    if (order == 0) {
        assert_true(equal_images(image, shown)); /* one version never has two values */
        return;
    }
    for (size_t i = 0; i < sizeof prices / sizeof prices[0]; i++) {
        assert_true(image->value[prices[i]] >= shown->value[prices[i]]);
    }
    *shown = *image;
}

static void send_request(tg__kind kind, size_t count)
{
    uint8_t message[256];
    tg__name names[INSTRUMENTS];
    const tg__request request = {kind, 1, TG__CHANNEL_CONFLATED};
    size_t size = 0;
    memset(names, 0, sizeof names);
    for (size_t i = 0; i < count; i++) {
        names[i].id = (tg_instrument_id)i;
    }
    assert_int_equal(tg__request_encode(&request, names, count, message, sizeof message, &size),
                     TG_OK);
    assert_int_equal(tg__hub_receive(w.f.hub, w.peer, message, size, w.f.now, &w.f.cause), TG_OK);
}

static void take_frame(const uint8_t *message, size_t size)
{
    tg__frame frame;
    tg__fault fault;
    tg__update updates[INSTRUMENTS];
    tg__snapshot_reason reason;
    if (message[0] == TG__KIND_SNAPSHOT) {
        assert_int_equal(tg__snapshot_decode(message, size, PLAYBACK_RESOLUTION, &frame, &reason,
                                             updates, INSTRUMENTS, &fault),
                         TG_OK);
        tg__channel_replace(&w.channel, &frame, updates);
    } else {
        const tg_err err =
            tg__delta_decode(&w.channel, message, size, &frame, updates, INSTRUMENTS, &fault);
        if (err == TG_ERR_BASE_MISMATCH) {
            w.gaps++;
            send_request(TG__KIND_RESYNC, 0);
            return;
        }
        assert_int_equal(err, TG_OK);
        tg__channel_apply(&w.channel, &frame, updates);
    }
    for (uint32_t i = 0; i < frame.count; i++) {
        admit(updates[i].id, &updates[i].image);
    }
}

static void take_venue_state(const uint8_t *message, size_t size)
{
    tg__fault fault;
    tg__venue_state state;
    assert_int_equal(tg__venue_state_decode(message, size, &state, &fault), TG_OK);
    assert_true(state.boundary <= w.f.hub->table.boundary);
    assert_true(w.stale[state.venue] == (state.condition == TG__VENUE_LIVE)); /* news, each time */
    w.stale[state.venue] = state.condition != TG__VENUE_LIVE;
    w.venue_states++;
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        if (w.f.directory.instruments[id].venue == state.venue) {
            w.live[id] = false; /* until a row comes that admits or confirms */
        }
    }
}

static void take_ticks(const uint8_t *message, size_t size)
{
    tg__fault fault;
    tg__ticks_reader reader;
    tg__tick tick;
    int64_t ts_ns = 0;
    assert_int_equal(tg__ticks_decode(message, size, PLAYBACK_RESOLUTION, &ts_ns, &reader, &fault),
                     TG_OK);
    while (tg__ticks_next(&reader, &tick)) {
        admit(tick.update.id, &tick.update.image);
        w.ticks++;
    }
}

static void read_all(void)
{
    static uint8_t message[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    while (tg__hub_next(w.f.hub, w.peer, w.f.now, message, sizeof message, &size) ==
           TG__NEXT_MESSAGE) {
        if (w.messages < sizeof w.kinds / sizeof w.kinds[0]) {
            w.kinds[w.messages] = (tg__kind)message[0];
        }
        w.messages++;
        if (message[0] == TG__KIND_SNAPSHOT || message[0] == TG__KIND_DELTA) {
            take_frame(message, size);
        } else if (message[0] == TG__KIND_VENUE_STATE) {
            take_venue_state(message, size);
        } else if (message[0] == TG__KIND_TICKS) {
            take_ticks(message, size);
        }
    }
    assert_int_equal(w.peer->close_code, 0);
}

static void connect_client(void)
{
    tg__channel_init(&w.channel, w.ids, w.images, INSTRUMENTS, PLAYBACK_RESOLUTION);
    memset(w.shown, 0, sizeof w.shown);
    memset(w.live, 0, sizeof w.live);
    memset(w.stale, 0, sizeof w.stale);
    w.messages = 0;
    const tg__entitlement all = tg__entitlement_of_all(w.f.directory.venue_count);
    w.peer = tg__hub_connect(w.f.hub, NULL, &all, w.f.now);
    assert_non_null(w.peer);
    send_request(TG__KIND_SUBSCRIBE, INSTRUMENTS);
    read_all();
}

/* ---- time ---- */

static void pass(unsigned ms)
{
    for (unsigned i = 0; i < ms; i++) {
        w.ms++;
        w.f.now.mono_ns += MS;
        w.f.now.utc_ns = INT64_C(1800000000000000000) + (int64_t)w.ms * MS + w.utc_step_ns;
        playback_fixture_run(&w.f, 1000);
        if (w.ms % 10 == 0) {
            tg__playback_boundary(&w.f.playback, w.f.now);
            read_all();
        }
    }
}

static void open_world(unsigned feeds)
{
    memset(&w, 0, sizeof w);
    char *tape = make_tape();
    playback_fixture_open(&w.f, tape, 1000, feeds);
    free(tape);
    assert_int_equal(w.f.directory.count, INSTRUMENTS);
    connect_client();
    playback_fixture_run(&w.f, 1000); /* the tape's first ms */
    pass(100);
}

static int tear_down(void **state)
{
    (void)state;
    tg__hub_teardown(w.f.hub, &w.peer, TG__END_SERVER_STOP);
    playback_fixture_close(&w.f);
    return 0;
}

static int64_t bid(tg_instrument_id id)
{
    return w.shown[id].value[TG_FIELD_BID_PRICE];
}

static void expect_all_live(void)
{
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_true(w.live[id]);
    }
}

/* Everything has come that the tape has; every_tick: and nothing was missed on the way. */
static void expect_the_end(bool every_tick)
{
    static const tg_field field[INSTRUMENTS] = {TG_FIELD_BID_PRICE, TG_FIELD_BID_PRICE,
                                                TG_FIELD_BID_PRICE, TG_FIELD_BID_PRICE,
                                                TG_FIELD_LAST_PRICE};
    pass(TAPE_MS + LIVE_WITHIN - w.ms);
    assert_true(w.f.playback.ended);
    expect_all_live();
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        const int64_t last = id == QUIET ? (TAPE_MS - 1) / QUIET_MS * QUIET_MS : TAPE_MS - 1;
        assert_int_equal(w.shown[id].value[field[id]], 1000 + last);
    }
    if (every_tick) {
        assert_int_equal(w.shown[BUSY].seq, TAPE_MS);
        assert_int_equal(w.shown[QUIET].seq, (TAPE_MS + QUIET_MS - 1) / QUIET_MS);
        assert_int_equal(w.shown[PLAIN].seq, 2 * TAPE_MS); /* nothing tells that two rows are one */
        assert_int_equal(w.shown[OTHER].seq, TAPE_MS);
        assert_int_equal(w.shown[TRADED].value[TG_FIELD_VOLUME], TAPE_MS);
        assert_int_equal(w.f.playback.raises, 0);
    }
}

#define DO(call) assert_int_equal(call, TG_OK)

/* ---- handlers ---- */

static void without_faults_everything_comes(void **state)
{
    (void)state;
    open_world(2);
    expect_the_end(true);
    assert_int_equal(w.venue_states, 0);
    assert_int_equal(w.f.sequencer.venues[IDS_VENUE].regressions, 0);
    assert_true(w.f.sequencer.venues[IDS_VENUE].duplicates >= 2 * TAPE_MS);
}

static void a_killed_handler_is_unnoticed(void **state)
{
    (void)state;
    open_world(2);
    for (unsigned i = 0; i < 3; i++) {
        DO(tg__fault_kill_handler(&w.f.playback, TG__VENUE_ALL, i % 2));
        pass(200);
        DO(tg__fault_restart_handler(&w.f.playback, TG__VENUE_ALL, i % 2));
        pass(200);
    }
    expect_the_end(false);
    assert_int_equal(w.venue_states, 0);
    assert_int_equal(w.f.playback.raises, 0);
    assert_int_equal(w.shown[BUSY].epoch, 1);
    assert_int_equal(w.shown[PLAIN].seq, 2 * TAPE_MS); /* the standby has held every row */
    assert_true(w.f.playback.feed.counts.take_overs >= 3);
}

static void both_killed_is_stale_and_comes_back_under_a_new_epoch(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_kill_handler(&w.f.playback, IDS_VENUE, A));
    DO(tg__fault_kill_handler(&w.f.playback, IDS_VENUE, B));
    pass(120);
    assert_true(w.stale[IDS_VENUE]);
    assert_false(w.stale[PLAIN_VENUE]);
    assert_false(w.stale[OTHER_VENUE]);
    pass(280); /* the quiet instrument's second row comes meanwhile, and nobody gets it */
    assert_int_equal(bid(QUIET), 1000);
    DO(tg__fault_restart_handler(&w.f.playback, IDS_VENUE, B));
    pass(20);
    assert_false(w.stale[IDS_VENUE]);
    assert_int_equal(w.venue_states, 2);
    assert_true(w.ticks >= 2);
    expect_all_live(); /* the quiet one, too */
    assert_int_equal(bid(QUIET), 1000 + QUIET_MS);
    assert_int_equal(w.f.playback.raises, 1);
    pass(40);
    assert_int_equal(w.shown[BUSY].epoch, 2);
    assert_int_equal(w.shown[QUIET].epoch, 2);
    assert_int_equal(w.shown[OTHER].epoch, 1);
    assert_false(tg_image_has(&w.shown[BUSY], TG_FIELD_VOLUME));
    DO(tg__fault_restart_handler(&w.f.playback, IDS_VENUE, A));
    pass(100);
    assert_int_equal(w.f.playback.raises, 1); /* beside its living twin */
    expect_the_end(false);
}

static void a_quiet_instrument_is_confirmed_at_its_version(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_kill_handler(&w.f.playback, IDS_VENUE, A));
    DO(tg__fault_kill_handler(&w.f.playback, IDS_VENUE, B));
    pass(150);
    const tg_version before = tg_image_version(&w.shown[QUIET]);
    assert_false(w.live[QUIET]);
    DO(tg__fault_restart_handler(&w.f.playback, IDS_VENUE, A));
    pass(20);
    assert_true(w.live[QUIET]);
    assert_int_equal(tg_version_compare(tg_image_version(&w.shown[QUIET]), before), 0);
    expect_the_end(false);
}

static void a_venue_with_one_handler_is_stale_without_it(void **state)
{
    (void)state;
    open_world(1);
    DO(tg__fault_kill_handler(&w.f.playback, PLAIN_VENUE, A));
    pass(120);
    assert_true(w.stale[PLAIN_VENUE]);
    DO(tg__fault_restart_handler(&w.f.playback, PLAIN_VENUE, A));
    pass(20);
    assert_false(w.stale[PLAIN_VENUE]);
    expect_the_end(false);
    assert_int_equal(w.f.playback.raises, 1);
}

static void delays_reorders_and_copies_let_no_price_go_back(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_delay_handler(&w.f.playback, TG__VENUE_ALL, A, 30 * MS)); /* B is ahead now */
    pass(200);
    DO(tg__fault_reorder_handler(&w.f.playback, IDS_VENUE, A, 20 * MS));
    DO(tg__fault_reorder_handler(&w.f.playback, PLAIN_VENUE, A, 20 * MS));
    DO(tg__fault_duplicate_handler(&w.f.playback, IDS_VENUE, B, 3));
    pass(400);
    assert_true(w.f.sequencer.venues[PLAIN_VENUE].regressions > 0);
    DO(tg__fault_delay_handler(&w.f.playback, TG__VENUE_ALL, A, 0));
    DO(tg__fault_reorder_handler(&w.f.playback, TG__VENUE_ALL, A, 0));
    DO(tg__fault_duplicate_handler(&w.f.playback, TG__VENUE_ALL, B, 0));
    expect_the_end(false);
    assert_int_equal(w.venue_states, 0);
    assert_int_equal(w.f.playback.raises, 0);
}

static void what_one_handler_loses_the_other_brings(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_lose_handler(&w.f.playback, IDS_VENUE, A, TG__FEED_PPM));
    pass(500);
    assert_true(bid(BUSY) >= 1000 + 600 - 60); /* a frame interval and the skew behind */
    assert_int_equal(bid(QUIET), 1000 + QUIET_MS);
    DO(tg__fault_lose_handler(&w.f.playback, IDS_VENUE, A, 0));
    expect_the_end(false);
    assert_int_equal(w.f.playback.raises, 0);
    assert_int_equal(w.venue_states, 0);
}

static void a_frozen_venue_is_stale_and_loses_nothing(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_freeze_venue(&w.f.playback, TG__VENUE_ALL, true));
    pass(90);
    assert_false(w.stale[IDS_VENUE]);
    pass(30);
    assert_true(w.stale[IDS_VENUE] && w.stale[PLAIN_VENUE] && w.stale[OTHER_VENUE]);
    pass(200);
    DO(tg__fault_freeze_venue(&w.f.playback, TG__VENUE_ALL, false));
    pass(20);
    expect_all_live();
    expect_the_end(true);
    assert_int_equal(w.venue_states, 6);
}

static void a_venue_is_not_live_before_all_that_was_held_has_come(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_freeze_venue(&w.f.playback, IDS_VENUE, true));
    pass(200);
    assert_true(w.stale[IDS_VENUE]);
    DO(tg__fault_freeze_venue(&w.f.playback, IDS_VENUE, false));
    w.f.now.mono_ns += MS;
    playback_fixture_run(&w.f, 0); /* the turn is over before anything has come */
    tg__playback_boundary(&w.f.playback, w.f.now);
    read_all();
    assert_true(w.stale[IDS_VENUE]);
    playback_fixture_run(&w.f, 1000);
    tg__playback_boundary(&w.f.playback, w.f.now);
    read_all();
    assert_false(w.stale[IDS_VENUE]);
    assert_true(w.live[BUSY]);
    assert_int_equal(bid(BUSY), 1000 + 301);
    w.f.now.mono_ns -= MS; /* pass() counts it again */
    expect_the_end(true);
}

static void a_frozen_active_handler_hands_over(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_freeze_handler(&w.f.playback, PLAIN_VENUE, A, true));
    pass(300);
    assert_true(bid(PLAIN) >= 1000 + 400 - 60);
    DO(tg__fault_freeze_handler(&w.f.playback, PLAIN_VENUE, A, false));
    expect_the_end(true);
    assert_int_equal(w.venue_states, 0);
    assert_int_equal(w.f.playback.feed.counts.take_overs, 1);
}

/* ---- lanes ---- */

static uint32_t lane_of(tg_instrument_id id)
{
    return w.f.sequencer.routes[id].lane;
}

static void a_frozen_lane_does_not_stall_the_cut(void **state)
{
    (void)state;
    open_world(2);
    assert_true(lane_of(BUSY) !=
                lane_of(OTHER)); /* else the names of this test are to be changed */
    pass(5);                     /* what came since the boundary waits, too */
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), true));
    const int64_t before = bid(OTHER);
    pass(20);
    assert_false(w.stale[IDS_VENUE]);
    pass(20);
    assert_true(w.stale[IDS_VENUE]);
    pass(160);
    assert_true(bid(OTHER) > before + 100);
    const int64_t frozen = bid(BUSY);
    assert_true(frozen <= 1100);
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), false));
    pass(10);
    assert_false(w.stale[IDS_VENUE]);
    assert_true(w.live[BUSY] && w.live[QUIET]);
    assert_true(bid(BUSY) >= 1000 + 290); /* restated as it is now, not as it was */
    expect_the_end(true);
}

/* The program's faults take effect between the rows and the boundary of one turn. */
static void a_boundary_right_behind_the_thaw_does_not_make_old_prices_live(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), true));
    pass(200);
    assert_true(w.stale[IDS_VENUE]);
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), false));
    tg__playback_boundary(&w.f.playback, w.f.now);
    read_all();
    assert_true(w.stale[IDS_VENUE] || bid(BUSY) >= 1000 + 290);
    pass(10);
    assert_false(w.stale[IDS_VENUE]);
    assert_true(bid(BUSY) >= 1000 + 290);
    expect_the_end(true);
}

static void a_lane_whose_queue_was_full_goes_on_under_a_new_epoch(void **state)
{
    (void)state;
    open_world(2);
    DO(tg__fault_duplicate_handler(&w.f.playback, IDS_VENUE, A, TG__FEED_COPIES_MAX));
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), true));
    pass(400); /* 2 x 18 rows each ms */
    DO(tg__fault_duplicate_handler(&w.f.playback, IDS_VENUE, A, 0));
    DO(tg__fault_freeze_lane(&w.f.playback, lane_of(BUSY), false));
    pass(50);
    assert_true(w.f.sequencer.venues[IDS_VENUE].missed > 0);
    assert_int_equal(w.f.playback.raises, 1);
    assert_int_equal(w.shown[BUSY].epoch, 2);
    assert_true(bid(BUSY) >= 1000 + 500);
    assert_int_equal(lane_of(QUIET), lane_of(BUSY));
    assert_int_equal(bid(QUIET), 1000 + QUIET_MS); /* its row found the queue full */
    expect_the_end(false);
}

/* ---- the sequencer, boundaries, the clock ---- */

static void a_restarted_sequencer_goes_on_under_a_new_epoch(void **state)
{
    (void)state;
    open_world(2);
    tg__fault_restart_sequencer(&w.f.playback);
    pass(20);
    assert_true(w.stale[IDS_VENUE] && w.stale[PLAIN_VENUE] && w.stale[OTHER_VENUE]);
    pass(240);
    assert_int_equal(w.f.playback.raises, 1);
    expect_all_live();
    for (uint32_t id = 0; id < INSTRUMENTS; id++) {
        assert_int_equal(w.shown[id].epoch, id == QUIET ? 1 : 2);
    }
    assert_true(w.f.sequencer.venues[OTHER_VENUE].missed > 0);
    assert_false(tg_image_has(&w.shown[TRADED], TG_FIELD_VOLUME)); /* nobody knows */
    expect_the_end(false);
    assert_int_equal(w.venue_states, 6);
}

static void a_wrong_boundary_is_a_gap_that_a_resync_repairs(void **state)
{
    (void)state;
    open_world(2);
    static const int64_t by[] = {1, 3, -2, 1000, -1000, -TG__WRONG_BOUNDARY_MAX};
    for (unsigned i = 0; i < sizeof by / sizeof by[0]; i++) {
        const unsigned gaps = w.gaps;
        const uint64_t restated = w.f.hub->counts.gap_snapshots_sent;
        DO(tg__fault_wrong_boundary(&w.f.playback, by[i]));
        pass(150);
        assert_true(w.gaps > gaps || w.f.hub->counts.gap_snapshots_sent > restated);
        assert_int_equal(w.channel.boundary, w.peer->group->channel.boundary);
    }
    assert_true(w.gaps >= 4);
    expect_the_end(true);
}

static void a_clock_that_steps_changes_no_price(void **state)
{
    (void)state;
    open_world(2);
    w.utc_step_ns = -3600 * 1000 * MS;
    pass(100);
    w.utc_step_ns = 3600 * 1000 * MS;
    pass(100);
    expect_the_end(true);
    assert_int_equal(w.venue_states, 0);
}

static void a_new_connection_hears_right_behind_welcome_what_is_stale(void **state)
{
    (void)state;
    open_world(2);
    assert_true(w.kinds[0] == TG__KIND_WELCOME && w.kinds[1] != TG__KIND_VENUE_STATE);
    DO(tg__fault_freeze_venue(&w.f.playback, PLAIN_VENUE, true));
    pass(150);
    tg__hub_teardown(w.f.hub, &w.peer, TG__END_SERVER_STOP);
    const tg__entitlement all = tg__entitlement_of_all(w.f.directory.venue_count);
    w.peer = tg__hub_connect(w.f.hub, NULL, &all, w.f.now);
    assert_non_null(w.peer);
    static uint8_t message[TG__MESSAGE_SIZE_MAX];
    size_t size = 0;
    tg__fault fault;
    tg__venue_state told;
    assert_int_equal(tg__hub_next(w.f.hub, w.peer, w.f.now, message, sizeof message, &size),
                     TG__NEXT_MESSAGE);
    assert_int_equal(message[0], TG__KIND_WELCOME);
    assert_int_equal(tg__hub_next(w.f.hub, w.peer, w.f.now, message, sizeof message, &size),
                     TG__NEXT_MESSAGE);
    assert_int_equal(tg__venue_state_decode(message, size, &told, &fault), TG_OK);
    assert_int_equal(told.venue, PLAIN_VENUE);
    assert_int_equal(told.condition, TG__VENUE_STALE);
    assert_true(told.boundary < w.f.hub->table.boundary);
    tg__hub_teardown(w.f.hub, &w.peer, TG__END_SERVER_STOP);
    connect_client();
    assert_true(w.stale[PLAIN_VENUE]);
    assert_true(w.live[BUSY] && !w.live[PLAIN]);
    DO(tg__fault_freeze_venue(&w.f.playback, PLAIN_VENUE, false));
    expect_the_end(true);
}

/* ---- requests that cannot be met ---- */

static void what_is_out_of_range_is_refused_and_does_nothing(void **state)
{
    (void)state;
    open_world(1);
    tg__playback *p = &w.f.playback;
    const tg_err bad = TG_ERR_INVALID_ARGUMENT;
    assert_int_equal(tg__fault_kill_handler(p, 3, A), bad);
    assert_int_equal(tg__fault_kill_handler(p, 0, B), bad); /* there is one handler each */
    assert_int_equal(tg__fault_restart_handler(p, TG__VENUE_ALL, 2), bad);
    assert_int_equal(tg__fault_delay_handler(p, 0, A, -1), bad);
    assert_int_equal(tg__fault_delay_handler(p, 0, A, TG__FEED_LATE_MAX_NS + 1), bad);
    assert_int_equal(tg__fault_reorder_handler(p, 0, A, -1), bad);
    assert_int_equal(tg__fault_reorder_handler(p, 0, A, INT64_MAX), bad);
    assert_int_equal(tg__fault_duplicate_handler(p, 0, A, TG__FEED_COPIES_MAX + 1), bad);
    assert_int_equal(tg__fault_lose_handler(p, 0, A, TG__FEED_PPM + 1), bad);
    assert_int_equal(tg__fault_freeze_venue(p, 3, true), bad);
    assert_int_equal(tg__fault_freeze_lane(p, TG__LANE_COUNT, true), bad);
    assert_int_equal(tg__fault_wrong_boundary(p, 0), bad);
    assert_int_equal(tg__fault_wrong_boundary(p, TG__WRONG_BOUNDARY_MAX + 1), bad);
    assert_int_equal(tg__fault_wrong_boundary(p, INT64_MIN), bad);
    expect_the_end(true);
}

/* ---- everything at once ---- */

static void act(tg__prng *prng)
{
    tg__playback *p = &w.f.playback;
    const tg_venue_id venue =
        tg__prng_below(prng, 4) == 0 ? TG__VENUE_ALL : (tg_venue_id)tg__prng_below(prng, 3);
    const unsigned handler = tg__prng_below(prng, 2);
    const bool on = tg__prng_below(prng, 2) == 0;
    switch (tg__prng_below(prng, 14)) {
    case 0:
    case 1:
        DO(tg__fault_kill_handler(p, venue, handler));
        break;
    case 2:
    case 3:
    case 4:
        DO(tg__fault_restart_handler(p, venue, handler));
        break;
    case 5:
        DO(tg__fault_delay_handler(p, venue, handler, tg__prng_below(prng, 300) * MS));
        break;
    case 6:
        DO(tg__fault_reorder_handler(p, venue, handler, tg__prng_below(prng, 100) * MS));
        break;
    case 7:
        DO(tg__fault_duplicate_handler(p, venue, handler, tg__prng_below(prng, 4)));
        break;
    case 8:
        DO(tg__fault_lose_handler(p, venue, handler, tg__prng_below(prng, TG__FEED_PPM)));
        break;
    case 9:
        DO(tg__fault_freeze_handler(p, venue, handler, on));
        break;
    case 10:
        DO(tg__fault_freeze_venue(p, venue, on));
        break;
    case 11:
        DO(tg__fault_freeze_lane(p, tg__prng_below(prng, TG__LANE_COUNT), on));
        break;
    case 12:
        if (tg__prng_below(prng, 4) == 0) {
            tg__fault_restart_sequencer(p);
        }
        break;
    case 13:
        DO(tg__fault_wrong_boundary(p, on ? 1 : -1));
        w.utc_step_ns += on ? 1000 * MS : -1000 * MS;
        break;
    default:
        break;
    }
}

static void heal(void)
{
    tg__playback *p = &w.f.playback;
    for (unsigned handler = A; handler <= B; handler++) {
        DO(tg__fault_delay_handler(p, TG__VENUE_ALL, handler, 0));
        DO(tg__fault_reorder_handler(p, TG__VENUE_ALL, handler, 0));
        DO(tg__fault_duplicate_handler(p, TG__VENUE_ALL, handler, 0));
        DO(tg__fault_lose_handler(p, TG__VENUE_ALL, handler, 0));
        for (tg_venue_id venue = 0; venue < 3; venue++) {
            if (!p->feed.venues[venue].handlers[handler].up) {
                DO(tg__fault_restart_handler(p, venue, handler));
            }
        }
    }
    DO(tg__fault_freeze_venue(p, TG__VENUE_ALL, false));
    for (uint32_t lane = 0; lane < TG__LANE_COUNT; lane++) {
        DO(tg__fault_freeze_lane(p, lane, false));
    }
}

static void run_mix(uint64_t seed)
{
    tg__prng prng = {seed};
    print_message("seed %" PRIu64 "\n", seed);
    open_world(2);
    while (w.ms < TAPE_MS - QUIET_MS - 100) {
        act(&prng);
        pass(1 + tg__prng_below(&prng, 60));
    }
    heal();
    pass(LIVE_WITHIN);
    expect_all_live();
    assert_false(w.stale[0] || w.stale[1] || w.stale[2]);
    expect_the_end(false);
    (void)tear_down(NULL);
}

static void whatever_fails_no_price_goes_back_and_all_is_live_in_the_end(void **state)
{
    (void)state;
    const char *chosen = getenv("TG_TEST_SEED");
    if (chosen != NULL) {
        run_mix(strtoull(chosen, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= MIX_SEEDS; seed++) {
        run_mix(seed * UINT64_C(7919));
    }
}

#define CASE(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(without_faults_everything_comes),
        CASE(a_killed_handler_is_unnoticed),
        CASE(both_killed_is_stale_and_comes_back_under_a_new_epoch),
        CASE(a_quiet_instrument_is_confirmed_at_its_version),
        CASE(a_venue_with_one_handler_is_stale_without_it),
        CASE(delays_reorders_and_copies_let_no_price_go_back),
        CASE(what_one_handler_loses_the_other_brings),
        CASE(a_frozen_venue_is_stale_and_loses_nothing),
        CASE(a_venue_is_not_live_before_all_that_was_held_has_come),
        CASE(a_frozen_active_handler_hands_over),
        CASE(a_frozen_lane_does_not_stall_the_cut),
        CASE(a_boundary_right_behind_the_thaw_does_not_make_old_prices_live),
        CASE(a_lane_whose_queue_was_full_goes_on_under_a_new_epoch),
        CASE(a_restarted_sequencer_goes_on_under_a_new_epoch),
        CASE(a_wrong_boundary_is_a_gap_that_a_resync_repairs),
        CASE(a_clock_that_steps_changes_no_price),
        CASE(a_new_connection_hears_right_behind_welcome_what_is_stale),
        CASE(what_is_out_of_range_is_refused_and_does_nothing),
        cmocka_unit_test(whatever_fails_no_price_goes_back_and_all_is_live_in_the_end),
    };
    return cmocka_run_group_tests_name("gateway.fault_actions", tests, NULL, NULL);
}

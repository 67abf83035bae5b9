/*
 * Days of trouble in milliseconds: seeded, replayed with TG_TEST_SEED=n, made longer with
 * TG_TEST_SEEDS=n.
 *
 * Messages are lost, doubled, swapped, cut and (where a digest guards them) corrupted; connections
 * break; two gateways serve one lineage, one of them behind; a third has another lineage. Whatever
 * happens, versions on show never go back within a lineage, every value belongs to its version, and
 * when the trouble ends everything is live and equal to the market again.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_rig.h"
#include "random.h"

#define SEEDS      400u
#define STEPS      250u
#define HEAL_STEPS 4000u
#define SUBSCRIBED 12u /* of the 20 that are entitled */
#define STEP_NS    (40 * RIG_MS)

typedef struct world {
    rig r;
    tg__random random;
    uint64_t seed;
    sim_market behind; /* the second gateway of the first lineage */
    sim_market other;  /* another lineage */
    uint64_t lineage;  /* of the current session */
    tg_version shown[SIM_INSTRUMENTS];
    bool wanted[SIM_INSTRUMENTS];
    uint64_t faults;
    uint64_t frames;
    bool trouble;
} world;

static uint64_t below(world *w, uint64_t limit)
{
    return tg__random_upto(&w->random, limit - 1);
}

/* A price that only this instrument of this lineage has at this version. */
static int64_t price_of(uint64_t lineage, tg_instrument_id id, uint64_t seq)
{
    return (int64_t)((seq * 2654435761u + id * 97u + lineage * 1009u) % 1000000u) - 500000;
}

static void tick(sim_market *market, tg_instrument_id id)
{
    sim_market_tick(market, id, price_of(market->lineage, id, market->images[id].seq + 1));
}

static void check_shown(world *w)
{
    rig *r = &w->r;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        tg_row row;
        if (rig_row(r, (tg_instrument_id)id, &row) != TG_OK || row.image.seq == 0) {
            continue;
        }
        const tg_version version = tg_image_version(&row.image);
        const bool ours = row.image.value[TG_FIELD_BID_PRICE] ==
                          price_of(w->lineage, (tg_instrument_id)id, version.seq);
        if (!ours) {
            /* Held from another lineage, or wrong: neither may be called live. */
            if (row.quality == TG_QUALITY_LIVE || row.quality == TG_QUALITY_QUIET) {
                fail_msg("seed %llu: instrument %u shows a value that is not of version %llu",
                         (unsigned long long)w->seed, (unsigned)id,
                         (unsigned long long)version.seq);
            }
            continue;
        }
        if (tg_version_compare(version, w->shown[id]) < 0) {
            fail_msg("seed %llu: instrument %u went back from %u/%llu to %u/%llu",
                     (unsigned long long)w->seed, (unsigned)id, w->shown[id].epoch,
                     (unsigned long long)w->shown[id].seq, version.epoch,
                     (unsigned long long)version.seq);
        }
        w->shown[id] = version;
    }
}

static void accept_somewhere(world *w)
{
    rig *r = &w->r;
    const uint64_t choice = w->trouble ? below(w, 10) : 0;
    r->gateway = choice < 5 ? &r->market : choice < 9 ? &w->behind : &w->other;
    if (r->gateway->lineage != w->lineage) {
        w->lineage = r->gateway->lineage;
        memset(w->shown, 0, sizeof w->shown);
    }
    rig_accept(r);
    r->session.state_digests = (w->seed & 1) != 0;
}

static void give(world *w, const sim_message *message)
{
    rig *r = &w->r;
    sim_message copy = *message;
    w->frames += copy.bytes[0] == TG__KIND_DELTA || copy.bytes[0] == TG__KIND_SNAPSHOT;
    const bool fault = w->trouble && below(w, 40) == 0;
    w->faults += fault;
    if (fault) {
        switch (below(w, 6)) {
        case 0:
            return; /* lost */
        case 1:
            assert_int_equal(rig_message(r, copy.bytes, copy.size), TG_OK); /* doubled */
            break;
        case 2:
            copy.size = 1 + (size_t)below(w, copy.size);
            break;
        case 3:
            copy.bytes[0] = below(w, 8) == 0 ? 0xf0 : 0x3f; /* unknown kinds */
            break;
        case 4: {
            const sim_message *next = sim_session_take(&r->session); /* swapped */
            if (next != NULL) {
                const sim_message swapped = *next;
                assert_int_equal(rig_message(r, swapped.bytes, swapped.size), TG_OK);
            }
            break;
        }
        default:
            if (copy.bytes[0] == TG__KIND_DELTA && r->session.state_digests) {
                copy.bytes[below(w, copy.size)] ^= (uint8_t)(1u << below(w, 8));
            }
            break;
        }
    }
    if (r->connected) {
        assert_int_equal(rig_message(r, copy.bytes, copy.size), TG_OK);
    }
}

static void change_subscriptions(world *w)
{
    const uint32_t id = (uint32_t)below(w, 20);
    if (w->wanted[id]) {
        assert_int_equal(rig_unsubscribe(&w->r, id), TG_OK);
    } else {
        rig_subscribe(&w->r, id, (tg_instrument_id)id);
    }
    w->wanted[id] = !w->wanted[id];
}

static void step(world *w)
{
    rig *r = &w->r;
    for (uint64_t n = below(w, 6); n > 0; n--) {
        tick(&r->market, (tg_instrument_id)below(w, SIM_INSTRUMENTS));
        tick(&w->other, (tg_instrument_id)below(w, SIM_INSTRUMENTS));
    }
    sim_market_step(&r->market);
    sim_market_step(&w->other);
    if (!w->trouble || below(w, 8) == 0) {
        w->behind = r->market;
    }
    if (w->trouble && below(w, 60) == 0) {
        change_subscriptions(w);
    }
    if (w->trouble && r->connected && below(w, 120) == 0) {
        w->faults++;
        assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    }
    if (w->trouble && r->connected && below(w, 150) == 0 && r->session.set_count > 0) {
        w->faults++;
        sim_session_overflow(&r->session);
    }
    r->deaf = w->trouble && below(w, 25) == 0;
    if (r->connecting && (!w->trouble || below(w, 3) != 0)) {
        accept_somewhere(w);
    }
    if (r->connected) {
        sim_session_frame(&r->session);
    }
    const sim_message *message = NULL;
    while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
        give(w, message);
        check_shown(w);
    }
    rig_advance(r, STEP_NS);
}

static bool is_healed(world *w)
{
    rig *r = &w->r;
    if (tg__engine_state_of(r->engine) != TG__ENGINE_LIVE || r->gateway != &r->market) {
        return false;
    }
    for (uint32_t id = 0; id < 20; id++) {
        tg_row row;
        if (!w->wanted[id]) {
            continue;
        }
        if (rig_row(r, (tg_instrument_id)id, &row) != TG_OK || row.quality != TG_QUALITY_LIVE ||
            tg_version_compare(tg_image_version(&row.image), r->market.newest[id]) != 0) {
            return false;
        }
    }
    return true;
}

static void live_through(uint64_t seed, uint64_t *faults, uint64_t *frames)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.seed = seed;
    w.random.state = seed;
    rig *r = &w.r;
    rig_open(r, 32);
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        r->market.images[id].seq = 0;
        tick(&r->market, (tg_instrument_id)id);
    }
    w.behind = r->market;
    w.other = r->market;
    w.other.lineage = 0x22;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        w.other.images[id].seq = 1000000; /* versions of the two lineages do not compare */
        tick(&w.other, (tg_instrument_id)id);
    }
    for (uint32_t id = 0; id < SUBSCRIBED; id++) {
        rig_subscribe(r, id, (tg_instrument_id)id);
        w.wanted[id] = true;
    }
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    w.trouble = true;
    for (uint32_t i = 0; i < STEPS; i++) {
        step(&w);
    }
    w.trouble = false;
    if (r->connected && r->gateway != &r->market) {
        assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    }
    uint32_t healing = 0;
    while (!is_healed(&w)) {
        if (healing++ == HEAL_STEPS) {
            fail_msg("seed %llu: not live again after %u s: %s", (unsigned long long)seed,
                     (unsigned)(HEAL_STEPS * STEP_NS / 1000000000),
                     r->events[(r->event_count - 1) % RIG_EVENTS_MAX].text);
        }
        step(&w);
    }
    *faults += w.faults;
    *frames += w.frames;
    rig_close(r);
}

static void versions_never_go_back_and_everything_heals(void **state)
{
    (void)state;
    uint64_t faults = 0;
    uint64_t frames = 0;
    const char *one = getenv("TG_TEST_SEED");
    if (one != NULL) {
        live_through(strtoull(one, NULL, 10), &faults, &frames);
        return;
    }
    const char *more = getenv("TG_TEST_SEEDS");
    const uint64_t seeds = more != NULL ? strtoull(more, NULL, 10) : SEEDS;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        live_through(seed, &faults, &frames);
    }
    print_message("%llu frames, %llu faults, %llu seeds\n", (unsigned long long)frames,
                  (unsigned long long)faults, (unsigned long long)seeds);
    assert_true(faults > seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_never_go_back_and_everything_heals),
    };
    return cmocka_run_group_tests_name("sdk.engine_property", tests, NULL, NULL);
}

#include "day.h"

#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "engine_rig.h"
#include "random.h"

#define HEAL_STEPS    4000u
#define SUBSCRIBED    12u /* of the 20 that are entitled */
#define ENTITLED      20u
#define STEP_NS       (40 * RIG_MS)
#define NEVER         UINT32_MAX
#define RESTART_AFTER 10u /* steps that the host takes for another token */
#define PILED         3u  /* frames that lie in the socket when the machine goes to sleep */
/* A frame of which a live row may have come is no older than this: 1 s is late, a snapshot may have
 * the stamp of the heartbeat before it, and the clocks are known as exactly as an ECHO was fast. */
#define LATE_NS      (1000 * RIG_MS)
#define HEARTBEAT_NS (SIM_HEARTBEAT_MS * RIG_MS)
#define FAST_NS      (100 * RIG_MS)
/* In a DELTA whose base is near. */
#define BOUNDARY_AT 2u
#define TIME_AT     11u
#define TIME_SIZE   4u
#define FAST_NS     (100 * RIG_MS)

typedef struct day {
    rig r;
    const day_script *script;
    const day_options *options;
    day_result *result;
    tg__random market_random;
    sim_market behind;      /* the second gateway of the first lineage */
    sim_market other;       /* another lineage */
    const sim_market *next; /* gateway of the next attempt */
    uint64_t lineage;       /* of the current session */
    tg_version shown[SIM_INSTRUMENTS];
    bool wanted[SIM_INSTRUMENTS];
    uint32_t entry; /* next of the script */
    uint32_t step;
    uint32_t slow_until;
    uint32_t stopped_until;
    bool unproved;               /* the clocks jumped, and no ECHO after that was answered */
    bool unknown;                /* how the gateway's clock stands to ours, until a fast answer */
    uint32_t echoes_before_jump; /* that were sent until then */
    uint32_t echoes_before_set;  /* until the gateway's clock was set */
    bool late;                   /* the latest frame was, when it was handed over */
    uint32_t behind_until;
    uint32_t start_at;
    bool overflowed;
    const day_entry *message_fault; /* of this step; NULL: none */
    const day_entry *refusal;       /* of the next attempt */
    bool data_is_whole;             /* the latest frame came as the gateway sent it */
    uint64_t given;                 /* messages */
    uint64_t covered;               /* lane ticks in the deltas that the engine applied */
    bool one_gateway;               /* and no bit was flipped: the ledger balances to the tick */
} day;

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

/* --- what is shown --- */

/* A price that only this instrument of this lineage has at this version. */
static int64_t price_of(uint64_t lineage, tg_instrument_id id, uint64_t seq)
{
    return (int64_t)((seq * 2654435761u + id * 97u + lineage * 1009u) % 1000000u) - 500000;
}

static void tick(sim_market *market, tg_instrument_id id)
{
    sim_market_tick(market, id, price_of(market->lineage, id, market->images[id].seq + 1));
}

/* Had nobody ever set it. */
static int64_t gateway_ns(const day *d)
{
    const sim_market *gateway = d->r.gateway;
    return sim_market_utc_ns(gateway) - gateway->stepped_ns;
}

static void check_time(day *d, tg_instrument_id id, const tg_row *row)
{
    d->result->late += d->late;
    if ((d->late || d->unproved) &&
        (row->quality == TG_QUALITY_LIVE || row->quality == TG_QUALITY_QUIET)) {
        fail_msg("seed %llu: step %u: instrument %u is called live %s",
                 (unsigned long long)d->script->seed, (unsigned)d->step, (unsigned)id,
                 d->late ? "by a frame that is late" : "although the clocks jumped");
    }
}

static void check_row(day *d, tg_instrument_id id, const tg_row *row)
{
    check_time(d, id, row);
    const tg_version version = tg_image_version(&row->image);
    if (row->image.value[TG_FIELD_BID_PRICE] != price_of(d->lineage, id, version.seq)) {
        /* Held from another lineage, or wrong: neither may be called live. */
        if (row->quality == TG_QUALITY_LIVE || row->quality == TG_QUALITY_QUIET) {
            fail_msg("seed %llu: instrument %u shows a value that is not of version %llu",
                     (unsigned long long)d->script->seed, (unsigned)id,
                     (unsigned long long)version.seq);
        }
        return;
    }
    if (tg_version_compare(version, d->shown[id]) < 0) {
        fail_msg("seed %llu: instrument %u went back from %u/%llu to %u/%llu",
                 (unsigned long long)d->script->seed, (unsigned)id, d->shown[id].epoch,
                 (unsigned long long)d->shown[id].seq, version.epoch,
                 (unsigned long long)version.seq);
    }
    d->shown[id] = version;
}

static void check_shown(day *d)
{
    const tg_view *view = tg_reader_pin(d->r.reader);
    for (uint32_t id = 0; id < ENTITLED; id++) {
        tg_row row;
        if (tg_view_row(view, (tg_instrument_id)id, d->r.now_ns, &row) == TG_OK &&
            row.image.seq != 0) {
            check_row(d, (tg_instrument_id)id, &row);
        }
    }
    tg_reader_unpin(d->r.reader);
}

/* --- messages on their way --- */

static bool is_data(const sim_message *message)
{
    return message->bytes[0] == TG__KIND_DELTA || message->bytes[0] == TG__KIND_SNAPSHOT;
}

/* Was the latest frame late? One that was not applied can say yes, but never no. */
static void note_frame(day *d, const sim_message *message, bool applied)
{
    const bool snapshot = message->bytes[0] == TG__KIND_SNAPSHOT;
    const int64_t most_ns = LATE_NS + FAST_NS + (snapshot ? HEARTBEAT_NS : 0);
    const bool late = !d->unknown && gateway_ns(d) - message->made_ns > most_ns;
    d->late = late || (d->late && !applied);
}

/* The answer to an ECHO, as the gateway sent it. */
static void note_answer(day *d, const sim_message *message)
{
    const bool fast = gateway_ns(d) - message->echo_ns <= FAST_NS;
    d->unproved = d->unproved && message->echo <= d->echoes_before_jump;
    d->unknown = d->unknown && (message->echo <= d->echoes_before_set || !fast);
}

/* whole: as the gateway sent it. */
static void hand_over(day *d, const sim_message *message, size_t size, bool whole)
{
    rig *r = &d->r;
    const uint64_t before = COUNT(r, frames);
    d->given++;
    d->result->frames += is_data(message);
    if (whole && message->echo != 0) {
        note_answer(d, message);
    }
    assert_int_equal(rig_message(r, message->bytes, size), TG_OK);
    const bool applied = COUNT(r, frames) > before;
    d->covered += applied ? message->covered : 0;
    if (applied || (whole && is_data(message))) {
        note_frame(d, message, applied);
    }
}

static void count_fault(day *d, day_fault fault)
{
    d->result->faults += fault != DAY_WISH;
    d->result->by_fault[fault]++;
}

static void give_garbage(day *d, uint32_t argument)
{
    tg__random random = {argument};
    sim_message garbage;
    garbage.covered = 0;
    garbage.size = (size_t)tg__random_upto(&random, 60);
    for (size_t i = 0; i < sizeof garbage.bytes && i < 60; i++) {
        garbage.bytes[i] = (uint8_t)tg__random_next(&random);
    }
    hand_over(d, &garbage, garbage.size, false);
}

/* False: the message itself does not arrive any more. */
static bool spoil(day *d, sim_message *message, const day_entry *entry)
{
    rig *r = &d->r;
    const uint32_t argument = entry->argument;
    const sim_message *next = NULL;
    if (entry->fault == DAY_LOSE) {
        return false;
    } else if (entry->fault == DAY_DOUBLE) {
        hand_over(d, message, message->size, true);
    } else if (entry->fault == DAY_CUT) {
        message->size = 1 + argument % message->size;
    } else if (entry->fault == DAY_UNKNOWN_KIND) {
        message->bytes[0] = argument % 8 == 0 ? 0xf0 : 0x3f;
    } else if (entry->fault == DAY_SWAP) {
        next = sim_session_take(&r->session);
        if (next != NULL) {
            const sim_message swapped = *next;
            hand_over(d, &swapped, swapped.size, true);
        }
    } else if (entry->fault == DAY_FLIP) {
        if (message->bytes[0] == TG__KIND_DELTA && r->session.state_digests) {
            const size_t at = argument / 8 % message->size;
            const bool in_time = at >= TIME_AT && at < TIME_AT + TIME_SIZE; /* under no digest */
            message->bytes[in_time ? BOUNDARY_AT : at] ^= (uint8_t)(1u << (argument % 8));
            d->one_gateway = false; /* "covered" is under no digest */
        }
    } else if (entry->fault == DAY_GARBAGE) {
        give_garbage(d, argument);
    }
    return true;
}

/* Whoever says that he is live shows, for every instrument that he calls live, at least what the
 * gateway sent last: a hole is known at the next frame, not when some clock has run out. */
static void check_live(day *d)
{
    rig *r = &d->r;
    if (!r->connected || r->session.count > 0 || !d->data_is_whole ||
        tg__engine_state_of(r->engine) != TG__ENGINE_LIVE) {
        return;
    }
    for (uint32_t at = 0; at < r->session.set_count; at++) {
        const tg_instrument_id id = r->session.set[at];
        const tg_image *sent = &r->session.cut.images[id];
        tg_row row;
        if (rig_row(r, id, &row) == TG_OK && row.quality == TG_QUALITY_LIVE &&
            tg_version_compare(tg_image_version(&row.image), tg_image_version(sent)) < 0) {
            fail_msg("seed %llu: step %u: instrument %u is called live at %llu, but %llu was sent",
                     (unsigned long long)d->script->seed, (unsigned)d->step, (unsigned)id,
                     (unsigned long long)row.image.seq, (unsigned long long)sent->seq);
        }
    }
}

static void deliver(day *d)
{
    rig *r = &d->r;
    const sim_message *message = NULL;
    uint32_t until_fault = d->message_fault != NULL && r->session.count > 0
                               ? d->message_fault->argument % r->session.count
                               : 0;
    while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
        sim_message copy = *message;
        bool arrives = true;
        bool whole = true;
        d->data_is_whole = is_data(&copy) || d->data_is_whole;
        if (d->message_fault != NULL && until_fault-- == 0) {
            const day_entry *entry = d->message_fault;
            d->message_fault = NULL;
            count_fault(d, entry->fault);
            d->data_is_whole = false;
            const sim_message sent = copy;
            arrives = spoil(d, &copy, entry);
            whole = copy.size == sent.size && memcmp(copy.bytes, sent.bytes, sent.size) == 0;
        }
        if (arrives && r->connected) {
            hand_over(d, &copy, copy.size, whole);
        }
        check_shown(d);
    }
    check_live(d);
}

/* --- what goes wrong --- */

static void move_markets(day *d)
{
    rig *r = &d->r;
    for (uint64_t n = tg__random_upto(&d->market_random, 5); n > 0; n--) {
        tick(&r->market, (tg_instrument_id)tg__random_upto(&d->market_random, SIM_INSTRUMENTS - 1));
        tick(&d->other, (tg_instrument_id)tg__random_upto(&d->market_random, SIM_INSTRUMENTS - 1));
    }
    sim_market_step(&r->market);
    sim_market_step(&d->other);
    if (d->step >= d->behind_until) {
        d->behind = r->market;
    }
}

static void lose(day *d, tg__cause cause, uint16_t code, uint32_t floor_ms)
{
    assert_int_equal(rig_closed(&d->r, cause, code, floor_ms), TG_OK);
    if (tg__engine_state_of(d->r.engine) == TG__ENGINE_IDLE) {
        d->start_at = d->step + RESTART_AFTER;
    }
}

static void wish(day *d, uint32_t id)
{
    if (d->wanted[id]) {
        assert_int_equal(rig_unsubscribe(&d->r, id), TG_OK);
    } else {
        rig_subscribe(&d->r, id, (tg_instrument_id)id);
    }
    d->wanted[id] = !d->wanted[id];
}

static void move_on(day *d, uint32_t choice)
{
    d->next = choice < 4 ? &d->r.market : choice < 9 ? &d->behind : &d->other;
}

static bool happen_to_session(day *d, const day_entry *entry)
{
    rig *r = &d->r;
    if (!r->connected) {
        return false;
    }
    if (entry->fault == DAY_BREAK) {
        if (d->options->planted && d->overflowed) {
            fail_msg("the planted mistake");
        }
        lose(d, TG__CAUSE_LOST, 0, 0);
    } else if (entry->fault == DAY_EXPIRE) {
        lose(d, TG__CAUSE_CLOSE_CODE, 4001, 0);
    } else if (entry->fault == DAY_OVERFLOW) {
        sim_session_overflow(&r->session);
        d->overflowed = true;
    } else if (entry->fault == DAY_DEAF) {
        r->deaf = true;
    } else if (entry->fault == DAY_SLOW) {
        d->slow_until = d->step + 1 + entry->argument % 40;
    }
    return true;
}

/* From here on until an answer nothing is of now. */
static void jumped(day *d)
{
    const tg__engine_state state = tg__engine_state_of(d->r.engine);
    if (state == TG__ENGINE_JOINING || state == TG__ENGINE_LIVE || state == TG__ENGINE_RESYNCING) {
        d->unproved = true;
        d->echoes_before_jump = d->r.session.echoes;
        d->result->jumps++;
    }
}

/* Some frames lie in the socket all the time; or the gateway has no room for us any more. */
static void suspend(day *d, uint32_t argument)
{
    rig *r = &d->r;
    const int64_t ns = (1 + argument % 20) * (1000 * RIG_MS);
    const bool overflows = argument / 20 % 2 == 0;
    for (uint32_t i = 0; i < PILED && r->connected && !overflows; i++) {
        move_markets(d);
        sim_session_frame(&r->session);
    }
    sim_market_go_on(&d->behind, ns);
    sim_market_go_on(&d->other, ns);
    jumped(d); /* before: its ECHO goes out at once */
    assert_int_equal(rig_sleep(r, ns), TG_OK);
    check_shown(d);
    if (r->connected && overflows) {
        sim_session_overflow(&r->session);
    }
}

static bool happen(day *d, const day_entry *entry)
{
    const uint32_t argument = entry->argument;
    const int64_t step_ns = ((int64_t)argument - 5000) * (1000 * RIG_MS);
    if (entry->fault == DAY_SUSPEND) {
        suspend(d, argument);
    } else if (entry->fault == DAY_CLOCK) {
        sim_market_set_clock(&d->r.market, step_ns);
        sim_market_set_clock(&d->behind, step_ns);
        d->unknown = true;
        d->echoes_before_set = d->r.session.echoes;
    } else if (entry->fault == DAY_STEP) {
        jumped(d);
        assert_int_equal(rig_set_clock(&d->r, step_ns != 0 ? step_ns : 1), TG_OK);
        check_shown(d);
    } else if (entry->fault == DAY_STOP) {
        d->stopped_until = d->step + 1 + argument % 100;
    } else if (entry->fault == DAY_REFUSE) {
        d->refusal = entry;
    } else if (entry->fault == DAY_BEHIND) {
        d->behind_until = d->step + 1 + argument % 30;
    } else if (entry->fault == DAY_MOVE) {
        move_on(d, argument % 10);
    } else if (entry->fault == DAY_WISH) {
        wish(d, argument % ENTITLED);
    } else if (entry->fault == DAY_BREAK || entry->fault == DAY_EXPIRE ||
               entry->fault == DAY_OVERFLOW || entry->fault == DAY_DEAF ||
               entry->fault == DAY_SLOW) {
        return happen_to_session(d, entry);
    } else {
        d->message_fault = entry;
        return false; /* counted when it meets a message */
    }
    return true;
}

/* --- one step --- */

static void answer_attempt(day *d)
{
    rig *r = &d->r;
    if (d->refusal != NULL) {
        const uint32_t floor_ms = d->refusal->argument % 4 * 1000;
        d->refusal = NULL;
        lose(d, TG__CAUSE_HTTP_STATUS, 503, floor_ms);
        return;
    }
    r->gateway = d->next;
    d->one_gateway = d->one_gateway && r->gateway == &r->market;
    if (r->gateway->lineage != d->lineage) {
        d->lineage = r->gateway->lineage;
        memset(d->shown, 0, sizeof d->shown);
    }
    d->unproved = false;
    d->late = false;
    d->unknown = true;
    d->echoes_before_jump = 0;
    d->echoes_before_set = 0;
    rig_accept(r);
    r->session.state_digests = (d->script->seed & 1) != 0;
}

/* A step; all of the wait for the next attempt, or half of the day would be spent waiting. */
static int64_t stride_ns(const rig *r)
{
    const bool waiting = tg__engine_state_of(r->engine) == TG__ENGINE_WAITING;
    const int64_t left_ns = r->deadline_ns - r->now_ns;
    return waiting && left_ns > STEP_NS ? left_ns : STEP_NS;
}

static void stand_still(day *d)
{
    rig *r = &d->r;
    if (r->connected) {
        sim_session_frame(&r->session);
    }
    r->now_ns += STEP_NS;
    d->step++;
}

static void step(day *d)
{
    rig *r = &d->r;
    move_markets(d);
    if (d->step < d->stopped_until) {
        stand_still(d);
        return;
    }
    r->deaf = false;
    while (d->entry < d->script->count && d->script->entries[d->entry].step <= d->step) {
        const day_entry *entry = &d->script->entries[d->entry++];
        if (happen(d, entry)) {
            count_fault(d, entry->fault);
        }
    }
    if (d->step >= d->start_at) {
        d->start_at = NEVER;
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    }
    if (r->connecting) {
        answer_attempt(d);
    }
    if (r->connected) {
        sim_session_frame(&r->session);
    }
    if (d->step >= d->slow_until) {
        deliver(d);
    }
    rig_advance(r, stride_ns(r));
    assert_null(tg__audit_desired(tg__engine_desired(r->engine)).fault);
    d->step++;
}

/* --- the whole day --- */

static void put_log(day_log *log, const void *bytes, size_t size)
{
    if (log->capacity - log->size < size) {
        log->capacity = 2 * (log->capacity + size);
        log->bytes = realloc(log->bytes, log->capacity);
        assert_non_null(log->bytes);
    }
    memcpy(log->bytes + log->size, bytes, size);
    log->size += size;
}

static void log_action(void *ctx, int64_t now_ns, const tg__action *action)
{
    day_log *log = ctx;
    put_log(log, &now_ns, sizeof now_ns);
    put_log(log, &action->kind, sizeof action->kind);
    put_log(log, &action->generation, sizeof action->generation);
    if (action->kind == TG__ACTION_SEND) {
        put_log(log, action->as.send.bytes, action->as.send.size);
    } else if (action->kind == TG__ACTION_TIMER) {
        put_log(log, &action->as.deadline_ns, sizeof action->as.deadline_ns);
    } else if (action->kind == TG__ACTION_CLOSE) {
        put_log(log, &action->as.close_code, sizeof action->as.close_code);
    } else if (action->kind == TG__ACTION_ANSWER) {
        put_log(log, &action->as.answer.sub, sizeof action->as.answer.sub);
        put_log(log, &action->as.answer.err, sizeof action->as.answer.err);
    } else if (action->kind == TG__ACTION_EVENT) {
        const tg_event *event = &action->as.event;
        put_log(log, &event->kind, sizeof event->kind);
        put_log(log, &event->state, sizeof event->state);
        put_log(log, &event->err, sizeof event->err);
        put_log(log, &event->wait_ms, sizeof event->wait_ms);
        put_log(log, event->text, strlen(event->text) + 1);
    }
}

void day_log_deinit(day_log *log)
{
    free(log->bytes);
    memset(log, 0, sizeof *log);
}

static void begin(day *d, const day_script *script, const day_options *options, day_result *result)
{
    rig *r = &d->r;
    memset(d, 0, sizeof *d);
    d->script = script;
    d->options = options;
    d->result = result;
    d->market_random.state = script->seed;
    d->start_at = NEVER;
    d->one_gateway = true;
    rig_open(r, 32);
    r->on_action = options->log != NULL ? log_action : NULL;
    r->on_action_ctx = options->log;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        r->market.images[id].seq = 0;
        tick(&r->market, (tg_instrument_id)id);
    }
    d->next = &r->market;
    d->behind = r->market;
    d->other = r->market;
    d->other.lineage = 0x22;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        d->other.images[id].seq = 1000000; /* versions of the two lineages do not compare */
        tick(&d->other, (tg_instrument_id)id);
    }
    for (uint32_t id = 0; id < SUBSCRIBED; id++) {
        wish(d, id);
    }
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
}

static bool is_healed(day *d)
{
    rig *r = &d->r;
    if (tg__engine_state_of(r->engine) != TG__ENGINE_LIVE || r->gateway != &r->market) {
        return false;
    }
    for (uint32_t id = 0; id < ENTITLED; id++) {
        tg_row row;
        if (d->wanted[id] &&
            (rig_row(r, (tg_instrument_id)id, &row) != TG_OK || row.quality != TG_QUALITY_LIVE ||
             tg_version_compare(tg_image_version(&row.image), r->market.newest[id]) != 0)) {
            return false;
        }
    }
    return true;
}

static void heal(day *d)
{
    rig *r = &d->r;
    d->next = &r->market;
    d->refusal = NULL;
    if (r->connected && r->gateway != &r->market) {
        lose(d, TG__CAUSE_LOST, 0, 0);
    }
    uint32_t healing = 0;
    while (!is_healed(d)) {
        if (healing++ == HEAL_STEPS) {
            fail_msg("seed %llu: not live again after %u s: %s",
                     (unsigned long long)d->script->seed,
                     (unsigned)(HEAL_STEPS * STEP_NS / 1000000000),
                     r->events[(r->event_count - 1) % RIG_EVENTS_MAX].text);
        }
        step(d);
    }
}

/* Against what this side handed over: PROTOCOL.md 13. With one gateway and no bit flipped every
 * tick that an applied delta covers is one that the store has counted; rows of a gateway that was
 * behind are superseded, and those are not counted. */
static void check_ledger(day *d)
{
    rig *r = &d->r;
    tg_store_counters store = {.struct_size = sizeof store};
    assert_int_equal(tg_store_counters_get(r->store, &store), TG_OK);
    assert_int_equal(COUNT(r, state_errors), 0);
    assert_int_equal(COUNT(r, messages) + COUNT(r, late_inputs), d->given);
    assert_int_equal(store.integrity_faults, 0);
    if (d->one_gateway) {
        assert_int_equal(store.covered_ticks, d->covered);
        d->result->ledgers++;
    }
}

void day_live(const day_script *script, const day_options *options, day_result *result)
{
    static day d;
    begin(&d, script, options, result);
    while (d.step < DAY_STEPS || d.entry < script->count) { /* a stop may have put some off */
        step(&d);
    }
    heal(&d);
    check_ledger(&d);
    rig_close(&d.r);
}

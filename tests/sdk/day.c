#include "day.h"

#include "tg_cmocka.h"

#include <stddef.h>
#include <string.h>

#include "audit.h"
#include "day_accounts.h"
#include "day_price.h"
#include "day_tokens.h"
#include "engine_rig.h"
#include "random.h"
#include "row_qualities.h"

#define HEAL_STEPS    4000u
#define SUBSCRIBED    12u /* of the 20 that are entitled */
#define ENTITLED      20u
#define TICKETS       6u /* instruments that may be on the priority channel, which takes 4 */
#define STEP_NS       (40 * RIG_MS)
#define NEVER         UINT32_MAX
#define RESTART_AFTER 10u /* steps that the host takes for another token */
#define GHOSTS        2u
#define GHOST_STEPS   100u /* that they take at most */
#define PILED         3u   /* frames that lie in the socket when the machine goes to sleep */
/* A frame of which a live row may have come is no older than this: 1 s is late, a snapshot may have
 * the stamp of the heartbeat before it, and the clocks are known as exactly as an ECHO was fast. */
#define LATE_NS      (1000 * RIG_MS)
#define HEARTBEAT_NS (SIM_HEARTBEAT_MS * RIG_MS)
#define FAST_NS      (100 * RIG_MS)
/* In a DELTA whose base is near. */
#define BOUNDARY_AT 2u
#define TIME_AT     11u
#define TIME_SIZE   4u

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
    uint32_t ticked;             /* bit per id: TICKS proved it since that was applied */
    bool taken_late;             /* the latest that was applied, or TICKS since */
    uint32_t behind_until;
    uint32_t start_at;
    bool overflowed;
    const day_entry *message_fault; /* of this step; NULL: none */
    const day_entry *refusal;       /* of the next attempt */
    bool data_is_whole;             /* the latest frame came as the gateway sent it */
    uint64_t given;                 /* messages */
    day_tokens tokens;
    bool ticket[TICKETS];
    bool torn; /* the next TICKS are to be */
    tg_version depth_shown[TICKETS];
    tg_version depth_due[TICKETS]; /* newest in TICKS that came in this session, torn ones too */
    uint64_t contradictions;
    uint32_t contradicted; /* bit per id: in this session, and asked for */
    uint32_t ghost_count;
    uint32_t ghost_generation;
    uint32_t ghost_until;
    sim_message ghosts[GHOSTS];
    day_accounts accounts;
} day;

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

static unsigned long long seed_of(const day *d)
{
    return (unsigned long long)d->script->seed;
}

/* --- what is shown --- */

static bool is_called_live(tg_quality quality)
{
    return quality == TG_QUALITY_LIVE || quality == TG_QUALITY_QUIET;
}

static void check_time(day *d, tg_instrument_id id, const tg_row *row)
{
    /* TICKS prove a row even in a hole of the conflated channel, of which no frame is applied. */
    const bool ticked = (d->ticked & (UINT32_C(1) << id)) != 0;
    const bool late = d->taken_late || (d->late && !ticked);
    d->result->late += late;
    if ((late || d->unproved) && is_called_live(row->quality)) {
        fail_msg("seed %llu: step %u: instrument %u is called live %s", seed_of(d),
                 (unsigned)d->step, (unsigned)id,
                 late ? "by a frame that is late" : "although the clocks jumped");
    }
}

static void check_row(day *d, tg_instrument_id id, const tg_row *row)
{
    check_time(d, id, row);
    if (is_called_live(row->quality) && (d->r.market.revoked & (UINT32_C(1) << id)) != 0) {
        fail_msg("seed %llu: instrument %u is called live without a right to it", seed_of(d),
                 (unsigned)id);
    }
    const tg_version version = tg_image_version(&row->image);
    if (row->image.value[TG_FIELD_BID_PRICE] != day_price(d->lineage, id, version.seq)) {
        /* Held from another lineage, or wrong: neither may be called live. */
        if (is_called_live(row->quality)) {
            fail_msg("seed %llu: instrument %u shows a value that is not of version %llu",
                     seed_of(d), (unsigned)id, (unsigned long long)version.seq);
        }
        return;
    }
    if (tg_version_compare(version, d->shown[id]) < 0) {
        fail_msg("seed %llu: instrument %u went back from %u/%llu to %u/%llu", seed_of(d),
                 (unsigned)id, d->shown[id].epoch, (unsigned long long)d->shown[id].seq,
                 version.epoch, (unsigned long long)version.seq);
    }
    d->shown[id] = version;
}

/* Depth has its own version, and a quality that is no better than what came of it. */
static void check_depth(day *d, tg_instrument_id id, const tg_depth *depth)
{
    const bool live = is_called_live(depth->quality);
    const bool fits = depth->book.bid[0].price == day_price(d->lineage, id, depth->version.seq);
    const bool short_of = tg_version_compare(depth->version, d->depth_due[id]) < 0;
    if (live && (!fits || short_of || d->taken_late || d->unproved)) {
        fail_msg("seed %llu: step %u: depth of instrument %u is called live at version %llu%s",
                 seed_of(d), (unsigned)d->step, (unsigned)id,
                 (unsigned long long)depth->version.seq,
                 !fits      ? ", which it is not of"
                 : short_of ? ", but newer ticks came"
                            : ", although what comes is late or unproved");
    }
    if (fits && tg_version_compare(depth->version, d->depth_shown[id]) < 0) {
        fail_msg("seed %llu: depth of instrument %u went back from %llu to %llu", seed_of(d),
                 (unsigned)id, (unsigned long long)d->depth_shown[id].seq,
                 (unsigned long long)depth->version.seq);
    }
    d->depth_shown[id] = fits ? depth->version : d->depth_shown[id];
    d->result->books += live;
}

static void check_depths(day *d, const tg_view *view)
{
    for (uint32_t id = 0; id < TICKETS; id++) {
        tg_depth depth;
        if (tg_view_depth(view, (tg_instrument_id)id, d->r.now_ns, &depth) == TG_OK) {
            check_depth(d, (tg_instrument_id)id, &depth);
        } else {
            d->depth_shown[id] = (tg_version){0, 0}; /* its place was given away */
        }
    }
}

static void check_shown(day *d)
{
    const tg_view *view = tg_reader_pin(d->r.reader);
    check_depths(d, view);
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

static bool is_late(const day *d, const sim_message *message)
{
    const bool snapshot = message->bytes[0] == TG__KIND_SNAPSHOT;
    const int64_t most_ns = LATE_NS + FAST_NS + (snapshot ? HEARTBEAT_NS : 0);
    return !d->unknown && sim_market_true_ns(d->r.gateway) - message->made_ns > most_ns;
}

/* Was the latest frame late? One that was not applied can say yes, but never no. */
static void note_frame(day *d, const sim_message *message, bool applied)
{
    const bool late = is_late(d, message);
    d->late = late || (d->late && !applied);
    d->taken_late = applied ? late : d->taken_late;
    d->ticked = applied ? 0 : d->ticked;
}

/* Applied. */
static void note_ticks(day *d, const sim_message *message)
{
    d->taken_late = d->taken_late || is_late(d, message);
    for (uint32_t i = 0; i < message->row_count; i++) {
        d->ticked |= UINT32_C(1) << message->rows[i].id;
    }
}

/* The answer to an ECHO, as the gateway sent it. */
static void note_answer(day *d, const sim_message *message)
{
    const bool fast = sim_market_true_ns(d->r.gateway) - message->echo_ns <= FAST_NS;
    d->unproved = d->unproved && message->echo <= d->echoes_before_jump;
    d->unknown = d->unknown && (message->echo <= d->echoes_before_set || !fast);
}

/* Whether the store takes them or not, older depth is not of now any more. */
static void note_books(day *d, const sim_message *message)
{
    for (uint32_t i = 0; i < message->row_count; i++) {
        const sim_row *row = &message->rows[i];
        if (row->has_book && row->id < TICKETS && d->ticket[row->id] &&
            tg_version_compare(d->depth_due[row->id], row->version) < 0) {
            d->depth_due[row->id] = row->version;
        }
    }
}

/* whole: as the gateway sent it. */
static void hand_over(day *d, const sim_message *message, size_t size, bool whole)
{
    rig *r = &d->r;
    const uint64_t frames = COUNT(r, frames);
    const uint64_t ticks = COUNT(r, priority_rows);
    const uint64_t connects = COUNT(r, connects);
    const bool in_time = r->connected;
    d->given++;
    d->result->frames += is_data(message);
    if (whole && message->echo != 0) {
        note_answer(d, message);
    }
    if (whole && in_time && message->verdict != SIM_NO_VERDICT) {
        day_tokens_verdict(&d->tokens, message->verdict);
    }
    assert_int_equal(rig_message(r, message->bytes, size), TG_OK);
    const bool applied = COUNT(r, frames) > frames;
    if (COUNT(r, priority_rows) > ticks) {
        note_ticks(d, message);
    }
    if (applied || COUNT(r, priority_rows) > ticks) {
        day_accounts_rows(&d->accounts, r, d->lineage, message, whole);
    }
    if (in_time && message->bytes[0] == TG__KIND_TICKS) {
        note_books(d, message);
    }
    if (COUNT(r, connects) > connects) {
        day_tokens_joined(&d->tokens);
    }
    if (applied || (whole && is_data(message))) {
        note_frame(d, message, applied);
    }
}

static void count_faults(day *d, day_fault fault, uint64_t times)
{
    const bool harmless = fault == DAY_WISH || fault == DAY_TICKET;
    d->result->faults += harmless ? 0 : times;
    d->result->by_fault[fault] += times;
    if (!harmless && times > 0) {
        d->tokens.trouble_ns = d->r.now_ns;
    }
}

static void count_fault(day *d, day_fault fault)
{
    count_faults(d, fault, 1);
}

static void give_garbage(day *d, uint32_t argument)
{
    tg__random random = {argument};
    sim_message garbage;
    garbage.echo = 0;
    garbage.verdict = SIM_NO_VERDICT;
    garbage.row_count = 0;
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
            static sim_message swapped;
            sim_message_copy(&swapped, next);
            hand_over(d, &swapped, swapped.size, true);
        }
    } else if (entry->fault == DAY_FLIP) {
        if (message->bytes[0] == TG__KIND_DELTA && r->session.state_digests) {
            const size_t at = argument / 8 % message->size;
            const bool in_time = at >= TIME_AT && at < TIME_AT + TIME_SIZE; /* under no digest */
            message->bytes[in_time ? BOUNDARY_AT : at] ^= (uint8_t)(1u << (argument % 8));
        }
    } else if (entry->fault == DAY_GARBAGE) {
        give_garbage(d, argument);
    }
    return true;
}

/* What the gateway refuses says so. */
static void check_rights(day *d)
{
    const tg__desired *desired = tg__engine_desired(d->r.engine);
    for (uint32_t id = 0; id < ENTITLED && d->r.market.revoked != 0; id++) {
        const tg__want *want = tg__desired_want(desired, (tg_sub_id){UINT32_C(0x10000) | id});
        tg_row row;
        if (want != NULL && want->state == TG__WANT_REFUSED &&
            rig_row(&d->r, (tg_instrument_id)id, &row) == TG_OK &&
            row.quality != TG_QUALITY_NOT_ENTITLED) {
            fail_msg("seed %llu: step %u: instrument %u was refused, and has quality %d",
                     seed_of(d), (unsigned)d->step, (unsigned)id, (int)row.quality);
        }
    }
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
    check_rights(d);
    for (uint32_t at = 0; at < r->session.set_count; at++) {
        const tg_instrument_id id = r->session.set[at];
        const tg_image *sent = &r->session.cut.images[id];
        tg_row row;
        if (rig_row(r, id, &row) == TG_OK && row.quality == TG_QUALITY_LIVE &&
            tg_version_compare(tg_image_version(&row.image), tg_image_version(sent)) < 0) {
            fail_msg("seed %llu: step %u: instrument %u is called live at %llu, but %llu was sent",
                     seed_of(d), (unsigned)d->step, (unsigned)id, (unsigned long long)row.image.seq,
                     (unsigned long long)sent->seq);
        }
    }
}

static void expect_qualities(day *d, const row_qualities *before, uint32_t except)
{
    const int32_t changed = row_qualities_changed(before, &d->r, except);
    if (changed >= 0) {
        fail_msg("seed %llu: step %u: the quality of instrument %d changed by what does not "
                 "concern it",
                 seed_of(d), (unsigned)d->step, (int)changed);
    }
}

/* TICKS that cannot be read put depth in doubt, all of it, and nothing else. */
static void tear(day *d, const sim_message *message)
{
    rig *r = &d->r;
    row_qualities before;
    if (d->options->planted == DAY_TORN_TICKS) {
        fail_msg("the planted mistake");
    }
    d->torn = false;
    count_fault(d, DAY_TORN);
    const tg__engine_state state = tg__engine_state_of(r->engine);
    const bool held = COUNT(r, priority_held) > 0;
    row_qualities_read(&before, r);
    hand_over(d, message, message->size - 1, false);
    if (!held || !r->connected) {
        return; /* it may have been any row; or there was too much of that */
    }
    assert_int_equal(tg__engine_state_of(r->engine), state);
    expect_qualities(d, &before, SIM_INSTRUMENTS);
    const tg_view *view = tg_reader_pin(r->reader);
    for (uint32_t id = 0; id < TICKETS; id++) {
        tg_depth depth;
        if (tg_view_depth(view, (tg_instrument_id)id, r->now_ns, &depth) == TG_OK &&
            d->ticket[id] && is_called_live(depth.quality)) {
            fail_msg("seed %llu: step %u: depth of instrument %u is called live behind torn ticks",
                     seed_of(d), (unsigned)d->step, (unsigned)id);
        }
    }
    tg_reader_unpin(r->reader);
}

/* What was under way on a connection that ended comes now. */
static void give_ghosts(day *d)
{
    rig *r = &d->r;
    const bool due = d->tokens.under_way || d->step >= d->ghost_until;
    if (d->ghost_count == 0 || !r->connected || r->generation == d->ghost_generation || !due) {
        return;
    }
    for (uint32_t i = 0; i < d->ghost_count; i++) {
        tg__input input = {.kind = TG__INPUT_MESSAGE,
                           .generation = d->ghost_generation,
                           .as.message = {d->ghosts[i].bytes, d->ghosts[i].size, r->now_ns}};
        d->given++;
        assert_int_equal(rig_input(r, &input), TG_OK);
    }
    d->ghost_count = 0;
    check_shown(d);
}

static void deliver(day *d)
{
    rig *r = &d->r;
    give_ghosts(d);
    const sim_message *message = NULL;
    uint32_t until_fault = d->message_fault != NULL && r->session.count > 0
                               ? d->message_fault->argument % r->session.count
                               : 0;
    while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
        static sim_message copy;
        sim_message_copy(&copy, message);
        if (d->torn && copy.bytes[0] == TG__KIND_TICKS) {
            tear(d, &copy);
            check_shown(d);
            continue;
        }
        bool arrives = true;
        bool whole = true;
        d->data_is_whole = is_data(&copy) || d->data_is_whole;
        if (d->message_fault != NULL && until_fault-- == 0) {
            const day_entry *entry = d->message_fault;
            d->message_fault = NULL;
            count_fault(d, entry->fault);
            d->data_is_whole = false;
            static sim_message sent;
            sim_message_copy(&sent, &copy);
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
        day_tick(&r->market,
                 (tg_instrument_id)tg__random_upto(&d->market_random, SIM_INSTRUMENTS - 1));
        day_tick(&d->other,
                 (tg_instrument_id)tg__random_upto(&d->market_random, SIM_INSTRUMENTS - 1));
    }
    sim_market_step(&r->market);
    sim_market_step(&d->other);
    if (d->step >= d->behind_until) {
        d->behind = r->market;
    }
}

static void lose(day *d, tg__cause cause, uint16_t code, uint32_t floor_ms)
{
    const bool status = cause == TG__CAUSE_HTTP_STATUS;
    day_tokens_lost(&d->tokens,
                    (cause == TG__CAUSE_CLOSE_CODE && code == 4001) || (status && code == 401));
    assert_int_equal(status ? rig_refuse(&d->r, code, floor_ms)
                            : rig_closed(&d->r, cause, code, floor_ms),
                     TG_OK);
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
    if (id < TICKETS) {
        d->ticket[id] = false;
        d->depth_due[id] = (tg_version){0, 0};
    }
}

static bool put_on_or_off(day *d, uint32_t id)
{
    if (!d->wanted[id]) {
        return false;
    }
    d->ticket[id] = !d->ticket[id];
    d->depth_due[id] = (tg_version){0, 0};
    d->depth_shown[id] = (tg_version){0, 0};
    assert_int_equal(rig_prioritise(&d->r, id, d->ticket[id]), TG_OK);
    return true;
}

/* The version that is held, with another bid. One of the two is wrong, and only that row is in
 * doubt. */
static bool contradict(day *d, tg_instrument_id id)
{
    rig *r = &d->r;
    tg_row row;
    if (d->unknown || tg__engine_state_of(r->engine) != TG__ENGINE_LIVE ||
        rig_row(r, id, &row) != TG_OK || row.quality != TG_QUALITY_LIVE) {
        return false;
    }
    static sim_message message;
    memset(&message, 0, offsetof(sim_message, bytes));
    message.made_ns = sim_market_true_ns(r->gateway);
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.id = id;
    tick.update.image = row.image;
    tick.update.image.value[TG_FIELD_BID_PRICE]++;
    assert_int_equal(tg__ticks_encode(sim_market_utc_ns(r->gateway), SIM_RESOLUTION_NS, &tick, 1,
                                      message.bytes, SIM_MESSAGE_SIZE, &message.size),
                     TG_OK);
    row_qualities before;
    row_qualities_read(&before, r);
    const uint32_t asked = r->session.rows_asked;
    const bool again = (d->contradicted & (UINT32_C(1) << id)) != 0;
    hand_over(d, &message, message.size, false);
    d->contradictions++;
    d->contradicted |= UINT32_C(1) << id;
    assert_int_equal(r->session.rows_asked, asked + (again || r->deaf ? 0 : 1));
    expect_qualities(d, &before, id);
    assert_int_equal(rig_row(r, id, &row), TG_OK);
    if (is_called_live(row.quality)) {
        fail_msg("seed %llu: step %u: instrument %u is called live although it was contradicted",
                 seed_of(d), (unsigned)d->step, (unsigned)id);
    }
    return true;
}

/* A frame and an answer to a TOKEN are under way as the connection breaks. */
static void leave_ghosts(day *d)
{
    rig *r = &d->r;
    sim_session_frame(&r->session);
    sim_session_answer_token(&r->session, true, 3600);
    const uint32_t skipped = r->session.count > GHOSTS ? r->session.count - GHOSTS : 0;
    d->ghost_count = 0;
    for (uint32_t i = 0; r->session.count > 0; i++) {
        const sim_message *message = sim_session_take(&r->session);
        if (i >= skipped) {
            sim_message_copy(&d->ghosts[d->ghost_count++], message);
        }
    }
    d->ghost_generation = r->generation;
    d->ghost_until = d->step + GHOST_STEPS;
    lose(d, TG__CAUSE_LOST, 0, 0);
}

static void set_rights(day *d, uint32_t revoked)
{
    d->r.market.revoked = revoked;
    d->behind.revoked = revoked;
    d->other.revoked = revoked;
}

static void revoke(day *d, uint32_t argument)
{
    if (argument % 4 < 2) {
        lose(d, TG__CAUSE_CLOSE_CODE, argument % 4 == 0 ? 4003 : 4004, 0);
        return;
    }
    set_rights(d, d->r.market.revoked | UINT32_C(1) << (argument / 4 % ENTITLED));
    lose(d, TG__CAUSE_CLOSE_CODE, 1012, 0);
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
        if (d->options->planted == DAY_BREAK_AFTER_OVERFLOW && d->overflowed) {
            fail_msg("the planted mistake");
        }
        lose(d, TG__CAUSE_LOST, 0, 0);
    } else if (entry->fault == DAY_EXPIRE) {
        lose(d, TG__CAUSE_CLOSE_CODE, 4001, 0);
    } else if (entry->fault == DAY_OVERFLOW) {
        sim_session_overflow(&r->session);
        d->overflowed = true;
    } else if (entry->fault == DAY_REVOKE) {
        revoke(d, entry->argument);
    } else if (entry->fault == DAY_GHOST) {
        leave_ghosts(d);
    } else if (entry->fault == DAY_CONTRADICT) {
        return contradict(d, (tg_instrument_id)(entry->argument % ENTITLED));
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
               entry->fault == DAY_SLOW || entry->fault == DAY_REVOKE ||
               entry->fault == DAY_GHOST || entry->fault == DAY_CONTRADICT) {
        return happen_to_session(d, entry);
    } else if (entry->fault == DAY_TICKET) {
        return put_on_or_off(d, argument % TICKETS);
    } else if (entry->fault == DAY_TORN) {
        d->torn = true;
        return false; /* counted when TICKS come */
    } else if (day_tokens_expect(&d->tokens, entry->fault)) {
        return false; /* counted when the provider is asked, or a token sent */
    } else {
        d->message_fault = entry;
        return false; /* counted when it meets a message */
    }
    return true;
}

/* --- one step --- */

/* Returns whether a connection is made of it. */
static bool admit_attempt(day *d, sim_token *token)
{
    const day_entry *refusal = d->refusal;
    d->refusal = NULL;
    if (refusal != NULL && refusal->argument / 4 % 3 == 0) {
        lose(d, TG__CAUSE_CONNECT, 0, 0);
        return false;
    }
    const bool holds = !d->tokens.used || day_tokens_upgrade(&d->tokens, token);
    if (refusal != NULL) {
        lose(d, TG__CAUSE_HTTP_STATUS, 503, refusal->argument % 4 * 1000);
        return false;
    }
    if (!holds && d->options->planted == DAY_OLD_TOKEN) {
        fail_msg("the planted mistake");
    }
    if (!holds && token->number % 2 == 0) {
        lose(d, TG__CAUSE_HTTP_STATUS, 401, 0);
        return false;
    }
    return true;
}

/* The lifetime that WELCOME names: whole seconds of what is left. */
static void tell_lifetime(day *d, const sim_token *token)
{
    const int64_t left_ns = token->end_ns - sim_market_true_ns(&d->r.market);
    const uint32_t left_s = left_ns < 1000 * RIG_MS ? 1 : (uint32_t)(left_ns / (1000 * RIG_MS));
    d->r.market.token_lifetime_s = left_s;
    d->behind.token_lifetime_s = left_s;
    d->other.token_lifetime_s = left_s;
}

static void answer_attempt(day *d)
{
    rig *r = &d->r;
    sim_token token = {0, INT64_MAX};
    if (!admit_attempt(d, &token)) {
        return;
    }
    r->gateway = d->next;
    if (r->gateway->lineage != d->lineage) {
        d->lineage = r->gateway->lineage;
        memset(d->shown, 0, sizeof d->shown);
        memset(d->depth_shown, 0, sizeof d->depth_shown);
    }
    memset(d->depth_due, 0, sizeof d->depth_due);
    d->contradicted = 0;
    d->unproved = false;
    d->late = false;
    d->taken_late = false;
    d->unknown = true;
    d->echoes_before_jump = 0;
    d->echoes_before_set = 0;
    if (d->tokens.used) {
        tell_lifetime(d, &token);
    }
    rig_accept(r);
    r->session.state_digests = (d->script->seed & 1) != 0;
    if (!d->tokens.used) {
        return;
    }
    if (token.end_ns <= sim_market_true_ns(&r->market)) {
        lose(d, TG__CAUSE_CLOSE_CODE, 4001, 0); /* found only after the upgrade */
        return;
    }
    day_tokens_accepted(&d->tokens);
}

/* A step; all of the wait for the next attempt, or half of the day would be spent waiting. */
static int64_t stride_ns(const day *d)
{
    const rig *r = &d->r;
    const tg__engine_state state = tg__engine_state_of(r->engine);
    const bool waiting = state == TG__ENGINE_WAITING || state == TG__ENGINE_TOKEN;
    const int64_t answer_ns = d->tokens.asked ? d->tokens.answer_ns : INT64_MAX;
    const int64_t left_ns = (answer_ns < r->deadline_ns ? answer_ns : r->deadline_ns) - r->now_ns;
    return waiting && left_ns > STEP_NS ? left_ns : STEP_NS;
}

static void send_market(day *d)
{
    rig *r = &d->r;
    if (r->connected) {
        sim_session_ticks(&r->session);
        sim_session_frame(&r->session);
    }
}

static void stand_still(day *d)
{
    rig *r = &d->r;
    send_market(d);
    d->tokens.trouble_ns = r->now_ns;
    r->now_ns += STEP_NS;
    d->step++;
}

/* Those of tokens. */
static void take_met_faults(day *d)
{
    for (unsigned fault = 0; fault < DAY_FAULT_COUNT; fault++) {
        if (d->tokens.met[fault] > 0) {
            count_faults(d, (day_fault)fault, d->tokens.met[fault]);
            d->tokens.met[fault] = 0;
        }
    }
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
    day_tokens_step(&d->tokens);
    if (r->connecting) {
        answer_attempt(d);
    }
    send_market(d);
    if (d->step >= d->slow_until) {
        deliver(d);
    } else {
        d->tokens.trouble_ns = r->now_ns;
    }
    if (day_tokens_have_ended(&d->tokens)) {
        lose(d, TG__CAUSE_CLOSE_CODE, 4001, 0);
    }
    rig_advance(r, stride_ns(d));
    take_met_faults(d);
    assert_null(tg__audit_desired(tg__engine_desired(r->engine)).fault);
    d->step++;
}

/* --- the whole day --- */

static void on_action(void *ctx, int64_t now_ns, const tg__action *action)
{
    day *d = ctx;
    if (d->options->log != NULL) {
        day_log_put(d->options->log, now_ns, action);
    }
    day_tokens_action(&d->tokens, action);
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
    const bool provided = script->seed % 3 != 0;
    if (provided) {
        rig_open_with_tokens(r, 32);
    } else {
        rig_open(r, 32);
    }
    day_tokens_begin(&d->tokens, r, script->seed, provided);
    r->on_action = on_action;
    r->on_action_ctx = d;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        r->market.images[id].seq = 0;
        day_tick(&r->market, (tg_instrument_id)id);
    }
    d->next = &r->market;
    d->behind = r->market;
    d->other = r->market;
    d->other.lineage = 0x22;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        d->other.images[id].seq = 1000000; /* versions of the two lineages do not compare */
        day_tick(&d->other, (tg_instrument_id)id);
    }
    for (uint32_t id = 0; id < SUBSCRIBED; id++) {
        wish(d, id);
    }
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
}

/* The priority channel carries what is wanted on it, as far as it takes it, and all of that is of
 * now. */
static bool are_depths_healed(day *d)
{
    rig *r = &d->r;
    uint32_t wanted = 0;
    uint32_t live = 0;
    const tg_view *view = tg_reader_pin(r->reader);
    for (uint32_t id = 0; id < TICKETS; id++) {
        tg_depth depth;
        const bool shown = tg_view_depth(view, (tg_instrument_id)id, r->now_ns, &depth) == TG_OK;
        wanted += d->ticket[id];
        live += shown && d->ticket[id] && depth.quality == TG_QUALITY_LIVE &&
                tg_version_compare(depth.version, r->session.ticked[id]) == 0;
        live += shown && !d->ticket[id] ? TICKETS : 0; /* nobody keeps that up to date */
    }
    tg_reader_unpin(r->reader);
    const uint32_t most = r->session.limits.priority_max;
    return r->session.priority_count == (wanted < most ? wanted : most) &&
           live == r->session.priority_count;
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
    return are_depths_healed(d);
}

static void heal(day *d)
{
    rig *r = &d->r;
    d->next = &r->market;
    d->refusal = NULL;
    d->torn = false;
    memset(d->tokens.waits, 0, sizeof d->tokens.waits);
    const bool regained = r->market.revoked != 0;
    set_rights(d, 0);
    if (r->connected && (r->gateway != &r->market || regained)) {
        lose(d, TG__CAUSE_CLOSE_CODE, 1012, 0);
    }
    uint32_t healing = 0;
    while (!is_healed(d)) {
        if (healing++ == HEAL_STEPS) {
            fail_msg("seed %llu: not live again after %u s: %s", seed_of(d),
                     (unsigned)(HEAL_STEPS * STEP_NS / 1000000000),
                     r->events[(r->event_count - 1) % RIG_EVENTS_MAX].text);
        }
        step(d);
    }
}

static void check_counters(day *d)
{
    rig *r = &d->r;
    assert_int_equal(COUNT(r, state_errors), 0);
    assert_int_equal(COUNT(r, messages) + COUNT(r, late_inputs), d->given);
    day_tokens_check(&d->tokens);
    d->result->renewals += d->tokens.renewals;
}

void day_live(const day_script *script, const day_options *options, day_result *result)
{
    static day d;
    begin(&d, script, options, result);
    while (d.step < DAY_STEPS || d.entry < script->count) { /* a stop may have put some off */
        step(&d);
    }
    heal(&d);
    check_counters(&d);
    result->ledgers += day_accounts_check(&d.accounts, &d.r, d.contradictions);
    rig_close(&d.r);
}

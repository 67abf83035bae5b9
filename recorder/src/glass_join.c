#include "glass_join.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/text_buffer.h>

#include "glass_rows.h"
#include "glass_site.h"
#include "log_merge.h"

#define SLOTS_MAX     65536u  /* of a terminal */
#define NAME_BUCKETS  131072u /* twice as many as there can be instruments */
#define PASSES        256u
#define PASSES_WAITED 64u /* a version whose pass is older than that has none */
#define VISIBLES      4096u
#define SHOWN_MAX     65536u              /* versions that wait for the end of their pass */
#define AHEAD_NS      INT64_C(1000000000) /* so far the gateway's file is read ahead */
#define NO_INSTRUMENT UINT32_MAX

typedef struct visible {
    int64_t received_ns;
    int64_t visible_ns;
} visible;

typedef struct pass {
    uint64_t number;
    int64_t pinned_ns;
    int64_t drawn_ns;
    int64_t handed_ns;
} pass;

typedef struct shown {
    uint64_t pass;
    uint32_t instrument;
    uint32_t epoch;
    uint64_t seq;
    int64_t received_ns;
    int64_t decoded_ns;
} shown;

typedef struct instrument_name {
    uint32_t id;
    uint32_t size; /* 0: nothing is here */
    size_t at;     /* in names */
} instrument_name;

/* One side's records, in order of time. */
typedef struct side {
    tg__log_file *file;
    tg__glass_sites sites;
    tg__log_merge merge;
    tg__log_record record; /* the next one */
    bool has_record;
    bool is_right;    /* it has records that only the program has which it should be of */
    int64_t first_ns; /* times of the whole record; first over last: it is empty */
    int64_t last_ns;
} side;

typedef struct joining {
    tg__glass_result *result;
    tg__glass_taker *take;
    void *ctx;
    side gateway;
    side terminal;
    tg__clock_pair clocks;
    uint64_t *connections;
    size_t connection_count;
    tg__text_buffer names; /* "venue:symbol", one behind the other */
    instrument_name *by_name;
    uint32_t name_count;
    uint32_t *slots; /* instrument of each, or NO_INSTRUMENT */
    visible visibles[VISIBLES];
    uint64_t visible_count;
    pass passes[PASSES];
    uint64_t pass_count;
    shown *waiting;
    size_t waiting_count;
    tg__glass_rows *rows;
    bool popped;
    int64_t popped_ns; /* when the latest row that was forgotten had been queued */
} joining;

const char *tg__glass_stage_name(tg__glass_stage stage)
{
    static const char *const names[TG__GLASS_STAGES] = {"exchange_to_handler",
                                                        "sequencing",
                                                        "conflation",
                                                        "encode",
                                                        "socket_write",
                                                        "write_and_network",
                                                        "decode",
                                                        "commit",
                                                        "wait",
                                                        "draw",
                                                        "present",
                                                        "in_gateway",
                                                        "in_terminal",
                                                        "tick_to_glass"};
    return names[stage];
}

void tg__glass_result_deinit(tg__glass_result *result)
{
    for (int i = 0; i < TG__GLASS_STAGES; i++) {
        tg_histogram_close(result->stages[i]);
        result->stages[i] = NULL;
    }
    tg_histogram_close(result->rtt);
    result->rtt = NULL;
}

/* Both come from files and may be anything: no overflow. */
static int64_t between(int64_t from_ns, int64_t to_ns)
{
    return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns);
}

static int64_t plus(int64_t ns, int64_t by_ns)
{
    return (int64_t)((uint64_t)ns + (uint64_t)by_ns);
}

/* ---- both sides, record by record ----
 */

static tg_err side_next(side *s)
{
    const tg_err err = tg__log_merge_next(&s->merge, &s->record);
    s->has_record = err == TG_OK;
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

static tg_err side_begin(side *s)
{
    TG_TRY(tg__log_merge_open(s->file, 1, &s->merge));
    return side_next(s);
}

static void side_end(side *s)
{
    tg__log_merge_close(&s->merge);
    s->has_record = false;
}

/* ---- what has to be known before: echoes, connections, names ----
 */

static tg_err add_connection(joining *j, uint64_t number)
{
    for (size_t i = 0; i < j->connection_count; i++) {
        if (j->connections[i] == number) {
            return TG_OK;
        }
    }
    uint64_t *larger = realloc(j->connections, (j->connection_count + 1) * sizeof *larger);
    TG_ENSURE(larger != NULL, TG_ERR_NO_MEMORY);
    j->connections = larger;
    j->connections[j->connection_count++] = number;
    return TG_OK;
}

/* The place of a name, or the free one where it belongs. */
static instrument_name *place_of(const joining *j, const char *name, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    }
    for (uint64_t at = hash % NAME_BUCKETS;; at = (at + 1) % NAME_BUCKETS) {
        instrument_name *place = &j->by_name[at];
        if (place->size == 0 ||
            (place->size == size && memcmp(j->names.bytes + place->at, name, size) == 0)) {
            return place;
        }
    }
}

/* Behind the names. */
static size_t put_name(joining *j, const tg__log_argument *venue_and_symbol)
{
    const size_t at = j->names.size;
    tg__text_add(&j->names, venue_and_symbol[0].bytes, venue_and_symbol[0].size);
    tg__text_add(&j->names, ":", 1);
    tg__text_add(&j->names, venue_and_symbol[1].bytes, venue_and_symbol[1].size);
    return at;
}

static tg_err add_name(joining *j, const tg__log_argument *arguments)
{
    const size_t at = put_name(j, &arguments[1]);
    TG_ENSURE(!j->names.failed, TG_ERR_NO_MEMORY);
    instrument_name *place = place_of(j, j->names.bytes + at, j->names.size - at);
    if (place->size != 0 || j->name_count == NAME_BUCKETS / 2) {
        j->names.size = at;
        return TG_OK;
    }
    j->name_count++;
    *place = (instrument_name){(uint32_t)arguments[0].word, (uint32_t)(j->names.size - at), at};
    return TG_OK;
}

static tg_err prepare_record(joining *j, side *s)
{
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    const tg__glass_kind kind = tg__glass_sites_read(&s->sites, &s->record, arguments);
    s->is_right =
        s->is_right || kind == (s == &j->gateway ? TG__GLASS_INSTRUMENT : TG__GLASS_HANDED);
    if (kind == TG__GLASS_INSTRUMENT) {
        return add_name(j, arguments);
    }
    if (kind == TG__GLASS_ECHO) {
        tg__clock_pair_add(&j->clocks, &(tg__echo){.cookie = arguments[0].word,
                                                   .sent_ns = (int64_t)arguments[1].word,
                                                   .received_ns = (int64_t)arguments[2].word});
    } else if (kind == TG__GLASS_ECHO_SEEN &&
               tg__clock_pair_seen(&j->clocks, arguments[1].word, (int64_t)arguments[2].word)) {
        return add_connection(j, arguments[0].word);
    }
    return TG_OK;
}

static tg_err prepare_side(joining *j, side *s)
{
    tg_err err = side_begin(s);
    s->first_ns = INT64_MAX;
    s->last_ns = INT64_MIN;
    while (err == TG_OK && s->has_record) {
        s->first_ns = s->record.mono_ns < s->first_ns ? s->record.mono_ns : s->first_ns;
        s->last_ns = s->record.mono_ns > s->last_ns ? s->record.mono_ns : s->last_ns;
        err = prepare_record(j, s);
        err = err == TG_OK ? side_next(s) : err;
    }
    side_end(s);
    return err;
}

/* ---- joining ---- */

static void forget_row(joining *j, const tg__glass_row *row)
{
    tg__glass_result *result = j->result;
    const tg__clock_offset clocks =
        tg__clock_pair_at(&j->clocks, between(j->result->clocks_first.ns, row->tick.written_ns));
    const int64_t near_ns = between(clocks.ns, row->tick.written_ns);
    result->rows++;
    if (!row->shown && (near_ns < j->terminal.first_ns || near_ns > j->terminal.last_ns)) {
        result->rows_outside++;
    } else if (!row->shown) {
        result->rows_never_shown++;
    }
}

/* The gateway's records up to a time of its clock. */
static tg_err read_gateway(joining *j, int64_t to_ns)
{
    side *s = &j->gateway;
    while (s->has_record && s->record.mono_ns <= to_ns) {
        tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
        const tg__glass_kind kind = tg__glass_sites_read(&s->sites, &s->record, arguments);
        while (kind == TG__GLASS_WRITTEN && tg__glass_rows_are_full(j->rows)) {
            const tg__glass_row *row = tg__glass_rows_pop(j->rows);
            j->popped = true;
            j->popped_ns = row->tick.queued_ns;
            forget_row(j, row);
        }
        tg__glass_rows_take(j->rows, kind, arguments);
        TG_TRY(side_next(s));
    }
    return TG_OK;
}

static void measure(tg__glass_result *result, tg__glass_stage stage, int64_t from_ns, int64_t to_ns)
{
    if (from_ns != 0 && to_ns != 0) {
        tg_histogram_record(result->stages[stage], between(from_ns, to_ns));
    }
}

static void measure_all(tg__glass_result *result, const tg__glass_tick *t)
{
    const int64_t received_ns = plus(t->received_ns, t->clocks.ns); /* on the gateway's clock */
    const int64_t handed_ns = plus(t->handed_ns, t->clocks.ns);
    measure(result, TG__GLASS_HANDLER, t->due_ns, t->taken_ns);
    measure(result, TG__GLASS_SEQUENCING, t->taken_ns, t->ended_ns);
    measure(result, TG__GLASS_CONFLATION, t->ended_ns, t->begun_ns);
    measure(result, TG__GLASS_ENCODE, t->begun_ns, t->queued_ns);
    measure(result, TG__GLASS_WRITE, t->queued_ns, t->written_ns);
    measure(result, TG__GLASS_NETWORK, t->queued_ns, received_ns);
    measure(result, TG__GLASS_DECODE, t->received_ns, t->decoded_ns);
    measure(result, TG__GLASS_COMMIT, t->decoded_ns, t->visible_ns);
    measure(result, TG__GLASS_WAIT, t->visible_ns, t->pinned_ns);
    measure(result, TG__GLASS_DRAW, t->pinned_ns, t->drawn_ns);
    measure(result, TG__GLASS_PRESENT, t->drawn_ns, t->handed_ns);
    measure(result, TG__GLASS_IN_GATEWAY, t->due_ns, t->written_ns);
    measure(result, TG__GLASS_IN_TERMINAL, t->received_ns, t->handed_ns);
    measure(result, TG__GLASS_WHOLE, t->due_ns, handed_ns);
}

static int64_t visible_since(const joining *j, int64_t received_ns)
{
    for (uint64_t i = j->visible_count; i > 0 && j->visible_count - i < VISIBLES; i--) {
        const visible *one = &j->visibles[(i - 1) % VISIBLES];
        if (one->received_ns == received_ns) {
            return one->visible_ns;
        }
        if (one->received_ns < received_ns) {
            break;
        }
    }
    return 0;
}

static tg__glass_miss why_missed(const joining *j, const shown *version, tg__clock_offset clocks)
{
    const int64_t seen_ns = plus(version->received_ns, clocks.ns);
    if (plus(seen_ns, clocks.uncertainty_ns) < j->gateway.first_ns) {
        return TG__GLASS_MISS_BEFORE;
    }
    if (plus(seen_ns, -clocks.uncertainty_ns) > j->gateway.last_ns) {
        return TG__GLASS_MISS_AFTER;
    }
    return j->popped && seen_ns <= j->popped_ns ? TG__GLASS_MISS_OLD : TG__GLASS_MISS_SNAPSHOT;
}

static void join(joining *j, const shown *version, const pass *p)
{
    tg__glass_result *result = j->result;
    tg__clock_offset clocks = tg__clock_pair_at(&j->clocks, version->received_ns);
    tg__glass_row *row =
        tg__glass_rows_find(j->rows, version->instrument, version->epoch, version->seq);
    if (row == NULL) {
        result->misses[why_missed(j, version, clocks)]++;
        return;
    }
    const int64_t latest_ns = plus(plus(version->received_ns, clocks.ns), clocks.uncertainty_ns);
    if (latest_ns < row->tick.queued_ns) { /* it was there before the frame that restates it */
        result->misses[TG__GLASS_MISS_SNAPSHOT]++;
        return;
    }
    row->shown = true;
    clocks = tg__clock_offset_after(clocks, row->tick.queued_ns, version->received_ns);
    tg__glass_tick tick = row->tick;
    tick.received_ns = version->received_ns;
    tick.decoded_ns = version->decoded_ns;
    tick.visible_ns = visible_since(j, version->received_ns);
    tick.pinned_ns = p->pinned_ns;
    tick.drawn_ns = p->drawn_ns;
    tick.handed_ns = p->handed_ns;
    tick.clocks = clocks;
    if (result->joined++ == 0) {
        result->clocks_first = clocks;
        result->walls_apart_ns =
            between(tg__time_map_utc(&j->terminal.file->times, tick.received_ns),
                    tg__time_map_utc(&j->gateway.file->times, plus(tick.received_ns, clocks.ns)));
    }
    result->clocks_last = clocks;
    result->uncertainty_most_ns = clocks.uncertainty_ns > result->uncertainty_most_ns
                                      ? clocks.uncertainty_ns
                                      : result->uncertainty_most_ns;
    measure_all(result, &tick);
    if (j->take != NULL) {
        j->take(j->ctx, &tick);
    }
}

static const pass *find_pass(const joining *j, uint64_t number)
{
    for (uint64_t i = j->pass_count; i > 0 && j->pass_count - i < PASSES; i--) {
        const pass *one = &j->passes[(i - 1) % PASSES];
        if (one->number == number) {
            return one;
        }
    }
    return NULL;
}

/* Its pass may be known already: `handed off` bears the time of the hand-off, which is earlier. */
static void take_shown(joining *j, const tg__log_argument *arguments)
{
    const uint64_t slot = arguments[1].word;
    const shown version = {.pass = arguments[0].word,
                           .instrument = slot < SLOTS_MAX ? j->slots[slot] : NO_INSTRUMENT,
                           .epoch = (uint32_t)arguments[2].word,
                           .seq = arguments[3].word,
                           .received_ns = (int64_t)arguments[4].word,
                           .decoded_ns = (int64_t)arguments[5].word};
    const pass *p = find_pass(j, version.pass);
    j->result->shown++;
    if (version.instrument == NO_INSTRUMENT) {
        j->result->misses[TG__GLASS_MISS_INSTRUMENT]++;
    } else if (p != NULL) {
        join(j, &version, p);
    } else if (j->waiting_count == SHOWN_MAX) {
        j->result->misses[TG__GLASS_MISS_PASS]++;
    } else {
        j->waiting[j->waiting_count++] = version;
    }
}

static void take_pass(joining *j, const tg__log_argument *arguments)
{
    pass *p = &j->passes[j->pass_count++ % PASSES];
    *p = (pass){arguments[0].word, (int64_t)arguments[3].word, (int64_t)arguments[4].word,
                (int64_t)arguments[5].word};
    size_t kept = 0;
    for (size_t i = 0; i < j->waiting_count; i++) {
        const shown *version = &j->waiting[i];
        if (version->pass == p->number) {
            join(j, version, p);
        } else if (p->number > version->pass && p->number - version->pass > PASSES_WAITED) {
            j->result->misses[TG__GLASS_MISS_PASS]++;
        } else {
            j->waiting[kept++] = *version;
        }
    }
    j->waiting_count = kept;
}

static void take_slot(joining *j, const tg__log_argument *arguments)
{
    const uint64_t slot = arguments[0].word;
    const size_t at = put_name(j, &arguments[1]);
    if (slot < SLOTS_MAX && !j->names.failed) {
        const instrument_name *found = place_of(j, j->names.bytes + at, j->names.size - at);
        j->slots[slot] = found->size != 0 ? found->id : NO_INSTRUMENT;
    }
    j->names.size = at; /* it was there to be looked up */
}

static tg_err take_terminal_record(joining *j)
{
    side *s = &j->terminal;
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    const tg__glass_kind kind = tg__glass_sites_read(&s->sites, &s->record, arguments);
    if (kind == TG__GLASS_SHOWS || kind == TG__GLASS_HANDED) {
        const tg__clock_offset clocks = tg__clock_pair_at(&j->clocks, s->record.mono_ns);
        TG_TRY(read_gateway(
            j, plus(plus(s->record.mono_ns, clocks.ns), plus(clocks.uncertainty_ns, AHEAD_NS))));
    }
    if (kind == TG__GLASS_SHOWS) {
        take_shown(j, arguments);
    } else if (kind == TG__GLASS_HANDED) {
        take_pass(j, arguments);
    } else if (kind == TG__GLASS_SLOT) {
        take_slot(j, arguments);
    } else if (kind == TG__GLASS_VISIBLE) {
        j->visibles[j->visible_count++ % VISIBLES] =
            (visible){(int64_t)arguments[1].word, (int64_t)arguments[2].word};
    }
    return j->names.failed ? TG_ERR_NO_MEMORY : TG_OK;
}

static tg_err join_all(joining *j)
{
    TG_TRY(side_begin(&j->gateway));
    TG_TRY(side_begin(&j->terminal));
    while (j->terminal.has_record) {
        TG_TRY(take_terminal_record(j));
        TG_TRY(side_next(&j->terminal));
    }
    TG_TRY(read_gateway(j, INT64_MAX));
    j->result->misses[TG__GLASS_MISS_PASS] += j->waiting_count;
    for (const tg__glass_row *row; (row = tg__glass_rows_pop(j->rows)) != NULL;) {
        forget_row(j, row);
    }
    return TG_OK;
}

/* ---- opening ---- */

static tg_err open_histogram(tg_histogram **out)
{
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.lowest = 1;
    opt.highest = INT64_C(3600000000000); /* an hour: a tick may be long in coming */
    return tg_histogram_open(&opt, out);
}

static tg_err prepare(joining *j)
{
    tg__glass_sites_find(j->gateway.file, &j->gateway.sites);
    tg__glass_sites_find(j->terminal.file, &j->terminal.sites);
    for (int i = 0; i < TG__GLASS_STAGES; i++) {
        TG_TRY(open_histogram(&j->result->stages[i]));
    }
    TG_TRY(open_histogram(&j->result->rtt));
    j->clocks.echoes = calloc(TG__ECHOES_MAX, sizeof *j->clocks.echoes);
    j->by_name = calloc(NAME_BUCKETS, sizeof *j->by_name);
    j->slots = calloc(SLOTS_MAX, sizeof *j->slots);
    j->waiting = calloc(SHOWN_MAX, sizeof *j->waiting);
    TG_ENSURE(j->clocks.echoes != NULL && j->by_name != NULL && j->slots != NULL &&
                  j->waiting != NULL,
              TG_ERR_NO_MEMORY);
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        j->slots[i] = NO_INSTRUMENT;
    }
    TG_TRY(prepare_side(j, &j->terminal));
    TG_TRY(prepare_side(j, &j->gateway));
    tg__clock_pair_close(&j->clocks);
    TG_ENSURE(j->gateway.is_right, TG_ERR_FORMAT);
    TG_ENSURE(j->terminal.is_right, TG_ERR_SYNTAX);
    TG_ENSURE(j->clocks.count != 0, TG_ERR_NOT_FOUND);
    for (size_t i = 0; i < j->clocks.count; i++) {
        tg_histogram_record(j->result->rtt,
                            between(j->clocks.echoes[i].sent_ns, j->clocks.echoes[i].received_ns));
    }
    j->result->echoes = j->clocks.count;
    j->result->connections = j->connection_count;
    j->result->clocks_first = tg__clock_pair_at(&j->clocks, j->terminal.first_ns);
    return tg__glass_rows_open(j->connections, j->connection_count, &j->rows);
}

tg_err tg__glass_join(tg__log_file *gateway, tg__log_file *terminal, tg__glass_taker *take,
                      void *ctx, tg__glass_result *out)
{
    memset(out, 0, sizeof *out);
    joining *j = calloc(1, sizeof *j);
    TG_ENSURE(j != NULL, TG_ERR_NO_MEMORY);
    j->result = out;
    j->take = take;
    j->ctx = ctx;
    j->gateway.file = gateway;
    j->terminal.file = terminal;
    tg_err err = prepare(j);
    if (err == TG_OK) {
        err = join_all(j);
    }
    side_end(&j->gateway);
    side_end(&j->terminal);
    tg__glass_rows_close(j->rows);
    tg__text_buffer_deinit(&j->names);
    free(j->clocks.echoes);
    free(j->by_name);
    free(j->slots);
    free(j->waiting);
    free(j->connections);
    free(j);
    return err;
}

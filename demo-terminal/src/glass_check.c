#include "glass_check.h"

#include <stdlib.h>
#include <string.h>

/* The order in which versions were drawn in one slot. */
typedef struct drawn_version {
    bool any;
    uint32_t epoch;
    uint64_t seq;
    uint64_t name; /* hash of the names that it was drawn under, 0 while they were never whole */
} drawn_version;

/* What a row says; unreadable parts fit everything. */
typedef struct drawn_state {
    glass_number number[5];
    bool readable[5];
} drawn_state;

/* The ladder of one slot. */
typedef struct drawn_ladder {
    drawn_version version;
    drawn_state best; /* of that version, as far as it was read */
} drawn_ladder;

struct glass_check {
    const glass_tape *tape;
    size_t slot_count;
    drawn_version *slots;
    drawn_ladder *ladders; /* by slot */
    size_t *found_at;      /* per series of the tape: where the row before was found */
    glass_counts counts;
};

tg_err glass_check_open(const glass_tape *tape, size_t instruments_max, glass_check **out)
{
    *out = NULL;
    glass_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    check->tape = tape;
    check->slot_count = instruments_max;
    check->slots = calloc(instruments_max + 1, sizeof *check->slots);
    check->ladders = calloc(instruments_max + 1, sizeof *check->ladders);
    check->found_at =
        calloc(tape != NULL ? glass_tape_count(tape) + 1 : 1, sizeof *check->found_at);
    if (check->slots == NULL || check->ladders == NULL || check->found_at == NULL) {
        glass_check_close(check);
        return TG_ERR_NO_MEMORY;
    }
    *out = check;
    return TG_OK;
}

void glass_check_close(glass_check *check)
{
    if (check != NULL) {
        free(check->slots);
        free(check->ladders);
        free(check->found_at);
        free(check);
    }
}

glass_counts glass_check_counts(const glass_check *check)
{
    return check->counts;
}

static void read_state(const glass_row *row, drawn_state *out)
{
    const char *const text[5] = {row->bid_size, row->bid, row->ask, row->ask_size, row->last};
    for (size_t i = 0; i < 5; i++) {
        out->readable[i] = false;
        if (text[i] != NULL) {
            out->number[i] = glass_number_read(text[i], strlen(text[i]));
            out->readable[i] = out->number[i].kind != GLASS_NUMBER_UNREADABLE;
        }
    }
}

static bool fits(const drawn_state *drawn, const glass_state *state)
{
    const glass_number of_tape[5] = {state->bid_size, state->bid, state->ask, state->ask_size,
                                     state->last};
    for (size_t i = 0; i < 5; i++) {
        if (drawn->readable[i] && !glass_number_equal(drawn->number[i], of_tape[i])) {
            return false;
        }
    }
    return true;
}

static glass_verdict judge_by_tape(glass_check *check, const glass_series *series,
                                   const drawn_state *drawn)
{
    const glass_state *states = glass_series_states(series);
    const size_t count = glass_series_count(series);
    size_t *found_at = &check->found_at[glass_series_index(series)];
    check->counts.judged_by_tape++;
    for (size_t i = *found_at; i < count; i++) {
        if (fits(drawn, &states[i])) {
            *found_at = i;
            return GLASS_FINE;
        }
    }
    for (size_t i = 0; i < *found_at; i++) {
        if (fits(drawn, &states[i])) {
            return GLASS_REGRESSION;
        }
    }
    return GLASS_UNKNOWN;
}

/* Takes the version as the newest that this slot showed, if it is not older than that. */
static bool version_went_back(drawn_version *slot, const glass_row *row)
{
    const bool back = slot->any && (row->epoch < slot->epoch ||
                                    (row->epoch == slot->epoch && row->seq < slot->seq));
    if (!back) {
        slot->any = true;
        slot->epoch = row->epoch;
        slot->seq = row->seq;
    }
    return back;
}

/* A name that was too long for its column ends in "…": it may be that of several instruments. */
static bool is_cut(const char *name)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    const size_t length = strlen(name);
    const size_t tail = sizeof ellipsis - 1;
    return length >= tail && strcmp(name + length - tail, ellipsis) == 0;
}

/* FNV-1a, 64 bits: two of a few thousand names that meet are not to be expected. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* True: what stands there says that it is another instrument than before. */
static bool name_changed(drawn_version *slot, const glass_row *row)
{
    uint64_t name = hash_text(UINT64_C(0xcbf29ce484222325), row->venue);
    name = hash_text(hash_text(name, ":"), row->symbol);
    const bool changed = slot->name != 0 && slot->name != name;
    slot->name = name;
    return changed;
}

static glass_verdict count(glass_check *check, glass_verdict verdict)
{
    check->counts.regressions += verdict == GLASS_REGRESSION ? 1 : 0;
    check->counts.unknown += verdict == GLASS_UNKNOWN ? 1 : 0;
    check->counts.not_judged += verdict == GLASS_NOT_JUDGED ? 1 : 0;
    return verdict;
}

glass_verdict glass_check_row(glass_check *check, size_t slot, const glass_row *row)
{
    if (slot >= check->slot_count) {
        return count(check, GLASS_NOT_JUDGED);
    }
    const bool named =
        row->venue != NULL && row->symbol != NULL && !is_cut(row->venue) && !is_cut(row->symbol);
    const bool back = version_went_back(&check->slots[slot], row);
    const bool renamed = named && name_changed(&check->slots[slot], row);
    drawn_state drawn;
    read_state(row, &drawn);
    const glass_series *series =
        check->tape != NULL && named ? glass_tape_find(check->tape, row->venue, row->symbol) : NULL;
    glass_verdict verdict = GLASS_FINE;
    if (series != NULL && (drawn.readable[1] || drawn.readable[2] || drawn.readable[4])) {
        verdict = judge_by_tape(check, series, &drawn);
    } else if (check->tape != NULL) {
        /* There is a tape, but it cannot say anything about this row. */
        verdict = series == NULL && named ? GLASS_UNKNOWN : GLASS_NOT_JUDGED;
    } else {
        check->counts.judged_by_version++;
    }
    if (renamed) {
        verdict = GLASS_UNKNOWN;
    }
    if (back) {
        verdict = GLASS_REGRESSION;
    }
    return count(check, verdict);
}

/* True: a best level that this version did not have before, as far as both could be read. */
static bool best_changed(drawn_state *best, const drawn_state *drawn)
{
    bool changed = false;
    for (size_t i = 0; i < 5; i++) {
        if (!drawn->readable[i]) {
            continue;
        }
        changed = changed ||
                  (best->readable[i] && !glass_number_equal(best->number[i], drawn->number[i]));
        best->number[i] = drawn->number[i];
        best->readable[i] = true;
    }
    return changed;
}

glass_verdict glass_check_depth(glass_check *check, size_t slot, const glass_row *row)
{
    if (slot >= check->slot_count) {
        return count(check, GLASS_NOT_JUDGED);
    }
    drawn_ladder *ladder = &check->ladders[slot];
    const drawn_version before = ladder->version;
    check->counts.judged_depth++;
    if (version_went_back(&ladder->version, row)) {
        return count(check, GLASS_REGRESSION);
    }
    drawn_state drawn;
    read_state(row, &drawn);
    if (!before.any || before.epoch != row->epoch || before.seq != row->seq) {
        ladder->best = drawn;
        return GLASS_FINE;
    }
    return count(check, best_changed(&ladder->best, &drawn) ? GLASS_UNKNOWN : GLASS_FINE);
}

#include "desired.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/channel.h>

static uint32_t name_hash(const char *venue, const char *symbol)
{
    /* FNV-1a, 32 bits; the separator keeps ("A","BC") and ("AB","C") apart. */
    uint32_t hash = UINT32_C(2166136261);
    for (const char *at = venue; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT32_C(16777619);
    }
    hash = (hash ^ 0x1fu) * UINT32_C(16777619);
    for (const char *at = symbol; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT32_C(16777619);
    }
    return hash;
}

static uint32_t home_of(const tg__desired *desired, const tg__want *want)
{
    return name_hash(want->venue, want->symbol) & desired->index_mask;
}

static uint32_t index_find(const tg__desired *desired, const char *venue, const char *symbol)
{
    uint32_t at = name_hash(venue, symbol) & desired->index_mask;
    while (desired->index[at] != 0) {
        const uint32_t number = desired->index[at] - 1;
        const tg__want *want = &desired->wants[number];
        if (strcmp(want->venue, venue) == 0 && strcmp(want->symbol, symbol) == 0) {
            return number;
        }
        at = (at + 1) & desired->index_mask;
    }
    return TG__NO_WANT;
}

static void index_put(tg__desired *desired, uint32_t number)
{
    uint32_t at = home_of(desired, &desired->wants[number]);
    while (desired->index[at] != 0) {
        at = (at + 1) & desired->index_mask;
    }
    desired->index[at] = number + 1;
}

static void index_drop(tg__desired *desired, uint32_t number)
{
    const uint32_t mask = desired->index_mask;
    uint32_t hole = home_of(desired, &desired->wants[number]);
    while (desired->index[hole] != number + 1) {
        hole = (hole + 1) & mask;
    }
    /* Close the hole with every later entry of the run that may stand there. */
    desired->index[hole] = 0;
    for (uint32_t at = (hole + 1) & mask; desired->index[at] != 0; at = (at + 1) & mask) {
        const uint32_t home = home_of(desired, &desired->wants[desired->index[at] - 1]);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            desired->index[hole] = desired->index[at];
            desired->index[at] = 0;
            hole = at;
        }
    }
}

tg_err tg__desired_init(tg__desired *desired, uint32_t want_capacity, uint32_t interest_capacity)
{
    memset(desired, 0, sizeof *desired);
    if (want_capacity == 0 || want_capacity > TG_INSTRUMENT_MAX || interest_capacity == 0 ||
        interest_capacity > TG__INTEREST_CAPACITY_MAX) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    uint32_t slots = 4;
    while (slots < want_capacity * 2) {
        slots *= 2;
    }
    desired->wants = calloc(want_capacity, sizeof *desired->wants);
    desired->interests = calloc(interest_capacity, sizeof *desired->interests);
    desired->index = calloc(slots, sizeof *desired->index);
    desired->held = calloc(want_capacity, sizeof *desired->held);
    if (desired->wants == NULL || desired->interests == NULL || desired->index == NULL ||
        desired->held == NULL) {
        tg__desired_deinit(desired);
        return TG_ERR_NO_MEMORY;
    }
    desired->want_capacity = want_capacity;
    desired->interest_capacity = interest_capacity;
    desired->index_mask = slots - 1;
    for (uint32_t i = want_capacity; i > 0; i--) {
        desired->wants[i - 1].next_free = desired->free_want;
        desired->free_want = i;
    }
    return TG_OK;
}

void tg__desired_deinit(tg__desired *desired)
{
    free(desired->wants);
    free(desired->interests);
    free(desired->index);
    free(desired->held);
    memset(desired, 0, sizeof *desired);
}

static bool is_under_way(tg__want_state state)
{
    return state == TG__WANT_ASKED || state == TG__WANT_LEAVING;
}

static bool is_unwanted(const tg__want *want)
{
    return want->state == TG__WANT_HELD && want->interests == 0;
}

/* Every change of state or interests goes through here, so that the three sums stay right. */
static void set_want(tg__desired *desired, tg__want *want, tg__want_state state, uint32_t interests)
{
    desired->unasked -= want->state == TG__WANT_UNASKED;
    desired->under_way -= is_under_way(want->state);
    desired->unwanted -= is_unwanted(want);
    want->state = state;
    want->interests = interests;
    desired->unasked += want->state == TG__WANT_UNASKED;
    desired->under_way += is_under_way(want->state);
    desired->unwanted += is_unwanted(want);
}

static void free_want(tg__desired *desired, uint32_t number)
{
    tg__want *want = &desired->wants[number];
    index_drop(desired, number);
    set_want(desired, want, TG__WANT_FREE, 0);
    want->next_free = desired->free_want;
    desired->free_want = number + 1;
    desired->want_count--;
}

static void tell(tg__desired *desired, uint32_t slot)
{
    tg__interest *interest = &desired->interests[slot];
    if (interest->told_pending) {
        return;
    }
    interest->told_pending = true;
    interest->next_told = 0;
    if (desired->last_untold != 0) {
        desired->interests[desired->last_untold - 1].next_told = slot + 1;
    } else {
        desired->first_untold = slot + 1;
    }
    desired->last_untold = slot + 1;
}

static void tell_all(tg__desired *desired, const tg__want *want)
{
    for (uint32_t at = want->first; at != 0; at = desired->interests[at - 1].next) {
        tell(desired, at - 1);
    }
}

/* Gives the answer that a want has now; says it only if it is another one than before. */
static void settle(tg__desired *desired, tg__want *want, tg_err err, tg_instrument_id id)
{
    if (want->err != err || want->id != id) {
        want->err = err;
        want->id = id;
        tell_all(desired, want);
    }
}

static uint32_t make_want(tg__desired *desired, const char *venue, const char *symbol)
{
    if (desired->free_want == 0) {
        return TG__NO_WANT;
    }
    const uint32_t number = desired->free_want - 1;
    tg__want *want = &desired->wants[number];
    desired->free_want = want->next_free;
    const uint16_t tenant = want->tenant;
    memset(want, 0, sizeof *want);
    want->tenant = (uint16_t)((tenant + 1u) % UINT16_MAX);
    memcpy(want->venue, venue, strlen(venue) + 1);
    memcpy(want->symbol, symbol, strlen(symbol) + 1);
    want->err = TG_ERR_STATE;
    want->id = TG_INSTRUMENT_NONE;
    set_want(desired, want, TG__WANT_UNASKED, 0);
    index_put(desired, number);
    desired->want_count++;
    return number;
}

tg_err tg__desired_add(tg__desired *desired, tg_sub_id sub, const char *venue, const char *symbol)
{
    const uint32_t slot = tg__sub_slot(sub);
    if (sub.v == 0 || slot >= desired->interest_capacity || venue[0] == '\0' || symbol[0] == '\0' ||
        strlen(venue) >= TG_VENUE_NAME_SIZE || strlen(symbol) >= TG_SYMBOL_SIZE) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    tg__interest *interest = &desired->interests[slot];
    if (interest->sub.v != 0) {
        return TG_ERR_STATE;
    }
    /* An answer of the slot's former tenant may still stand in the list; it stays linked there and
     * speaks for the new one. */
    interest->sub = sub;
    interest->hidden = false;
    desired->interest_count++;
    uint32_t number = index_find(desired, venue, symbol);
    if (number == TG__NO_WANT) {
        number = make_want(desired, venue, symbol);
    }
    interest->want = number;
    if (number == TG__NO_WANT) {
        interest->next = 0;
        tell(desired, slot);
        return TG_ERR_FULL;
    }
    tg__want *want = &desired->wants[number];
    interest->next = want->first;
    want->first = slot + 1;
    want->visible++;
    set_want(desired, want, want->state, want->interests + 1);
    if (want->err != TG_ERR_STATE) {
        tell(desired, slot);
    }
    return TG_OK;
}

tg_err tg__desired_remove(tg__desired *desired, tg_sub_id sub)
{
    const uint32_t slot = tg__sub_slot(sub);
    if (sub.v == 0 || slot >= desired->interest_capacity ||
        desired->interests[slot].sub.v != sub.v) {
        return TG_ERR_NOT_FOUND;
    }
    tg__interest *interest = &desired->interests[slot];
    const uint32_t number = interest->want;
    interest->sub.v = 0;
    desired->interest_count--;
    if (number == TG__NO_WANT) {
        return TG_OK;
    }
    tg__want *want = &desired->wants[number];
    uint32_t *link = &want->first;
    while (*link != slot + 1) {
        link = &desired->interests[*link - 1].next;
    }
    *link = interest->next;
    want->visible -= !interest->hidden;
    set_want(desired, want, want->state, want->interests - 1);
    if (want->interests == 0 && !is_under_way(want->state) && want->state != TG__WANT_HELD) {
        free_want(desired, number);
    }
    return TG_OK;
}

tg_err tg__desired_set_visible(tg__desired *desired, tg_sub_id sub, bool visible)
{
    const uint32_t slot = tg__sub_slot(sub);
    if (sub.v == 0 || slot >= desired->interest_capacity ||
        desired->interests[slot].sub.v != sub.v) {
        return TG_ERR_NOT_FOUND;
    }
    tg__interest *interest = &desired->interests[slot];
    if (interest->want != TG__NO_WANT && interest->hidden == visible) {
        tg__want *want = &desired->wants[interest->want];
        want->visible = visible ? want->visible + 1 : want->visible - 1;
    }
    interest->hidden = !visible;
    return TG_OK;
}

const tg__want *tg__desired_want(const tg__desired *desired, tg_sub_id sub)
{
    const uint32_t slot = tg__sub_slot(sub);
    if (sub.v == 0 || slot >= desired->interest_capacity ||
        desired->interests[slot].sub.v != sub.v || desired->interests[slot].want == TG__NO_WANT) {
        return NULL;
    }
    return &desired->wants[desired->interests[slot].want];
}

void tg__desired_begin(tg__desired *desired, bool keep_ids)
{
    desired->held_count = 0;
    desired->held_again = false;
    for (uint32_t i = 0; i < desired->want_capacity; i++) {
        tg__want *want = &desired->wants[i];
        if (want->state == TG__WANT_FREE) {
            continue;
        }
        if (want->interests == 0) {
            free_want(desired, i);
            continue;
        }
        set_want(desired, want, TG__WANT_UNASKED, want->interests);
        if (!keep_ids) {
            settle(desired, want, TG_ERR_STATE, TG_INSTRUMENT_NONE);
        }
    }
}

static uint32_t held_place(const tg__desired *desired, tg_instrument_id id)
{
    uint32_t low = 0;
    uint32_t high = desired->held_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (desired->held[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void hold(tg__desired *desired, tg_instrument_id id)
{
    const uint32_t place = held_place(desired, id);
    if (place < desired->held_count && desired->held[place] == id) {
        desired->held_again = true;
        return;
    }
    memmove(&desired->held[place + 1], &desired->held[place],
            (desired->held_count - place) * sizeof desired->held[0]);
    desired->held[place] = id;
    desired->held_count++;
}

static void let_go(tg__desired *desired, tg_instrument_id id)
{
    const uint32_t place = held_place(desired, id);
    if (place < desired->held_count && desired->held[place] == id) {
        desired->held_count--;
        memmove(&desired->held[place], &desired->held[place + 1],
                (desired->held_count - place) * sizeof desired->held[0]);
    }
}

/* Another want holds the same id: giving it back would take it from both. */
static bool is_shared(const tg__desired *desired, const tg__want *want)
{
    if (!desired->held_again) {
        return false;
    }
    for (uint32_t i = 0; i < desired->want_capacity; i++) {
        const tg__want *other = &desired->wants[i];
        if (other != want && other->id == want->id &&
            (other->state == TG__WANT_HELD || other->state == TG__WANT_ASKED)) {
            return true;
        }
    }
    return false;
}

/* What a request is being made of. */
typedef struct taken {
    bool ask;
    tg__want_number *numbers;
    tg__name *names;
    uint32_t capacity;
    uint32_t count;
} taken;

/* Wants of one kind: those on screen, or the others. What is given back is all of the latter. */
static void take_those(tg__desired *desired, taken *to, bool visible)
{
    for (uint32_t i = 0; i < desired->want_capacity && to->count < to->capacity; i++) {
        if ((to->ask ? desired->unasked : desired->unwanted) == 0) {
            break;
        }
        tg__want *want = &desired->wants[i];
        if ((to->ask ? want->state != TG__WANT_UNASKED : !is_unwanted(want)) ||
            (want->visible > 0) != visible) {
            continue;
        }
        if (!to->ask && is_shared(desired, want)) {
            free_want(desired, i);
            continue;
        }
        set_want(desired, want, to->ask ? TG__WANT_ASKED : TG__WANT_LEAVING, want->interests);
        to->numbers[to->count] = (tg__want_number)want->tenant << 16 | i;
        tg__name *name = &to->names[to->count++];
        name->id = want->id;
        memcpy(name->venue, want->venue, sizeof want->venue);
        memcpy(name->symbol, want->symbol, sizeof want->symbol);
    }
}

uint32_t tg__desired_take(tg__desired *desired, bool ask, tg__want_number *numbers, tg__name *names,
                          uint32_t capacity)
{
    taken to = {ask, numbers, names, capacity, 0};
    if (ask) {
        take_those(desired, &to, true);
    }
    take_those(desired, &to, false);
    return to.count;
}

static tg_err error_of(tg__answer_code code)
{
    switch (code) {
    case TG__ANSWER_OK:
        return TG_OK;
    case TG__ANSWER_NOT_ENTITLED:
        return TG_ERR_NOT_ENTITLED;
    case TG__ANSWER_LIMIT:
        return TG_ERR_LIMIT;
    case TG__ANSWER_UNKNOWN:
    case TG__ANSWER_PENDING:
    case TG__ANSWER_TOO_FAST:
        break;
    }
    return TG_ERR_NOT_FOUND;
}

static void answer_asked(tg__desired *desired, uint32_t number, const tg__result *result)
{
    tg__want *want = &desired->wants[number];
    if (result->code == TG__ANSWER_OK && result->id != TG_INSTRUMENT_NONE) {
        settle(desired, want, TG_OK, result->id);
        hold(desired, result->id);
        set_want(desired, want, TG__WANT_HELD, want->interests);
        return;
    }
    if (want->interests == 0) {
        free_want(desired, number);
        return;
    }
    if (result->code == TG__ANSWER_TOO_FAST) {
        set_want(desired, want, TG__WANT_UNASKED, want->interests);
        return;
    }
    if (result->code == TG__ANSWER_UNKNOWN && want->id != TG_INSTRUMENT_NONE) {
        /* Asked by an id that the gateway no longer has: the name decides. */
        want->id = TG_INSTRUMENT_NONE;
        set_want(desired, want, TG__WANT_UNASKED, want->interests);
        return;
    }
    settle(desired, want, error_of(result->code), result->id);
    set_want(desired, want, TG__WANT_REFUSED, want->interests);
}

static void answer_leaving(tg__desired *desired, uint32_t number, const tg__result *result)
{
    tg__want *want = &desired->wants[number];
    if (result->code == TG__ANSWER_TOO_FAST) {
        set_want(desired, want, TG__WANT_HELD, want->interests);
        return;
    }
    let_go(desired, want->id);
    if (want->interests == 0) {
        free_want(desired, number);
    } else {
        set_want(desired, want, TG__WANT_UNASKED, want->interests);
    }
}

bool tg__desired_answer(tg__desired *desired, tg__want_number number, const tg__result *result)
{
    if (result->code == TG__ANSWER_PENDING) {
        return false;
    }
    const uint32_t place = number & UINT16_MAX;
    if (desired->wants[place].tenant != number >> 16) {
        return true; /* a tombstone freed the place, and it has been let again */
    }
    switch (desired->wants[place].state) {
    case TG__WANT_ASKED:
        answer_asked(desired, place, result);
        break;
    case TG__WANT_LEAVING:
        answer_leaving(desired, place, result);
        break;
    case TG__WANT_FREE:
    case TG__WANT_UNASKED:
    case TG__WANT_HELD:
    case TG__WANT_REFUSED:
        break; /* a tombstone came in between and settled it */
    }
    return true;
}

void tg__desired_ask_again(tg__desired *desired)
{
    for (uint32_t i = 0; i < desired->want_capacity; i++) {
        tg__want *want = &desired->wants[i];
        if (want->state == TG__WANT_REFUSED && want->err == TG_ERR_LIMIT) {
            set_want(desired, want, TG__WANT_UNASKED, want->interests);
        }
    }
}

static uint32_t want_of_id(const tg__desired *desired, tg_instrument_id id, uint32_t from)
{
    for (uint32_t i = from; i < desired->want_capacity; i++) {
        const tg__want *want = &desired->wants[i];
        if (want->state != TG__WANT_FREE && want->id == id) {
            return i;
        }
    }
    return TG__NO_WANT;
}

void tg__desired_rename(tg__desired *desired, tg_instrument_id id, const char *symbol)
{
    const uint32_t number = want_of_id(desired, id, 0);
    if (number == TG__NO_WANT || strlen(symbol) >= TG_SYMBOL_SIZE) {
        return;
    }
    tg__want *want = &desired->wants[number];
    if (index_find(desired, want->venue, symbol) != TG__NO_WANT) {
        return; /* somebody already asks by the new name; both wants share the id */
    }
    index_drop(desired, number);
    memcpy(want->symbol, symbol, strlen(symbol) + 1);
    index_put(desired, number);
}

void tg__desired_tombstone(tg__desired *desired, tg_instrument_id id)
{
    let_go(desired, id);
    for (uint32_t number = want_of_id(desired, id, 0); number != TG__NO_WANT;
         number = want_of_id(desired, id, number + 1)) {
        tg__want *want = &desired->wants[number];
        if (want->interests == 0) {
            if (!is_under_way(want->state)) {
                free_want(desired, number);
            }
            continue;
        }
        settle(desired, want, TG_ERR_NOT_FOUND, TG_INSTRUMENT_NONE);
        set_want(desired, want, TG__WANT_REFUSED, want->interests);
    }
}

bool tg__desired_settled(const tg__desired *desired)
{
    return desired->unasked == 0 && desired->under_way == 0 && desired->unwanted == 0;
}

bool tg__desired_holds(const tg__desired *desired, tg_instrument_id id)
{
    const uint32_t place = held_place(desired, id);
    return place < desired->held_count && desired->held[place] == id;
}

uint32_t tg__desired_digest(const tg__desired *desired)
{
    return tg__set_digest(desired->held, desired->held_count);
}

bool tg__desired_next_told(tg__desired *desired, tg__sub_answer *answer)
{
    while (desired->first_untold != 0) {
        const uint32_t slot = desired->first_untold - 1;
        tg__interest *interest = &desired->interests[slot];
        desired->first_untold = interest->next_told;
        if (desired->first_untold == 0) {
            desired->last_untold = 0;
        }
        interest->told_pending = false;
        if (interest->sub.v == 0) {
            continue; /* given up in the meantime */
        }
        answer->sub = interest->sub;
        if (interest->want == TG__NO_WANT) {
            answer->err = TG_ERR_FULL;
            answer->id = TG_INSTRUMENT_NONE;
        } else {
            answer->err = desired->wants[interest->want].err;
            answer->id = desired->wants[interest->want].id;
        }
        return true;
    }
    return false;
}

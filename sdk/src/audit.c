#include "audit.h"

#include <stddef.h>

/* What the wants add up to. */
typedef struct tally {
    uint64_t subscribers;
    uint32_t wants;
    uint32_t unasked;
    uint32_t under_way;
    uint32_t unwanted;
    uint32_t holding;
} tally;

static const char *count_interests(const tg__desired *desired, uint64_t *by_subscriber)
{
    uint32_t all = 0;
    for (uint32_t slot = 0; slot < desired->interest_capacity; slot++) {
        const tg__interest *interest = &desired->interests[slot];
        all += interest->sub.v != 0;
        *by_subscriber += interest->sub.v != 0 && interest->want != TG__NO_WANT;
    }
    return all == desired->interest_count ? NULL : "the number of subscribers is not what it says";
}

/* The list of one symbol. More links than there are subscribers: it leads in a circle. */
static const char *count_list(const tg__desired *desired, uint32_t number, tally *sums)
{
    const tg__want *want = &desired->wants[number];
    uint32_t links = 0;
    uint32_t visible = 0;
    for (uint32_t at = want->first; at != 0; at = desired->interests[at - 1].next) {
        if (at > desired->interest_capacity || links == desired->interest_capacity) {
            return "a symbol's list has no end";
        }
        const tg__interest *interest = &desired->interests[at - 1];
        if (interest->sub.v == 0 || interest->want != number) {
            return "a symbol's list holds a subscriber of something else";
        }
        links++;
        visible += !interest->hidden;
    }
    sums->subscribers += links;
    if (links != want->interests) {
        return "a symbol's number of subscribers is not what it says";
    }
    return visible == want->visible ? NULL : "a symbol's number of visible subscribers is wrong";
}

static bool is_held(const tg__desired *desired, tg_instrument_id id)
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
    return low < desired->held_count && desired->held[low] == id;
}

static const char *count_want(const tg__desired *desired, uint32_t number, tally *sums)
{
    const tg__want *want = &desired->wants[number];
    if (want->state == TG__WANT_FREE) {
        return NULL;
    }
    const bool held = want->state == TG__WANT_HELD;
    sums->wants++;
    sums->unasked += want->state == TG__WANT_UNASKED;
    sums->under_way += want->state == TG__WANT_ASKED || want->state == TG__WANT_LEAVING;
    sums->unwanted += held && want->interests == 0;
    sums->holding += held || want->state == TG__WANT_LEAVING;
    if (held && want->interests > 0 && !is_held(desired, want->id)) {
        return "a symbol counts as held that is not in the set";
    }
    return count_list(desired, number, sums);
}

static const char *compare(const tg__desired *desired, const tally *sums)
{
    if (sums->wants != desired->want_count || sums->unasked != desired->unasked ||
        sums->under_way != desired->under_way || sums->unwanted != desired->unwanted) {
        return "the states of the symbols do not add up to what it says";
    }
    for (uint32_t i = 1; i < desired->held_count; i++) {
        if (desired->held[i - 1] >= desired->held[i]) {
            return "the set is not in order";
        }
    }
    return desired->held_count <= sums->holding ? NULL : "the set holds what no symbol does";
}

tg__audit tg__audit_desired(const tg__desired *desired)
{
    tg__audit audit = {NULL, 0, 0};
    tally sums = {0, 0, 0, 0, 0, 0};
    audit.fault = count_interests(desired, &audit.by_subscriber);
    for (uint32_t i = 0; i < desired->want_capacity && audit.fault == NULL; i++) {
        audit.fault = count_want(desired, i, &sums);
    }
    audit.by_symbol = sums.subscribers;
    if (audit.fault == NULL && audit.by_symbol != audit.by_subscriber) {
        audit.fault = "the sums by symbol and by subscriber differ";
    }
    if (audit.fault == NULL) {
        audit.fault = compare(desired, &sums);
    }
    return audit;
}

const char *tg__audit_priority(const tg__desired *all, const tg__desired *priority)
{
    for (uint32_t slot = 0; slot < priority->interest_capacity; slot++) {
        const tg_sub_id sub = priority->interests[slot].sub;
        if (sub.v != 0 && (slot >= all->interest_capacity || all->interests[slot].sub.v != sub.v)) {
            return "somebody has priority who is not subscribed";
        }
    }
    return NULL;
}

const char *tg__audit_slots(const tg__slots *slots, const tg__desired *desired)
{
    for (uint32_t slot = 0; slot < desired->interest_capacity; slot++) {
        const tg__interest *interest = &desired->interests[slot];
        if (interest->sub.v == 0) {
            continue;
        }
        tg_err err = TG_OK;
        if (!tg__slots_has(slots, interest->sub, &err)) {
            return "a subscriber has no slot";
        }
        /* An answer that was not handed out yet is not in the slot; of who has left it is gone. */
        if (interest->want != TG__NO_WANT && !interest->told_pending && err != TG_ERR_NOT_FOUND &&
            err != desired->wants[interest->want].err) {
            return "a slot has another answer than its symbol";
        }
    }
    return NULL;
}

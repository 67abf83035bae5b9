/*
 * Our own books, checked by counting: what stands in one of them twice must be equal.
 *
 * The subscribers of each symbol, summed up over the symbols, are the symbols of each subscriber,
 * summed up over the subscribers. Both are counted from the lists and not read from the sums that
 * are kept beside them, which are compared as well. Whatever is wrong with the structures, the
 * audit ends. It changes nothing and allocates nothing.
 */
#ifndef TG_SDK_AUDIT_H
#define TG_SDK_AUDIT_H

#include "desired.h"
#include "slots.h"

typedef struct tg__audit {
    const char *fault; /* a clause: "a symbol's list …"; NULL: nothing is wrong */
    uint64_t by_symbol;
    uint64_t by_subscriber;
} tg__audit;

/* Of one channel. */
tg__audit tg__audit_desired(const tg__desired *desired);
/* Who has priority is subscribed; else a clause. */
const char *tg__audit_priority(const tg__desired *all, const tg__desired *priority);
/* Every interest has its slot, with the answer that it was given; else a clause. Commands that are
 * on their way are no contradiction. Thread: network. */
const char *tg__audit_slots(const tg__slots *slots, const tg__desired *desired);

#endif

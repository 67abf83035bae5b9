#include "time_sort.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS 8u
#define DIGITS     (1u << DIGIT_BITS)
#define FEW        48u /* below it, counters cost more than they spare */

static uint64_t key_of(const tg__timed *item, int64_t first_ns)
{
    return (uint64_t)item->order_ns - (uint64_t)first_ns;
}

static void insert_each(tg__timed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const tg__timed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].order_ns > item.order_ns; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

/* By one digit of the key, from lowest to highest: each pass keeps the order of the one before. */
static void pass(const tg__timed *from, tg__timed *to, size_t count, int64_t first_ns,
                 unsigned shift)
{
    size_t next[DIGITS] = {0};
    for (size_t i = 0; i < count; i++) {
        next[(key_of(&from[i], first_ns) >> shift) & (DIGITS - 1)]++;
    }
    size_t sum = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t own = next[digit];
        next[digit] = sum;
        sum += own;
    }
    for (size_t i = 0; i < count; i++) {
        to[next[(key_of(&from[i], first_ns) >> shift) & (DIGITS - 1)]++] = from[i];
    }
}

tg__timed *tg__time_sort(tg__timed *items, tg__timed *spare, size_t count)
{
    if (count == 0) {
        return items;
    }
    int64_t first_ns = items[0].order_ns;
    int64_t last_ns = items[0].order_ns;
    bool is_sorted = true;
    for (size_t i = 1; i < count; i++) {
        const int64_t ns = items[i].order_ns;
        is_sorted = is_sorted && items[i - 1].order_ns <= ns;
        first_ns = ns < first_ns ? ns : first_ns;
        last_ns = ns > last_ns ? ns : last_ns;
    }
    if (is_sorted) {
        return items;
    }
    if (count < FEW) {
        insert_each(items, count);
        return items;
    }
    const uint64_t largest = (uint64_t)last_ns - (uint64_t)first_ns;
    for (unsigned shift = 0; shift < 64 && largest >> shift != 0; shift += DIGIT_BITS) {
        pass(items, spare, count, first_ns, shift);
        tg__timed *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

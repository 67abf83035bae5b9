#include "day_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define STRETCHES      3u
#define STRETCH_STEPS  80u
#define STEPS_A_FAULT  3u /* within a stretch, on average */
#define DAYS_TO_SHRINK 2000u

static const char *const names[DAY_FAULT_COUNT] = {
    [DAY_LOSE] = "LOSE",
    [DAY_DOUBLE] = "DOUBLE",
    [DAY_SWAP] = "SWAP",
    [DAY_CUT] = "CUT",
    [DAY_FLIP] = "FLIP",
    [DAY_UNKNOWN_KIND] = "UNKNOWN_KIND",
    [DAY_GARBAGE] = "GARBAGE",
    [DAY_BREAK] = "BREAK",
    [DAY_OVERFLOW] = "OVERFLOW",
    [DAY_DEAF] = "DEAF",
    [DAY_SLOW] = "SLOW",
    [DAY_SUSPEND] = "SUSPEND",
    [DAY_CLOCK] = "CLOCK",
    [DAY_EXPIRE] = "EXPIRE",
    [DAY_REFUSE] = "REFUSE",
    [DAY_BEHIND] = "BEHIND",
    [DAY_MOVE] = "MOVE",
    [DAY_WISH] = "WISH",
    [DAY_STOP] = "STOP",
    [DAY_STEP] = "STEP",
    [DAY_REVOKE] = "REVOKE",
    [DAY_GHOST] = "GHOST",
    [DAY_TOKEN_LATE] = "TOKEN_LATE",
    [DAY_TOKEN_NEVER] = "TOKEN_NEVER",
    [DAY_TOKEN_NONE] = "TOKEN_NONE",
    [DAY_TOKEN_OLD] = "TOKEN_OLD",
    [DAY_RENEWAL_REFUSED] = "RENEWAL_REFUSED",
    [DAY_RENEWAL_IGNORED] = "RENEWAL_IGNORED",
    [DAY_TICKET] = "TICKET",
    [DAY_TORN] = "TORN",
    [DAY_CONTRADICT] = "CONTRADICT",
};

/* Of WEIGHTS: what is repaired within the session comes more often than what ends it. */
static const uint8_t weights[DAY_FAULT_COUNT] = {
    [DAY_LOSE] = 6,
    [DAY_DOUBLE] = 4,
    [DAY_SWAP] = 5,
    [DAY_CUT] = 3,
    [DAY_FLIP] = 4,
    [DAY_UNKNOWN_KIND] = 3,
    [DAY_GARBAGE] = 1,
    [DAY_BREAK] = 3,
    [DAY_OVERFLOW] = 4,
    [DAY_DEAF] = 4,
    [DAY_SLOW] = 3,
    [DAY_SUSPEND] = 2,
    [DAY_CLOCK] = 2,
    [DAY_EXPIRE] = 1,
    [DAY_REFUSE] = 2,
    [DAY_BEHIND] = 4,
    [DAY_MOVE] = 4,
    [DAY_WISH] = 4,
    [DAY_STOP] = 3,
    [DAY_STEP] = 2,
    [DAY_REVOKE] = 1,
    [DAY_GHOST] = 2,
    [DAY_TOKEN_LATE] = 2,
    [DAY_TOKEN_NEVER] = 1,
    [DAY_TOKEN_NONE] = 1,
    [DAY_TOKEN_OLD] = 2,
    [DAY_RENEWAL_REFUSED] = 2,
    [DAY_RENEWAL_IGNORED] = 1,
    [DAY_TICKET] = 5,
    [DAY_TORN] = 3,
    [DAY_CONTRADICT] = 2,
};
#define WEIGHTS 86u

static day_fault draw_fault(tg__random *random)
{
    uint64_t at = tg__random_upto(random, WEIGHTS - 1);
    for (unsigned fault = 0; fault < DAY_FAULT_COUNT; fault++) {
        if (at < weights[fault]) {
            return (day_fault)fault;
        }
        at -= weights[fault];
    }
    return DAY_LOSE;
}

void day_script_draw(day_script *script, uint64_t seed)
{
    tg__random random = {seed ^ UINT64_C(0xda7)};
    memset(script, 0, sizeof *script);
    script->seed = seed;
    const bool one_gateway = seed % 4 == 0;
    for (uint32_t stretch = 0; stretch < STRETCHES; stretch++) {
        const uint32_t room = DAY_STEPS / STRETCHES - STRETCH_STEPS;
        const uint32_t from =
            stretch * (DAY_STEPS / STRETCHES) + (uint32_t)tg__random_upto(&random, room);
        for (uint32_t step = from; step < from + STRETCH_STEPS; step++) {
            if (tg__random_upto(&random, STEPS_A_FAULT - 1) == 0 &&
                script->count < DAY_ENTRIES_MAX) {
                day_entry *entry = &script->entries[script->count++];
                entry->step = step;
                entry->fault = draw_fault(&random);
                if (one_gateway && (entry->fault == DAY_MOVE || entry->fault == DAY_FLIP)) {
                    entry->fault = DAY_BREAK;
                }
                entry->argument = (uint32_t)tg__random_upto(&random, 9999);
            }
        }
    }
}

void day_script_write(const day_script *script, char text[DAY_TEXT_SIZE])
{
    int length = snprintf(text, DAY_TEXT_SIZE, "%llu", (unsigned long long)script->seed);
    for (uint32_t i = 0; i < script->count && length < (int)DAY_TEXT_SIZE; i++) {
        const day_entry *entry = &script->entries[i];
        length += snprintf(text + length, DAY_TEXT_SIZE - (size_t)length, " %u.%s.%u",
                           (unsigned)entry->step, names[entry->fault], (unsigned)entry->argument);
    }
}

static bool read_entry(const char **at, day_entry *entry)
{
    char *end = NULL;
    entry->step = (uint32_t)strtoul(*at, &end, 10);
    if (end == *at || *end != '.') {
        return false;
    }
    const char *name = end + 1;
    const size_t length = strcspn(name, ".");
    unsigned fault = 0;
    while (fault < DAY_FAULT_COUNT &&
           (strlen(names[fault]) != length || strncmp(names[fault], name, length) != 0)) {
        fault++;
    }
    if (fault == DAY_FAULT_COUNT || name[length] != '.') {
        return false;
    }
    entry->fault = (day_fault)fault;
    entry->argument = (uint32_t)strtoul(name + length + 1, &end, 10);
    *at = end;
    return end != name + length + 1;
}

bool day_script_read(day_script *script, const char *text)
{
    char *end = NULL;
    memset(script, 0, sizeof *script);
    script->seed = strtoull(text, &end, 10);
    const char *at = end;
    while (end != text && *at == ' ' && script->count < DAY_ENTRIES_MAX) {
        at++;
        if (!read_entry(&at, &script->entries[script->count++])) {
            return false;
        }
    }
    return end != text && *at == '\0';
}

static void leave_out(const day_script *from, uint32_t first, uint32_t count, day_script *to)
{
    *to = *from;
    to->count = from->count - count;
    memmove(&to->entries[first], &from->entries[first + count],
            (from->count - first - count) * sizeof to->entries[0]);
}

unsigned day_script_shrink(day_script *script, bool (*fails)(void *ctx, const day_script *script),
                           void *ctx)
{
    unsigned days = 0;
    for (uint32_t size = script->count / 2; size > 0 && days < DAYS_TO_SHRINK;) {
        bool shorter = false;
        for (uint32_t first = 0; first < script->count && days < DAYS_TO_SHRINK;) {
            const uint32_t left = script->count - first;
            day_script tried;
            leave_out(script, first, left < size ? left : size, &tried);
            days++;
            if (fails(ctx, &tried)) {
                *script = tried;
                shorter = true;
            } else {
                first += size;
            }
        }
        /* Single faults until none of them can go. */
        size = size > 1 ? size / 2 : shorter ? 1 : 0;
    }
    return days;
}

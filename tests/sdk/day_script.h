/*
 * What goes wrong on a simulated day: drawn from a seed, or given as text, and then only read. So a
 * fault can be left out and everything else stays as it was: a failing day shrinks to a short
 * script.
 */
#ifndef DAY_SCRIPT_H
#define DAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DAY_STEPS       600u /* of 40 ms */
#define DAY_ENTRIES_MAX 256u
#define DAY_TEXT_SIZE   (DAY_ENTRIES_MAX * 24u)

typedef enum day_fault {
    /* one message of the step */
    DAY_LOSE,
    DAY_DOUBLE,
    DAY_SWAP,
    DAY_CUT,
    DAY_FLIP, /* a bit, where a digest guards it */
    DAY_UNKNOWN_KIND,
    DAY_GARBAGE, /* bytes of no sense, besides it */
    /* the connection, the gateway, the machine */
    DAY_BREAK,
    DAY_OVERFLOW, /* the gateway's ring: a snapshot with reason GAP */
    DAY_DEAF,     /* what the client sends in this step is lost */
    DAY_SLOW,     /* nothing arrives for a while, then all at once */
    DAY_SUSPEND,  /* the machine sleeps for seconds; the monotonic clock stands still */
    DAY_CLOCK,    /* the gateway's wall clock steps, forward or back */
    DAY_EXPIRE,   /* 4001; the host starts again a little later */
    DAY_REFUSE,   /* the next attempt gets 503 with a time */
    DAY_BEHIND,   /* the second gateway of the lineage stands still for a while */
    DAY_MOVE,     /* from the next attempt on: another gateway, perhaps of another lineage */
    DAY_WISH,     /* subscribe or unsubscribe: no fault, but never far from one */
    DAY_STOP,     /* the process stands still, and what comes piles up in the socket */
    DAY_STEP,     /* the client's own wall clock is set */
    DAY_REVOKE,   /* 4003 or 4004, and the host starts again later; or 1012, and one right less */
    DAY_GHOST,    /* a connection breaks, and what was under way on it comes during the next one */
    /* tokens: of the next answer of the provider, or of the next renewal */
    DAY_TOKEN_LATE,
    DAY_TOKEN_NEVER,
    DAY_TOKEN_NONE, /* "there is none now" */
    DAY_TOKEN_OLD,  /* it has ended when it comes: 401, 4001, or refused in session */
    DAY_RENEWAL_REFUSED,
    DAY_RENEWAL_IGNORED,
    /* the priority channel */
    DAY_TICKET,     /* an instrument is put on it or taken off: no fault, as WISH */
    DAY_TORN,       /* the next TICKS cannot be read */
    DAY_CONTRADICT, /* a row comes with its version and another value */
    DAY_FAULT_COUNT
} day_fault;

typedef struct day_entry {
    uint32_t step;
    day_fault fault;
    uint32_t argument;
} day_entry;

typedef struct day_script {
    uint64_t seed; /* of the market, too */
    uint32_t count;
    day_entry entries[DAY_ENTRIES_MAX]; /* by step */
} day_script;

/* Trouble comes in three stretches; between them it is quiet for longer than the engine's memory.
 */
void day_script_draw(day_script *script, uint64_t seed);

/* "17 30.BREAK.5 41.LOSE.0": the seed, then step, fault and argument of each entry. */
void day_script_write(const day_script *script, char text[DAY_TEXT_SIZE]);
bool day_script_read(day_script *script, const char *text);

/*
 * Leaves out what is not needed for the day to fail; it must fail as it is given. Returns how many
 * days that took.
 */
unsigned day_script_shrink(day_script *script, bool (*fails)(void *ctx, const day_script *script),
                           void *ctx);

#endif

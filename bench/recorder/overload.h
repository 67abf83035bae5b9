/**
 * More records than the writer can take: how long calls that wait take by the size of the ring, and
 * which of disk, compaction and producer is the slowest.
 */
#ifndef TG_BENCH_RECORDER_OVERLOAD_H
#define TG_BENCH_RECORDER_OVERLOAD_H

#include <stddef.h>
#include <stdint.h>

enum {
    overload_shares = 61, /* ten to a decade, from all calls to one of a million */
    overload_rings = 4
};

typedef struct overload_tail {
    const char *name; /**< of the ring's size */
    double share[overload_shares];
    double ns[overload_shares]; /**< that this share of the calls reached or exceeded */
    double p50_ns;
    double p99_ns;
    double p999_ns;
    double max_ns;
    uint64_t lost;
} overload_tail;

/** A million calls in a row with TG_OVERFLOW_WAIT. Ends the program if there is no file. */
void overload_tails(const char *dir, double cycle_ns, overload_tail tails[overload_rings]);

enum {
    OVERLOAD_ALL,           /**< producer, compaction and disk at once */
    OVERLOAD_NO_DISK,       /**< the file is in memory */
    OVERLOAD_NO_COMPACTION, /**< the ring's bytes as they are */
    OVERLOAD_NO_PRODUCER,   /**< the records are in the ring before */
    OVERLOAD_PRODUCER,      /**< nothing but it */
    OVERLOAD_COMPACTION,    /**< likewise */
    OVERLOAD_LIMITS
};

extern const char *const overload_limit_names[OVERLOAD_LIMITS];

/** Nanoseconds per record. */
void overload_limits(const char *dir, const char *memory_dir, double ns[OVERLOAD_LIMITS]);

#endif

/**
 * How far the monotonic clocks of two machines lie apart, by echoes: one asked when, the other saw
 * it at some time of its own, the answer was there when. Nothing is taken for granted of the way:
 * what was seen was seen between the asking and the answer. So each echo bounds the difference by
 * its round trip, and RTT/2 around the middle is all that is known.
 *
 * The two may run apart by TG__CLOCK_DRIFT_PPM at most; by so much a bound widens with its age.
 */
#ifndef TICKGLASS_CLOCK_PAIR_H
#define TICKGLASS_CLOCK_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG__CLOCK_DRIFT_PPM 100
#define TG__ECHOES_MAX      4096u /**< that are kept; of more, the shortest of each two */

typedef struct tg__echo {
    uint64_t cookie; /**< tells echoes apart */
    int64_t sent_ns; /**< on the near clock */
    int64_t received_ns;
    int64_t seen_ns; /**< on the far clock */
    bool seen;       /**< the far side has it, too */
} tg__echo;

/** Zero-initialised, TG__ECHOES_MAX places at echoes. */
typedef struct tg__clock_pair {
    tg__echo *echoes; /**< in the order in which they were received */
    size_t count;
    size_t stride;  /**< of so many echoes one is kept */
    size_t skipped; /**< since the latest that was kept begins */
} tg__clock_pair;

/** Far clock minus near clock at some time. */
typedef struct tg__clock_offset {
    int64_t ns;
    int64_t uncertainty_ns;
} tg__clock_offset;

/** Echoes in the order in which they were received; one that is older is ignored. */
void tg__clock_pair_add(tg__clock_pair *pair, const tg__echo *echo);

/** The far side has seen that echo. False: it is not known here. */
bool tg__clock_pair_seen(tg__clock_pair *pair, uint64_t cookie, int64_t seen_ns);

/** Forget the echoes that the far side has not seen; sort out the rest. To be called before
 * tg__clock_pair_at(). */
void tg__clock_pair_close(tg__clock_pair *pair);

/** At a time of the near clock. Only with at least one echo. */
tg__clock_offset tg__clock_pair_at(const tg__clock_pair *pair, int64_t near_ns);

/** What is known besides if something that the far side sent, not before some time of its own, was
 * received then. What contradicts the echoes changes nothing. */
tg__clock_offset tg__clock_offset_after(tg__clock_offset offset, int64_t far_sent_ns,
                                        int64_t near_received_ns);

#endif

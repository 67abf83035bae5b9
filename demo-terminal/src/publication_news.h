/* Of what a publication of the store brings news: what of the screen need be drawn again for it. */
#ifndef TG_TERMINAL_PUBLICATION_NEWS_H
#define TG_TERMINAL_PUBLICATION_NEWS_H

#include <stdbool.h>
#include <stdint.h>

/* Counters as of a publication. Zeroed: before the first. */
typedef struct publication_counts {
    uint64_t frames;
    uint64_t priority_rows;
    uint64_t transitions; /* of any row's quality */
} publication_counts;

/*
 * True: ticks of the priority channel and nothing else lie between the two, so that its cells are
 * all that can have changed. What is not known to be only that (a heartbeat, a change of the link)
 * is news of rows. Thread: any.
 */
bool publication_is_priority_only(const publication_counts *before, const publication_counts *now);

#endif

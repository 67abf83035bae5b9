/*
 * A tape read straight, for the glass check: per instrument every state that a screen may show, in
 * the tape's own order.
 *
 * Shares no code with gateway or store on purpose: they could share a mistake. Rows are taken in
 * the order of the file. Within quotes, and within trades, a row whose id is lower than one before
 * is skipped, as is one whose id came before; a bid and an ask of equal id and time are one update
 * and make one state. Rows without an id always count. Venues NAME_A to NAME_Z are kept as they are
 * and together as NAME as well.
 */
#ifndef TG_TERMINAL_GLASS_TAPE_H
#define TG_TERMINAL_GLASS_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "glass_number.h"

typedef struct glass_state {
    glass_number bid_size;
    glass_number bid;
    glass_number ask;
    glass_number ask_size;
    glass_number last;
} glass_state;

/* The states of one instrument; the first is the empty one, before any row. */
typedef struct glass_series glass_series;

typedef struct glass_tape glass_tape;

/*
 * TG_ERR_IO, TG_ERR_SYNTAX, TG_ERR_NO_MEMORY; why then says file, line and cause. Thread: owner.
 * Blocks: on the disk.
 */
TG_MUST_CHECK tg_err glass_tape_open(const char *path, glass_tape **out, char *why,
                                     size_t why_size);
/* NULL is allowed. Thread: owner. */
void glass_tape_close(glass_tape *tape);

/* NULL: the tape has no such instrument. Owner of the result: the tape. Thread: owner. */
const glass_series *glass_tape_find(const glass_tape *tape, const char *venue, const char *symbol);

size_t glass_series_count(const glass_series *series);
const glass_state *glass_series_states(const glass_series *series);
/* A number from 0 up, below glass_tape_count(). */
size_t glass_series_index(const glass_series *series);
size_t glass_tape_count(const glass_tape *tape);
uint64_t glass_tape_rows(const glass_tape *tape);

#endif

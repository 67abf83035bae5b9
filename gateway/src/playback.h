/**
 * The way of a row: source, feed handlers, lanes. Paced by the clock, driven by the owner's loop.
 */
#ifndef TG_GATEWAY_PLAYBACK_H
#define TG_GATEWAY_PLAYBACK_H

#include "bus_writer.h"
#include "epoch_store.h"
#include "feed.h"
#include "hub.h"
#include "rebase.h"
#include "source.h"
#include "tape_writer.h"

typedef struct tg__playback {
    tg__source source;
    tg__rebase rebase;
    tg__feed feed;
    tg__sequencer *sequencer;
    tg__hub *hub;
    tg__epoch_store *epochs;
    tg__tape_writer *writer; /* NULL: nothing is written */
    tg__bus_writer *bus;     /* NULL: no other nodes */
    bool loop;
    bool started;
    bool has_next;
    bool ended; /* for good */
    tg__row next;
    uint64_t rows; /* played, over all rounds */
    uint64_t rounds;
} tg__playback;

/*
 * Plays what is due at now, about at most budget rows; rows of equal time always go together, so
 * that no boundary cuts through a tick. An error ends the playback: the file changed or cannot be
 * read, the epoch store or the written tape failed.
 */
TG_MUST_CHECK tg_err tg__playback_run(tg__playback *playback, tg__moment now, uint32_t budget,
                                      tg__cause *cause);

/* When it wants to run again; INT64_MAX: never. */
int64_t tg__playback_next_mono_ns(const tg__playback *playback, tg__moment now);

#endif

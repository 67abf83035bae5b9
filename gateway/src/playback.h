/**
 * The way of a row: source, feed handlers, lanes. Paced by the clock, driven by the owner's loop.
 *
 * It also sees to what follows when something on that way fails. Where continuity was lost, the
 * instruments go on under a new epoch of the one allocator, and the venue's newest rows are offered
 * again; the lanes refuse what is not newer than what was shown. Venues that are stale or live
 * again are told at boundaries.
 */
#ifndef TG_GATEWAY_PLAYBACK_H
#define TG_GATEWAY_PLAYBACK_H

#include "bus_writer.h"
#include "epoch_store.h"
#include "feed.h"
#include "hub.h"
#include "latest_rows.h"
#include "rebase.h"
#include "source.h"
#include "tape_writer.h"
#include "tick_log.h"
#include "venue_watch.h"

#define TG__SEQUENCER_AWAY_NS INT64_C(200000000) /* between its failure and its restart */

typedef struct tg__playback {
    tg__source source;
    tg__rebase rebase;
    tg__feed feed;
    tg__latest_rows latest;
    tg__venue_watch watch;
    tg__sequencer *sequencer;
    tg__hub *hub;
    tg__epoch_store *epochs;
    tg__tape_writer *writer;  /* NULL: nothing is written */
    tg__tick_log *tick_log;   /* NULL: no journal */
    tg__metrics *metrics;     /* NULL: nothing is measured */
    tg__stage_record *record; /* NULL: nothing is recorded */
    tg__bus_writer *bus;      /* NULL: no other nodes */
    bool loop;
    bool started;
    bool has_next;
    bool ended; /* for good */
    tg__row next;
    uint64_t rows; /* played, over all rounds */
    uint64_t rounds;
    uint64_t raises; /* of epochs because continuity was lost */
    int64_t mono_ns; /* of this run, or the last one: when the handlers take rows, and faults take
                        effect */
    int64_t sequencer_back_ns; /* if the sequencer is away */
} tg__playback;

/*
 * Plays what is due at now, about at most budget rows; rows of equal time always go together, so
 * that no boundary cuts through a tick. An error ends the playback: the file changed or cannot be
 * read, the epoch store or the written tape failed.
 */
TG_MUST_CHECK tg_err tg__playback_run(tg__playback *playback, tg__moment now, uint32_t budget,
                                      tg__cause *cause);

/* A global cut, and what it says of the venues: stale, or live again. */
void tg__playback_boundary(tg__playback *playback, tg__moment now);

/* When it wants to run again; INT64_MAX: never. */
int64_t tg__playback_next_mono_ns(const tg__playback *playback, tg__moment now);

#endif

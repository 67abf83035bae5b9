/**
 * The sequencing node's end of the bus: a Unix stream socket at which other nodes of the lineage
 * are told of every boundary and every tick.
 *
 * It never waits for a node. What a node has not taken lies in a bounded buffer of its own; full:
 * the node is dropped, and starts anew when it connects again. Between two turns of the owner's
 * loop ticks wait in one slot for each instrument, the latest wins: nobody sees half a tick.
 */
#ifndef TG_GATEWAY_BUS_WRITER_H
#define TG_GATEWAY_BUS_WRITER_H

#include <tickglass/internal/control.h>

#include "cause.h"
#include "image_table.h"

#define TG__BUS_NODES_MAX  8u          /* one more is refused */
#define TG__BUS_BUFFER_MAX (16u << 20) /* bytes for one node; a hello with everything fits */

typedef struct tg__bus_writer_options {
    const char *path;
    const tg__directory *directory; /* sealed; outlives the writer */
    uint64_t lineage;
    uint32_t time_resolution_ns;
    bool simulated; /* the market is the simulated one, of that seed */
    uint64_t seed;
} tg__bus_writer_options;

typedef struct tg__bus_writer_counts {
    uint64_t accepted;
    uint64_t refused;
    uint64_t lost;    /* nodes that went by themselves */
    uint64_t dropped; /* nodes whose buffer was full */
    uint64_t cuts;
    uint64_t bytes; /* encoded; once, however many nodes there are */
} tg__bus_writer_counts;

typedef struct tg__bus_writer tg__bus_writer;

/*
 * Listens at the path, which only the owner may use (0600). What a gateway that is gone has left
 * there is replaced. TG_ERR_STATE: one that lives listens there, or it is no socket; TG_ERR_LISTEN;
 * TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__bus_writer_open(const tg__bus_writer_options *options,
                                         tg__bus_writer **out, tg__cause *cause);
void tg__bus_writer_close(tg__bus_writer *writer);

/* All of these allow NULL: a gateway without a bus. */

/* A lane admitted a tick. It goes out with the next step or cut. */
void tg__bus_writer_tick(tg__bus_writer *writer, tg_instrument_id id, const tg_image *image);

/* The table was just cut at mono_ns. */
void tg__bus_writer_cut(tg__bus_writer *writer, const tg__image_table *table, int64_t mono_ns);

/* A venue is stale, or live again, from a boundary on that was cut. Who joins later is told, too.
 */
void tg__bus_writer_venue_state(tg__bus_writer *writer, const tg__venue_state *state);

/* Once a turn: lets nodes in, who are told the table as it is, and sends what waits. */
void tg__bus_writer_step(tg__bus_writer *writer, const tg__image_table *table, int64_t mono_ns);

const tg__bus_writer_counts *tg__bus_writer_counts_of(const tg__bus_writer *writer);

#endif

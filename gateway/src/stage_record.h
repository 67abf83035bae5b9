/**
 * What --record writes: when each tick that went into a frame passed the gateway's stages, on the
 * monotonic clock, for `tickglass-log glass`. docs/GATEWAY.md lists the records; the recorder's
 * thread writes them, and what finds no room in the ring is dropped and counted, never waited for.
 *
 * All hooks allow NULL: nothing is recorded.
 */
#ifndef TG_GATEWAY_STAGE_RECORD_H
#define TG_GATEWAY_STAGE_RECORD_H

#include <tickglass/market.h>

#include <tickglass/internal/frame.h>

#include "cause.h"
#include "directory.h"

typedef struct tg__stage_record tg__stage_record;

/* Begins the file, which must not exist, with the names of the sealed directory. TG_ERR_IO,
 * TG_ERR_NO_MEMORY. Thread: that of all hooks. */
TG_MUST_CHECK tg_err tg__stage_record_open(const char *path, const tg__directory *directory,
                                           tg__stage_record **out, tg__cause *cause);

/* Ends the file; what was lost is told in the log. */
void tg__stage_record_close(tg__stage_record *record);

/* A lane admitted a tick that made image. age_ns: since it was due; negative: not known. */
void tg__stage_record_tick(tg__stage_record *record, tg_instrument_id id, const tg_image *image,
                           int64_t taken_mono_ns, int64_t age_ns);

/* The turn of the handlers that took rows then is over. */
void tg__stage_record_turn(tg__stage_record *record, int64_t taken_mono_ns, int64_t ended_mono_ns);

/* A group's frame was encoded and queued to its members; queued_mono_ns names it from then on. */
void tg__stage_record_frame(tg__stage_record *record, const tg__frame *frame,
                            const tg__update *updates, int64_t begun_mono_ns,
                            int64_t queued_mono_ns);

/* Ticks of the priority channel were encoded for a connection, whose next write is theirs. */
void tg__stage_record_ticks(tg__stage_record *record, uint64_t connection, const tg__tick *ticks,
                            uint32_t count, int64_t begun_mono_ns, int64_t queued_mono_ns);

/* True if the connection's next write is that of such ticks, queued then. */
bool tg__stage_record_awaits(const tg__stage_record *record, uint64_t connection,
                             int64_t *queued_mono_ns);

/* The socket of a connection took a frame, or ticks. */
void tg__stage_record_written(tg__stage_record *record, uint64_t connection, int64_t queued_mono_ns,
                              int64_t written_mono_ns);

/* A connection's ECHO was seen, before it was answered. */
void tg__stage_record_echo(tg__stage_record *record, uint64_t connection, uint64_t cookie,
                           int64_t mono_ns);

#endif

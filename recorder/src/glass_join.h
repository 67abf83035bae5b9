/**
 * Tick to glass over two machines: what a gateway recorded of a tick (docs/GATEWAY.md, Record) and
 * what a terminal did (docs/TERMINAL.md, Recording), joined by instrument and version.
 *
 * The gateway's file is read ahead of the terminal's by a second. Memory is bounded: of what the
 * gateway wrote, the latest TG__GLASS_ROWS rows wait for the glass; older ones can no longer be
 * joined, and the ticks that show them are counted.
 */
#ifndef TICKGLASS_GLASS_JOIN_H
#define TICKGLASS_GLASS_JOIN_H

#include <tickglass/histogram.h>

#include "clock_pair.h"
#include "log_file.h"

#define TG__GLASS_ROWS (UINT32_C(1) << 17)

/** A tick on its way; 0: not known. The first six are of the gateway's clock. */
typedef struct tg__glass_tick {
    uint32_t instrument; /**< the gateway's id */
    uint32_t epoch;
    uint64_t seq;
    int64_t due_ns;     /**< its scheduled exchange time */
    int64_t taken_ns;   /**< the handler's turn took it */
    int64_t ended_ns;   /**< that turn ended */
    int64_t begun_ns;   /**< the encoding of its frame began */
    int64_t queued_ns;  /**< the frame was queued to the last member of the group */
    int64_t written_ns; /**< the socket of the terminal's connection had taken it */
    int64_t received_ns;
    int64_t decoded_ns;
    int64_t visible_ns; /**< to the terminal's readers; the callback that tells of it */
    int64_t pinned_ns;  /**< the pass began */
    int64_t drawn_ns;
    int64_t handed_ns;       /**< to the window system */
    tg__clock_offset clocks; /**< gateway minus terminal when it was received */
} tg__glass_tick;

typedef enum tg__glass_stage {
    TG__GLASS_HANDLER, /**< due to taken */
    TG__GLASS_SEQUENCING,
    TG__GLASS_CONFLATION,
    TG__GLASS_ENCODE,
    TG__GLASS_WRITE,   /**< lies within the next one: a message may be received before the call that
                          wrote it returns */
    TG__GLASS_NETWORK, /**< queued to received: over two clocks */
    TG__GLASS_DECODE,
    TG__GLASS_COMMIT,
    TG__GLASS_WAIT,
    TG__GLASS_DRAW,
    TG__GLASS_PRESENT,
    TG__GLASS_IN_GATEWAY,  /**< due to written */
    TG__GLASS_IN_TERMINAL, /**< received to handed */
    TG__GLASS_WHOLE,       /**< due to handed: over two clocks */
    TG__GLASS_STAGES
} tg__glass_stage;

/** Why a tick that was shown found no row. */
typedef enum tg__glass_miss {
    TG__GLASS_MISS_BEFORE,     /**< it was received before the gateway's record begins */
    TG__GLASS_MISS_AFTER,      /**< or after it ends */
    TG__GLASS_MISS_INSTRUMENT, /**< the gateway's record does not know the instrument */
    TG__GLASS_MISS_SNAPSHOT, /**< nothing that was written to this connection had it but a snapshot
                              */
    TG__GLASS_MISS_OLD,      /**< its row was too long ago */
    TG__GLASS_MISS_PASS,     /**< its pass was not handed off within the record */
    TG__GLASS_MISSES
} tg__glass_miss;

typedef struct tg__glass_result {
    tg_histogram *stages[TG__GLASS_STAGES]; /**< in ns */
    tg_histogram *rtt;                      /**< of the echoes that both sides have */
    uint64_t shown;                         /**< versions on the glass */
    uint64_t joined;
    uint64_t misses[TG__GLASS_MISSES];
    uint64_t rows;             /**< written to this terminal's connections */
    uint64_t rows_never_shown; /**< of which: newer ones came before a pass, or off the screen */
    uint64_t rows_outside;     /**< of which: before or after the terminal's record */
    uint64_t connections;      /**< of the gateway, that were the terminal's */
    uint64_t echoes;
    tg__clock_offset clocks_first; /**< at the first tick that was joined, and at the last */
    tg__clock_offset clocks_last;
    int64_t uncertainty_most_ns;
    int64_t walls_apart_ns; /**< how far UTC of both differs, by the anchors; at the first tick */
} tg__glass_result;

/** Each tick that was joined. */
typedef void tg__glass_taker(void *ctx, const tg__glass_tick *tick);

/**
 * @param[in] take  may be NULL
 * @param[out] out  close in any case
 * @retval TG_ERR_FORMAT     gateway is not the record of a gateway, or
 * @retval TG_ERR_SYNTAX     terminal is not that of a terminal
 * @retval TG_ERR_NOT_FOUND  no echo of the terminal is in the gateway's record: they did not talk,
 *                           or not while both recorded
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__glass_join(tg__log_file *gateway, tg__log_file *terminal,
                                    tg__glass_taker *take, void *ctx, tg__glass_result *out);
void tg__glass_result_deinit(tg__glass_result *result);

/** As the tools write it: "conflation". */
const char *tg__glass_stage_name(tg__glass_stage stage);

#endif

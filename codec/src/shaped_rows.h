/** Decoding the shaped rows of a DELTA: the hot part. PROTOCOL.md 8.4. */
#ifndef TG_SHAPED_ROWS_H
#define TG_SHAPED_ROWS_H

#include <tickglass/internal/channel.h>

#include "row_shapes.h"

/* A part may be read in steps of 8 bytes from any of its first 16, a column entry from its first.
 */
#define TG__READ_AHEAD 24u

typedef struct tg__shaped_rows {
    const tg__channel *channel;
    const uint8_t *codes;       /* one for each row, checked */
    const uint8_t *trade_codes; /* one for each code with TG__CODE_MORE, checked */
    const uint8_t *columns;     /* step and distance of each shaped row, bit after bit */
    const uint8_t *values;      /* quote part and trade part of each shaped row */
    const uint8_t *end;         /* of the message; columns and values lie before it */
    int64_t newest_ts_ns;
    uint64_t distance_max; /* in units; a longer one leaves 64 bits */
    uint32_t count;        /* rows, general ones included */
    unsigned step_width;
    unsigned distance_width;
} tg__shaped_rows;

typedef struct tg__shaped_rows_fault {
    uint32_t row;
    const uint8_t *at;
} tg__shaped_rows_fault;

/*
 * Fills image and covered of every shaped row; id and slot are set already. Every implementation
 * gives the same updates and the same errors: TG_ERR_DELTA_OVERFLOW, TG_ERR_VERSION.
 */
typedef tg_err tg__shaped_rows_decoder(const tg__shaped_rows *rows, tg__update *updates,
                                       tg__shaped_rows_fault *fault);

tg__shaped_rows_decoder tg__shaped_rows_decode_scalar;
#if defined(__x86_64__)
tg__shaped_rows_decoder tg__shaped_rows_decode_avx2; /* only where the processor has AVX2 */
#endif

/* The fastest one that this processor can run. */
tg__shaped_rows_decoder *tg__shaped_rows_decoder_select(void);

/* With so many bytes left, both parts of a row can be read in whole steps. */
#define TG__ROW_READ_AHEAD (TG__SHAPE_BYTES_MAX + TG__READ_AHEAD)

/*
 * The last bytes of the message, where that is no longer so: moved once into a place with zeros
 * behind them.
 */
typedef struct tg__last_bytes {
    uint8_t bytes[TG__ROW_READ_AHEAD + TG__READ_AHEAD];
} tg__last_bytes;

/* Where to go on reading when fewer than TG__ROW_READ_AHEAD bytes are left at *at; moves *end too.
 */
void tg__move_last_bytes(tg__last_bytes *last, const uint8_t **at, const uint8_t **end);

#endif

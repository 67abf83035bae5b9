/** A frame that was compressed on the wire (raw deflate) and captured as a Python bytes literal. */
#ifndef TG_GATEWAY_PACKED_FRAME_H
#define TG_GATEWAY_PACKED_FRAME_H

#include "json.h"

#define TG__UNPACKED_SIZE_MAX (4u << 20) /* bytes; a frame that is longer is refused */

/* Reused from frame to frame; all zero is one without memory. */
typedef struct tg__packed_frame {
    uint8_t *packed;
    size_t packed_capacity;
    char *text;
    size_t text_capacity;
} tg__packed_frame;

void tg__packed_frame_deinit(tg__packed_frame *frame);

/* b'...' or b"..." */
bool tg__is_bytes_literal(tg__span text);

/*
 * *out points into frame until the next call. TG_ERR_SYNTAX: *what says what is wrong;
 * TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__packed_frame_unpack(tg__packed_frame *frame, tg__span literal,
                                             tg__span *out, const char **what);

#endif

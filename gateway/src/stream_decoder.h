/** What turns the bytes of a compressed file into those that were put in: one for each format. */
#ifndef TG_GATEWAY_STREAM_DECODER_H
#define TG_GATEWAY_STREAM_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG__DECODER_MEM_MAX                                                                        \
    (UINT64_C(256) << 20) /* bytes; a file that asks for more is refused                           \
                           */

typedef struct tg__decode_step {
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_size;
    bool in_is_last; /* nothing comes behind these bytes */
    bool ended;      /* set by the decoder: all of the data was put out */
} tg__decode_step;

typedef struct tg__stream_decoder {
    void *state;
    /* Moves what it can from in to out. NULL, or what is wrong with the data. */
    const char *(*decode)(void *state, tg__decode_step *step);
    void (*close)(void *state);
} tg__stream_decoder;

#endif

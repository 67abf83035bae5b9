/**
 * A mutator for libFuzzer that puts right what random changes break first: counts, lengths,
 * digests, shape numbers and the length equation of a DELTA, so that what comes after them is
 * reached. One change in three is left as it is: the plain mutator finds what this one repairs
 * away.
 *
 * Only libFuzzer calls it; replay builds do not link it. What is valid already stays as it is.
 */
#ifndef TG_FUZZ_REPAIRING_MUTATOR_H
#define TG_FUZZ_REPAIRING_MUTATOR_H

#include "cursor.h"
#include "start_channel.h"

/* An input with a head is a sequence of messages behind 16 bits each: 15 bits of length, 1 free. */
#define REPAIRED_LENGTH_BITS 0x7fffu

/*
 * Defined by each target: bytes before its sequence of messages, of which the first picks the start
 * channel. 0: the input is one message.
 */
extern const size_t repairing_mutator_head_size;

/* Reads on with zeros behind the end, and takes any varint. */
typedef struct loose {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t random;
} loose;

uint8_t loose_u8(loose *in);
uint64_t loose_le(loose *in, unsigned size);
uint64_t loose_varint(loose *in);
/* A varint length and that many bytes, fewer if there are fewer. */
loose loose_piece(loose *in);
/* True once in n times, by the seed. */
bool loose_chance(loose *in, uint32_t n);

/* Each writes the message that the bytes look most like; the kind byte is read already. */
TG_MUST_CHECK tg_err repair_delta(loose *in, const tg__channel *channel, tg__sink *out);
TG_MUST_CHECK tg_err repair_snapshot(loose *in, tg__sink *out);
TG_MUST_CHECK tg_err repair_ticks(loose *in, tg__sink *out);
/* Any other message of PROTOCOL.md with a count or a length in it; else as it is. */
TG_MUST_CHECK tg_err repair_control(loose *in, uint8_t kind, tg__sink *out);

#endif

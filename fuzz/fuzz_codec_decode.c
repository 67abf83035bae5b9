/*
 * Data messages against a channel whose start state comes from the input, with the oracle beside.
 *
 * The first byte picks the start (start_channel.h). The rest is a sequence of messages, each behind
 * 16 bits: a length of 15 bits, and in bit 15 whether a delta's set digest is put right first, as
 * an attacker could. Every message goes to every data decoder. Scalar decoder, vector decoder and
 * oracle must agree on accept or reject, error, offset, row and every value; no decoder may change
 * the channel; what is accepted must encode again to something that decodes to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "delta_decode.h"
#include "oracle.h"
#include "repairing_mutator.h"
#include "start_channel.h"

#define DIGEST_RIGHT 0x8000u
#define TICKS_KEPT   64u

const size_t repairing_mutator_head_size = 1;

static start_channel start;
static start_channel before;
static tg__update expected[START_SET_MAX];
static tg__update updates[START_SET_MAX];
static uint8_t again[1u << 18];

static bool same_update(const tg__update *a, const tg__update *b)
{
    return a->id == b->id && a->covered == b->covered && a->image.seq == b->image.seq &&
           a->image.epoch == b->image.epoch && a->image.present == b->image.present &&
           memcmp(a->image.value, b->image.value, sizeof a->image.value) == 0;
}

static void require_same_rows(const tg__frame *frame, const tg__update *a, const tg__update *b)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        require(a[i].slot == b[i].slot && same_update(&a[i], &b[i]));
    }
}

static bool same_frame(const tg__frame *a, const tg__frame *b)
{
    return a->base == b->base && a->boundary == b->boundary && a->set_digest == b->set_digest &&
           a->ts_gateway_ns == b->ts_gateway_ns && a->count == b->count &&
           a->state_digest == b->state_digest && a->unknown_fields == b->unknown_fields;
}

static void require_same_fault(tg_err err, const tg__fault *fault, tg_err wanted_err,
                               const tg__fault *wanted)
{
    require(err == wanted_err);
    require(err == TG_OK || (fault->offset == wanted->offset && fault->row == wanted->row));
}

static bool in_64_bits(wide value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* A time that lies over 2^63 ns from the gateway's, or from its old value where the encoder makes
 * the row a general one, cannot be told. */
static bool a_time_is_too_far(const tg__frame *frame, const tg__update *rows)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const wide ts_ns = rows[i].image.value[TG_FIELD_TS_EXCHANGE];
        const int64_t old_ns = start.images[rows[i].slot].value[TG_FIELD_TS_EXCHANGE];
        if (!in_64_bits(frame->ts_gateway_ns - ts_ns) || !in_64_bits(ts_ns - old_ns)) {
            return true;
        }
    }
    return false;
}

static void encode_delta_again(const tg__frame *frame)
{
    const tg__channel *const channel = &start.channel;
    size_t encoded = 0;
    tg__frame frame_again;
    tg__fault fault;
    const tg_err err = tg__delta_encode(channel, frame, expected, again, sizeof again, &encoded);
    if (err == TG_ERR_OVERFLOW) {
        require(a_time_is_too_far(frame, expected));
        return;
    }
    require(err == TG_OK);
    require(tg__delta_decode(channel, again, encoded, &frame_again, updates, START_SET_MAX,
                             &fault) == TG_OK);
    frame_again.unknown_fields = frame->unknown_fields; /* what is not known is not passed on */
    require(same_frame(frame, &frame_again));
    require_same_rows(frame, expected, updates);
    for (uint32_t i = 0; i < frame->count; i++) {
        require(tg_version_compare(tg_image_version(&updates[i].image),
                                   tg_image_version(&channel->images[updates[i].slot])) > 0);
    }
}

static void check_decoder(tg__shaped_rows_decoder *decoder, const tg__delta_input *input,
                          tg_err wanted_err, const tg__fault *wanted, const tg__frame *wanted_frame)
{
    tg__frame frame;
    tg__fault fault = {0, 0};
    memset(updates, 0xa5, start.channel.count * sizeof updates[0]);
    const tg_err err =
        tg__delta_decode_with(decoder, &start.channel, input, &frame, updates, &fault);
    require_same_fault(err, &fault, wanted_err, wanted);
    if (err == TG_OK) {
        require(same_frame(&frame, wanted_frame));
        require_same_rows(&frame, updates, expected);
    } else if (err == TG_ERR_BASE_MISMATCH || err == TG_ERR_SET_MISMATCH) {
        require(frame.base == wanted_frame->base && frame.boundary == wanted_frame->boundary &&
                frame.set_digest == wanted_frame->set_digest);
    }
}

static void check_delta(const uint8_t *message, size_t size)
{
    const tg__delta_input input = {message, size, START_SET_MAX};
    tg__frame frame;
    tg__fault fault;
    before = start;
    const tg_err err = oracle_delta(&start.channel, message, size, &frame, expected, &fault);
    check_decoder(tg__shaped_rows_decode_scalar, &input, err, &fault, &frame);
    check_decoder(tg__shaped_rows_decoder_select(), &input, err, &fault, &frame);
    if (err == TG_OK) {
        encode_delta_again(&frame);
    }
    require(memcmp(&before, &start, sizeof before) == 0);
    if (err == TG_OK) {
        tg__channel_apply(&start.channel, &frame, expected);
    }
}

static void encode_snapshot_again(const tg__frame *frame, tg__snapshot_reason reason)
{
    const uint32_t resolution_ns = start.channel.time_resolution_ns;
    size_t encoded = 0;
    require(tg__snapshot_header_encode(frame, reason, resolution_ns, again, sizeof again,
                                       &encoded) == TG_OK);
    for (uint32_t i = 0; i < frame->count; i++) {
        size_t row = 0;
        require(tg__snapshot_row_encode(&expected[i], resolution_ns, again + encoded,
                                        sizeof again - encoded, &row) == TG_OK);
        encoded += row;
    }
    tg__frame frame_again;
    tg__fault fault;
    require(tg__snapshot_decode(again, encoded, resolution_ns, &frame_again, &reason, updates,
                                START_SET_MAX, &fault) == TG_OK);
    frame_again.unknown_fields = frame->unknown_fields;
    require(same_frame(frame, &frame_again));
    require_same_rows(frame, expected, updates);
}

static void check_snapshot(const uint8_t *message, size_t size)
{
    const uint32_t resolution_ns = start.channel.time_resolution_ns;
    tg__frame wanted_frame;
    tg__fault wanted;
    unsigned wanted_reason = 0;
    const tg_err wanted_err = oracle_snapshot(message, size, resolution_ns, &wanted_frame,
                                              &wanted_reason, expected, START_SET_MAX, &wanted);
    tg__frame frame;
    tg__fault fault = {0, 0};
    tg__snapshot_reason reason = TG__SNAPSHOT_GAP;
    const tg_err err = tg__snapshot_decode(message, size, resolution_ns, &frame, &reason, updates,
                                           START_SET_MAX, &fault);
    require_same_fault(err, &fault, wanted_err, &wanted);
    if (err == TG_OK) {
        require(same_frame(&frame, &wanted_frame) && (unsigned)reason == wanted_reason);
        require_same_rows(&frame, updates, expected);
        encode_snapshot_again(&frame, reason);
        tg__channel_replace(&start.channel, &frame, updates);
    }
}

static bool same_tick(const tg__tick *a, const tg__tick *b)
{
    if (!same_update(&a->update, &b->update) || a->has_book != b->has_book) {
        return false;
    }
    return !a->has_book ||
           (a->book.bid_count == b->book.bid_count && a->book.ask_count == b->book.ask_count &&
            memcmp(a->book.bid, b->book.bid, sizeof a->book.bid) == 0 &&
            memcmp(a->book.ask, b->book.ask, sizeof a->book.ask) == 0);
}

static void encode_tick_again(int64_t ts_gateway_ns, const tg__tick *tick)
{
    const uint32_t resolution_ns = start.channel.time_resolution_ns;
    size_t encoded = 0;
    require(tg__ticks_encode(ts_gateway_ns, resolution_ns, tick, 1, again, sizeof again,
                             &encoded) == TG_OK);
    tg__ticks_reader reader;
    tg__fault fault;
    int64_t ts_again_ns = 0;
    tg__tick tick_again;
    require(tg__ticks_decode(again, encoded, resolution_ns, &ts_again_ns, &reader, &fault) ==
            TG_OK);
    require(ts_again_ns == ts_gateway_ns && tg__ticks_next(&reader, &tick_again));
    require(same_tick(tick, &tick_again) && !tg__ticks_next(&reader, &tick_again));
}

static void check_ticks(const uint8_t *message, size_t size)
{
    static tg__tick kept[TICKS_KEPT];
    const uint32_t resolution_ns = start.channel.time_resolution_ns;
    oracle_ticks_list list = {0, 0, kept, TICKS_KEPT};
    tg__fault wanted;
    const tg_err wanted_err = oracle_ticks(message, size, resolution_ns, &list, &wanted);
    tg__ticks_reader reader;
    tg__fault fault = {0, 0};
    int64_t ts_gateway_ns = 0;
    const tg_err err =
        tg__ticks_decode(message, size, resolution_ns, &ts_gateway_ns, &reader, &fault);
    require_same_fault(err, &fault, wanted_err, &wanted);
    if (err != TG_OK) {
        return;
    }
    require(ts_gateway_ns == list.ts_gateway_ns && reader.left == list.count);
    uint32_t count = 0;
    tg__tick tick;
    while (tg__ticks_next(&reader, &tick)) {
        if (count < TICKS_KEPT) {
            require(same_tick(&tick, &kept[count]));
            encode_tick_again(ts_gateway_ns, &tick);
        }
        count++;
    }
    require(count == list.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    start_channel_init(&start, data[0]);
    size_t at = 1;
    while (size - at >= 2) {
        const unsigned prefix = (unsigned)data[at] | (unsigned)data[at + 1] << 8;
        const size_t announced = prefix & REPAIRED_LENGTH_BITS;
        at += 2;
        const size_t length = announced < size - at ? announced : size - at;
        uint8_t *const message = malloc(length > 0 ? length : 1); /* exact, for ASan */
        require(message != NULL);
        memcpy(message, data + at, length);
        at += length;
        for (unsigned i = 0; i < 4 && length >= 10 && (prefix & DIGEST_RIGHT) != 0; i++) {
            message[6 + i] = (uint8_t)(start.channel.set_digest >> (8 * i));
        }
        check_delta(message, length);
        check_snapshot(message, length);
        check_ticks(message, length);
        free(message);
    }
    require(tg__channel_digest(&start.channel) == oracle_state_digest(&start.channel, NULL, 0));
    return 0;
}

/* SNAPSHOT: absolute rows and the set itself. PROTOCOL.md section 9. */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include <tickglass/internal/crc32c.h>

#include "cursor.h"
#include "row.h"

#define SET_DIGEST_OFFSET 10 /* behind kind, reason and boundary */

tg_err tg__snapshot_header_encode(const tg__frame *frame, tg__snapshot_reason reason,
                                  uint32_t time_resolution_ns, uint8_t *buffer, size_t capacity,
                                  size_t *size)
{
    TG_ENSURE(frame->count <= TG__SET_MAX, TG_ERR_COUNT_LIMIT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_SNAPSHOT));
    TG_TRY(tg__put_u8(&out, (uint8_t)reason));
    TG_TRY(tg__put_u64(&out, frame->boundary));
    TG_TRY(tg__put_u32(&out, frame->set_digest));
    TG_TRY(tg__time_put(&out, frame->ts_gateway_ns, time_resolution_ns));
    TG_TRY(tg__put_varint(&out, frame->count));
    *size = tg__sink_size(&out);
    return TG_OK;
}

tg_err tg__snapshot_row_encode(const tg__update *row, uint32_t time_resolution_ns, uint8_t *buffer,
                               size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__row_put(&out, row, time_resolution_ns));
    TG_TRY(tg__put_length_before(&out, 0));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_header(tg__cursor *in, uint32_t time_resolution_ns, tg__frame *frame,
                         tg__snapshot_reason *reason)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_SNAPSHOT));
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(*in->at <= TG__SNAPSHOT_GAP, TG_ERR_FLAGS);
    *reason = (tg__snapshot_reason)*in->at++;
    TG_TRY(tg__get_u64(in, &frame->boundary));
    frame->base = frame->boundary;
    TG_TRY(tg__get_u32(in, &frame->set_digest));
    TG_TRY(tg__time_get(in, time_resolution_ns, &frame->ts_gateway_ns));
    const uint8_t *const count_at = in->at;
    TG_TRY(tg__get_varint_u32(in, &frame->count));
    if (frame->count > TG__SET_MAX) {
        in->at = count_at;
        return TG_ERR_COUNT_LIMIT;
    }
    return TG_OK;
}

static tg_err get_row(tg__cursor *in, uint32_t time_resolution_ns, tg__update *rows, uint32_t i,
                      uint32_t *unknown_fields)
{
    tg__cursor piece;
    TG_TRY(tg__get_piece(in, &piece));
    const uint8_t *const id_at = piece.at;
    /* Bytes behind the row's known items belong to a later version of the protocol. */
    const tg_err err = tg__row_get(&piece, time_resolution_ns, &rows[i], unknown_fields);
    if (err != TG_OK) {
        in->at = piece.at;
        return err;
    }
    rows[i].slot = (uint16_t)i;
    if (i > 0 && rows[i].id <= rows[i - 1].id) {
        return tg__refuse(in, id_at, TG_ERR_SET_ORDER);
    }
    return TG_OK;
}

tg_err tg__snapshot_decode(const uint8_t *message, size_t size, uint32_t time_resolution_ns,
                           tg__frame *frame, tg__snapshot_reason *reason, tg__update *rows,
                           size_t row_capacity, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    memset(frame, 0, sizeof *frame);
    tg_err err = get_header(&in, time_resolution_ns, frame, reason);
    if (err == TG_OK && frame->count > row_capacity) {
        err = TG_ERR_BUFFER_TOO_SMALL;
    }
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    uint32_t digest = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        err = get_row(&in, time_resolution_ns, rows, i, &frame->unknown_fields);
        TG_TRY(tg__fault_at(err, &in, i, fault));
        const uint8_t id[2] = {(uint8_t)rows[i].id, (uint8_t)(rows[i].id >> 8)};
        digest = tg__crc32c(digest, id, sizeof id);
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    if (err == TG_OK && digest != frame->set_digest) {
        err = tg__refuse(&in, message + SET_DIGEST_OFFSET, TG_ERR_SET_DIGEST);
    }
    return tg__fault_at(err, &in, TG__NO_ROW, fault);
}

/* TICKS: absolute rows outside the conflated channel. PROTOCOL.md section 10. */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"
#include "row.h"
#include "varint.h"

static tg_err put_levels(tg__sink *out, const tg_level *levels, unsigned count)
{
    int64_t previous = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t step = 0;
        TG_ENSURE(tg__sub_checked(levels[i].price, previous, &step), TG_ERR_OVERFLOW);
        TG_TRY(tg__put_zigzag(out, step));
        TG_TRY(tg__put_zigzag(out, levels[i].quantity));
        previous = levels[i].price;
    }
    return TG_OK;
}

static tg_err put_tick(tg__sink *out, uint32_t time_resolution_ns, const tg__tick *tick)
{
    const size_t start = tg__sink_size(out);
    TG_TRY(tg__row_put(out, &tick->update, time_resolution_ns));
    if (tick->has_book) {
        const tg_book *const book = &tick->book;
        TG_ENSURE(book->bid_count <= TG_BOOK_DEPTH_MAX && book->ask_count <= TG_BOOK_DEPTH_MAX,
                  TG_ERR_INVALID_ARGUMENT);
        TG_TRY(tg__put_u8(out, book->bid_count));
        TG_TRY(tg__put_u8(out, book->ask_count));
        TG_TRY(put_levels(out, book->bid, book->bid_count));
        TG_TRY(put_levels(out, book->ask, book->ask_count));
    }
    return tg__put_length_before(out, start);
}

tg_err tg__ticks_encode(int64_t ts_gateway_ns, uint32_t time_resolution_ns, const tg__tick *ticks,
                        size_t count, uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_ENSURE(count <= TG__SET_MAX, TG_ERR_COUNT_LIMIT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_TICKS));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__time_put(&out, ts_gateway_ns, time_resolution_ns));
    TG_TRY(tg__put_varint(&out, count));
    for (size_t i = 0; i < count; i++) {
        TG_TRY(put_tick(&out, time_resolution_ns, &ticks[i]));
    }
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_levels(tg__cursor *in, tg_level *levels, unsigned count)
{
    int64_t previous = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t step = 0;
        const uint8_t *const start = in->at;
        TG_TRY(tg__get_zigzag(in, &step));
        if (!tg__add_checked(previous, step, &levels[i].price)) {
            return tg__refuse(in, start, TG_ERR_DELTA_OVERFLOW);
        }
        TG_TRY(tg__get_zigzag(in, &levels[i].quantity));
        previous = levels[i].price;
    }
    return TG_OK;
}

static tg_err get_level_count(tg__cursor *in, uint8_t *count)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_u8(in, count));
    return *count <= TG_BOOK_DEPTH_MAX ? TG_OK : tg__refuse(in, start, TG_ERR_COUNT_LIMIT);
}

/* in is the tick's own piece; what is left of it after the known items is not looked at. */
static tg_err get_tick_body(tg__cursor *in, uint32_t time_resolution_ns, tg__tick *tick)
{
    uint32_t unknown_fields = 0;
    TG_TRY(tg__row_get(in, time_resolution_ns, &tick->update, &unknown_fields));
    memset(&tick->book, 0, sizeof tick->book);
    tick->has_book = tg__cursor_left(in) > 0;
    if (!tick->has_book) {
        return TG_OK;
    }
    tg_book *const book = &tick->book;
    TG_TRY(get_level_count(in, &book->bid_count));
    TG_TRY(get_level_count(in, &book->ask_count));
    TG_TRY(get_levels(in, book->bid, book->bid_count));
    return get_levels(in, book->ask, book->ask_count);
}

static tg_err get_tick(tg__cursor *in, uint32_t time_resolution_ns, tg__tick *tick)
{
    tg__cursor piece;
    TG_TRY(tg__get_piece(in, &piece));
    const tg_err err = get_tick_body(&piece, time_resolution_ns, tick);
    if (err != TG_OK) {
        in->at = piece.at;
    }
    return err;
}

static tg_err get_header(tg__cursor *in, uint32_t time_resolution_ns, int64_t *ts_gateway_ns,
                         uint32_t *count)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_TICKS));
    TG_TRY(tg__expect_no_flags(in));
    TG_TRY(tg__time_get(in, time_resolution_ns, ts_gateway_ns));
    const uint8_t *const count_at = in->at;
    TG_TRY(tg__get_varint_u32(in, count));
    if (*count > TG__SET_MAX) {
        in->at = count_at;
        return TG_ERR_COUNT_LIMIT;
    }
    return TG_OK;
}

tg_err tg__ticks_decode(const uint8_t *message, size_t size, uint32_t time_resolution_ns,
                        int64_t *ts_gateway_ns, tg__ticks_reader *reader, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    uint32_t count = 0;
    tg_err err = get_header(&in, time_resolution_ns, ts_gateway_ns, &count);
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    const tg__ticks_reader first = {in.at, in.end, count, time_resolution_ns};
    for (uint32_t i = 0; i < count; i++) {
        tg__tick tick;
        err = get_tick(&in, time_resolution_ns, &tick);
        TG_TRY(tg__fault_at(err, &in, i, fault));
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    *reader = first;
    return TG_OK;
}

bool tg__ticks_next(tg__ticks_reader *reader, tg__tick *tick)
{
    if (reader->left == 0) {
        return false;
    }
    tg__cursor in = {reader->at, reader->at, reader->end};
    if (get_tick(&in, reader->time_resolution_ns, tick) != TG_OK) {
        return false; /* only if the message was changed after it was validated */
    }
    reader->at = in.at;
    reader->left--;
    return true;
}

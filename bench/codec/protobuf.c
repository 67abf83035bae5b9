#include "layout.h"

#include <frame.pb-c.h>

#include <tickglass/internal/control_flow.h>

#include "time_units.h"
#include "varint.h"

/* Every field but the exchange time, which each row has: member, field. */
#define VALUES(X)                                                                                  \
    X(bid_price, TG_FIELD_BID_PRICE)                                                               \
    X(ask_price, TG_FIELD_ASK_PRICE)                                                               \
    X(bid_quantity, TG_FIELD_BID_QUANTITY)                                                         \
    X(ask_quantity, TG_FIELD_ASK_QUANTITY)                                                         \
    X(last_price, TG_FIELD_LAST_PRICE)                                                             \
    X(last_quantity, TG_FIELD_LAST_QUANTITY)                                                       \
    X(volume, TG_FIELD_VOLUME)                                                                     \
    X(open, TG_FIELD_OPEN)                                                                         \
    X(high, TG_FIELD_HIGH)                                                                         \
    X(low, TG_FIELD_LOW)                                                                           \
    X(previous_close, TG_FIELD_PREVIOUS_CLOSE)                                                     \
    X(settlement, TG_FIELD_SETTLEMENT)                                                             \
    X(open_interest, TG_FIELD_OPEN_INTEREST)                                                       \
    X(limit_up, TG_FIELD_LIMIT_UP)                                                                 \
    X(limit_down, TG_FIELD_LIMIT_DOWN)                                                             \
    X(status, TG_FIELD_STATUS)

static void fill_row(const tg_image *base, const tg_image *image, Bench__Row *row)
{
    bench__row__init(row);
    row->step = image->seq - base->seq;
#define FILL(member, field)                                                                        \
    row->member = image->value[field] - base->value[field];                                        \
    row->has_##member =                                                                            \
        row->member != 0 || ((image->present ^ base->present) & TG_FIELD_BIT(field)) != 0;
    VALUES(FILL)
#undef FILL
}

size_t protobuf_encode(const tg__channel *channel, const tg__frame *frame,
                       const tg__update *updates, uint8_t *out)
{
    static Bench__Row rows[TG__SET_MAX];
    static Bench__Row *pointers[TG__SET_MAX];
    const tg__exact_divisor resolution = tg__exact_divisor_of(channel->time_resolution_ns);
    Bench__Frame message;
    bench__frame__init(&message);
    message.boundary = (uint32_t)frame->boundary;
    message.set_digest = frame->set_digest;
    message.back = frame->boundary - frame->base;
    message.ts_units = units_of(&resolution, frame->ts_gateway_ns - channel->ts_gateway_ns);
    message.n_rows = frame->count;
    message.rows = pointers;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const image = &updates[i].image;
        fill_row(&channel->images[updates[i].slot], image, &rows[i]);
        rows[i].slot = updates[i].slot;
        rows[i].ts_units =
            units_of(&resolution, frame->ts_gateway_ns - image->value[TG_FIELD_TS_EXCHANGE]);
        pointers[i] = &rows[i];
    }
    return bench__frame__pack(&message, out);
}

static tg_err take_row(const Bench__Row *row, const tg__channel *channel, const tg__frame *frame,
                       tg__update *update)
{
    const tg_image *const base = &channel->images[row->slot];
    tg_image *const image = &update->image;
    int64_t ts_ns = 0;
    update->slot = (uint16_t)row->slot;
    update->id = channel->ids[row->slot];
    *image = *base;
    TG_ENSURE(row->step >= 1 && row->step <= UINT64_MAX - base->seq, TG_ERR_VERSION);
    image->seq = base->seq + row->step;
    update->covered = row->step;
    TG_ENSURE(ns_of(row->ts_units, (int64_t)channel->time_resolution_ns, &ts_ns) &&
                  tg__sub_checked(frame->ts_gateway_ns, ts_ns, &image->value[TG_FIELD_TS_EXCHANGE]),
              TG_ERR_DELTA_OVERFLOW);
    image->present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
#define TAKE(member, field)                                                                        \
    if (row->has_##member) {                                                                       \
        TG_ENSURE(tg__add_checked(base->value[field], row->member, &image->value[field]),          \
                  TG_ERR_DELTA_OVERFLOW);                                                          \
        image->present |= TG_FIELD_BIT(field);                                                     \
    }
    VALUES(TAKE)
#undef TAKE
    return TG_OK;
}

static tg_err take_frame(const Bench__Frame *message, const tg__channel *channel, tg__frame *frame,
                         tg__update *updates)
{
    int64_t ts_ns = 0;
    frame->base = channel->boundary;
    frame->boundary = frame->base + message->back;
    TG_ENSURE((uint32_t)frame->boundary == message->boundary, TG_ERR_BASE_MISMATCH);
    TG_ENSURE(message->set_digest == channel->set_digest, TG_ERR_SET_MISMATCH);
    TG_ENSURE(message->n_rows <= channel->count, TG_ERR_COUNT_LIMIT);
    TG_ENSURE(ns_of(message->ts_units, (int64_t)channel->time_resolution_ns, &ts_ns) &&
                  tg__add_checked(channel->ts_gateway_ns, ts_ns, &frame->ts_gateway_ns),
              TG_ERR_DELTA_OVERFLOW);
    frame->set_digest = message->set_digest;
    frame->count = (uint32_t)message->n_rows;
    for (uint32_t i = 0; i < frame->count; i++) {
        const Bench__Row *const row = message->rows[i];
        TG_ENSURE(row->slot < channel->count && (i == 0 || row->slot > updates[i - 1].slot),
                  TG_ERR_SLOT);
        TG_TRY(take_row(row, channel, frame, &updates[i]));
    }
    return TG_OK;
}

tg_err protobuf_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                       tg__frame *frame, tg__update *updates)
{
    Bench__Frame *const unpacked = bench__frame__unpack(NULL, size, message);
    TG_ENSURE(unpacked != NULL, TG_ERR_TRUNCATED);
    const tg_err err = take_frame(unpacked, channel, frame, updates);
    bench__frame__free_unpacked(unpacked, NULL);
    return err;
}

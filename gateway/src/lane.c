#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__lane_init(tg__lane *lane, uint32_t capacity, uint32_t epoch, uint32_t time_resolution_ns)
{
    memset(lane, 0, sizeof *lane);
    lane->epoch = epoch;
    lane->time_resolution_ns = time_resolution_ns;
    lane->instruments = calloc((size_t)capacity + 1, sizeof *lane->instruments);
    lane->dirty = calloc((size_t)capacity + 1, sizeof *lane->dirty);
    lane->pending = calloc(TG__LANE_PENDING_MAX, sizeof *lane->pending);
    if (lane->instruments == NULL || lane->dirty == NULL || lane->pending == NULL) {
        tg__lane_deinit(lane);
        return TG_ERR_NO_MEMORY;
    }
    return TG_OK;
}

void tg__lane_deinit(tg__lane *lane)
{
    free(lane->instruments);
    free(lane->dirty);
    free(lane->pending);
    memset(lane, 0, sizeof *lane);
}

uint32_t tg__lane_add(tg__lane *lane, tg_instrument_id id)
{
    tg__lane_instrument *instrument = &lane->instruments[lane->count];
    instrument->id = id;
    instrument->epoch = lane->epoch;
    return lane->count++;
}

static void set_field(tg_image *image, tg_field field, int64_t value)
{
    image->value[field] = value;
    image->present |= TG_FIELD_BIT(field);
}

static void clear_field(tg_image *image, tg_field field)
{
    image->value[field] = 0;
    image->present &= ~TG_FIELD_BIT(field);
}

static void begin_session(tg__lane_instrument *instrument)
{
    instrument->begins_anew = false;
    instrument->trades_missed = false;
    instrument->volume_lost = false;
    clear_field(&instrument->image, TG_FIELD_OPEN);
    clear_field(&instrument->image, TG_FIELD_HIGH);
    clear_field(&instrument->image, TG_FIELD_LOW);
    clear_field(&instrument->image, TG_FIELD_VOLUME);
}

static void add_volume(tg__lane_instrument *instrument, int64_t quantity)
{
    tg_image *image = &instrument->image;
    const int64_t volume = image->value[TG_FIELD_VOLUME]; /* 0 while null; never negative */
    if (quantity < 0 || volume > INT64_MAX - quantity) {
        instrument->volume_lost = true;
    }
    if (instrument->volume_lost) {
        clear_field(image, TG_FIELD_VOLUME);
        return;
    }
    set_field(image, TG_FIELD_VOLUME, volume + quantity);
}

static void apply_trade(tg__lane_instrument *instrument, const tg__row *row)
{
    tg_image *image = &instrument->image;
    set_field(image, TG_FIELD_LAST_PRICE, row->price);
    set_field(image, TG_FIELD_LAST_QUANTITY, row->quantity);
    if (instrument->trades_missed) {
        return;
    }
    add_volume(instrument, row->quantity);
    if (!tg_image_has(image, TG_FIELD_OPEN)) {
        set_field(image, TG_FIELD_OPEN, row->price);
        set_field(image, TG_FIELD_HIGH, row->price);
        set_field(image, TG_FIELD_LOW, row->price);
    }
    if (row->price > image->value[TG_FIELD_HIGH]) {
        set_field(image, TG_FIELD_HIGH, row->price);
    }
    if (row->price < image->value[TG_FIELD_LOW]) {
        set_field(image, TG_FIELD_LOW, row->price);
    }
}

static int64_t quantise(int64_t ns, uint32_t resolution_ns)
{
    const int64_t rest = ns % (int64_t)resolution_ns;
    return ns - (rest < 0 ? rest + (int64_t)resolution_ns : rest);
}

static void apply(tg__lane *lane, tg__lane_instrument *instrument, const tg__row *row)
{
    tg_image *image = &instrument->image;
    if (instrument->begins_anew) {
        begin_session(instrument);
    }
    if (instrument->trades_missed) {
        clear_field(image, TG_FIELD_HIGH);
        clear_field(image, TG_FIELD_LOW);
        clear_field(image, TG_FIELD_VOLUME);
    }
    switch (row->kind) {
    case TG__ROW_BID:
        set_field(image, TG_FIELD_BID_PRICE, row->price);
        set_field(image, TG_FIELD_BID_QUANTITY, row->quantity);
        break;
    case TG__ROW_ASK:
        set_field(image, TG_FIELD_ASK_PRICE, row->price);
        set_field(image, TG_FIELD_ASK_QUANTITY, row->quantity);
        break;
    case TG__ROW_TRADE:
        apply_trade(instrument, row);
        break;
    }
    set_field(image, TG_FIELD_TS_EXCHANGE, quantise(row->ts_ns, lane->time_resolution_ns));
    set_field(image, TG_FIELD_STATUS, TG_TRADING_OPEN);
}

static tg__verdict judge(tg__lane_instrument *instrument, const tg__row *row)
{
    if (!row->has_id) {
        return tg__time_domain_judge(&instrument->without_ids, row);
    }
    return tg__id_domain_judge(
        row->kind == TG__ROW_TRADE ? &instrument->trades : &instrument->quotes, row);
}

static void mark_dirty(tg__lane *lane, uint32_t index)
{
    if (!lane->instruments[index].dirty) {
        lane->instruments[index].dirty = true;
        lane->dirty[lane->dirty_count++] = index;
    }
}

tg__verdict tg__lane_offer(tg__lane *lane, uint32_t index, const tg__row *row)
{
    tg__lane_instrument *instrument = &lane->instruments[index];
    const tg__verdict verdict = judge(instrument, row);
    if (verdict == TG__VERDICT_DUPLICATE || verdict == TG__VERDICT_REGRESSION) {
        return verdict;
    }
    apply(lane, instrument, row);
    /* A version that has left the lane never gets other values: a late half is a tick of its own.
     */
    if (verdict == TG__VERDICT_NEW || !instrument->dirty ||
        instrument->image.epoch != instrument->epoch) {
        instrument->image.seq++;
        instrument->image.epoch = instrument->epoch;
    }
    mark_dirty(lane, index);
    return verdict;
}

void tg__lane_hold(tg__lane *lane, const tg__row *row)
{
    if (lane->pending_count == TG__LANE_PENDING_MAX) {
        lane->pending_dropped++;
        lane->missed = true;
        return;
    }
    lane->pending[(lane->pending_first + lane->pending_count++) % TG__LANE_PENDING_MAX] = *row;
}

static bool pop_pending(tg__lane *lane, tg__row *row)
{
    if (lane->pending_count == 0) {
        return false;
    }
    *row = lane->pending[lane->pending_first];
    lane->pending_first = (lane->pending_first + 1) % TG__LANE_PENDING_MAX;
    lane->pending_count--;
    return true;
}

bool tg__lane_take_pending(tg__lane *lane, tg__row *row)
{
    return !lane->frozen && pop_pending(lane, row);
}

bool tg__lane_drop_pending(tg__lane *lane, tg__row *row)
{
    const bool dropped = pop_pending(lane, row);
    lane->pending_dropped += dropped;
    return dropped;
}

uint32_t tg__lane_sift_pending(tg__lane *lane, bool (*choose)(const void *ctx, const tg__row *row),
                               const void *ctx)
{
    uint32_t dropped = 0;
    for (uint32_t left = lane->pending_count; left > 0; left--) {
        tg__row row;
        (void)pop_pending(lane, &row);
        if (choose(ctx, &row)) {
            tg__lane_hold(lane, &row); /* in its order: the ring goes round once */
        } else {
            dropped++;
        }
    }
    lane->pending_dropped += dropped;
    lane->missed = lane->missed || dropped > 0;
    return dropped;
}

void tg__lane_raise(tg__lane *lane, uint32_t index, uint32_t epoch)
{
    tg__lane_instrument *instrument = &lane->instruments[index];
    instrument->epoch = epoch;
    instrument->trades_missed = true;
    tg__time_domain_take_over(&instrument->without_ids);
}

void tg__lane_reset(tg__lane *lane, uint32_t epoch)
{
    static const tg__id_domain fresh_ids = {0};
    static const tg__time_domain fresh_times = {0};
    lane->epoch = epoch;
    lane->missed = false;
    for (uint32_t i = 0; i < lane->count; i++) {
        tg__lane_instrument *instrument = &lane->instruments[i];
        instrument->epoch = epoch;
        instrument->begins_anew = true;
        instrument->quotes = fresh_ids;
        instrument->trades = fresh_ids;
        instrument->without_ids = fresh_times;
    }
}

bool tg__lane_mark(tg__lane *lane, uint64_t boundary)
{
    if (lane->frozen || lane->pending_count > 0 || lane->missed) {
        return false;
    }
    lane->marker_boundary = boundary;
    return true;
}

bool tg__lane_is_late(const tg__lane *lane, uint64_t boundary)
{
    return boundary - lane->marker_boundary > TG__LANE_DEADLINE_CUTS;
}

const tg__lane_instrument *tg__lane_cut_next(tg__lane *lane)
{
    if (lane->dirty_count == 0) {
        return NULL;
    }
    tg__lane_instrument *instrument = &lane->instruments[lane->dirty[--lane->dirty_count]];
    instrument->dirty = false;
    return instrument;
}

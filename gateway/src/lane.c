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
    if (lane->instruments == NULL || lane->dirty == NULL) {
        tg__lane_deinit(lane);
        return TG_ERR_NO_MEMORY;
    }
    return TG_OK;
}

void tg__lane_deinit(tg__lane *lane)
{
    free(lane->instruments);
    free(lane->dirty);
    memset(lane, 0, sizeof *lane);
}

uint32_t tg__lane_add(tg__lane *lane, tg_instrument_id id)
{
    tg__lane_instrument *instrument = &lane->instruments[lane->count];
    instrument->id = id;
    instrument->session_epoch = lane->epoch;
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

static void begin_session(tg__lane_instrument *instrument, uint32_t epoch)
{
    instrument->session_epoch = epoch;
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
    if (instrument->session_epoch != lane->epoch) {
        begin_session(instrument, lane->epoch);
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

tg__verdict tg__lane_offer(tg__lane *lane, uint32_t index, const tg__row *row)
{
    tg__lane_instrument *instrument = &lane->instruments[index];
    tg__id_domain *domain = row->kind == TG__ROW_TRADE ? &instrument->trades : &instrument->quotes;
    const tg__verdict verdict = tg__id_domain_judge(domain, row);
    if (verdict == TG__VERDICT_DUPLICATE || verdict == TG__VERDICT_REGRESSION) {
        return verdict;
    }
    apply(lane, instrument, row);
    /* A version that has left the lane never gets other values: a late half is a tick of its own.
     */
    if (verdict == TG__VERDICT_NEW || !instrument->dirty) {
        instrument->image.seq++;
        instrument->image.epoch = lane->epoch;
    }
    if (!instrument->dirty) {
        instrument->dirty = true;
        lane->dirty[lane->dirty_count++] = index;
    }
    return verdict;
}

void tg__lane_reset(tg__lane *lane, uint32_t epoch)
{
    static const tg__id_domain fresh = {0};
    lane->epoch = epoch;
    for (uint32_t i = 0; i < lane->count; i++) {
        lane->instruments[i].quotes = fresh;
        lane->instruments[i].trades = fresh;
    }
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

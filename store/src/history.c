#include <tickglass/internal/store_writer.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

enum {
    POINT_WORDS = sizeof(tg_history_point) / sizeof(uint64_t),
    PRICES = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE) |
             TG_FIELD_BIT(TG_FIELD_LAST_PRICE)
};
_Static_assert(sizeof(tg_history_point) % sizeof(uint64_t) == 0, "a point is whole words");

void tg__history_init(tg__history *history, const tg__store_options *options)
{
    history->shape = (tg__ring_shape){options->history_points, POINT_WORDS};
    history->ring_count = options->history_points > 0 ? options->history_instruments : 0;
    history->step_ns = (int64_t)options->history_step_ms * INT64_C(1000000);
    for (uint32_t ring = history->ring_count; ring >= 1; ring--) {
        history->free[history->free_count++] = (uint16_t)ring;
    }
}

size_t tg__history_words(uint32_t points)
{
    return (size_t)points * POINT_WORDS;
}

void tg__history_drop(tg_store *store, uint16_t row)
{
    tg__history *history = &store->history;
    if (history->ring_count == 0) {
        return;
    }
    const uint16_t ring = store->pending->history_of[row];
    if (ring != 0) {
        store->pending->history_of[row] = 0;
        history->row_of[ring] = 0;
        history->free[history->free_count++] = ring;
    }
}

/* One ring is looked at for each tick that has none: all have had their turn after that many. */
static void give_one_up(tg_store *store)
{
    tg__history *history = &store->history;
    history->hand = (uint16_t)(history->hand >= history->ring_count ? 1 : history->hand + 1);
    const uint16_t row = history->row_of[history->hand];
    const bool followed = tg__table_has(store->pending, row, TG__ROW_KNOWN) &&
                          !tg__table_has(store->pending, row, TG__ROW_UNFOLLOWED);
    if (!followed) {
        tg__history_drop(store, row);
        tg__row_touch(store, row);
    }
}

void tg__history_restart(tg_store *store, uint16_t row)
{
    if (store->history.ring_count == 0 || store->pending->history_of[row] == 0) {
        return;
    }
    tg__history_open *open = &store->pending->open[store->pending->history_of[row]];
    open->point = (tg_history_point){.rows = 0};
    open->first = open->head + 1;
}

/* The row's ring; 0: it gets none now. */
static uint16_t ring_for(tg_store *store, uint16_t row)
{
    tg__history *history = &store->history;
    tg_view *pending = store->pending;
    if (pending->history_of[row] != 0) {
        return pending->history_of[row];
    }
    if (history->free_count == 0) {
        give_one_up(store);
    }
    if (history->free_count == 0) {
        return 0;
    }
    const uint16_t ring = history->free[--history->free_count];
    history->row_of[ring] = row;
    pending->history_of[row] = ring;
    /* Numbers go on: views that still show the ring's last owner find theirs. */
    const uint64_t head = tg__ring_written(&history->ring[ring]);
    pending->open[ring] = (tg__history_open){.first = head + 1, .head = head};
    return ring;
}

static void fold(tg_history_point *into, const tg__cell *cell)
{
    const tg_image *image = &cell->image;
    const int64_t last = image->value[TG_FIELD_LAST_PRICE];
    const uint32_t last_bit = TG_FIELD_BIT(TG_FIELD_LAST_PRICE);
    const uint32_t present = image->present & PRICES;
    if ((present & last_bit) != 0) {
        const bool is_first = (into->present & last_bit) == 0;
        into->first = is_first ? last : into->first;
        into->min = is_first || last < into->min ? last : into->min;
        into->max = is_first || last > into->max ? last : into->max;
        into->last = last;
    }
    into->bid = image->value[TG_FIELD_BID_PRICE];
    into->ask = image->value[TG_FIELD_ASK_PRICE];
    into->present = present | (into->present & last_bit);
    into->end_mono_ns = cell->received_mono_ns;
    into->rows++;
}

void tg__history_add(tg_store *store, uint16_t row)
{
    tg__history *history = &store->history;
    const uint16_t ring = ring_for(store, row);
    if (ring == 0) {
        return;
    }
    const tg__cell *cell = tg__table_cell(store->pending, row);
    tg__history_open *open = &store->pending->open[ring];
    if (open->point.rows > 0 && cell->received_mono_ns >= history->until_mono_ns[ring]) {
        uint64_t words[POINT_WORDS];
        memcpy(words, &open->point, sizeof open->point);
        open->head = tg__ring_put(&history->ring[ring], &history->shape,
                                  tg__history_records(history, ring), words);
        open->point = (tg_history_point){.rows = 0};
    }
    if (open->point.rows == 0) {
        open->point.begin_mono_ns = cell->received_mono_ns;
        history->until_mono_ns[ring] =
            (cell->received_mono_ns / history->step_ns + 1) * history->step_ns;
    }
    fold(&open->point, cell);
}

void tg__history_catch_up(tg_view *to, const tg_view *from, uint16_t row)
{
    const uint16_t ring = from->history_of[row];
    to->history_of[row] = ring;
    if (ring != 0) {
        to->open[ring] = from->open[ring];
    }
}

tg_err tg_view_history(const tg_view *view, tg_instrument_id id, tg_history_point *out,
                       size_t capacity, size_t *count)
{
    *count = 0;
    const tg__history *history = view->history;
    const uint16_t row = tg__table_row(view, id);
    const uint16_t ring = row != 0 && history->ring_count > 0 ? view->history_of[row] : 0;
    TG_ENSURE(ring != 0, TG_ERR_NOT_FOUND);
    const tg__history_open *open = &view->open[ring];
    const bool in_the_making = open->point.rows > 0 && capacity > 0;
    const uint64_t room = capacity - (in_the_making ? 1 : 0);
    const uint64_t kept = room < history->shape.capacity ? room : history->shape.capacity;
    const uint64_t closed = open->head + 1 - open->first;
    for (uint64_t left = closed < kept ? closed : kept; left > 0; left--) {
        const uint64_t number = open->head + 1 - left;
        uint64_t words[POINT_WORDS];
        if (tg__ring_copy(&history->ring[ring], &history->shape, tg__history_records(history, ring),
                          number, number, words) == 0) {
            memcpy(&out[(*count)++], words, sizeof words);
        } else {
            *count =
                0; /* overwritten meanwhile, and so was all before it: no hole in what is given */
        }
    }
    if (in_the_making) {
        out[(*count)++] = open->point;
    }
    return TG_OK;
}

#include "ladder_axis.h"

/* An entry without bands moves by its last digit. */
static int64_t tick_from(const tg_instrument *instrument, int64_t price)
{
    int64_t tick = 1;
    for (uint8_t i = 0; i < instrument->band_count && i < TG_TICK_BAND_MAX; i++) {
        if (i == 0 || price >= instrument->band[i].from_price) {
            tick = instrument->band[i].tick_size;
        }
    }
    return tick > 0 ? tick : 1;
}

bool ladder_price_above(const tg_instrument *instrument, int64_t price, int64_t *above)
{
    const int64_t tick = tick_from(instrument, price);
    if (price > INT64_MAX - tick) {
        return false;
    }
    *above = price + tick;
    return true;
}

bool ladder_price_below(const tg_instrument *instrument, int64_t price, int64_t *below)
{
    if (price == INT64_MIN) {
        return false;
    }
    /* At a band's first price the step down is that of the band below. */
    const int64_t tick = tick_from(instrument, price - 1);
    if (price < INT64_MIN + tick) {
        return false;
    }
    *below = price - tick;
    return true;
}

void ladder_axis_centre(ladder_axis *axis, const tg_instrument *instrument, int64_t price)
{
    axis->centred = true;
    axis->centre = price;
    axis->price_exponent = instrument->price_exponent;
}

void ladder_axis_move(ladder_axis *axis, const tg_instrument *instrument, int ticks)
{
    for (int i = 0; axis->centred && i < (ticks < 0 ? -ticks : ticks); i++) {
        if (!(ticks > 0 ? ladder_price_above(instrument, axis->centre, &axis->centre)
                        : ladder_price_below(instrument, axis->centre, &axis->centre))) {
            return;
        }
    }
}

void ladder_axis_fit(ladder_axis *axis, const tg_instrument *instrument, size_t row_count)
{
    axis->row_count = row_count < LADDER_ROWS_MAX ? row_count : LADDER_ROWS_MAX;
    const size_t middle = axis->row_count / 2;
    int64_t price = axis->centre;
    bool present = axis->centred;
    for (size_t i = middle; i < axis->row_count; i++) {
        axis->price[i] = price;
        axis->present[i] = present;
        present = present && ladder_price_below(instrument, price, &price);
    }
    price = axis->centre;
    present = axis->centred;
    for (size_t i = middle; i > 0; i--) {
        present = present && ladder_price_above(instrument, price, &price);
        axis->price[i - 1] = price;
        axis->present[i - 1] = present;
    }
}

ladder_place ladder_axis_find(const ladder_axis *axis, int64_t price, size_t *row)
{
    for (size_t i = 0; i < axis->row_count; i++) {
        if (axis->present[i] && price >= axis->price[i]) {
            *row = i;
            if (price == axis->price[i]) {
                return LADDER_ON_ROW;
            }
            return i == 0 || !axis->present[i - 1] ? LADDER_ABOVE : LADDER_BETWEEN;
        }
    }
    return LADDER_BELOW;
}

#include "watch_row.h"

#define NS_PER_MS       INT64_C(1000000)
#define FLASH_STRONG_NS (200 * NS_PER_MS)
#define FLASH_END_NS    (600 * NS_PER_MS)

static void take_price(watch_price *price, const tg_image *image, tg_field field, bool comparable,
                       int64_t now_mono_ns)
{
    const bool present = tg_image_has(image, field);
    const int64_t value = image->value[field];
    if (comparable && present && price->present && value != price->value) {
        price->direction = value > price->value ? 1 : -1;
        price->change_mono_ns = now_mono_ns;
        price->before = price->value;
    }
    if (!comparable) {
        price->direction = 0;
    }
    price->present = present;
    price->value = value;
}

void watch_row_take(watch_row *row, const tg_image *image, int64_t now_mono_ns)
{
    /* A new epoch may have another scale: mantissas of two epochs say nothing about direction. */
    const bool comparable = row->drawn && row->version.epoch == image->epoch;
    take_price(&row->bid, image, TG_FIELD_BID_PRICE, comparable, now_mono_ns);
    take_price(&row->ask, image, TG_FIELD_ASK_PRICE, comparable, now_mono_ns);
    take_price(&row->last, image, TG_FIELD_LAST_PRICE, comparable, now_mono_ns);
    row->version = tg_image_version(image);
    row->drawn = true;
}

flash_phase watch_price_phase(const watch_price *price, int64_t now_mono_ns)
{
    const int64_t age_ns = now_mono_ns - price->change_mono_ns;
    if (price->direction == 0 || age_ns >= FLASH_END_NS) {
        return FLASH_NONE;
    }
    return age_ns < FLASH_STRONG_NS ? FLASH_STRONG : FLASH_FADING;
}

static int64_t next_phase(const watch_price *price, int64_t now_mono_ns)
{
    switch (watch_price_phase(price, now_mono_ns)) {
    case FLASH_STRONG:
        return price->change_mono_ns + FLASH_STRONG_NS;
    case FLASH_FADING:
        return price->change_mono_ns + FLASH_END_NS;
    case FLASH_NONE:
        return INT64_MAX;
    }
    return INT64_MAX;
}

int64_t watch_row_next_phase_mono_ns(const watch_row *row, int64_t now_mono_ns)
{
    const watch_price *prices[] = {&row->bid, &row->ask, &row->last};
    int64_t next = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        const int64_t of_price = next_phase(prices[i], now_mono_ns);
        next = of_price < next ? of_price : next;
    }
    return next;
}

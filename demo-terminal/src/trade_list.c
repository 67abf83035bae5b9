#include "trade_list.h"

#include <string.h>

#include "quality_look.h"

static const tg_field watched[] = {TG_FIELD_LAST_PRICE, TG_FIELD_LAST_QUANTITY, TG_FIELD_VOLUME};
#define WATCHED_COUNT (sizeof watched / sizeof watched[0])

void trade_list_reset(trade_list *list)
{
    memset(list, 0, sizeof *list);
}

const trade_entry *trade_list_entry(const trade_list *list, size_t index)
{
    return &list->entry[(list->next + TRADE_LIST_SIZE - 1 - index) % TRADE_LIST_SIZE];
}

static trade_entry *newest(trade_list *list)
{
    return list->count > 0 ? &list->entry[(list->next + TRADE_LIST_SIZE - 1) % TRADE_LIST_SIZE]
                           : NULL;
}

static trade_entry *append(trade_list *list, trade_kind kind, int64_t utc_ns)
{
    trade_entry *entry = &list->entry[list->next];
    list->next = (list->next + 1) % TRADE_LIST_SIZE;
    if (list->count < TRADE_LIST_SIZE) {
        list->count++;
    } else {
        list->dropped++;
    }
    *entry = (trade_entry){.kind = kind, .has_time = true, .utc_ns = utc_ns};
    entry->ticks = list->pending;
    list->pending = 0;
    return entry;
}

/* The quantities and prices that were listed have no meaning in another scale. */
static bool same_scale(const trade_list *list, const tg_instrument *instrument)
{
    return list->price_exponent == instrument->price_exponent &&
           list->quantity_exponent == instrument->quantity_exponent;
}

static void remember(trade_list *list, const trade_sample *sample)
{
    const tg_image *image = &sample->row->image;
    list->version = tg_image_version(image);
    list->present = image->present;
    for (size_t i = 0; i < WATCHED_COUNT; i++) {
        list->value[i] = image->value[watched[i]];
    }
    list->lost = sample->lost;
    list->price_exponent = sample->instrument->price_exponent;
    list->quantity_exponent = sample->instrument->quantity_exponent;
}

static bool traded(const trade_list *list, const tg_image *image)
{
    for (size_t i = 0; i < WATCHED_COUNT; i++) {
        const uint32_t bit = TG_FIELD_BIT(watched[i]);
        if ((image->present & bit) != 0 &&
            ((list->present & bit) == 0 || list->value[i] != image->value[watched[i]])) {
            return true;
        }
    }
    return false;
}

static void append_trade(trade_list *list, const trade_sample *sample)
{
    const tg_image *image = &sample->row->image;
    trade_entry *entry = append(list, TRADE_SEEN, image->value[TG_FIELD_TS_EXCHANGE]);
    entry->has_time = tg_image_has(image, TG_FIELD_TS_EXCHANGE);
    entry->has_price = tg_image_has(image, TG_FIELD_LAST_PRICE);
    entry->has_quantity = tg_image_has(image, TG_FIELD_LAST_QUANTITY);
    entry->price = image->value[TG_FIELD_LAST_PRICE];
    entry->quantity = image->value[TG_FIELD_LAST_QUANTITY];
    if (entry->has_price && (list->present & TG_FIELD_BIT(TG_FIELD_LAST_PRICE)) != 0) {
        entry->direction = (entry->price > list->value[0]) - (entry->price < list->value[0]);
    }
}

/* One line for each time without good data, which grows as long as that lasts. */
static void note_quality(trade_list *list, const trade_sample *sample)
{
    const tg_quality quality = sample->row->quality;
    trade_entry *last = newest(list);
    const bool goes_on = last != NULL && last->kind == TRADE_NOT_CURRENT && !last->over;
    if (quality_is_suspect(quality)) {
        if (!goes_on) {
            last = append(list, TRADE_NOT_CURRENT, sample->utc_ns);
        }
        last->quality = quality;
    } else if (goes_on) {
        last->over = true;
        last->end_utc_ns = sample->utc_ns;
    }
}

static void take_next_version(trade_list *list, const trade_sample *sample)
{
    const tg_image *image = &sample->row->image;
    /* An older version comes from another lineage only. */
    if (image->epoch != list->version.epoch || image->seq < list->version.seq) {
        list->pending = 0;
        (void)append(list, TRADE_NEW_SEQUENCE, sample->utc_ns);
        return;
    }
    const uint64_t between = image->seq - list->version.seq - 1;
    const uint64_t lost = sample->lost > list->lost ? sample->lost - list->lost : 0;
    list->pending += between;
    list->not_shown += between;
    if (lost > 0) {
        append(list, TRADE_TICKS_LOST, sample->utc_ns)->ticks = lost;
    }
    if (traded(list, image)) {
        append_trade(list, sample);
    }
}

void trade_list_take(trade_list *list, const trade_sample *sample)
{
    if (list->begun && !same_scale(list, sample->instrument)) {
        trade_list_reset(list);
    }
    if (!list->begun) {
        (void)append(list, TRADE_LIST_BEGINS, sample->utc_ns);
        list->begun = true;
    } else if (tg_version_compare(tg_image_version(&sample->row->image), list->version) != 0) {
        note_quality(list, sample);
        take_next_version(list, sample);
    }
    note_quality(list, sample);
    remember(list, sample);
}

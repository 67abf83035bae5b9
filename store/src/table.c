#include "table.h"

#include "stop_point.h"

static void unlink_id(tg_view *table, uint16_t row)
{
    uint16_t *at = &table->id_bucket[table->tag[row].id & table->bucket_mask];
    while (*at != row) {
        at = &table->naming[*at].next_by_id;
    }
    *at = table->naming[row].next_by_id;
}

static void link_id(tg_view *table, uint16_t row)
{
    uint16_t *bucket = &table->id_bucket[table->tag[row].id & table->bucket_mask];
    table->naming[row].next_by_id = *bucket;
    *bucket = row;
}

static uint16_t *name_bucket(tg_view *table, uint32_t entry)
{
    return &table->name_bucket[table->pool->use[entry].name_hash & table->bucket_mask];
}

static void unlink_name(tg_view *table, uint16_t row)
{
    uint16_t *at = name_bucket(table, table->naming[row].entry);
    while (*at != row) {
        at = &table->naming[*at].next_by_name;
    }
    *at = table->naming[row].next_by_name;
}

static void link_name(tg_view *table, uint16_t row)
{
    uint16_t *bucket = name_bucket(table, table->naming[row].entry);
    table->naming[row].next_by_name = *bucket;
    *bucket = row;
}

uint16_t tg__table_search(const tg_view *table, tg_instrument_id id)
{
    uint16_t row = table->id_bucket[id & table->bucket_mask];
    while (row != 0 && table->tag[row].id != id) {
        row = table->naming[row].next_by_id;
    }
    return row;
}

void tg__table_identify(tg_view *table, uint16_t row, uint32_t entry, bool known)
{
    tg__naming *naming = &table->naming[row];
    tg__tag *tag = &table->tag[row];
    if (tg__table_has(table, row, TG__ROW_KNOWN)) {
        unlink_id(table, row);
    }
    if (naming->entry != entry) {
        if (naming->entry != 0) {
            unlink_name(table, row);
        }
        TG__STOP_POINT("a row is in no chain of names");
        tg__entry_refer(table->pool, entry);
        tg__entry_release(table->pool, naming->entry);
        naming->entry = entry;
        if (entry != 0) {
            link_name(table, row);
        }
    }
    tag->flags = (uint8_t)(tag->flags & ~(TG__ROW_KNOWN | TG__ROW_DELAYED));
    if (known) {
        const tg_instrument *instrument = &table->pool->entry[entry];
        tag->id = instrument->id;
        tag->venue = instrument->venue;
        tag->flags =
            (uint8_t)(tag->flags | TG__ROW_KNOWN | (instrument->delayed ? TG__ROW_DELAYED : 0));
        tag->cadence_ms = instrument->cadence_ms;
        link_id(table, row);
    }
}

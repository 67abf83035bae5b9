#include "table.h"

#include "stop_point.h"

static uint16_t *id_bucket(tg_view *table, uint16_t row)
{
    return &table->id_bucket[tg__table_entry(table, row)->id & table->bucket_mask];
}

static void unlink_id(tg_view *table, uint16_t row)
{
    uint16_t *at = id_bucket(table, row);
    while (*at != row) {
        at = &table->links[*at].next_by_id;
    }
    *at = table->links[row].next_by_id;
}

static void link_id(tg_view *table, uint16_t row)
{
    uint16_t *bucket = id_bucket(table, row);
    table->links[row].next_by_id = *bucket;
    *bucket = row;
}

static uint16_t *name_bucket(tg_view *table, uint16_t row)
{
    char symbol[TG_SYMBOL_SIZE];
    tg__entry_symbol(table->pool, tg__table_entry(table, row), symbol);
    return &table->name_bucket[tg__name_hash(symbol) & table->bucket_mask];
}

static void unlink_name(tg_view *table, uint16_t row)
{
    uint16_t *at = name_bucket(table, row);
    while (*at != row) {
        at = &table->links[*at].next_by_name;
    }
    *at = table->links[row].next_by_name;
}

static void link_name(tg_view *table, uint16_t row)
{
    uint16_t *bucket = name_bucket(table, row);
    table->links[row].next_by_name = *bucket;
    *bucket = row;
}

uint16_t tg__table_search(const tg_view *table, tg_instrument_id id)
{
    uint16_t row = table->id_bucket[id & table->bucket_mask];
    while (row != 0 && tg__table_entry(table, row)->id != id) {
        row = table->links[row].next_by_id;
    }
    return row;
}

/* Row has an entry and becomes known. */
static void make_known(tg_view *table, uint16_t row)
{
    const tg__entry *entry = tg__table_entry(table, row);
    const bool own = entry->id == row - 1u;
    table->tag[row].flags |=
        TG__ROW_KNOWN | (own ? TG__ROW_OWN : 0) | (entry->delayed ? TG__ROW_DELAYED : 0);
    if (!own) {
        link_id(table, row);
    }
    const int64_t cadence_ns = (int64_t)entry->cadence_ms * INT64_C(1000000);
    if (cadence_ns != 0 && cadence_ns < table->cadence_min_ns) {
        table->cadence_min_ns = cadence_ns;
    }
}

void tg__table_identify(tg_view *table, uint16_t row, uint32_t entry, bool known)
{
    tg__tag *tag = &table->tag[row];
    if ((tag->flags & (TG__ROW_KNOWN | TG__ROW_OWN)) == TG__ROW_KNOWN) {
        unlink_id(table, row);
    }
    if (tag->entry != entry) {
        if (tag->entry != 0) {
            unlink_name(table, row);
        }
        TG__STOP_POINT("a row is in no chain of names");
        tg__entry_refer(table->pool, entry);
        tg__entry_release(table->pool, tag->entry);
        tag->entry = entry & 0xffffffu;
        if (entry != 0) {
            link_name(table, row);
        }
    }
    tag->flags &= (uint8_t) ~(TG__ROW_KNOWN | TG__ROW_OWN | TG__ROW_DELAYED);
    if (known) {
        make_known(table, row);
    }
}

void tg__table_name_venue(tg_view *table, tg_venue_id venue, uint16_t name)
{
    tg__name_refer(table->venue_names, name);
    tg__name_release(table->venue_names, table->venue_name[venue]);
    table->venue_name[venue] = name;
}

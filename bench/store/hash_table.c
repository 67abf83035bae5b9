#include "hash_table.h"

#include <glib.h>

struct hash_table {
    GHashTable *rows; /* id to tg_row */
    GRWLock lock;
    guint64 refused;
};

hash_table *hash_table_open(uint32_t instruments)
{
    hash_table *table = g_new0(hash_table, 1);
    g_rw_lock_init(&table->lock);
    table->rows = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    for (uint32_t i = 0; i < instruments; i++) {
        (void)g_hash_table_insert(table->rows, GUINT_TO_POINTER(i + 1), g_new0(tg_row, 1));
    }
    return table;
}

void hash_table_close(hash_table *table)
{
    g_hash_table_destroy(table->rows);
    g_rw_lock_clear(&table->lock);
    g_free(table);
}

static void apply(hash_table *table, tg_instrument_id id, const tg_image *image,
                  int64_t now_mono_ns)
{
    tg_row *row = g_hash_table_lookup(table->rows, GUINT_TO_POINTER((guint)id + 1));
    if (row == NULL ||
        tg_version_compare(tg_image_version(image), tg_image_version(&row->image)) <= 0) {
        table->refused++;
        return;
    }
    row->image = *image;
    row->received_mono_ns = now_mono_ns - 5000;
    row->committed_mono_ns = now_mono_ns;
    row->ts_gateway_ns = now_mono_ns;
}

void hash_table_admit(hash_table *table, const ticks_frame *frame, bool lock_per_tick,
                      int64_t now_mono_ns)
{
    if (!lock_per_tick) {
        g_rw_lock_writer_lock(&table->lock);
    }
    for (unsigned i = 0; i < frame_rows; i++) {
        if (lock_per_tick) {
            g_rw_lock_writer_lock(&table->lock);
        }
        apply(table, frame->id[i], &frame->image[i], now_mono_ns);
        if (lock_per_tick) {
            g_rw_lock_writer_unlock(&table->lock);
        }
    }
    if (!lock_per_tick) {
        g_rw_lock_writer_unlock(&table->lock);
    }
}

void hash_table_read(hash_table *table, const tg_instrument_id *ids, size_t count, tg_row *rows)
{
    g_rw_lock_reader_lock(&table->lock);
    for (size_t i = 0; i < count; i++) {
        const tg_row *row = g_hash_table_lookup(table->rows, GUINT_TO_POINTER((guint)ids[i] + 1));
        if (row != NULL) {
            rows[i] = *row;
        }
    }
    g_rw_lock_reader_unlock(&table->lock);
}

#include "hash_table.h"

#include <glib.h>

enum {
    name_size = 32
};

struct hash_table {
    GHashTable *rows; /* key to tg_row */
    GRWLock lock;
    hash_table_key key;
    char (*name)[name_size]; /* by id: what a message would carry */
    guint64 refused;
};

static gpointer key_of(const hash_table *table, tg_instrument_id id)
{
    return table->key == HASH_TABLE_BY_NAME ? (gpointer)table->name[id]
                                            : GUINT_TO_POINTER((guint)id + 1);
}

hash_table *hash_table_open(uint32_t instruments, hash_table_key key)
{
    hash_table *table = g_new0(hash_table, 1);
    g_rw_lock_init(&table->lock);
    table->key = key;
    table->name = g_malloc0_n(instruments, sizeof *table->name);
    table->rows = key == HASH_TABLE_BY_NAME
                      ? g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
                      : g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    for (uint32_t i = 0; i < instruments; i++) {
        (void)g_snprintf(table->name[i], name_size, "VENUE%u:INSTRUMENT-%u", i % 6, i);
        gpointer own = key == HASH_TABLE_BY_NAME ? g_strdup(table->name[i])
                                                 : key_of(table, (tg_instrument_id)i);
        (void)g_hash_table_insert(table->rows, own, g_new0(tg_row, 1));
    }
    return table;
}

void hash_table_close(hash_table *table)
{
    g_hash_table_destroy(table->rows);
    g_rw_lock_clear(&table->lock);
    g_free(table->name);
    g_free(table);
}

static void apply(hash_table *table, tg_instrument_id id, const tg_image *image,
                  int64_t now_mono_ns)
{
    tg_row *row = g_hash_table_lookup(table->rows, key_of(table, id));
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

void hash_table_admit(hash_table *table, const ticks_frame *frame, int64_t now_mono_ns)
{
    for (unsigned i = 0; i < frame_rows; i++) {
        g_rw_lock_writer_lock(&table->lock);
        apply(table, frame->id[i], &frame->image[i], now_mono_ns);
        g_rw_lock_writer_unlock(&table->lock);
    }
}

void hash_table_read(hash_table *table, const tg_instrument_id *ids, size_t count, tg_row *rows)
{
    g_rw_lock_reader_lock(&table->lock);
    for (size_t i = 0; i < count; i++) {
        const tg_row *row = g_hash_table_lookup(table->rows, key_of(table, ids[i]));
        if (row != NULL) {
            rows[i] = *row;
        }
    }
    g_rw_lock_reader_unlock(&table->lock);
}

/*
 * What an application writes without us: rows in GLib's hash table behind GLib's read-write lock,
 * locked for each tick. Keyed by name, as messages name instruments, or by the dictionary's id,
 * which needs a dictionary like ours. No cut over several rows can be read from it unless a reader
 * holds the lock for all of them.
 */
#ifndef BENCH_STORE_HASH_TABLE_H
#define BENCH_STORE_HASH_TABLE_H

#include "desk.h"

typedef struct hash_table hash_table;

typedef enum hash_table_key {
    HASH_TABLE_BY_NAME,
    HASH_TABLE_BY_ID
} hash_table_key;

hash_table *hash_table_open(uint32_t instruments, hash_table_key key);
void hash_table_close(hash_table *table);
void hash_table_admit(hash_table *table, const ticks_frame *frame, int64_t now_mono_ns);
/* Copies rows out under the read lock. */
void hash_table_read(hash_table *table, const tg_instrument_id *ids, size_t count, tg_row *rows);

#endif

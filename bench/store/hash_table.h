/*
 * What an application writes without us: rows in GLib's hash table, by id, behind GLib's read-write
 * lock. A frame is applied under one write lock, as a consistent cut needs it, or each tick under
 * its own, which is the usual way.
 */
#ifndef BENCH_STORE_HASH_TABLE_H
#define BENCH_STORE_HASH_TABLE_H

#include "desk.h"

typedef struct hash_table hash_table;

hash_table *hash_table_open(uint32_t instruments);
void hash_table_close(hash_table *table);
void hash_table_admit(hash_table *table, const ticks_frame *frame, bool lock_per_tick,
                      int64_t now_mono_ns);
/* Copies rows out under the read lock. */
void hash_table_read(hash_table *table, const tg_instrument_id *ids, size_t count, tg_row *rows);

#endif

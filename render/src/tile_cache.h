/*
 * Finished pictures of cells, one tile for each (text, colours, marks) in use.
 *
 * Bounded: when full, a tile that was not used since the hand last passed it makes room (CLOCK).
 */
#ifndef TICKGLASS_RENDER_TILE_CACHE_H
#define TICKGLASS_RENDER_TILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

typedef struct tg__tile_cache tg__tile_cache;

/*
 * All memory is allocated here: capacity tiles of tile_pixels. TG_ERR_INVALID_ARGUMENT (a 0, or
 * over 65,536 tiles), TG_ERR_NO_MEMORY. Thread: owner.
 */
TG_MUST_CHECK tg_err tg__tile_cache_open(size_t capacity, size_t tile_pixels, tg__tile_cache **out);
/* NULL is allowed. Thread: owner. */
void tg__tile_cache_close(tg__tile_cache *cache);

/*
 * The tile of a cell. found false: its pixels are undefined and the caller fills them in now.
 * Owner: the cache, until the next call. Thread: owner.
 */
uint32_t *tg__tile_cache_get(tg__tile_cache *cache, const tg_cell *cell, bool *found);

/* Which of the capacity tiles it is, 0 up; stays while the tile does. Thread: owner. */
uint32_t tg__tile_cache_index(const tg__tile_cache *cache, const uint32_t *tile);

#endif

/**
 * Memory that is read here and there: thousands of small pages cost more to find than what stands
 * in them, a few large ones do not.
 */
#ifndef TICKGLASS_LARGE_PAGES_H
#define TICKGLASS_LARGE_PAGES_H

#include <stddef.h>

/** size bytes at a cache line's beginning, in large pages if they fill some and the system has
 * them; undefined content. NULL: no memory. Give it back with free(). */
void *tg__large_alloc(size_t size);

/**
 * The same, larger, with the first `used` bytes of old, which may be NULL and is freed.
 * NULL: no memory; old is as it was.
 */
void *tg__large_grow(void *old, size_t used, size_t size);

#endif

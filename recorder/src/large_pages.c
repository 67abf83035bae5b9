#define _DEFAULT_SOURCE /* madvise */

#include "large_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_LINE ((size_t)64)
#define LARGE_PAGE ((size_t)2 << 20) /* of x86-64, and of AArch64 with small pages of 4 KiB */

void *tg__large_alloc(size_t size)
{
    const size_t alignment = size >= LARGE_PAGE ? LARGE_PAGE : CACHE_LINE;
    if (size > SIZE_MAX - alignment) {
        return NULL;
    }
    const size_t whole = size == 0 ? alignment : (size + alignment - 1) & ~(alignment - 1);
    void *made = aligned_alloc(alignment, whole);
#ifdef MADV_HUGEPAGE
    if (made != NULL && alignment == LARGE_PAGE) {
        (void)madvise(made, whole, MADV_HUGEPAGE); /* refused: then in small pages */
    }
#endif
    return made;
}

void *tg__large_grow(void *old, size_t used, size_t size)
{
    void *larger = tg__large_alloc(size);
    if (larger == NULL) {
        return NULL;
    }
    if (used != 0) {
        memcpy(larger, old, used);
    }
    free(old);
    return larger;
}

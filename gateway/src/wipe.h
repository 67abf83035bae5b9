/** Overwrites a secret; unlike memset() on something that is not read again, never optimised away.
 */
#ifndef TG_GATEWAY_WIPE_H
#define TG_GATEWAY_WIPE_H

#include <stddef.h>

static inline void tg__wipe(void *secret, size_t size)
{
    volatile unsigned char *at = secret;
    while (size > 0) {
        *at++ = 0;
        size--;
    }
}

#endif

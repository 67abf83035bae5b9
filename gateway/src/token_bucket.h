/** A rate with a burst: tokens come back evenly with time. */
#ifndef TG_GATEWAY_TOKEN_BUCKET_H
#define TG_GATEWAY_TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg__token_bucket {
    uint32_t per_second;
    uint32_t burst;
    int64_t level_nano; /* tokens x 10^9 */
    int64_t last_mono_ns;
} tg__token_bucket;

/* Full at mono_ns. per_second and burst are over 0 and at most 1,000,000. */
void tg__token_bucket_init(tg__token_bucket *bucket, uint32_t per_second, uint32_t burst,
                           int64_t mono_ns);

/* Takes one token, if there is one. */
bool tg__token_bucket_take(tg__token_bucket *bucket, int64_t mono_ns);

#endif

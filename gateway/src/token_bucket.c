#include "token_bucket.h"

#define NANO INT64_C(1000000000)

void tg__token_bucket_init(tg__token_bucket *bucket, uint32_t per_second, uint32_t burst,
                           int64_t mono_ns)
{
    bucket->per_second = per_second;
    bucket->burst = burst;
    bucket->level_nano = (int64_t)burst * NANO;
    bucket->last_mono_ns = mono_ns;
}

static void refill(tg__token_bucket *bucket, int64_t mono_ns)
{
    const int64_t elapsed_ns = mono_ns - bucket->last_mono_ns;
    const int64_t full = (int64_t)bucket->burst * NANO;
    if (elapsed_ns <= 0) {
        return;
    }
    bucket->last_mono_ns = mono_ns;
    /* Compared before it is multiplied: after a long pause the product would overflow. */
    if (elapsed_ns >= (full - bucket->level_nano) / (int64_t)bucket->per_second) {
        bucket->level_nano = full;
    } else {
        bucket->level_nano += elapsed_ns * (int64_t)bucket->per_second;
    }
}

bool tg__token_bucket_take(tg__token_bucket *bucket, int64_t mono_ns)
{
    refill(bucket, mono_ns);
    if (bucket->level_nano < NANO) {
        return false;
    }
    bucket->level_nano -= NANO;
    return true;
}

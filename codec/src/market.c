#include <tickglass/market.h>

#include <string.h>

bool tg_image_values_equal(const tg_image *a, const tg_image *b)
{
    /* A null field's value is 0 by contract, so the arrays compare as they are. */
    return a->present == b->present && memcmp(a->value, b->value, sizeof a->value) == 0;
}

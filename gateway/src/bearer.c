#include "bearer.h"

bool tg__bearer_matches(const tg__bearer *bearer, const char *token, size_t size)
{
    unsigned differs = size != bearer->size || size == 0;
    for (size_t i = 0; i < size; i++) {
        const char expected = bearer->token[i % sizeof bearer->token];
        differs |= (unsigned)((unsigned char)expected ^ (unsigned char)token[i]);
    }
    return differs == 0;
}

/** The token that clients must present, compared in constant time. Never logged. */
#ifndef TG_GATEWAY_BEARER_H
#define TG_GATEWAY_BEARER_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/internal/message.h>

typedef struct tg__bearer {
    size_t size;
    char token[TG__TOKEN_SIZE_MAX];
} tg__bearer;

/* The time it takes depends on size alone, not on how much of the token is right. */
bool tg__bearer_matches(const tg__bearer *bearer, const char *token, size_t size);

#endif

/*
 * Names to addresses without blocking the caller: getaddrinfo() in a thread of its own.
 *
 * One look-up at a time. A look-up that is given up runs on until the system's resolver returns,
 * because nothing portable can end it; its thread then frees what is left and touches nothing else.
 */
#ifndef TG_SDK_RESOLVER_H
#define TG_SDK_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__ADDRESSES_MAX     8u
#define TG__ADDRESS_TEXT_SIZE 64 /* an IPv6 address with a zone */

typedef struct tg__resolver tg__resolver;

typedef struct tg__addresses {
    uint32_t count;
    int failure; /* of getaddrinfo(); 0: none */
    char text[TG__ADDRESSES_MAX][TG__ADDRESS_TEXT_SIZE];
} tg__addresses;

/* on_ready is called from the look-up's thread and must only wake somebody up. */
TG_MUST_CHECK tg_err tg__resolver_open(void (*on_ready)(void *ctx), void *ctx, tg__resolver **out);
/* After it returns on_ready is not called. NULL is allowed. */
void tg__resolver_close(tg__resolver *resolver);

/* Look host up; what was asked before is forgotten. TG_ERR_NO_MEMORY: no thread could be made. */
TG_MUST_CHECK tg_err tg__resolver_ask(tg__resolver *resolver, const char *host);
/* Forget what was asked. */
void tg__resolver_cancel(tg__resolver *resolver);
/* True once for each tg__resolver_ask(). */
bool tg__resolver_take(tg__resolver *resolver, tg__addresses *out);

#endif

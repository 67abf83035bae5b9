/* The instruments that watchlists are drawn from: the gateway's directory, or a list in a file. */
#ifndef BENCH_GATEWAY_NAMES_H
#define BENCH_GATEWAY_NAMES_H

#include <stddef.h>

#include <tickglass/market.h>

#include "splitmix.h"
#include "why.h"

typedef struct instrument_name {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    uint64_t weight; /* how likely it is to be drawn, over 0 */
} instrument_name;

typedef struct names {
    instrument_name *at;
    size_t count;
    size_t capacity;
} names;

typedef struct gateway_address {
    const char *url;
    const char *ca_file; /* NULL: the system's trust store */
    const char *token;   /* NULL: none */
} gateway_address;

/* Pages through the directory with a client of its own. */
bool names_find(names *out, const gateway_address *gateway, why *reason);
/* A list as tg_watchlist_open() reads it; "*" is not one. */
bool names_read(names *out, const char *list, why *reason);
void names_deinit(names *n);

/* count different indexes below n->count, by weight, in *indexes. count <= n->count. */
void names_draw(const names *n, splitmix *random, uint32_t count, uint32_t *indexes);

#endif

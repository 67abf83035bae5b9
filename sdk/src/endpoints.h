/*
 * Which of several gateways the next attempt goes to: the most preferred one that has not failed
 * lately. When to attempt is not decided here: delays hold for the client, wherever it goes.
 */
#ifndef TG_SDK_ENDPOINTS_H
#define TG_SDK_ENDPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "url.h"

/* One that failed is passed over for so long; doubles with each failure in a row. */
#define TG__AVOID_FIRST_NS INT64_C(30000000000)
#define TG__AVOID_LAST_NS  INT64_C(480000000000)

typedef struct tg__endpoints {
    uint32_t count;
    uint32_t current;                     /* of the latest attempt */
    uint32_t failures[TG__ENDPOINTS_MAX]; /* in a row; saturates */
    int64_t avoid_until_ns[TG__ENDPOINTS_MAX];
} tg__endpoints;

/* count: 1 to TG__ENDPOINTS_MAX, in order of preference. */
void tg__endpoints_init(tg__endpoints *endpoints, uint32_t count);

/* The next attempt's, which becomes the current one. If all have failed lately: the one that has
 * been left alone for longest by that measure. */
uint32_t tg__endpoints_choose(tg__endpoints *endpoints, int64_t now_ns);

/* The current one brought no lasting session. */
void tg__endpoints_fail(tg__endpoints *endpoints, int64_t now_ns);
/* It did. */
void tg__endpoints_succeed(tg__endpoints *endpoints);

/* There is one that has not failed lately. */
bool tg__endpoints_has_hope(const tg__endpoints *endpoints, int64_t now_ns);

#endif

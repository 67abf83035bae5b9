/* Prices that somebody waits for, one for each instrument. */
#ifndef TG_TERMINAL_PRICE_ALERT_H
#define TG_TERMINAL_PRICE_ALERT_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/decimal.h>
#include <tickglass/err.h>

#define PRICE_ALERTS_MAX 256

typedef struct price_alert {
    size_t index; /* of the instrument's row */
    tg_decimal price;
    bool seen;    /* side is that of a price that came */
    int side;     /* of that price: under the alert's -1, at it 0, over it 1 */
    bool crossed; /* and nobody has confirmed it yet */
    bool upwards; /* it came from below */
} price_alert;

typedef struct price_alerts {
    size_t count;
    price_alert alert[PRICE_ALERTS_MAX];
} price_alerts;

/* Replaces what the instrument had. TG_ERR_FULL. Thread: owner, all of these. */
TG_MUST_CHECK tg_err price_alerts_set(price_alerts *alerts, size_t index, tg_decimal price);
bool price_alerts_remove(price_alerts *alerts, size_t index);
/* NULL: it has none. */
const price_alert *price_alerts_find(const price_alerts *alerts, size_t index);

/* Another price of the instrument has come. True: it is at the alert's or on the other side of it,
 * for the first time since the alert was set or confirmed. The first price only says which side is
 * this one. */
bool price_alerts_take(price_alerts *alerts, size_t index, tg_decimal price);

/* Somebody has seen that it crossed; it waits for the next time. False: there was nothing to see.
 */
bool price_alerts_confirm(price_alerts *alerts, size_t index);

#endif

/**
 * In what time the gateway can take back all that it serves: its connections through its admission
 * rate. Clients that lose it without a word spread their return over that (PROTOCOL.md 4.2, M42);
 * WELCOME says it as it is, and all are told again when it has changed by much. Without I/O.
 */
#ifndef TG_GATEWAY_RECONNECT_SPREAD_H
#define TG_GATEWAY_RECONNECT_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Less is not worth a message: clients spread over half a second by themselves. */
#define TG__RECONNECT_SPREAD_LEAST_MS 500u
/* Between two messages to all. */
#define TG__RECONNECT_SPREAD_GAP_NS INT64_C(5000000000)

typedef struct tg__reconnect_spread {
    uint32_t per_second;  /* upgrades that are admitted; 0: nothing is told */
    uint32_t told_ms;     /* to all, the last time */
    int64_t next_mono_ns; /* of the next time, at the earliest */
} tg__reconnect_spread;

void tg__reconnect_spread_init(tg__reconnect_spread *spread, uint32_t per_second);

/* With so many connections; 0: nothing is told. */
uint32_t tg__reconnect_spread_ms(const tg__reconnect_spread *spread, uint32_t connections);

/* All are to be told tg__reconnect_spread_ms(): it is another one by half or more. */
bool tg__reconnect_spread_is_due(tg__reconnect_spread *spread, uint32_t connections,
                                 int64_t mono_ns);

#endif

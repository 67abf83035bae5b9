#include "fault_market.h"

#include <stdio.h>

#define START_NS      INT64_C(1700000000000000000)
#define NS_PER_MS     INT64_C(1000000)
#define SLOW_SYMBOLS  2u
#define SLOW_EVERY_MS 1000u
#define BAND          1000000u /* prices of one instrument */
#define ID_STEP_MAX   5u

const char *const fault_market_venues[FAULT_MARKET_VENUES] = {"ALPHA", "BETA", "GAMMA"};

typedef struct instrument {
    unsigned rows;
    uint64_t quote_id;
    uint64_t trade_id;
} instrument;

typedef struct market {
    FILE *file;
    uint64_t random;
    instrument instruments[FAULT_MARKET_INSTRUMENTS];
} market;

void fault_market_symbol(size_t index, char out[8])
{
    static const char *const symbols[FAULT_MARKET_SYMBOLS] = {"BTC",   "ETH",  "EURUSD",
                                                              "UST10", "GOLD", "WTI"};
    (void)snprintf(out, 8, "%s", symbols[index]);
}

/* xorshift64* (Vigna 2016) */
static unsigned draw(market *m, unsigned below)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (unsigned)((m->random * UINT64_C(2685821657736338717)) >> 33) % below;
}

static void write_row(market *m, size_t index, int64_t ts_ns, const char *kind, unsigned price,
                      uint64_t id)
{
    const size_t venue = index / FAULT_MARKET_SYMBOLS;
    char symbol[8];
    char number[24] = "";
    fault_market_symbol(index % FAULT_MARKET_SYMBOLS, symbol);
    if (venue + 1 < FAULT_MARKET_VENUES) {
        (void)snprintf(number, sizeof number, "%llu", (unsigned long long)id);
    }
    (void)fprintf(m->file, "%lld,%s,%s,%s,%u.%02u,%u,%s\n", (long long)ts_ns,
                  fault_market_venues[venue], symbol, kind, price / 100, price % 100, price,
                  number);
}

/* A bid and an ask of one update, sometimes a trade between them. */
static void write_tick(market *m, size_t index, int64_t ts_ns)
{
    instrument *const own = &m->instruments[index];
    const unsigned base = (unsigned)(index + 1) * BAND;
    own->rows += 3;
    own->quote_id += 1 + draw(m, ID_STEP_MAX);
    write_row(m, index, ts_ns, "bid", base + own->rows, own->quote_id);
    write_row(m, index, ts_ns, "ask", base + own->rows + 2, own->quote_id);
    if (draw(m, 4) == 0) {
        own->trade_id += 1 + draw(m, ID_STEP_MAX);
        write_row(m, index, ts_ns, "trade", base + own->rows + 1, own->trade_id);
    }
}

static void write_millisecond(market *m, unsigned at_ms)
{
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
        const size_t symbol = i % FAULT_MARKET_SYMBOLS;
        const bool slow = symbol >= FAULT_MARKET_SYMBOLS - SLOW_SYMBOLS;
        const unsigned phase = (unsigned)i * 29u;
        /* Busy ones tick every few milliseconds, so that the skew of two handlers reorders them. */
        const bool due = at_ms == 0 || (slow ? (at_ms + phase) % SLOW_EVERY_MS == 0
                                             : draw(m, 4 + (unsigned)symbol * 6) == 0);
        if (due) {
            write_tick(m, i, START_NS + at_ms * NS_PER_MS + (int64_t)i * 1000);
        }
    }
}

bool fault_market_write(const char *path, uint64_t seed, unsigned duration_ms)
{
    market m = {.file = fopen(path, "w"), .random = seed | 1u};
    if (m.file == NULL) {
        perror(path);
        return false;
    }
    (void)fputs("ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n",
                m.file);
    for (unsigned at_ms = 0; at_ms < duration_ms; at_ms++) {
        write_millisecond(&m, at_ms);
    }
    const bool good = ferror(m.file) == 0;
    return fclose(m.file) == 0 && good;
}

/**
 * The header of a DBN file, version 1 to 3: "DBN", version, length, then dataset, flags and what
 * instrument ids mean on which days. All numbers are little-endian.
 */
#ifndef TG_GATEWAY_DBN_METADATA_H
#define TG_GATEWAY_DBN_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__DBN_PRELUDE_SIZE 8u
#define TG__DBN_METADATA_MAX (64u << 20) /* bytes; a longer header is refused */
#define TG__DBN_NAME_SIZE    72u
#define TG__DBN_PRICE_DIGITS 9
#define TG__DBN_UNDEFINED    INT64_MAX /* a price that is not there */
#define TG__DBN_DATE_END     UINT32_MAX
#define TG__DBN_CHAINS       4096u

/* The instrument is called so from start_date up to, but without, end_date (both YYYYMMDD). */
typedef struct tg__dbn_name {
    uint32_t instrument;
    uint32_t start_date;
    uint32_t end_date;
    uint32_t chained;  /* number of the next one with the same hash, from 1; 0: none */
    int64_t tick_size; /* x 10^-9; 0: no definition told it */
    char name[TG__DBN_NAME_SIZE];
} tg__dbn_name;

typedef struct tg__dbn_metadata {
    uint8_t version;
    char dataset[17];
    bool ts_out;        /* eight more bytes at the end of each record */
    size_t symbol_size; /* of a fixed-length symbol */
    tg__dbn_name *names;
    size_t name_count;
    size_t name_capacity;
    uint32_t chains[TG__DBN_CHAINS]; /* by instrument, the newest name first */
} tg__dbn_metadata;

/* The first TG__DBN_PRELUDE_SIZE bytes. *size: of the rest. TG_ERR_TAPE: *what says why. */
TG_MUST_CHECK tg_err tg__dbn_prelude_decode(const uint8_t *bytes, tg__dbn_metadata *out,
                                            uint32_t *size, const char **what);

/* The rest. TG_ERR_TAPE: *what says why; TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__dbn_metadata_decode(const uint8_t *bytes, size_t size,
                                             tg__dbn_metadata *metadata, const char **what);
void tg__dbn_metadata_deinit(tg__dbn_metadata *metadata);

/* A name that a record tells; it goes before all that are known. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__dbn_metadata_add(tg__dbn_metadata *metadata, const tg__dbn_name *name);

/* NULL: it has none on that day. */
const tg__dbn_name *tg__dbn_metadata_find(const tg__dbn_metadata *metadata, uint32_t instrument,
                                          int64_t ts_ns);

/* YYYYMMDD of a time in UTC; ts_ns is not negative. */
uint32_t tg__dbn_date_of(int64_t ts_ns);

static inline uint16_t tg__dbn_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | (unsigned)at[1] << 8);
}

static inline uint32_t tg__dbn_u32(const uint8_t *at)
{
    return tg__dbn_u16(at) | (uint32_t)tg__dbn_u16(at + 2) << 16;
}

static inline uint64_t tg__dbn_u64(const uint8_t *at)
{
    return tg__dbn_u32(at) | (uint64_t)tg__dbn_u32(at + 4) << 32;
}

#endif

#include "dbn_metadata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define FIXED_SIZE     100u /* dataset to reserved, in every version */
#define SYMBOL_SIZE_V1 22u
#define NS_PER_DAY     INT64_C(86400000000000)

/* Of the fields that name instruments. */
enum {
    STYPE_INSTRUMENT_ID = 0,
    STYPE_PARENT = 4
};

typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

static bool take(cursor *c, size_t size, const uint8_t **out)
{
    if ((size_t)(c->end - c->at) < size) {
        return false;
    }
    *out = c->at;
    c->at += size;
    return true;
}

static bool take_u32(cursor *c, uint32_t *out)
{
    const uint8_t *at = NULL;
    if (!take(c, 4, &at)) {
        return false;
    }
    *out = tg__dbn_u32(at);
    return true;
}

tg_err tg__dbn_prelude_decode(const uint8_t *bytes, tg__dbn_metadata *out, uint32_t *size,
                              const char **what)
{
    *what = "it is not a DBN file";
    TG_ENSURE(memcmp(bytes, "DBN", 3) == 0, TG_ERR_TAPE);
    *what = "its DBN version is not 1, 2 or 3";
    TG_ENSURE(bytes[3] >= 1 && bytes[3] <= 3, TG_ERR_TAPE);
    *size = tg__dbn_u32(bytes + 4);
    *what = "the length of its header is not possible";
    TG_ENSURE(*size >= FIXED_SIZE && *size <= TG__DBN_METADATA_MAX, TG_ERR_TAPE);
    *what = NULL;
    *out = (tg__dbn_metadata){.version = bytes[3]};
    return TG_OK;
}

tg_err tg__dbn_metadata_add(tg__dbn_metadata *metadata, const tg__dbn_name *name)
{
    TG_ENSURE(metadata->name_count < UINT32_MAX, TG_ERR_NO_MEMORY);
    if (metadata->name_count == metadata->name_capacity) {
        const size_t capacity = metadata->name_capacity == 0 ? 16 : metadata->name_capacity * 2;
        tg__dbn_name *grown = realloc(metadata->names, capacity * sizeof *grown);
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        metadata->names = grown;
        metadata->name_capacity = capacity;
    }
    uint32_t *chain = &metadata->chains[name->instrument % TG__DBN_CHAINS];
    metadata->names[metadata->name_count] = *name;
    metadata->names[metadata->name_count].chained = *chain;
    *chain = (uint32_t)++metadata->name_count;
    return TG_OK;
}

/* Fixed-length text; what stands behind its first NUL does not count. */
static void copy_symbol(char out[TG__DBN_NAME_SIZE], const uint8_t *symbol, size_t size)
{
    (void)snprintf(out, TG__DBN_NAME_SIZE, "%.*s", (int)size, (const char *)symbol);
}

static bool read_id(const char *text, uint32_t *out)
{
    uint64_t value = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || value > UINT32_MAX / 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *out = (uint32_t)value;
    return *text != '\0' && value <= UINT32_MAX;
}

/*
 * Ids stand on one side of a mapping and names on the other. A parent, such as ES.FUT, is many
 * instruments: the id tells them apart.
 */
static bool name_of(tg__dbn_name *name, const char *from, const char *to, uint8_t stype_in,
                    uint8_t stype_out)
{
    const bool ids_are_right = stype_out == STYPE_INSTRUMENT_ID;
    if (!read_id(ids_are_right ? to : from, &name->instrument)) {
        return false; /* symbols of both sides are names: no record has them */
    }
    const char *symbol = ids_are_right ? from : to;
    if (stype_in == STYPE_PARENT && ids_are_right) {
        (void)snprintf(name->name, sizeof name->name, "%.60s:%" PRIu32, symbol, name->instrument);
    } else {
        (void)snprintf(name->name, sizeof name->name, "%s", symbol);
    }
    return true;
}

static tg_err take_mapping(cursor *c, tg__dbn_metadata *metadata, uint8_t stype_in,
                           uint8_t stype_out)
{
    const uint8_t *raw = NULL;
    const uint8_t *mapped = NULL;
    uint32_t intervals = 0;
    TG_ENSURE(take(c, metadata->symbol_size, &raw) && take_u32(c, &intervals), TG_ERR_TAPE);
    for (uint32_t i = 0; i < intervals; i++) {
        char from[TG__DBN_NAME_SIZE];
        char to[TG__DBN_NAME_SIZE];
        tg__dbn_name name = {.instrument = 0};
        TG_ENSURE(take_u32(c, &name.start_date) && take_u32(c, &name.end_date) &&
                      take(c, metadata->symbol_size, &mapped),
                  TG_ERR_TAPE);
        copy_symbol(from, raw, metadata->symbol_size);
        copy_symbol(to, mapped, metadata->symbol_size);
        if (name_of(&name, from, to, stype_in, stype_out)) {
            TG_TRY(tg__dbn_metadata_add(metadata, &name));
        }
    }
    return TG_OK;
}

/* Three lists of symbols that say nothing about ids, then the mappings. */
static tg_err take_lists(cursor *c, tg__dbn_metadata *metadata, uint8_t stype_in, uint8_t stype_out)
{
    uint32_t count = 0;
    const uint8_t *skipped = NULL;
    for (int list = 0; list < 3; list++) {
        TG_ENSURE(take_u32(c, &count) && take(c, (size_t)count * metadata->symbol_size, &skipped),
                  TG_ERR_TAPE);
    }
    TG_ENSURE(take_u32(c, &count), TG_ERR_TAPE);
    for (uint32_t i = 0; i < count; i++) {
        TG_TRY(take_mapping(c, metadata, stype_in, stype_out));
    }
    return TG_OK;
}

tg_err tg__dbn_metadata_decode(const uint8_t *bytes, size_t size, tg__dbn_metadata *metadata,
                               const char **what)
{
    cursor c = {bytes, bytes + size};
    const uint8_t *fixed = NULL;
    const uint8_t *schema = NULL;
    uint32_t schema_size = 0;
    *what = "its header ends too early";
    TG_ENSURE(take(&c, FIXED_SIZE, &fixed), TG_ERR_TAPE);
    (void)snprintf(metadata->dataset, sizeof metadata->dataset, "%.16s", (const char *)fixed);
    /* Version 1 has a count of records in front of these three, and no size of symbols. */
    const uint8_t *types = fixed + (metadata->version == 1 ? 50 : 42);
    metadata->ts_out = types[2] != 0;
    metadata->symbol_size = metadata->version == 1 ? SYMBOL_SIZE_V1 : tg__dbn_u16(types + 3);
    *what = "the size of its symbols is not possible";
    TG_ENSURE(metadata->symbol_size >= 2 && metadata->symbol_size < TG__DBN_NAME_SIZE, TG_ERR_TAPE);
    *what = "its header ends too early";
    TG_ENSURE(take_u32(&c, &schema_size) && take(&c, schema_size, &schema), TG_ERR_TAPE);
    const tg_err err = take_lists(&c, metadata, types[0], types[1]);
    *what = err == TG_ERR_NO_MEMORY ? "there is no memory for its symbols" : *what;
    TG_TRY(err);
    *what = NULL;
    return TG_OK;
}

void tg__dbn_metadata_deinit(tg__dbn_metadata *metadata)
{
    free(metadata->names);
    *metadata = (tg__dbn_metadata){.names = NULL};
}

/* Days to a civil date: eras of 400 years, each of which begins with 1 March. */
uint32_t tg__dbn_date_of(int64_t ts_ns)
{
    const int64_t days = ts_ns / NS_PER_DAY + 719468; /* since 0000-03-01 */
    const int64_t era = days / 146097;
    const int64_t day_of_era = days % 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    const int64_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
    return (uint32_t)(year * 10000 + month * 100 + day);
}

const tg__dbn_name *tg__dbn_metadata_find(const tg__dbn_metadata *metadata, uint32_t instrument,
                                          int64_t ts_ns)
{
    const uint32_t date = tg__dbn_date_of(ts_ns);
    for (uint32_t i = metadata->chains[instrument % TG__DBN_CHAINS]; i > 0;
         i = metadata->names[i - 1].chained) {
        const tg__dbn_name *name = &metadata->names[i - 1];
        if (name->instrument == instrument && date >= name->start_date && date < name->end_date) {
            return name;
        }
    }
    return NULL;
}

#include "latest_rows.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__latest_rows_init(tg__latest_rows *latest, uint32_t instruments)
{
    const size_t count = (size_t)instruments * TG__ROW_KINDS;
    memset(latest, 0, sizeof *latest);
    latest->instruments = instruments;
    latest->rows = calloc(count + 1, sizeof *latest->rows);
    latest->known = calloc(count + 1, sizeof *latest->known);
    if (latest->rows == NULL || latest->known == NULL) {
        tg__latest_rows_deinit(latest);
        return TG_ERR_NO_MEMORY;
    }
    return TG_OK;
}

void tg__latest_rows_deinit(tg__latest_rows *latest)
{
    free(latest->rows);
    free(latest->known);
    memset(latest, 0, sizeof *latest);
}

void tg__latest_rows_add(tg__latest_rows *latest, const tg__row *row)
{
    const size_t at = (size_t)row->instrument * TG__ROW_KINDS + row->kind;
    latest->rows[at] = *row;
    latest->known[at] = true;
}

void tg__latest_rows_clear(tg__latest_rows *latest)
{
    memset(latest->known, 0, (size_t)latest->instruments * TG__ROW_KINDS * sizeof *latest->known);
}

static bool is_before(const tg__row *a, const tg__row *b)
{
    return a->ts_ns != b->ts_ns ? a->ts_ns < b->ts_ns : a->exchange_id < b->exchange_id;
}

unsigned tg__latest_rows_get(const tg__latest_rows *latest, tg_instrument_id id,
                             tg__row out[TG__ROW_KINDS])
{
    unsigned count = 0;
    for (unsigned kind = 0; kind < TG__ROW_KINDS; kind++) {
        const size_t from = (size_t)id * TG__ROW_KINDS + kind;
        if (!latest->known[from]) {
            continue;
        }
        unsigned at = count++;
        for (; at > 0 && is_before(&latest->rows[from], &out[at - 1]); at--) {
            out[at] = out[at - 1];
        }
        out[at] = latest->rows[from];
    }
    return count;
}

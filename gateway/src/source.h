/** Where rows come from: a tape or the simulated market. */
#ifndef TG_GATEWAY_SOURCE_H
#define TG_GATEWAY_SOURCE_H

#include "sim.h"
#include "tape.h"

typedef struct tg__source {
    tg__tape *tape; /* exactly one of both */
    tg__sim *sim;
} tg__source;

/* Rows in order of the source's own time. TG_ERR_NOT_FOUND at the end of a tape. */
TG_MUST_CHECK tg_err tg__source_next(tg__source *source, tg__row *row, tg__cause *cause);
int64_t tg__source_start_ns(const tg__source *source);
TG_MUST_CHECK tg_err tg__source_rewind(tg__source *source, tg__cause *cause);
void tg__source_close(tg__source *source);

#endif

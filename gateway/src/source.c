#include "source.h"

tg_err tg__source_next(tg__source *source, tg__row *row, tg__cause *cause)
{
    if (source->tape != NULL) {
        return tg__tape_next(source->tape, row, cause);
    }
    tg__sim_next(source->sim, row);
    return TG_OK;
}

int64_t tg__source_start_ns(const tg__source *source)
{
    return source->tape != NULL ? tg__tape_start_ns(source->tape) : 0;
}

tg_err tg__source_rewind(tg__source *source, tg__cause *cause)
{
    if (source->tape != NULL) {
        return tg__tape_rewind(source->tape, cause);
    }
    return tg__cause_set(cause, TG_ERR_STATE,
                         "the simulated market has no end to start from again");
}

void tg__source_close(tg__source *source)
{
    tg__tape_close(source->tape);
    tg__sim_close(source->sim);
    source->tape = NULL;
    source->sim = NULL;
}

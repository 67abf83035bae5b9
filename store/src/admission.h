/**
 * May this image, or this book, be taken over? The one rule, without state; each field group of an
 * instrument comes to it with a version of its own. Inline: every tick asks.
 */
#ifndef TICKGLASS_STORE_ADMISSION_H
#define TICKGLASS_STORE_ADMISSION_H

#include <tickglass/internal/store_writer.h>

/* What the store holds for the instrument. */
typedef struct tg__holding {
    tg_version version; /* newest ever taken over; {0, 0}: none */
    uint32_t epoch_min; /* older epochs have another scale */
    bool has_value;     /* false after a new scale has dropped it; the version stays */
    bool comparable;    /* false if another lineage gave the version */
    bool values_equal;  /* what is offered equals what is held */
} tg__holding;

static inline bool tg__version_is_nothing(tg_version version)
{
    return version.epoch == 0 && version.seq == 0;
}

static inline tg__admission tg__admission_of_equal(const tg__holding *holding, tg_version offered,
                                                   bool is_empty)
{
    if (tg__version_is_nothing(offered)) {
        /* Nothing was ever published: there is nothing to take over, or it contradicts itself. */
        return is_empty ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
    }
    if (!holding->has_value) {
        return TG__ADMITTED;
    }
    return holding->values_equal ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
}

/* is_empty: without any value. */
static inline tg__admission tg__admission_decide(const tg__holding *holding, tg_version offered,
                                                 bool is_empty)
{
#ifdef TG_TEST_NO_ADMISSION
    /* The negative control of the regression checker: a build of the tests' own, never shipped. */
    (void)holding;
    (void)offered;
    (void)is_empty;
    return TG__ADMITTED;
#else
    if (offered.epoch < holding->epoch_min && !tg__version_is_nothing(offered)) {
        return TG__REFUSED_EPOCH;
    }
    if (!holding->comparable) {
        return tg__version_is_nothing(offered) ? tg__admission_of_equal(holding, offered, is_empty)
                                               : TG__ADMITTED;
    }
    const int order = tg_version_compare(offered, holding->version);
    if (order > 0) {
        return TG__ADMITTED;
    }
    if (order == 0) {
        return tg__admission_of_equal(holding, offered, is_empty);
    }
    return offered.epoch < holding->version.epoch ? TG__REFUSED_EPOCH : TG__REFUSED_REGRESSION;
#endif
}

#endif

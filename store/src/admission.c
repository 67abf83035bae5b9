#include "admission.h"

#ifdef TG_TEST_NO_ADMISSION

/* The negative control of the regression checker: a build of the tests' own, never shipped. */
tg__admission tg__admission_decide(const tg__holding *holding, tg_version offered, bool is_empty)
{
    (void)holding;
    (void)offered;
    (void)is_empty;
    return TG__ADMITTED;
}

#else

static bool is_nothing(tg_version version)
{
    return version.epoch == 0 && version.seq == 0;
}

static tg__admission decide_equal(const tg__holding *holding, tg_version offered, bool is_empty)
{
    if (is_nothing(offered)) {
        /* Nothing was ever published: there is nothing to take over, or it contradicts itself. */
        return is_empty ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
    }
    if (!holding->has_value) {
        return TG__ADMITTED;
    }
    return holding->values_equal ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
}

tg__admission tg__admission_decide(const tg__holding *holding, tg_version offered, bool is_empty)
{
    if (offered.epoch < holding->epoch_min && !is_nothing(offered)) {
        return TG__REFUSED_EPOCH;
    }
    if (!holding->comparable) {
        return is_nothing(offered) ? decide_equal(holding, offered, is_empty) : TG__ADMITTED;
    }
    const int order = tg_version_compare(offered, holding->version);
    if (order > 0) {
        return TG__ADMITTED;
    }
    if (order == 0) {
        return decide_equal(holding, offered, is_empty);
    }
    return offered.epoch < holding->version.epoch ? TG__REFUSED_EPOCH : TG__REFUSED_REGRESSION;
}

#endif

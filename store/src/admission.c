#include "admission.h"

#ifdef TG_TEST_NO_ADMISSION

/* The negative control of the regression checker: a build of the tests' own, never shipped. */
tg__admission tg__admission_decide(const tg__holding *holding, const tg_image *image)
{
    (void)holding;
    (void)image;
    return TG__ADMITTED;
}

#else

static bool is_nothing(tg_version version)
{
    return version.epoch == 0 && version.seq == 0;
}

static tg__admission decide_equal(const tg__holding *holding, const tg_image *image)
{
    if (is_nothing(tg_image_version(image))) {
        /* Nothing was ever published: there is nothing to take over, or it contradicts itself. */
        return image->present == 0 ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
    }
    if (!holding->has_value) {
        return TG__ADMITTED;
    }
    return holding->values_equal ? TG__CONFIRMED : TG__REFUSED_INTEGRITY;
}

tg__admission tg__admission_decide(const tg__holding *holding, const tg_image *image)
{
    const tg_version version = tg_image_version(image);
    if (version.epoch < holding->epoch_min && !is_nothing(version)) {
        return TG__REFUSED_EPOCH;
    }
    if (!holding->comparable) {
        return is_nothing(version) ? decide_equal(holding, image) : TG__ADMITTED;
    }
    const int order = tg_version_compare(version, holding->version);
    if (order > 0) {
        return TG__ADMITTED;
    }
    if (order == 0) {
        return decide_equal(holding, image);
    }
    return version.epoch < holding->version.epoch ? TG__REFUSED_EPOCH : TG__REFUSED_REGRESSION;
}

#endif

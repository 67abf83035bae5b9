/**
 * May this image be taken over? The one rule, without state.
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
    bool values_equal;  /* the image's values are those that are held */
} tg__holding;

tg__admission tg__admission_decide(const tg__holding *holding, const tg_image *image);

#endif

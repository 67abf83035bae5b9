/**
 * May this image, or this book, be taken over? The one rule, without state; each field group of an
 * instrument comes to it with a version of its own.
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

/* is_empty: without any value. */
tg__admission tg__admission_decide(const tg__holding *holding, tg_version offered, bool is_empty);

#endif

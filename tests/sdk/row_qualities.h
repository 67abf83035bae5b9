/* What all rows of a rig were called before something came, and whether that has changed any. */
#ifndef ROW_QUALITIES_H
#define ROW_QUALITIES_H

#include "engine_rig.h"

typedef struct row_qualities {
    tg_quality of[SIM_INSTRUMENTS]; /* TG_QUALITY_UNKNOWN: there is no such row */
} row_qualities;

void row_qualities_read(row_qualities *out, rig *r);
/* An id other than except whose quality is another one now; negative: there is none. */
int32_t row_qualities_changed(const row_qualities *before, rig *r, uint32_t except);

#endif

/** The encoder of DELTA with the part that depends on the processor as an argument, for tests. */
#ifndef TG_DELTA_ENCODE_H
#define TG_DELTA_ENCODE_H

#include <tickglass/internal/frame.h>

#include "cursor.h"
#include "delta_plan.h"

TG_MUST_CHECK tg_err tg__delta_encode_with(tg__rows_planner *planner, const tg__channel *channel,
                                           const tg__frame *frame, const tg__update *updates,
                                           tg__sink *out);

#endif

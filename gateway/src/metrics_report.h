/** What the gateway tells about itself: every counter and the stages, for Prometheus. */
#ifndef TG_GATEWAY_METRICS_REPORT_H
#define TG_GATEWAY_METRICS_REPORT_H

#include <tickglass/internal/text_buffer.h>

#include "hub.h"
#include "playback.h"
#include "tls_context.h"
#include "upgrade_counts.h"

/* Where the figures are; all of it outlives the view. */
typedef struct tg__metrics_view {
    const tg__hub *hub;
    const tg__sequencer *sequencer;
    const tg__playback *playback;
    const tg__metrics *metrics;
    const tg__upgrade_counts *upgrades;
    const tg__tls_counts *tls;
} tg__metrics_view;

/* Appends the whole text. */
void tg__metrics_report(const tg__metrics_view *view, tg__text_buffer *out);

#endif

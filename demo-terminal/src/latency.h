/*
 * The terminal's own latencies: keeps what the stages take, what stalled the process, and which of
 * it is looked at.
 */
#ifndef TG_TERMINAL_LATENCY_H
#define TG_TERMINAL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/client.h>

#include "clock_error.h"
#include "glass_times.h"
#include "latency_span.h"
#include "process_stalls.h"
#include "session_record.h"
#include "stage_windows.h"

typedef struct latency latency;

/* TG_ERR_NO_MEMORY. Nothing is allocated afterwards. Thread: owner, all of these. */
TG_MUST_CHECK tg_err latency_open(int64_t now_mono_ns, latency **out);
/* NULL is allowed. */
void latency_close(latency *latency);

/* A row that was drawn from a new version, and the pass that did it. */
void latency_row(latency *latency, const fresh_row *row, const pass_stamps *stamps);

/* After each turn of the loop: looks at the process now and then, and ends the window when its time
 * has come. True: it has, and there is something new to show. record may be NULL. */
bool latency_poll(latency *latency, const tg_client *client, session_record *record,
                  const tg_clock *clock);

/* Ends the running window before its time: the run is over. */
void latency_end_window(latency *latency, const tg_client *client, session_record *record,
                        const tg_clock *clock);

stage_windows *latency_windows(latency *latency);
process_stalls *latency_stalls(latency *latency);
latency_span *latency_chosen(latency *latency);
/* As of the end of the window before. */
clock_error latency_clock_error(const latency *latency);

#endif

/* The stages of a tick on its way through the terminal, and what their histograms are called. */
#ifndef TG_TERMINAL_LATENCY_STAGE_H
#define TG_TERMINAL_LATENCY_STAGE_H

typedef enum latency_stage {
    LATENCY_DECODE,             /* received to decoded, per message; the client's */
    LATENCY_COMMIT,             /* decoded to published, per message; the client's */
    LATENCY_WAIT,               /* published to the pass that shows it, per row */
    LATENCY_DRAW,               /* that pass's begin to painted, per row */
    LATENCY_PRESENT,            /* painted to handed to the window system, per row */
    LATENCY_RECEIVED_TO_HANDED, /* all of these, per row */
    LATENCY_EXCHANGE_TO_HANDED, /* one way: only as good as two clocks agree, per row */
    LATENCY_STAGE_COUNT
} latency_stage;

/* "decode", … Thread: any, both. */
const char *latency_stage_label(latency_stage stage);
/* "terminal_decode", …: in record files and logs of histograms. */
const char *latency_stage_tag(latency_stage stage);

#endif

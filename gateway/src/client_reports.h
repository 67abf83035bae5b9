/**
 * What clients report of their own stages (PROTOCOL.md 4.7), into the stages client_decode and
 * client_commit. A report is a stranger's claim: nothing is allocated for it, its work is bounded
 * by sizes of ours, it adds no more than a client can have had in its interval, and its only effect
 * is on these two stages.
 */
#ifndef TG_GATEWAY_CLIENT_REPORTS_H
#define TG_GATEWAY_CLIENT_REPORTS_H

#include <tickglass/internal/control.h>

#include "metrics.h"
#include "token_bucket.h"

#define TG__REPORT_GAP_NS     INT64_C(5000000000) /* between two of a connection and stage */
#define TG__REPORT_UNPACKED   65536u              /* bytes of a histogram */
#define TG__REPORT_VALUES_MAX UINT64_C(1000000)
/* Of all connections. Unpacking the worst text takes about a millisecond: a few of them must fit
 * between two boundaries. */
#define TG__REPORTS_PER_SECOND 100u
#define TG__REPORTS_BURST      4u

typedef enum tg__report_verdict {
    TG__REPORT_TAKEN,
    TG__REPORT_NOT_VALID,    /* as a message */
    TG__REPORT_NO_STAGE,     /* that this gateway knows */
    TG__REPORT_TOO_OFTEN,    /* for the connection */
    TG__REPORT_BUSY,         /* too many of all connections, or too many values in the interval */
    TG__REPORT_NO_HISTOGRAM, /* no text of one, or one that is too large */
    TG__REPORT_OTHER_SHAPE,
    TG__REPORT_NOT_PLAUSIBLE, /* more values, or longer ones, than fit into its interval */
    TG__REPORT_NOT_MEASURED,  /* this gateway has no metrics */
    TG__REPORT_VERDICT_COUNT
} tg__report_verdict;

/* For people and as a label. */
const char *tg__report_verdict_text(tg__report_verdict verdict);

/* A connection's part; all 0 at its beginning. */
typedef struct tg__report_pace {
    int64_t next_mono_ns[TG__REPORT_STAGE_COUNT]; /* none is unpacked before */
} tg__report_pace;

typedef struct tg__client_reports tg__client_reports;

/* TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__client_reports_open(int64_t mono_ns, tg__client_reports **out);
/* NULL is allowed. */
void tg__client_reports_close(tg__client_reports *reports);

/* A REPORT, into metrics (NULL: there are none). */
tg__report_verdict tg__client_reports_take(tg__client_reports *reports, tg__metrics *metrics,
                                           tg__report_pace *pace, const uint8_t *message,
                                           size_t size, int64_t mono_ns);

#endif

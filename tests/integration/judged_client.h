/*
 * A client of the public library, every view of which is judged against the tape: in the callback
 * that tells of it, by the thread that published it. A test's own thread looks when it gets to run,
 * and on a busy machine what was shown between two looks would escape it.
 */
#ifndef JUDGED_CLIENT_H
#define JUDGED_CLIENT_H

#include <pthread.h>

#include <tickglass/client.h>

#include "fault_judge.h"
#include "fault_market.h"
#include "publications.h"

typedef enum judged_sign {
    SIGN_GAP = 1u << 0,          /* the client saw a loss and asked for a repair */
    SIGN_RECONNECT = 1u << 1,    /* it lost the session and came back */
    SIGN_NOT_ALIVE = 1u << 2,    /* a row was shown as something else than live or quiet */
    SIGN_REJECTED = 1u << 3,     /* a frame was malformed */
    SIGN_NEW_EPOCH = 1u << 4,    /* a version of a higher epoch was shown */
    SIGN_NOT_ENTITLED = 1u << 5, /* rows were shown as not entitled */
    SIGN_CLOCK_SET = 1u << 6     /* the gateway's stamps jumped */
} judged_sign;

/* What was found up to a look. */
typedef struct judged_findings {
    unsigned signs;
    bool alive;   /* every row is live or quiet now; one of a venue that is to go may be refused */
    bool ended;   /* and shows the tape's last state, or is refused if its venue is to go */
    bool moved;   /* every instrument has shown more than its first row */
    bool stamped; /* alive_again_ns is known: it was alive at the last look and ever since */
    uint64_t judged;              /* values that were shown, each time */
    uint64_t regressions;         /* of which the tape has earlier than the one before */
    uint64_t foreign;             /* and not at all */
    int64_t alive_again_ns;       /* by the gateway's stamps, from the first frame */
    uint64_t version_regressions; /* a lower version of the same lineage was shown */
    uint64_t live_too_early;      /* a value of another lineage was still shown as live */
    uint64_t restarts;            /* instruments marked as of a history that began again */
    int64_t silence_ns;           /* beyond what lies between two heartbeats, added up */
} judged_findings;

/* One instrument. */
typedef struct judged_row {
    judge_instrument *judged;
    bool lost; /* belongs to the venue whose entitlement goes */
    bool shown;
    uint32_t epoch;
    uint64_t seq;
    unsigned lineage; /* of the client's, in which it has shown a value */
} judged_row;

typedef struct judged_client {
    tg_client *client;
    tg_reader *reader; /* of the test's thread */
    publications *published;
    pthread_mutex_t mutex; /* guards what follows; callbacks take it */
    tg_reader *watcher;    /* of the network thread; NULL: it watches no more */
    fault_judge judge;
    judged_row rows[FAULT_MARKET_INSTRUMENTS];
    judged_findings findings;
    bool view_alive;           /* the latest view, when it was published */
    bool was_alive;            /* every row, once */
    int64_t first_stamp_ns;    /* of the first frame with rows; 0: none yet */
    int64_t newest_stamp_ns;   /* of a row, in the latest view */
    unsigned lineage;          /* counts those that were joined */
    unsigned long long joined; /* the latest */
    int64_t joined_mono_ns;    /* since then */
    int64_t view_mono_ns;      /* when the latest view was told of */
} judged_client;

/*
 * A client that is not yet started and wants all of the tape. Of options the callbacks are set
 * here. lost_venue: the one whose entitlement will go, or NULL. Fails the test.
 */
void judged_client_open(judged_client *c, const char *tape, const char *lost_venue,
                        tg_client_options *options, publications *published);
void judged_client_start(judged_client *c);
void judged_client_close(judged_client *c);

/* Also how rows have aged since the latest view. */
void judged_client_look(judged_client *c, judged_findings *out);

/* Nothing older, foreign or of a lower version was shown, nor as live what was not proved. */
bool judged_findings_are_clean(const judged_findings *findings);

/* Prints what the judge complains of, and with rows also where each instrument stands. */
void judged_client_report(judged_client *c, const char *name, bool rows);

#endif

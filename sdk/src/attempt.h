/* What an attempt that never became a session died of, from what the layers below said. */
#ifndef TG_SDK_ATTEMPT_H
#define TG_SDK_ATTEMPT_H

#include <stdbool.h>

#include "policy.h"

typedef struct tg__attempt {
    const char *host;
    const char *peer;         /* that was dialled */
    bool requested;           /* TCP and TLS were there, the upgrade was sent */
    unsigned int http_status; /* 0: no answer came */
    const char *detail;       /* the transport's text */
    const char *retry_after;  /* headers; "" if absent */
    const char *date;
    int64_t now_utc_ns;
} tg__attempt;

void tg__attempt_explain(const tg__attempt *attempt, tg__closed *closed);

#endif

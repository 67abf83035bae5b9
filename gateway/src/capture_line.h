/**
 * One line of a raw capture, in either of two forms:
 *
 *   1723161253937085768 {"stream":...}         receive time in ns, frame
 *   1618678133.2949052: {"event":...}          receive time in s, frame
 *   wss://host/path <-> 1618678132.3858151     a socket was opened
 *   wss://host/path <- 1618678132.82: {...}    sent by the client
 *   https://host/path -> 1618678132.82: {...}  answer to a REST request
 */
#ifndef TG_GATEWAY_CAPTURE_LINE_H
#define TG_GATEWAY_CAPTURE_LINE_H

#include "json.h"

typedef enum tg__capture_line_kind {
    TG__CAPTURE_EMPTY,
    TG__CAPTURE_FRAME,
    TG__CAPTURE_OPENED,
    TG__CAPTURE_SENT,
    TG__CAPTURE_REST
} tg__capture_line_kind;

typedef struct tg__capture_line {
    tg__capture_line_kind kind;
    int64_t ts_ns;
    tg__span url;   /* OPENED, SENT, REST */
    tg__span frame; /* FRAME, SENT, REST */
} tg__capture_line;

/* The spans point into text. TG_ERR_SYNTAX: *what says what is wrong. */
TG_MUST_CHECK tg_err tg__capture_line_parse(const char *text, size_t length, tg__capture_line *out,
                                            const char **what);

#endif

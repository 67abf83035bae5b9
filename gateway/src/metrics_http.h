/**
 * GET /metrics over plain HTTP/1.x, for a scraper: a listener of its own beside the WebSocket
 * server, which neither needs its address nor its TLS.
 *
 * Nothing blocks: the owner calls tg__metrics_http_step() once a boundary. At most
 * TG__METRICS_HTTP_CLIENTS are served at a time, the others wait in the system's short queue; a
 * request has at most TG__METRICS_HTTP_REQUEST_MAX bytes; who has not sent it and read the answer
 * within TG__METRICS_HTTP_LIMIT_NS is closed. One answer is made a step, and its memory is kept.
 */
#ifndef TG_GATEWAY_METRICS_HTTP_H
#define TG_GATEWAY_METRICS_HTTP_H

#include <tickglass/clock.h>

#include <tickglass/internal/text_buffer.h>

#include "cause.h"

#define TG__METRICS_HTTP_CLIENTS     4u
#define TG__METRICS_HTTP_REQUEST_MAX 2048u
#define TG__METRICS_HTTP_LIMIT_NS    INT64_C(5000000000)

typedef struct tg__metrics_http_options {
    const char *host; /* an IP address, or localhost */
    uint16_t port;    /* 0: any */
    tg_clock clock;
    void (*report)(void *ctx, tg__text_buffer *out); /* appends the text */
    void *ctx;
} tg__metrics_http_options;

typedef struct tg__metrics_http tg__metrics_http;

/* TG_ERR_LISTEN (cause says why), TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__metrics_http_open(const tg__metrics_http_options *options,
                                           tg__metrics_http **out, tg__cause *cause);
uint16_t tg__metrics_http_port(const tg__metrics_http *http);
/* NULL is allowed, here and below. */
void tg__metrics_http_step(tg__metrics_http *http);
void tg__metrics_http_close(tg__metrics_http *http);

#endif

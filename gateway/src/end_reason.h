/** Why a connection ended. Whatever the cause, there is one way out: tg__hub_teardown(). */
#ifndef TG_GATEWAY_END_REASON_H
#define TG_GATEWAY_END_REASON_H

#include <stdint.h>

typedef enum tg__end_reason {
    TG__END_CLIENT_CLOSE, /* orderly: it sent its close frame */
    TG__END_LOST,         /* the client's side ended (FIN) without a close frame */
    TG__END_RESET,        /* RST, or what we wrote found the connection gone */
    TG__END_TIMEOUT,      /* no sign of life, pongs included */
    TG__END_SLOW,         /* it did not read what must not be dropped */
    TG__END_DRAIN,
    TG__END_PROTOCOL,
    TG__END_CREDENTIALS,
    TG__END_RESOURCES, /* no memory, or no room */
    TG__END_SERVER_STOP,
    TG__END_FAULT, /* a fault on request broke it */
    TG__END_REASONS
} tg__end_reason;

/* A word for logs and metrics. */
const char *tg__end_reason_text(tg__end_reason reason);

/* Who was told to go ends for that reason, however he then went; code 0: nobody was, it is seen. */
tg__end_reason tg__end_reason_of(uint16_t close_code, tg__end_reason seen);

#endif

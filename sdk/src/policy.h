/* Why a connection ended, and what to do about it: one table for close codes, HTTP statuses and
 * failures below them. PROTOCOL.md 4.6. */
#ifndef TG_SDK_POLICY_H
#define TG_SDK_POLICY_H

#include <stdint.h>

#include <tickglass/err.h>

typedef enum tg__cause {
    TG__CAUSE_CLOSE_CODE,  /* the peer sent a close frame: code */
    TG__CAUSE_HTTP_STATUS, /* the upgrade was refused: code */
    TG__CAUSE_RESOLVE,     /* the name has no address */
    TG__CAUSE_CONNECT,     /* refused, unreachable, or no answer */
    TG__CAUSE_TLS,         /* no session, but not for the certificate */
    TG__CAUSE_CERTIFICATE, /* the peer's certificate was refused */
    TG__CAUSE_UPGRADE,     /* something answered, but not a gateway */
    TG__CAUSE_LOST,        /* ended without a close frame */
    TG__CAUSE_TIMEOUT,     /* a deadline of ours passed */
    TG__CAUSE_PEER_FAULT,  /* it broke the protocol */
    TG__CAUSE_STOPPED,     /* our side wanted to end */
    TG__CAUSE_TOKEN,       /* there was none to connect with */
    TG__CAUSE_PROXY,       /* it leads nowhere: code is its HTTP status, or 0 */
    TG__CAUSE_COUNT
} tg__cause;

#define TG__CAUSE_TEXT_SIZE 128

typedef struct tg__closed {
    tg__cause cause;
    uint16_t code;                  /* close code or HTTP status (the proxy's, too), else 0 */
    uint32_t floor_ms;              /* reconnect_after_ms or Retry-After; 0: none given */
    char text[TG__CAUSE_TEXT_SIZE]; /* detail of the layer that saw it; may be empty */
} tg__closed;

typedef enum tg__policy {
    TG__POLICY_RETRY,      /* after full jitter */
    TG__POLICY_RETRY_SLOW, /* somebody has to repair something first: start at the cap */
    TG__POLICY_RENEW,      /* another token, then retry; stop if there is none */
    TG__POLICY_STOP
} tg__policy;

typedef struct tg__policy_row {
    tg__policy policy;
    tg_err err;
    const char *text;  /* a clause: "the gateway restarts" */
    uint32_t floor_ms; /* where the peer gave no delay of its own */
} tg__policy_row;

tg__policy_row tg__policy_of(const tg__closed *closed);

#endif

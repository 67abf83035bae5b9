#include "attempt.h"

#include <stdio.h>
#include <string.h>

#include "retry_after.h"
#include "tls_alert.h"
#include "tls_trust.h"

#define SWITCHING_PROTOCOLS 101u
#define STATUS_MIN          100u
#define STATUS_MAX          599u

static void explain_answer(const tg__attempt *attempt, tg__closed *closed)
{
    if (attempt->http_status == 0) {
        closed->cause = TG__CAUSE_LOST;
        (void)snprintf(closed->text, sizeof closed->text, "before the upgrade was answered: %.90s",
                       attempt->detail);
        return;
    }
    if (attempt->http_status == SWITCHING_PROTOCOLS) {
        closed->cause = TG__CAUSE_UPGRADE;
        (void)snprintf(closed->text, sizeof closed->text, "%s", attempt->detail);
        return;
    }
    if (attempt->http_status < STATUS_MIN || attempt->http_status > STATUS_MAX) {
        /* libwebsockets takes any number: 65,937 would be 401 in 16 bits, and cost the token. */
        closed->cause = TG__CAUSE_UPGRADE;
        (void)snprintf(closed->text, sizeof closed->text, "%u is no HTTP status",
                       attempt->http_status);
        return;
    }
    closed->cause = TG__CAUSE_HTTP_STATUS;
    closed->code = (uint16_t)attempt->http_status;
    uint32_t wait_ms = 0;
    if (attempt->retry_after[0] != '\0' &&
        tg__retry_after_parse(attempt->retry_after, attempt->date, attempt->now_utc_ns, &wait_ms) ==
            TG_OK) {
        closed->floor_ms = wait_ms;
    }
}

/* Our own build of libwebsockets says "tls handshake: mbedtls -0x2700 verify 0x00000008 alert 0".
 */
static bool explain_handshake(const tg__attempt *attempt, tg__closed *closed)
{
    unsigned int code = 0;
    unsigned int flags = 0;
    unsigned int alert = 0;
    const char *at = strstr(attempt->detail, "tls handshake: mbedtls -0x");
    if (at == NULL || sscanf(at, "tls handshake: mbedtls -0x%x verify 0x%x alert %u", &code, &flags,
                             &alert) < 2) {
        return false;
    }
    /* All bits set: the handshake ended before a certificate was looked at. */
    if (flags != 0 && flags != UINT32_MAX) {
        closed->cause = TG__CAUSE_CERTIFICATE;
        tg__trust_explain(flags, attempt->host, closed->text, sizeof closed->text);
    } else if (alert != 0) {
        closed->cause = TG__CAUSE_TLS;
        tg__tls_alert_explain(alert, closed->text, sizeof closed->text);
    } else {
        /* A balancer without a gateway behind it accepts and hangs up: nothing has to be repaired
         * on this side, and nobody has to wait for that. */
        closed->cause = tg__tls_is_lost(-(int)code) ? TG__CAUSE_LOST : TG__CAUSE_TLS;
        tg__tls_error_text(-(int)code, closed->text, sizeof closed->text);
    }
    return true;
}

/* The socket was connected before: this is a failure of our own, or the peer's haste. */
static void explain_connect(const tg__attempt *attempt, tg__closed *closed)
{
    closed->cause = TG__CAUSE_CONNECT;
    (void)snprintf(closed->text, sizeof closed->text, "%.60s: %.60s", attempt->peer,
                   attempt->detail[0] != '\0' ? attempt->detail : "no connection");
}

void tg__attempt_explain(const tg__attempt *attempt, tg__closed *closed)
{
    memset(closed, 0, sizeof *closed);
    /* With TLS 1.3 it also ends after the request: a server judges our certificate that late. */
    if (attempt->http_status == 0 && explain_handshake(attempt, closed)) {
        return;
    }
    if (attempt->requested) {
        explain_answer(attempt, closed);
        return;
    }
    /* A system's own libwebsockets has its own words for the same things. */
    if (strstr(attempt->detail, "server's cert didn't look good") != NULL) {
        closed->cause = TG__CAUSE_CERTIFICATE;
        (void)snprintf(closed->text, sizeof closed->text, "%s", attempt->detail);
        return;
    }
    if (strstr(attempt->detail, "mbedtls") != NULL || strstr(attempt->detail, "tls") != NULL ||
        strstr(attempt->detail, "SSL") != NULL) {
        closed->cause = TG__CAUSE_TLS;
        (void)snprintf(closed->text, sizeof closed->text, "%s", attempt->detail);
        return;
    }
    explain_connect(attempt, closed);
}

#include "tls_alert.h"

#include <stdio.h>

typedef struct alert_row {
    unsigned int alert;
    const char *text;
} alert_row;

/* clang-format off */
static const alert_row alert_rows[] = { /* RFC 8446 6.2 */
    { 40, "the gateway found no common ground, or wants a client certificate"},
    { 42, "the gateway takes the client certificate for broken"},
    { 43, "the gateway does not take this kind of client certificate"},
    { 44, "the gateway says that the client certificate was revoked"},
    { 45, "the gateway says that the client certificate has expired"},
    { 46, "the gateway does not accept the client certificate"},
    { 48, "the gateway does not trust the authority of the client certificate"},
    { 49, "the gateway denies access with this client certificate"},
    { 70, "the gateway speaks no version of TLS that this client accepts"},
    { 71, "the gateway wants stronger cryptography"},
    {112, "the gateway does not know this host name"},
    {116, "the gateway wants a client certificate"},
};
/* clang-format on */

void tg__tls_alert_explain(unsigned int alert, char *text, size_t size)
{
    const char *clause = "the gateway refused the handshake";
    for (size_t i = 0; i < sizeof alert_rows / sizeof alert_rows[0]; i++) {
        if (alert_rows[i].alert == alert) {
            clause = alert_rows[i].text;
        }
    }
    (void)snprintf(text, size, "%s (TLS alert %u)", clause, alert);
}

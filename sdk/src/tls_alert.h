/* What a peer says with a TLS alert. */
#ifndef TG_SDK_TLS_ALERT_H
#define TG_SDK_TLS_ALERT_H

#include <stddef.h>

/* A clause: "the gateway wants a client certificate (TLS alert 116)". */
void tg__tls_alert_explain(unsigned int alert, char *text, size_t size);

#endif

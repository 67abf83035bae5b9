/**
 * What libwebsockets leaves out of a TLS server on mbedTLS: session tickets, and another
 * certificate while handshakes are under way.
 *
 * libwebsockets makes one mbedtls_ssl_config for each connection and shows it to nobody. The linker
 * lets its calls of mbedtls_ssl_setup() come through here (--wrap, gateway/CMakeLists.txt), where
 * the public functions of mbedTLS add what is missing. lws_tls_cert_updated() is not used: it frees
 * the certificate that handshakes half done still point to.
 *
 * Tickets: two gateways with the same secret take each other's. The keys are derived from the
 * secret and the number of a period of six hours, so that they change together without a word; the
 * one of the period before is still taken. A ticket never resumes without a fresh key exchange
 * (TLS 1.3; in TLS 1.2 whoever gets the secret can read resumed sessions: change it by replacing
 * the file and SIGHUP). One context serves one thread.
 */
#ifndef TG_GATEWAY_TLS_CONTEXT_H
#define TG_GATEWAY_TLS_CONTEXT_H

#include <stdint.h>

#include "certificate.h"

#define TG__TICKET_PERIOD_S 21600

typedef struct tg__tls_counts {
    uint64_t certificates; /* loaded since the start */
    uint64_t tickets_given;
    uint64_t tickets_taken;
    uint64_t tickets_refused; /* unknown key, damaged or too old: a full handshake follows */
} tg__tls_counts;

typedef struct tg__tls_context tg__tls_context;

/*
 * certificate outlives the context. ticket_key_path NULL: DIR/ticket.key, made at the first start;
 * a file named must be there. Its 64 hexadecimal digits are nobody else's to read (0600).
 * TG_ERR_CERTIFICATE, TG_ERR_FORMAT, TG_ERR_IO, TG_ERR_NOT_FOUND, TG_ERR_TLS, TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__tls_context_open(const tg__certificate *certificate,
                                          const tg__state_dir *dir, const char *ticket_key_path,
                                          tg__tls_context **out, tg__cause *cause);
/* After the last connection has ended. NULL is allowed. */
void tg__tls_context_close(tg__tls_context *tls);

/* Reads both files again. From now on new handshakes get that certificate; who is connected keeps
 * his session. On an error everything stays as it was. */
TG_MUST_CHECK tg_err tg__tls_context_reload(tg__tls_context *tls, int64_t mono_ns,
                                            tg__cause *cause);

/* Connections that are set up between the two, by this thread, are this context's. */
void tg__tls_context_enter(tg__tls_context *tls, int64_t utc_ns);
void tg__tls_context_leave(void);

const tg__tls_counts *tg__tls_context_counts(const tg__tls_context *tls);

#endif

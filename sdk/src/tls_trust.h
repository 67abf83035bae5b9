/* Whom we trust, and what a refusal means. */
#ifndef TG_SDK_TLS_TRUST_H
#define TG_SDK_TLS_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

/*
 * The certificates of ca_file, or of the system's trust store if it is NULL, as PEM text with a
 * terminator; *out is the caller's, free() it. What does not parse is left out: one odd
 * certificate among a hundred must not keep the others from being used.
 * TG_ERR_CERTIFICATE: no file, or none in it; why then says so. TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__trust_load(const char *ca_file, char **out, size_t *out_size, char *why,
                                    size_t why_size);

/* Which checks failed, by mbedTLS' verify flags: "it expired; it is not for this host". */
void tg__trust_explain(uint32_t verify_flags, const char *host, char *text, size_t size);

/* What mbedTLS calls an error of its own: "SSL - No CA Chain is set ...". What stands before it in
 * plain words is said of a peer. */
void tg__tls_error_text(int code, char *text, size_t size);

/* A handshake that failed so was cut short by the connection's end: nobody refused anything. */
bool tg__tls_is_lost(int code);

/* Overwrites a secret so that no compiler leaves it out. */
void tg__wipe(void *secret, size_t size);

/* "3.6.7" */
const char *tg__tls_version(void);

#endif

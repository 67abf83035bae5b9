/*
 * A TLS server for tests that shares nothing with libtickglass: haproxy ends TLS with certificates
 * that openssl made (make_certificates.sh), one port for each way to do it, and passes the bytes
 * inside on.
 */
#ifndef TLS_FRONT_H
#define TLS_FRONT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tls_folder.h"

#define TLS_FRONT_PORTS 16u

typedef struct tls_front {
    pid_t pid;
    tls_folder folder;         /* haproxy runs in it */
    int port[TLS_FRONT_PORTS]; /* 0: of ::1, which this machine has not */
} tls_front;

/* False, and a line that says so: this machine lacks haproxy or openssl. */
bool tls_front_is_possible(void);

void tls_front_init(tls_front *front);
/*
 * Listens on a port of loopback for each of binds, which says what haproxy writes after "ssl":
 * "crt chain.pem"; on ::1 if it begins with "[::1] ". Connections go to port backend of 127.0.0.1,
 * over TLS if backend_tls. What connects before haproxy is ready waits for it.
 */
void tls_front_start(tls_front *front, const char *const *binds, unsigned count, int backend,
                     bool backend_tls);

/* True if haproxy has written that text. For each connection it writes "port 1234 speaks TLSv1.3
 * resumed 0", before it passes a byte on. */
bool tls_front_said(tls_front *front, const char *text);

/* Ends haproxy and with it every connection; it can be started again. Idempotent. */
void tls_front_end(tls_front *front);
/* The same, and removes the folder. Idempotent. */
void tls_front_stop(tls_front *front);

#endif

/*
 * A real server with hub and door, and TLS clients, in one thread: whenever a client must wait, the
 * server does one step. What the verifier's thread finds can be held back.
 */
#ifndef TG_TESTS_LOCKSTEP_H
#define TG_TESTS_LOCKSTEP_H

#include <pthread.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include "jwt_maker.h"
#include "scratch_folder.h"
#include "websocket_server.h"

#define LOCKSTEP_HANDSHAKES 3u

typedef struct lockstep {
    scratch_folder folder;
    tg__state_dir dir;
    tg__certificate certificate;
    tg__tls_context *tls;
    tg__bearer bearer;
    tg__directory directory; /* ORION: A, B; LYRA: C; VEGA: D */
    tg__sequencer sequencer;
    tg__jwt_keys *keys;
    tg__door *door;
    tg__websocket_server *server;
    tg__hub *hub;
    int64_t ahead_ns; /* of the system's clock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool held;
    unsigned verdicts;
} lockstep;

/* ticket_key_file NULL: its own. keys: what --jwt-keys would name. */
void lockstep_open(lockstep *l, const char *keys, const char *ticket_key_file);
void lockstep_close(lockstep *l);
void lockstep_step(lockstep *l);
void lockstep_settle(lockstep *l); /* as many steps as anything on loopback can need */
int64_t lockstep_utc_s(const lockstep *l);

/* The thread stops after the job that it is given now, until it is let go on. */
void lockstep_hold(lockstep *l, jwt_maker *maker);
void lockstep_let_go(lockstep *l);

typedef struct step_client {
    lockstep *server;
    int fd;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_x509_crt ca;
    mbedtls_ssl_config config;
    mbedtls_ssl_context ssl;
    unsigned certificates_seen; /* none in a resumed session of TLS 1.2 and 1.3 */
    mbedtls_ssl_session session;
    bool has_session; /* a ticket came */
    size_t filled;
    uint8_t received[65536];
    uint8_t message[65536];
} step_client;

/* TCP only; the server need not have accepted. */
void step_client_open(step_client *c, lockstep *l, const char *ca_path, bool tls12);
void step_client_close(step_client *c); /* with RST */
/* Present the session of another. */
void step_client_resume(step_client *c, const step_client *earlier);
/* One try, without a step of the server: MBEDTLS_ERR_SSL_WANT_READ as long as it must answer. */
int step_client_try_handshake(step_client *c);
/* To its end; false: refused. */
bool step_client_handshake(step_client *c);
/* Nothing is answered in as many steps as could matter. */
bool step_client_is_kept_waiting(step_client *c);
/* The HTTP status; answer gets the header. */
int step_client_upgrade(step_client *c, const char *token, char *answer, size_t size);
/* All of it. */
int step_client_join(step_client *c, lockstep *l, const char *token);
void step_client_send(step_client *c, const uint8_t *message, size_t size);
void step_client_subscribe(step_client *c, const char *const names[][2], size_t count);
/* The next message's first byte and size in *size; 1000 and more: the code of a close. */
unsigned step_client_next(step_client *c, size_t *size);
/* What comes is read away until nothing has come in as many steps as could matter; how many it
 * were. Fails the test if the connection is closed. */
unsigned step_client_drain(step_client *c);
/* Reads on to the close: its code. */
unsigned step_client_end(step_client *c);
/* Skips to that kind; fails the test if the connection is closed or nothing more comes. */
size_t step_client_await(step_client *c, unsigned kind);

#endif

/* What the client's own files share; nobody else includes it. */
#ifndef TG_SDK_CLIENT_STATE_H
#define TG_SDK_CLIENT_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <tickglass/client.h>
#include <tickglass/histogram.h>

#include "command_queue.h"
#include "credential.h"
#include "engine.h"
#include "event_queue.h"
#include "io.h"
#include "slots.h"
#include "tls_options.h"

typedef enum tg__drive {
    TG__DRIVE_NONE,   /* neither started nor stepped */
    TG__DRIVE_THREAD, /* tg_client_start() */
    TG__DRIVE_STEP    /* tg_client_step() */
} tg__drive;

struct tg_client {
    /* Set by open, then read only. */
    tg_client_options options; /* its strings are not the client's: NULL */
    tg_clock clock;
    pid_t pid;
    tg_store *store;
    tg__engine *engine;
    tg__io *io;
    tg__proxy proxy;      /* its user's password stays here: each connection needs it */
    tg__tls_material tls; /* without its key, which was handed over */
    tg_histogram *stage[TG_STAGE_COUNT];

    /* Between threads; each has its own rules. */
    tg__command_queue commands;
    tg__slots slots;
    tg__event_queue events;
    tg__credential credential;
    pthread_mutex_t error_lock; /* guards last_error; never held over a callback */
    char last_error[256];
    _Atomic int state;            /* tg_session_state; one writer, the network thread */
    _Atomic bool stop_requested;  /* set by any thread, taken by the network thread */
    _Atomic bool close_requested; /* set by the owner, read by the network thread */
    _Atomic uint32_t next_find;

    /* Owner's. */
    _Atomic int drive; /* tg__drive */
    pthread_t thread;

    /* Network thread's. */
    tg_reader *reader; /* reads the number of the view that was just published */
    uint64_t view_number;
    uint32_t overflowed; /* generation whose peer does not take what is sent; 0: none */
    bool leave_over;     /* the moment that tg__client_leave() gives has passed */
    bool leaving;
    uint64_t activity; /* calls of the connection into the client */
    tg__clock_watch clock_watch;
    _Atomic uint64_t slot_audits_failed; /* one writer, the network thread; as the next two */
    _Atomic int64_t dialled_ns;          /* of the latest attempt; -1: not yet */
    _Atomic int64_t requested_ns;
};

/* --- client.c --- */

/* In a child the thread does not exist, and the sockets are the parent's. */
bool tg__client_is_forked(const tg_client *client);

/* --- client_network.c: the network thread's side --- */

/* The calls that the connection makes into the client. */
tg__io_handler tg__client_handler(tg_client *client);
/* What was asked for by other threads, up to a bound; what is left then is taken in the next call,
 * for which the connection is woken. */
void tg__client_take_commands(tg_client *client);
void tg__client_connect(tg_client *client);
/* Says good-bye if there is a session, and gives it a moment to get out. */
void tg__client_leave(tg_client *client);
void tg__client_set_error(tg_client *client, const char *text);

/* --- client_thread.c --- */

tg_err tg__client_start_thread(tg_client *client);
void tg__client_join_thread(tg_client *client);

#endif

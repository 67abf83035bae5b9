/* A client under test with what its callbacks saw, and waiting for it with a deadline. */
#ifndef CLIENT_RIG_H
#define CLIENT_RIG_H

#include <pthread.h>
#include <stdbool.h>

#include <tickglass/client.h>

#define CLIENT_RIG_NAMES 64u

typedef struct client_rig {
    tg_client *client;
    tg_reader *reader;
    void (*hook)(const tg_event *event); /* on the network thread, before all else; NULL: none */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under lock, written by callbacks */
    bool closed;          /* tg_client_close() has returned: no callback may come any more */
    bool late_callback;   /* one came */
    bool stop_from_event; /* call tg_client_stop() in the next event with this state */
    tg_session_state stop_state;
    tg_session_state state;
    tg_event last; /* of kind SESSION with an error */
    unsigned events;
    unsigned answers;
    unsigned messages;
    unsigned live_count; /* how often LIVE was reached */
    uint64_t view_number;
    unsigned found;
    bool found_complete;
    char venues[CLIENT_RIG_NAMES][TG_VENUE_NAME_SIZE];
    char symbols[CLIENT_RIG_NAMES][TG_SYMBOL_SIZE];
} client_rig;

/* Fills opt with callbacks and opens; the client is not started. */
void client_rig_open(client_rig *rig, tg_client_options *opt);
void client_rig_close(client_rig *rig);

/* Until condition(rig) holds, checked at every callback; fails the test after a minute. */
void client_rig_await(client_rig *rig, bool (*condition)(const client_rig *rig));
/* The same for a client that the test steps by itself. */
void client_rig_step_until(client_rig *rig, bool (*condition)(const client_rig *rig));

/* The last error that a session event brought, while more may be coming. */
tg_event client_rig_last(client_rig *rig);

bool client_rig_is_live(const client_rig *rig);
bool client_rig_has_error(const client_rig *rig);
bool client_rig_is_idle(const client_rig *rig);
bool client_rig_has_found(const client_rig *rig);
bool client_rig_rows_are_live(const client_rig *rig);  /* all that were found */
bool client_rig_rows_are_stale(const client_rig *rig); /* or worse */

/* Subscribes to the first 20 instruments of the gateway's directory. */
void client_rig_subscribe_some(client_rig *rig, tg_sub_id *subs);

/* Descriptors that this process has open. */
unsigned open_descriptors(void);

#endif

/* A hub with a small market and clients that decode what they are sent, without sockets. */
#ifndef TG_TESTS_HUB_FIXTURE_H
#define TG_TESTS_HUB_FIXTURE_H

#include "hub.h"

#define FIXTURE_INSTRUMENTS 48u
#define FIXTURE_RESOLUTION  100000u
#define FIXTURE_PEERS       160u

typedef struct hub_fixture {
    tg__directory directory;
    tg__bearer bearer;
    tg__door *door;
    tg__sequencer sequencer;
    tg__hub *hub;
    tg__moment now;
    uint64_t next_id;
    unsigned wakes;
} hub_fixture;

/* What one client has of its conflated channel, and what came to it. */
typedef struct hub_client {
    hub_fixture *fixture;
    tg__peer *peer;
    tg__channel channel;
    tg_instrument_id ids[FIXTURE_INSTRUMENTS];
    tg_image images[FIXTURE_INSTRUMENTS];
    bool known[FIXTURE_INSTRUMENTS]; /* dictionary entries that came */
    bool welcomed;
    unsigned messages;
    unsigned snapshots;
    unsigned gaps;
    unsigned deltas;
    unsigned heartbeats;
    unsigned answers;
    unsigned ticks;
    unsigned venue_states;
    unsigned limits;
    uint32_t spread_ms; /* of WELCOME or LIMITS, the latest */
    tg__venue_state last_venue_state;
    tg__snapshot_reason last_reason;
    tg__answer last_answer;
    tg__result last_results[64];
    tg__tick last_tick;
    uint64_t covered[FIXTURE_INSTRUMENTS]; /* since the last snapshot */
    bool meets_faults;                     /* frames may be wrong: they are counted, and resynced */
    unsigned refused;
    uint64_t ticks_had;  /* by frames that fitted, since the set is what it is */
    uint64_t ticks_lost; /* by what snapshots of the same set jumped over */
} hub_client;

void hub_fixture_open(hub_fixture *fixture, uint32_t boundaries_per_frame);
void hub_fixture_close(hub_fixture *fixture);
/* For cmocka: *state is a fixture whose groups all send at every boundary. */
int hub_fixture_set_up(void **state);
int hub_fixture_tear_down(void **state);

/* One admitted bid of that price; also told to the priority channel. */
void hub_fixture_tick(hub_fixture *fixture, tg_instrument_id id, int64_t price);
/* Time passes by one boundary interval (10 ms), then a boundary. */
void hub_fixture_boundary(hub_fixture *fixture);

void hub_client_open(hub_client *client, hub_fixture *fixture);
void hub_client_close(hub_client *client);
void hub_client_end(hub_client *client, tg__end_reason seen);
void hub_client_request(hub_client *client, tg__kind kind, tg__channel_kind channel,
                        const tg_instrument_id *ids, size_t count);
/* Decodes the next message and checks it on its own; false: there was none. */
bool hub_client_read(hub_client *client);
void hub_client_read_all(hub_client *client);

#endif

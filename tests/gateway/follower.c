#include "tg_cmocka.h"

#include "follower.h"

#include <string.h>

#include <tickglass/internal/dictionary.h>
#include <tickglass/internal/frame.h>

void follower_open(follower *f, const gateway_process *gateway)
{
    char answer[2048];
    const wire_upgrade upgrade = {.port = gateway->port,
                                  .ca = gateway->ca,
                                  .token = gateway->token,
                                  .subprotocol = TG__SUBPROTOCOL};
    memset(f, 0, sizeof *f);
    tg__channel_init(&f->channel, f->ids, f->images, FOLLOWER_MAX, FOLLOWER_RESOLUTION_NS);
    assert_int_equal(wire_client_open(&upgrade, &f->client, answer, sizeof answer), 101);
}

void follower_close(follower *f)
{
    wire_client_close(f->client);
    f->client = NULL;
}

void follower_subscribe(follower *f, const tg__name *names, size_t count)
{
    static uint8_t message[65536];
    const tg__request request = {TG__KIND_SUBSCRIBE, 1, TG__CHANNEL_CONFLATED};
    size_t size = 0;
    assert_true(count <= FOLLOWER_MAX);
    assert_int_equal(tg__request_encode(&request, names, count, message, sizeof message, &size),
                     TG_OK);
    wire_client_send(f->client, WIRE_BINARY, true, message, size);
}

static void take_dictionary(follower *f, const uint8_t *bytes, size_t size)
{
    tg__dictionary_reader reader;
    tg__dictionary_entry entry;
    tg__fault fault;
    uint32_t generation = 0;
    assert_int_equal(tg__dictionary_decode(bytes, size, &generation, &reader, &fault), TG_OK);
    while (tg__dictionary_next(&reader, &entry)) {
        if (entry.op == TG__DICTIONARY_VENUE) {
            f->venues[entry.as.venue.id] = entry.as.venue;
        } else {
            assert_true(entry.as.instrument.id < FOLLOWER_MAX);
            f->instruments[entry.as.instrument.id] = entry.as.instrument;
        }
    }
}

static void take_data(follower *f, const uint8_t *bytes, size_t size)
{
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason;
    if (bytes[0] == TG__KIND_SNAPSHOT) {
        assert_int_equal(tg__snapshot_decode(bytes, size, FOLLOWER_RESOLUTION_NS, &frame, &reason,
                                             f->updates, FOLLOWER_MAX, &fault),
                         TG_OK);
        f->gaps += reason == TG__SNAPSHOT_GAP;
        tg__channel_replace(&f->channel, &frame, f->updates);
        return;
    }
    assert_int_equal(
        tg__delta_decode(&f->channel, bytes, size, &frame, f->updates, FOLLOWER_MAX, &fault),
        TG_OK);
    for (uint32_t i = 0; i < frame.count; i++) {
        f->covered[f->updates[i].id] += f->updates[i].covered;
    }
    tg__channel_apply(&f->channel, &frame, f->updates);
    f->frames++;
}

void follower_step(follower *f)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(wire_client_receive(f->client, &bytes, &size), WIRE_BINARY);
    if (bytes[0] == TG__KIND_WELCOME) {
        tg__fault fault;
        assert_int_equal(tg__welcome_decode(bytes, size, &f->welcome, &fault), TG_OK);
    } else if (bytes[0] == TG__KIND_DICTIONARY) {
        take_dictionary(f, bytes, size);
    } else if (bytes[0] == TG__KIND_SNAPSHOT || bytes[0] == TG__KIND_DELTA) {
        take_data(f, bytes, size);
    }
}

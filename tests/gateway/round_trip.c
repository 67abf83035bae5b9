#include "tg_cmocka.h"

#include "round_trip.h"

#include <tickglass/internal/control.h>

void make_a_round_trip(wire_client *client)
{
    static uint64_t cookie = 1000;
    uint8_t message[64];
    const uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(tg__echo_encode(++cookie, message, sizeof message, &size), TG_OK);
    wire_client_send(client, WIRE_BINARY, true, message, size);
    do {
        assert_int_equal(wire_client_receive(client, &bytes, &size), WIRE_BINARY);
    } while (bytes[0] != TG__KIND_ECHO_REPLY);
}

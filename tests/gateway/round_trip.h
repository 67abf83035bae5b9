/* Being sure, from outside, that the gateway's loop has come round. */
#ifndef TG_TESTS_ROUND_TRIP_H
#define TG_TESTS_ROUND_TRIP_H

#include "wire_client.h"

/* A round trip that begins now: the gateway has seen everything that happened before. Messages
 * that come before its answer are thrown away. */
void make_a_round_trip(wire_client *client);

#endif

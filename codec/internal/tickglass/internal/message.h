/** Message kinds, the place of a fault, and limits that hold for every message. PROTOCOL.md 4. */
#ifndef TICKGLASS_INTERNAL_MESSAGE_H
#define TICKGLASS_INTERNAL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__SUBPROTOCOL      "tickglass.1"
#define TG__MESSAGE_SIZE_MAX (1u << 20) /* bytes; WELCOME may advertise less */
#define TG__SET_MAX          8192u      /* instruments in one connection's set */
#define TG__ITEM_MAX         4096u      /* items of one control message */
#define TG__TOKEN_SIZE_MAX   8192u

/* From 0x80 on, a kind that the receiver does not know refuses the session. */
typedef enum tg__kind {
    /* gateway to client */
    TG__KIND_FOUND = 0x01,
    TG__KIND_ECHO_REPLY = 0x02,
    TG__KIND_VENUE_STATE = 0x03,
    TG__KIND_LIMITS = 0x04,
    TG__KIND_TOKEN_ANSWER = 0x05,
    TG__KIND_WELCOME = 0x80,
    TG__KIND_DICTIONARY = 0x81,
    TG__KIND_ANSWER = 0x82,
    TG__KIND_SNAPSHOT = 0x83,
    TG__KIND_DELTA = 0x84,
    TG__KIND_TICKS = 0x85,
    /* client to gateway */
    TG__KIND_ECHO = 0x41,
    TG__KIND_FIND = 0x42,
    TG__KIND_REPORT = 0x43,
    TG__KIND_SUBSCRIBE = 0xc0,
    TG__KIND_UNSUBSCRIBE = 0xc1,
    TG__KIND_RESYNC = 0xc2,
    TG__KIND_TOKEN = 0xc3
} tg__kind;

#define TG__NO_ROW UINT32_MAX

/* Where a rejected message went wrong. */
typedef struct tg__fault {
    size_t offset; /* of the byte at which the rejected item starts */
    uint32_t row;  /* row or item, counted from 0; TG__NO_ROW outside rows */
} tg__fault;

/* The first byte of a message. TG_ERR_TRUNCATED if there is none. */
TG_MUST_CHECK tg_err tg__message_kind(const uint8_t *message, size_t size, uint8_t *kind);

#endif

/* The adapter under test, driven against a raw server, with what its handlers saw. */
#ifndef IO_RIG_H
#define IO_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io.h"
#include "raw_server.h"

#define IO_RIG_MESSAGE_MAX (256u * 1024u)

typedef enum io_rig_reaction {
    IO_RIG_NONE,
    IO_RIG_DROP, /* from inside the receive callback */
    IO_RIG_CLOSE
} io_rig_reaction;

typedef struct io_rig {
    raw_server server;
    tg_clock clock;
    tg__credential credential;
    tg__io *io;
    io_rig_reaction reaction;
    unsigned requested;
    unsigned connected;
    unsigned closed_count;
    tg__closed closed;
    unsigned messages;
    size_t progress; /* of the latest message that came in parts, before its last one */
    uint64_t message_bytes;
    uint8_t last[64];
    size_t last_size;
    bool after_leaving; /* something was reported of a connection that was given up */
    bool left;
    bool timer;
    unsigned messages_at_timer;
} io_rig;

/* A server of its own that plays the script, and a connection to it under way. One at a time. */
io_rig *io_rig_start(raw_script script);
/* Until the connection is reported closed, or given up and gone; fails the test after a minute. */
void io_rig_serve(io_rig *rig);
/* Nothing more may have come; the server's thread has ended when this returns. */
void io_rig_finish(io_rig *rig);

#endif

/**
 * How far a client has really read. Kernel buffers on both sides swallow minutes of small frames
 * before a socket refuses one, and none of that can be conflated any more; so data goes out only
 * while the client answers pings, and else waits in the bounded queue behind it.
 */
#ifndef TG_GATEWAY_REACH_H
#define TG_GATEWAY_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG__REACH_PING_NS   INT64_C(500000000)  /* between pings, as long as data goes out */
#define TG__REACH_BEHIND_NS INT64_C(1000000000) /* an answer that is this late stops the data */
#define TG__REACH_MARK_SIZE 8u                  /* bytes of a ping's payload */

/* Without a sign of life: longer than a client may stop reading. */
#define TG__REACH_HANG_UP_S 60u

typedef struct tg__reach {
    uint64_t mark; /* of the latest ping */
    int64_t last_ping_mono_ns;
    bool waiting; /* for its answer */
} tg__reach;

/* All zero is a fresh one. True: data went out and a ping is due; payload is what it carries. */
bool tg__reach_ping(tg__reach *reach, int64_t mono_ns, uint8_t payload[TG__REACH_MARK_SIZE]);

/* A pong came: true if it answers the latest ping. */
bool tg__reach_pong(tg__reach *reach, const uint8_t *payload, size_t size);

/* No more data until the pong. */
bool tg__reach_is_behind(const tg__reach *reach, int64_t mono_ns);

#endif

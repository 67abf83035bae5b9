/** The following node's end of the bus: a connection, and the messages that come over it. */
#ifndef TG_GATEWAY_BUS_READER_H
#define TG_GATEWAY_BUS_READER_H

#include "bus_message.h"
#include "cause.h"

/* All zero: not open. */
typedef struct tg__bus_reader {
    int fd;
    uint8_t *buffer; /* NULL: not open */
    size_t capacity; /* at most TG__BUS_SIZE_MAX */
    size_t first;
    size_t filled;
    uint64_t offset; /* of buffer[first] in the stream */
} tg__bus_reader;

/* TG_ERR_CONNECT: nobody listens at the path; TG_ERR_NO_MEMORY. Does not wait. */
TG_MUST_CHECK tg_err tg__bus_reader_open(tg__bus_reader *reader, const char *path,
                                         tg__cause *cause);
void tg__bus_reader_close(tg__bus_reader *reader);

/*
 * The next message, valid until the next call. TG_ERR_NOT_FOUND: none is there yet;
 * TG_ERR_DISCONNECTED: the connection has ended; TG_ERR_NO_MEMORY; any other: what came is no
 * message (cause: where and why). Only TG_ERR_NOT_FOUND leaves the connection usable.
 */
TG_MUST_CHECK tg_err tg__bus_reader_next(tg__bus_reader *reader, const tg__bus_hello *hello,
                                         tg__bus_message *message, tg__cause *cause);

#endif

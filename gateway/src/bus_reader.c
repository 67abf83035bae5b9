#include "bus_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#define FIRST_CAPACITY ((size_t)256 << 10)

void tg__bus_reader_close(tg__bus_reader *reader)
{
    if (reader->buffer != NULL && reader->fd >= 0) {
        (void)close(reader->fd);
    }
    free(reader->buffer);
    memset(reader, 0, sizeof *reader);
}

tg_err tg__bus_reader_open(tg__bus_reader *reader, const char *path, tg__cause *cause)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memset(reader, 0, sizeof *reader);
    if (strlen(path) >= sizeof address.sun_path) {
        return tg__cause_set(cause, TG_ERR_CONNECT, "--from-bus %s: the path is too long", path);
    }
    memcpy(address.sun_path, path, strlen(path));
    reader->buffer = malloc(FIRST_CAPACITY);
    if (reader->buffer == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the bus");
    }
    reader->capacity = FIRST_CAPACITY;
    reader->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (reader->fd < 0 ||
        connect(reader->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        const tg_err err =
            tg__cause_set(cause, TG_ERR_CONNECT, "--from-bus %s: %s", path, strerror(errno));
        tg__bus_reader_close(reader);
        return err;
    }
    return TG_OK;
}

static tg_err refuse(const tg__bus_reader *reader, tg_err err, const tg__fault *fault,
                     tg__cause *cause)
{
    const unsigned long long offset = reader->offset + fault->offset;
    if (fault->row == TG__NO_ROW) {
        return tg__cause_set(cause, err, "bus: at byte %llu: %s", offset, tg_err_text(err));
    }
    return tg__cause_set(cause, err, "bus: at byte %llu, image %u: %s", offset,
                         (unsigned)fault->row, tg_err_text(err));
}

/* Room for a message of that size from buffer[first] on. */
static tg_err make_room(tg__bus_reader *reader, size_t size, tg__cause *cause)
{
    if (reader->first > 0) {
        memmove(reader->buffer, reader->buffer + reader->first, reader->filled - reader->first);
        reader->filled -= reader->first;
        reader->first = 0;
    }
    if (size <= reader->capacity) {
        return TG_OK;
    }
    uint8_t *grown = realloc(reader->buffer, size);
    if (grown == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "bus: no memory for %zu bytes", size);
    }
    reader->buffer = grown;
    reader->capacity = size;
    return TG_OK;
}

static tg_err read_more(tg__bus_reader *reader, tg__cause *cause)
{
    for (;;) {
        const ssize_t got = recv(reader->fd, reader->buffer + reader->filled,
                                 reader->capacity - reader->filled, MSG_DONTWAIT);
        if (got > 0) {
            reader->filled += (size_t)got;
            return TG_OK;
        }
        if (got == 0) {
            return tg__cause_set(cause, TG_ERR_DISCONNECTED,
                                 "bus: the sequencing node has closed it after %llu bytes",
                                 (unsigned long long)reader->offset);
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return TG_ERR_NOT_FOUND;
        }
        if (errno != EINTR) {
            return tg__cause_set(cause, TG_ERR_DISCONNECTED, "bus: %s", strerror(errno));
        }
    }
}

tg_err tg__bus_reader_next(tg__bus_reader *reader, const tg__bus_hello *hello,
                           tg__bus_message *message, tg__cause *cause)
{
    tg__fault fault = {0, TG__NO_ROW};
    for (;;) {
        const uint8_t *const bytes = reader->buffer + reader->first;
        const size_t there = reader->filled - reader->first;
        size_t size = 0;
        tg_err err = tg__bus_message_size(bytes, there, &size, &fault);
        if (err == TG_OK && size > 0 && there >= size) {
            err = tg__bus_message_decode(bytes, size, hello, message, &fault);
            if (err == TG_OK) {
                reader->first += size;
                reader->offset += size;
                return TG_OK;
            }
        }
        if (err != TG_OK) {
            return refuse(reader, err, &fault, cause);
        }
        if (reader->first + (size > 0 ? size : TG__BUS_ENVELOPE_SIZE) > reader->capacity) {
            TG_TRY(make_room(reader, size, cause));
        }
        TG_TRY(read_more(reader, cause));
    }
}

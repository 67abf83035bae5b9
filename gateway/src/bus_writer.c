#include "bus_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "bus_message.h"
#include "log.h"

#define ENTRIES_PER_MESSAGE 1024u

typedef struct node {
    int fd;
    uint64_t number;
    uint8_t *buffer; /* TG__BUS_BUFFER_MAX */
    size_t first;
    size_t filled;
} node;

typedef struct noted_tick {
    bool waits;
    tg_image image;
} noted_tick;

struct tg__bus_writer {
    tg__bus_writer_options options;
    struct sockaddr_un address;
    int listen_fd; /* -1: not open */
    node nodes[TG__BUS_NODES_MAX];
    uint32_t node_count;
    noted_tick *noted; /* by instrument id */
    tg_instrument_id *noted_ids;
    uint32_t noted_count;
    uint64_t stale_since[TG_VENUE_MAX]; /* boundary; 0: live */
    uint8_t *message;                   /* TG__BUS_SIZE_MAX */
    tg__dictionary_entry *entries;
    tg__bus_writer_counts counts;
};

/* ---- the socket ---- */

static tg_err socket_fault(const tg__bus_writer *writer, const char *what, tg__cause *cause)
{
    return tg__cause_set(cause, TG_ERR_LISTEN, "--bus %s: %s: %s", writer->options.path, what,
                         strerror(errno));
}

/* A socket file stays behind when its gateway is killed: it is in nobody's way if nobody answers.
 */
static tg_err clear_path(const tg__bus_writer *writer, tg__cause *cause)
{
    const char *path = writer->options.path;
    struct stat info;
    if (lstat(path, &info) != 0) {
        return errno == ENOENT ? TG_OK : socket_fault(writer, "cannot be looked at", cause);
    }
    if (!S_ISSOCK(info.st_mode)) {
        return tg__cause_set(cause, TG_ERR_STATE, "--bus %s: there is something else already",
                             path);
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return socket_fault(writer, "no socket", cause);
    }
    const bool refused =
        connect(fd, (const struct sockaddr *)&writer->address, sizeof writer->address) != 0 &&
        errno == ECONNREFUSED;
    (void)close(fd);
    if (!refused) {
        return tg__cause_set(cause, TG_ERR_STATE, "--bus %s: another gateway listens there", path);
    }
    return unlink(path) == 0 ? TG_OK : socket_fault(writer, "cannot be replaced", cause);
}

static tg_err listen_at_path(tg__bus_writer *writer, tg__cause *cause)
{
    const char *path = writer->options.path;
    writer->address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof writer->address.sun_path) {
        return tg__cause_set(cause, TG_ERR_LISTEN, "--bus %s: the path is longer than %zu bytes",
                             path, sizeof writer->address.sun_path - 1);
    }
    memcpy(writer->address.sun_path, path, strlen(path));
    TG_TRY(clear_path(writer, cause));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return socket_fault(writer, "no socket", cause);
    }
    /* The mode must be right from the first moment on; there is only this thread. */
    const mode_t before = umask(0177);
    const int bound = bind(fd, (const struct sockaddr *)&writer->address, sizeof writer->address);
    const int error = errno;
    (void)umask(before);
    errno = error;
    if (bound != 0) {
        const tg_err err = socket_fault(writer, "cannot be made", cause);
        (void)close(fd);
        return err;
    }
    writer->listen_fd = fd; /* from here on closing removes the path */
    return listen(fd, (int)TG__BUS_NODES_MAX) == 0 ? TG_OK
                                                   : socket_fault(writer, "cannot listen", cause);
}

tg_err tg__bus_writer_open(const tg__bus_writer_options *options, tg__bus_writer **out,
                           tg__cause *cause)
{
    *out = NULL;
    const size_t count = (size_t)options->directory->count + 1;
    tg__bus_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the bus");
    }
    writer->options = *options;
    writer->listen_fd = -1;
    writer->noted = calloc(count, sizeof *writer->noted);
    writer->noted_ids = calloc(count, sizeof *writer->noted_ids);
    writer->message = malloc(TG__BUS_SIZE_MAX);
    writer->entries = calloc(ENTRIES_PER_MESSAGE, sizeof *writer->entries);
    tg_err err = TG_OK;
    if (writer->noted == NULL || writer->noted_ids == NULL || writer->message == NULL ||
        writer->entries == NULL) {
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the bus");
    }
    if (err == TG_OK) {
        err = listen_at_path(writer, cause);
    }
    if (err != TG_OK) {
        tg__bus_writer_close(writer);
        return err;
    }
    *out = writer;
    return TG_OK;
}

static void forget_node(tg__bus_writer *writer, uint32_t at)
{
    (void)close(writer->nodes[at].fd);
    free(writer->nodes[at].buffer);
    writer->node_count--;
    writer->nodes[at] = writer->nodes[writer->node_count];
}

void tg__bus_writer_close(tg__bus_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    while (writer->node_count > 0) {
        forget_node(writer, writer->node_count - 1);
    }
    if (writer->listen_fd >= 0) {
        (void)close(writer->listen_fd);
        (void)unlink(writer->options.path);
    }
    free(writer->noted);
    free(writer->noted_ids);
    free(writer->message);
    free(writer->entries);
    free(writer);
}

/* ---- to one node ---- */

/* False: the node is gone. */
static bool flush_node(node *n)
{
    while (n->first < n->filled) {
        const ssize_t sent =
            send(n->fd, n->buffer + n->first, n->filled - n->first, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
        n->first += (size_t)sent;
    }
    n->first = 0;
    n->filled = 0;
    return true;
}

/* False: there is no room. */
static bool append(node *n, const uint8_t *bytes, size_t size)
{
    if (TG__BUS_BUFFER_MAX - n->filled < size) {
        memmove(n->buffer, n->buffer + n->first, n->filled - n->first);
        n->filled -= n->first;
        n->first = 0;
    }
    if (TG__BUS_BUFFER_MAX - n->filled < size) {
        return false;
    }
    memcpy(n->buffer + n->filled, bytes, size);
    n->filled += size;
    return true;
}

/* The node may be gone afterwards; then another has its place. */
static bool send_to(tg__bus_writer *writer, uint32_t at, size_t size)
{
    node *n = &writer->nodes[at];
    if (!append(n, writer->message, size)) {
        writer->counts.dropped++;
        tg__log("bus: node %llu does not keep up, %zu bytes wait: dropped",
                (unsigned long long)n->number, n->filled - n->first);
        forget_node(writer, at);
        return false;
    }
    if (!flush_node(n)) {
        writer->counts.lost++;
        tg__log("bus: node %llu is gone: %s", (unsigned long long)n->number, strerror(errno));
        forget_node(writer, at);
        return false;
    }
    return true;
}

static void send_to_all(tg__bus_writer *writer, size_t size)
{
    writer->counts.bytes += size;
    for (uint32_t at = 0; at < writer->node_count;) {
        at += send_to(writer, at, size);
    }
}

/* ---- who comes ---- */

static uint32_t fill_entries(const tg__bus_writer *writer, uint32_t from)
{
    const tg__directory *directory = writer->options.directory;
    const uint32_t whole = directory->venue_count + directory->count;
    uint32_t count = 0;
    for (uint32_t i = from; i < whole && count < ENTRIES_PER_MESSAGE; i++) {
        tg__dictionary_entry *entry = &writer->entries[count++];
        memset(entry, 0, sizeof *entry);
        if (i < directory->venue_count) {
            entry->op = TG__DICTIONARY_VENUE;
            entry->as.venue = directory->venues[i];
        } else {
            entry->op = TG__DICTIONARY_ADD;
            entry->as.instrument = directory->instruments[i - directory->venue_count];
        }
    }
    return count;
}

static tg_err encode_cut(tg__bus_writer *writer, const tg__image_table *table, bool everything,
                         int64_t mono_ns, size_t *size)
{
    tg__bus_draft draft;
    tg__bus_begin_cut(&draft, table->boundary, mono_ns, writer->message, TG__BUS_SIZE_MAX);
    for (uint32_t id = 0; id < table->count; id++) {
        const tg__cut_image *cut = &table->images[id];
        if (everything ? cut->image.epoch > 0 : cut->changed_boundary == table->boundary) {
            tg__bus_put_image(&draft, (tg_instrument_id)id, &cut->image);
        }
    }
    return tg__bus_finish(&draft, size);
}

static tg_err tell(tg__bus_writer *writer, uint32_t at, size_t size)
{
    return send_to(writer, at, size) ? TG_OK : TG_ERR_CLOSED;
}

static tg_err tell_directory(tg__bus_writer *writer, uint32_t at)
{
    size_t size = 0;
    uint32_t told = 0;
    for (uint32_t count = fill_entries(writer, 0); count > 0; count = fill_entries(writer, told)) {
        TG_TRY(tg__bus_dictionary_encode(writer->options.directory->generation, writer->entries,
                                         count, writer->message, TG__BUS_SIZE_MAX, &size));
        TG_TRY(tell(writer, at, size));
        told += count;
    }
    return TG_OK;
}

static tg_err tell_stale_venues(tg__bus_writer *writer, uint32_t at)
{
    size_t size = 0;
    for (uint32_t venue = 0; venue < writer->options.directory->venue_count; venue++) {
        const tg__venue_state state = {(tg_venue_id)venue, TG__VENUE_STALE,
                                       writer->stale_since[venue]};
        if (state.boundary != 0) {
            TG_TRY(tg__bus_venue_state_encode(&state, writer->message, TG__BUS_SIZE_MAX, &size));
            TG_TRY(tell(writer, at, size));
        }
    }
    return TG_OK;
}

/* Hello, directory, everything as it was at the last boundary, and what of it is stale. */
static tg_err tell_everything(tg__bus_writer *writer, uint32_t at, const tg__image_table *table,
                              int64_t mono_ns)
{
    const tg__directory *directory = writer->options.directory;
    const tg__bus_hello hello = {
        .lineage = writer->options.lineage,
        .dictionary_generation = directory->generation,
        .time_resolution_ns = writer->options.time_resolution_ns,
        .venue_count = directory->venue_count,
        .instrument_count = directory->count,
        .simulated = writer->options.simulated,
        .seed = writer->options.seed,
    };
    size_t size = 0;
    TG_TRY(tg__bus_hello_encode(&hello, writer->message, TG__BUS_SIZE_MAX, &size));
    TG_TRY(tell(writer, at, size));
    TG_TRY(tell_directory(writer, at));
    TG_TRY(encode_cut(writer, table, true, mono_ns, &size));
    TG_TRY(tell(writer, at, size));
    return tell_stale_venues(writer, at);
}

static void admit(tg__bus_writer *writer, int fd, const tg__image_table *table, int64_t mono_ns)
{
    uint8_t *buffer = writer->node_count < TG__BUS_NODES_MAX ? malloc(TG__BUS_BUFFER_MAX) : NULL;
    if (buffer == NULL) {
        writer->counts.refused++;
        tg__log("bus: a node was refused: no room for more than %u", writer->node_count);
        (void)close(fd);
        return;
    }
    const node fresh = {.fd = fd, .number = ++writer->counts.accepted, .buffer = buffer};
    const uint32_t at = writer->node_count++;
    writer->nodes[at] = fresh;
    tg__log("bus: node %llu joined, %u in all", (unsigned long long)fresh.number,
            (unsigned)writer->node_count);
    const tg_err err = tell_everything(writer, at, table, mono_ns);
    if (err != TG_OK && err != TG_ERR_CLOSED) { /* a directory that no client could be told, too */
        tg__log("bus: what a node has to be told cannot be encoded: %s", tg_err_text(err));
        forget_node(writer, at);
    }
}

/* ---- what the owner tells ---- */

void tg__bus_writer_tick(tg__bus_writer *writer, tg_instrument_id id, const tg_image *image)
{
    if (writer == NULL || writer->node_count == 0) {
        return;
    }
    noted_tick *noted = &writer->noted[id];
    if (!noted->waits) {
        noted->waits = true;
        writer->noted_ids[writer->noted_count++] = id;
    }
    noted->image = *image;
}

static void send_ticks(tg__bus_writer *writer)
{
    if (writer->noted_count == 0) {
        return;
    }
    tg__bus_draft draft;
    size_t size = 0;
    tg__bus_begin_ticks(&draft, writer->message, TG__BUS_SIZE_MAX);
    for (uint32_t i = 0; i < writer->noted_count; i++) {
        noted_tick *noted = &writer->noted[writer->noted_ids[i]];
        noted->waits = false;
        tg__bus_put_image(&draft, writer->noted_ids[i], &noted->image);
    }
    writer->noted_count = 0;
    if (tg__bus_finish(&draft, &size) == TG_OK) { /* the buffer holds every instrument once */
        send_to_all(writer, size);
    }
}

void tg__bus_writer_cut(tg__bus_writer *writer, const tg__image_table *table, int64_t mono_ns)
{
    if (writer == NULL || writer->node_count == 0) {
        return;
    }
    size_t size = 0;
    send_ticks(writer);
    if (encode_cut(writer, table, false, mono_ns, &size) == TG_OK) { /* likewise */
        writer->counts.cuts++;
        send_to_all(writer, size);
    }
}

void tg__bus_writer_venue_state(tg__bus_writer *writer, const tg__venue_state *state)
{
    if (writer == NULL) {
        return;
    }
    size_t size = 0;
    writer->stale_since[state->venue] = state->condition == TG__VENUE_LIVE ? 0 : state->boundary;
    if (tg__bus_venue_state_encode(state, writer->message, TG__BUS_SIZE_MAX, &size) == TG_OK) {
        send_to_all(writer, size);
    }
}

void tg__bus_writer_step(tg__bus_writer *writer, const tg__image_table *table, int64_t mono_ns)
{
    if (writer == NULL) {
        return;
    }
    send_ticks(writer);
    for (uint32_t at = 0; at < writer->node_count;) {
        at += send_to(writer, at, 0);
    }
    const int fd = accept(writer->listen_fd, NULL, NULL); /* sends do not wait: MSG_DONTWAIT */
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        admit(writer, fd, table, mono_ns);
    }
}

const tg__bus_writer_counts *tg__bus_writer_counts_of(const tg__bus_writer *writer)
{
    return &writer->counts;
}

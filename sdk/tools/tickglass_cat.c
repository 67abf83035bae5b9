/*
 * tickglass-cat: ticks as lines, for pipes. It uses the public headers and the shipped library
 * only.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/client.h>
#include <tickglass/watchlist.h>

#include "cat_options.h"
#include "cat_row.h"

#define EXIT_USAGE   2
#define EXIT_SETUP   3
#define EXIT_REFUSED 4
#define EXIT_NO_ROWS 5

#define TOKEN_SIZE_MAX  8192u
#define FIND_PAGE       1000u
#define INSTRUMENTS_MAX 8192u
#define INSTRUMENTS_MIN 4096u
#define CHANGED_MAX     65535u

typedef struct name {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} name;

/* A page of the directory, written on the network thread and read on ours. */
typedef struct page {
    pthread_mutex_t lock;
    name names[FIND_PAGE];
    uint32_t count;
    bool complete;
    bool more;
} page;

typedef struct cat {
    cat_options options;
    tg_watchlist *list;
    tg_client *client;
    tg_reader *reader;
    page found;
    bool searching; /* a page was asked for */
    bool everything_asked;
    size_t subscribed;
    size_t refused;
    uint64_t printed;
    uint64_t view_number;
    int status; /* < 0: go on */
    tg_instrument_id changed[CHANGED_MAX];
} cat;

/* What wakes the main thread: views, pages, signals. The read end is polled. */
static int wake_pipe[2] = {-1, -1};

static void wake(void)
{
    const int before = errno;
    const char byte = 0;
    if (write(wake_pipe[1], &byte, 1) < 0) {
        errno = before; /* full: it is awake anyway */
    }
}

static _Atomic bool interrupted;

static void on_signal(int number)
{
    (void)number;
    /* Relaxed: the flag is all there is to see; the pipe only wakes. */
    atomic_store_explicit(&interrupted, true, memory_order_relaxed);
    wake();
}

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)ctx;
    (void)view_number;
    wake();
}

static void on_event(void *ctx, const tg_event *event)
{
    (void)ctx;
    (void)event;
    wake();
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    (void)request;
    page *found = &((cat *)ctx)->found;
    (void)pthread_mutex_lock(&found->lock);
    if (instrument == NULL) {
        found->complete = true;
        found->more = more;
    } else if (found->count < FIND_PAGE) {
        name *n = &found->names[found->count++];
        (void)snprintf(n->venue, sizeof n->venue, "%s", venue);
        (void)snprintf(n->symbol, sizeof n->symbol, "%s", instrument->symbol);
    }
    (void)pthread_mutex_unlock(&found->lock);
    wake();
}

static int complain(int status, const char *format, ...) TG_PRINTF(2, 3);

static int complain(int status, const char *format, ...)
{
    va_list arguments;
    (void)fputs("tickglass-cat: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    return status;
}

static int read_token(const char *path, char *token)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return complain(EXIT_SETUP, "%s: %s", path, strerror(errno));
    }
    const size_t size = fread(token, 1, TOKEN_SIZE_MAX + 2, file);
    (void)fclose(file);
    if (size > TOKEN_SIZE_MAX + 1) {
        return complain(EXIT_SETUP, "%s: no token is so long", path);
    }
    token[size] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    return token[0] != '\0' ? 0 : complain(EXIT_SETUP, "%s: empty", path);
}

static int open_client(cat *c)
{
    static char token[TOKEN_SIZE_MAX + 3];
    tg_client_options options;
    tg_client_options_init(&options);
    if (c->options.token_file != NULL) {
        const int failed = read_token(c->options.token_file, token);
        if (failed != 0) {
            return failed;
        }
        options.token = token;
    }
    const size_t names = tg_watchlist_count(c->list);
    options.url = c->options.url;
    options.ca_file = c->options.ca_file;
    options.instruments_max = tg_watchlist_is_everything(c->list) || names > INSTRUMENTS_MAX
                                  ? INSTRUMENTS_MAX
                                  : INSTRUMENTS_MIN;
    options.on_publish = on_publish;
    options.on_event = on_event;
    options.on_found = on_found;
    options.ctx = c;
    char why[256] = "";
    options.error_text = why;
    options.error_text_size = sizeof why;
    const tg_err err = tg_client_open(&options, &c->client);
    memset(token, 0, sizeof token);
    if (err == TG_ERR_CERTIFICATE) {
        return complain(EXIT_SETUP, "--ca: %s", why);
    }
    if (err != TG_OK) {
        return complain(EXIT_SETUP, "%s: %s", c->options.url, why);
    }
    const tg_err reader_err = tg_reader_open(tg_client_store(c->client), &c->reader);
    return reader_err == TG_OK ? 0 : complain(EXIT_SETUP, "%s", tg_err_text(reader_err));
}

static int subscribe(cat *c, const char *venue, const char *symbol)
{
    tg_sub_id sub;
    const tg_err err = tg_client_subscribe(c->client, venue, symbol, &sub);
    if (err != TG_OK) {
        return complain(EXIT_SETUP, "%s:%s: %s", venue, symbol, tg_err_text(err));
    }
    c->subscribed++;
    return 0;
}

static int subscribe_list(cat *c)
{
    for (size_t i = 0; i < tg_watchlist_count(c->list); i++) {
        const int failed =
            subscribe(c, tg_watchlist_venue(c->list, i), tg_watchlist_symbol(c->list, i));
        if (failed != 0) {
            return failed;
        }
    }
    return 0;
}

/* "*": page after page of the directory becomes subscriptions. */
static void ask_page(cat *c, const name *after)
{
    uint32_t request = 0;
    const tg_err err = tg_client_find(c->client, NULL, NULL, after != NULL ? after->venue : NULL,
                                      after != NULL ? after->symbol : NULL, FIND_PAGE, &request);
    c->searching = err == TG_OK;
    if (err != TG_OK) {
        c->status = complain(EXIT_SETUP, "directory: %s", tg_err_text(err));
    }
}

static void take_page(cat *c)
{
    if (!c->searching) {
        return;
    }
    static name names[FIND_PAGE];
    (void)pthread_mutex_lock(&c->found.lock);
    const bool complete = c->found.complete;
    const bool more = c->found.more;
    const uint32_t count = complete ? c->found.count : 0;
    memcpy(names, c->found.names, count * sizeof names[0]);
    if (complete) {
        c->found.complete = false;
        c->found.count = 0;
    }
    (void)pthread_mutex_unlock(&c->found.lock);
    if (!complete) {
        return;
    }
    c->searching = false;
    for (uint32_t i = 0; i < count && c->status < 0; i++) {
        const int failed = subscribe(c, names[i].venue, names[i].symbol);
        c->status = failed != 0 ? failed : c->status;
    }
    if (more && count > 0 && c->status < 0) {
        ask_page(c, &names[count - 1]);
    }
}

static void take_session_event(cat *c, const tg_event *event)
{
    if (event->err != TG_OK || event->state == TG_SESSION_LIVE) {
        (void)complain(0, "%s", event->text);
    }
    if (event->state == TG_SESSION_LIVE && !c->everything_asked &&
        tg_watchlist_is_everything(c->list)) {
        c->everything_asked = true;
        ask_page(c, NULL);
    }
    /* Waiting for somebody to repair a certificate or a token is not what a pipe wants. */
    const bool refused = event->err == TG_ERR_CERTIFICATE ||
                         (event->err != TG_OK && event->state == TG_SESSION_IDLE);
    if (refused) {
        c->status = EXIT_REFUSED;
    }
}

static void take_events(cat *c)
{
    tg_event event;
    while (tg_client_event(c->client, &event) == TG_OK) {
        switch (event.kind) {
        case TG_EVENT_SESSION:
            take_session_event(c, &event);
            break;
        case TG_EVENT_ANSWER:
            if (event.err != TG_OK) {
                (void)complain(0, "%s", event.text);
                c->refused++;
                if (c->refused == c->subscribed && !tg_watchlist_is_everything(c->list)) {
                    c->status = EXIT_REFUSED;
                }
            }
            break;
        case TG_EVENT_GAP:
        case TG_EVENT_RESYNCED:
        case TG_EVENT_FAULT:
        case TG_EVENT_TOKEN:
        case TG_EVENT_PRIORITY:
        case TG_EVENT_CLOCK:
        case TG_EVENT_LATE:
        case TG_EVENT_AUDIT:
            (void)complain(0, "%s", event.text);
            break;
        }
    }
}

/* False: nobody reads any more, or enough was printed. */
static bool print_row(cat *c, const tg_view *view, tg_instrument_id id, int64_t now_mono_ns)
{
    tg_row row;
    tg_instrument instrument;
    if (tg_view_instrument(view, id, &instrument) != TG_OK ||
        tg_view_row(view, id, now_mono_ns, &row) != TG_OK) {
        return true;
    }
    char line[CAT_LINE_SIZE];
    const char *venue = tg_view_venue_name(view, instrument.venue);
    const size_t size = c->options.json ? cat_row_json(&instrument, venue, &row, line)
                                        : cat_row_text(&instrument, venue, &row, line);
    if (fwrite(line, 1, size, stdout) != size) {
        return false;
    }
    c->printed++;
    return c->options.count == 0 || c->printed < c->options.count;
}

static void print_changes(cat *c)
{
    const tg_clock clock = tg_clock_system();
    const int64_t now_mono_ns = tg_clock_mono_ns(&clock);
    const tg_view *view = tg_reader_pin(c->reader);
    const uint64_t number = tg_view_number(view);
    size_t count = tg_view_changed(view, c->view_number, c->changed, CHANGED_MAX);
    count = count < CHANGED_MAX ? count : CHANGED_MAX;
    for (size_t i = 0; i < count && c->status < 0; i++) {
        if (!print_row(c, view, c->changed[i], now_mono_ns)) {
            c->status = 0;
        }
    }
    tg_reader_unpin(c->reader);
    c->view_number = number;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        c->status = errno == EPIPE ? 0 : complain(EXIT_SETUP, "output: %s", strerror(errno));
    }
}

/* Until something happens, the reader of our output goes away, or the time is over. */
static void sleep_until(cat *c, int64_t deadline_ns)
{
    const tg_clock clock = tg_clock_system();
    int wait_ms = -1;
    if (deadline_ns != INT64_MAX) {
        const int64_t left_ns = deadline_ns - tg_clock_mono_ns(&clock);
        if (left_ns <= 0) {
            c->status = c->printed > 0 ? 0 : EXIT_NO_ROWS;
            return;
        }
        wait_ms = left_ns > INT64_C(1000000000) ? 1000 : (int)(left_ns / 1000000) + 1;
    }
    struct pollfd polled[2] = {{wake_pipe[0], POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    if (poll(polled, 2, wait_ms) > 0 && (polled[1].revents & (POLLERR | POLLHUP)) != 0) {
        c->status = 0;
    }
    char bytes[256];
    while (read(wake_pipe[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
    }
    /* Relaxed: see on_signal(). */
    if (atomic_load_explicit(&interrupted, memory_order_relaxed)) {
        c->status = 0;
    }
}

static int run(cat *c)
{
    int failed = open_client(c);
    if (failed == 0) {
        failed = subscribe_list(c);
    }
    if (failed != 0) {
        return failed;
    }
    const tg_err err = tg_client_start(c->client);
    if (err != TG_OK) {
        return complain(EXIT_SETUP, "%s", tg_err_text(err));
    }
    const tg_clock clock = tg_clock_system();
    const int64_t deadline_ns =
        c->options.seconds == 0
            ? INT64_MAX
            : tg_clock_mono_ns(&clock) + (int64_t)c->options.seconds * 1000000000;
    c->status = -1;
    while (c->status < 0) {
        take_events(c);
        take_page(c);
        print_changes(c);
        if (c->status < 0) {
            sleep_until(c, deadline_ns);
        }
    }
    if (c->status == EXIT_NO_ROWS) {
        char why[256];
        tg_client_last_error(c->client, why, sizeof why);
        (void)complain(0, "no row within %u s%s%s", c->options.seconds, why[0] != '\0' ? ": " : "",
                       why);
    }
    return c->status;
}

static bool prepare(void)
{
    if (pipe(wake_pipe) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK) != 0 ||
            fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC) != 0) {
            return false;
        }
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A reader that leaves ("| head") ends us in order: the write says so. */
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    return true;
}

int main(int argc, char **argv)
{
    static cat c = {.found = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    char why[256];
    if (!cat_options_parse(argc, argv, &c.options, why, sizeof why)) {
        (void)complain(0, "%s", why);
        (void)fputs("Try tickglass-cat --help.\n", stderr);
        return EXIT_USAGE;
    }
    if (c.options.help || c.options.version) {
        return printf("%s%s", c.options.help ? cat_usage : tg_build_info(),
                      c.options.help ? "" : "\n") < 0
                   ? EXIT_SETUP
                   : 0;
    }
    const tg_err err = tg_watchlist_open(c.options.symbols, &c.list, why, sizeof why);
    if (err != TG_OK) {
        return complain(err == TG_ERR_SYNTAX ? EXIT_USAGE : EXIT_SETUP, "--symbols: %s", why);
    }
    if (!prepare()) {
        return complain(EXIT_SETUP, "%s", strerror(errno));
    }
    const int status = run(&c);
    tg_reader_close(c.reader);
    tg_client_close(c.client);
    tg_watchlist_close(c.list);
    return status;
}

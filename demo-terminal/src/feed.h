/* The client and what the watchlist wants from it. */
#ifndef TG_TERMINAL_FEED_H
#define TG_TERMINAL_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>
#include <tickglass/window.h>

#include "session_record.h"
#include "settings.h"
#include "watch_row.h"

#define FEED_DIRECTORY_ROWS 200  /* of "*" */
#define FEED_ROWS_MAX       4096 /* of a list */
#define FEED_NOTICE_SIZE    224

typedef struct feed feed;

/*
 * Reads symbols and opens token source and client; nothing is connected yet. why says what is wrong
 * in one line. window is woken when there is something to draw; it, settings and record (may be
 * NULL) must outlive the feed. TG_ERR_INVALID_ARGUMENT, TG_ERR_URL, TG_ERR_CERTIFICATE,
 * TG_ERR_SYNTAX, TG_ERR_IO, TG_ERR_NO_MEMORY. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err feed_open(const settings *settings, tg_window *window, session_record *record,
                               feed **out, char *why, size_t why_size);

/* Every reader of the store must be closed. NULL is allowed. Thread: owner. */
void feed_close(feed *feed);

/* Connect. Thread: owner. */
TG_MUST_CHECK tg_err feed_start(feed *feed);

/* Leave the gateway; the store and its counters stay. Thread: owner. */
void feed_stop(feed *feed);

/*
 * Take what came since: events, pages of the directory; subscribe. True: there is something new to
 * show. Thread: owner.
 */
bool feed_poll(feed *feed, int64_t now_mono_ns);

tg_client *feed_client(feed *feed);
size_t feed_row_count(const feed *feed);
watch_row *feed_row(feed *feed, size_t index);

/* The latest event worth showing, "" if there was none lately; bad ones stay until a better one
 * comes. Thread: owner. */
const char *feed_notice(const feed *feed);
bool feed_notice_is_bad(const feed *feed);

/* Why the latest token could not be had; "": it could, or none is wanted. Thread: owner. */
const char *feed_token_trouble(const feed *feed);

/* Until the client's next attempt to connect; 0: none is waited for. Thread: owner. */
int64_t feed_wait_ms(const feed *feed, int64_t now_mono_ns);

/*
 * No use in waiting: never connected, and the reason will not go away by itself (certificate,
 * token, address). Thread: owner.
 */
bool feed_is_hopeless(const feed *feed);

#endif

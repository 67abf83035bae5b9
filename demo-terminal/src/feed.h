/* The client and what the watchlist wants from it. */
#ifndef TG_TERMINAL_FEED_H
#define TG_TERMINAL_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>
#include <tickglass/window.h>

#include "event_log.h"
#include "instrument_search.h"
#include "news_gate.h"
#include "priority_follow.h"
#include "session_record.h"
#include "settings.h"
#include "watch_row.h"

#define FEED_DIRECTORY_ROWS 200  /* of "*" */
#define FEED_ROWS_MAX       4096 /* of a list */
#define FEED_NOTICE_SIZE    224
#define FEED_NO_ROW         SIZE_MAX

/* A quarter of an hour in half seconds, of so many instruments at a time: 33 MB, which are touched
 * only where ticks come. */
#define FEED_HISTORY_STEP_MS     500
#define FEED_HISTORY_POINTS      1800
#define FEED_HISTORY_INSTRUMENTS 256

typedef struct feed feed;

/*
 * Reads symbols and opens token source and client; nothing is connected yet. why says what is wrong
 * in one line. window is woken when there is something to draw, for publications as feed_news()
 * says; it, settings and record (may be NULL) must outlive the feed. TG_ERR_INVALID_ARGUMENT,
 * TG_ERR_URL, TG_ERR_CERTIFICATE, TG_ERR_SYNTAX, TG_ERR_IO, TG_ERR_NO_MEMORY. Thread: owner.
 * Blocks: on the disk.
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

/* What was published; window is woken for what is awaited there. Thread: owner. */
news_gate *feed_news(feed *feed);

tg_client *feed_client(feed *feed);
/* Rows that were taken away included: an index names the same instrument for the whole run. */
size_t feed_row_count(const feed *feed);
watch_row *feed_row(feed *feed, size_t index);
/* Without those. Thread: owner. */
size_t feed_listed_count(const feed *feed);
/* Grows with each change of the list. Thread: owner. */
uint64_t feed_list_number(const feed *feed);
/* FEED_NO_ROW: it was never there. Thread: owner. */
size_t feed_find(const feed *feed, const char *venue, const char *symbol);

/* Put an instrument into the watchlist: at the end, or where it was before. TG_ERR_STATE: it is
 * there; TG_ERR_FULL: FEED_ROWS_MAX names were used in this run. Thread: owner. */
TG_MUST_CHECK tg_err feed_add(feed *feed, const char *venue, const char *symbol, size_t *index);
/* A place for an instrument that is not in the watchlist (yet). TG_ERR_FULL. Thread: owner. */
TG_MUST_CHECK tg_err feed_reserve(feed *feed, const char *venue, const char *symbol, size_t *index);
/* Take it out, whatever list or directory gives it later. What the panels show of it stays
 * subscribed for as long as they do. False: it was not in the watchlist. Thread: owner. */
bool feed_remove(feed *feed, size_t index);
/* Whoever shows a row wants it, listed or not; FEED_NO_ROW: none. The one before is let go.
 * Thread: owner. */
void feed_hold(feed *feed, size_t index);

/* Have that row on the priority channel, and no other; FEED_NO_ROW: none. Thread: owner. */
void feed_follow(feed *feed, size_t index);
const priority_follow *feed_priority(const feed *feed);

/* Which rows stand on the screen: after a reconnect they are asked for first. The followed one does
 * as well. Told with the next polls. Thread: owner. */
void feed_set_visible(feed *feed, const size_t *indices, size_t count);

/* Polled with the feed. Thread: owner. */
instrument_search *feed_search(feed *feed);

/* What the client told, but for the subscriptions that went well. Thread: owner. */
const event_log *feed_log(const feed *feed);

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

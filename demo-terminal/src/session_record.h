/*
 * What goes to the recorder: received messages, what was handed to the window system and what of
 * the user's choice made it look so, latencies. Begins and ends at any time; files are made and
 * ended on a thread of their own, and a disk that is slow or full never holds up the owner.
 */
#ifndef TG_TERMINAL_SESSION_RECORD_H
#define TG_TERMINAL_SESSION_RECORD_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/clock.h>
#include <tickglass/histogram.h>
#include <tickglass/market.h>
#include <tickglass/window.h>

#include "echo_watch.h"
#include "glass_times.h"
#include "shown_version.h"

#define SESSION_RECORD_PATH_SIZE 512

typedef struct session_record session_record;

/* Nothing is recorded yet. slots: that session_record_row() can have. woken is called with ctx on
 * another thread when there is a result. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err session_record_open(size_t slots, void (*woken)(void *ctx), void *ctx,
                                         session_record **out);

/*
 * Which window shows what is recorded: the record says in which fonts. Once, before the first pass;
 * the window must outlive the record. Thread: owner. Blocks: on the disk if something is recorded
 * already, else not.
 */
void session_record_set_window(session_record *record, const tg_window *window);

/*
 * Ends the file if there is one. TG_ERR_IO: something could not be written, why says what. NULL is
 * allowed. No callback may record any more. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err session_record_close(session_record *record, char *why, size_t why_size);

/* TG_ERR_IO (errno says why; an existing file is never overwritten), TG_ERR_NO_MEMORY,
 * TG_ERR_INVALID_ARGUMENT (path is too long). Thread: owner. Blocks: on the disk. */
TG_MUST_CHECK tg_err session_record_start_now(session_record *record, const char *path);

/* Both on a thread of their own: what became of it tells session_record_take_result(). TG_ERR_FULL:
 * the one before is not done; TG_ERR_STATE: it records already, or does not; TG_ERR_NO_MEMORY,
 * TG_ERR_INVALID_ARGUMENT. Thread: owner. */
TG_MUST_CHECK tg_err session_record_start(session_record *record, const char *path);
TG_MUST_CHECK tg_err session_record_stop(session_record *record);

/* What became of it, and later what goes wrong while it records; each once. False: nothing to tell.
 * Thread: owner. */
bool session_record_take_result(session_record *record, char *text, size_t size, bool *bad);

/* NULL: nothing is recorded. Thread: owner. */
const char *session_record_path(const session_record *record);

/* All of these do nothing if record is NULL or nothing is recorded. */

/* Thread: network, these three. */
void session_record_message(session_record *record, const void *bytes, size_t size,
                            int64_t received_mono_ns);
void session_record_echo(session_record *record, const echo_times *times);

/* Readers see what the latest message brought. The clock is looked at only if it is recorded. */
void session_record_published(session_record *record, uint64_t view_number, const tg_clock *clock);

/* How the watchlist is looked at. */
typedef struct list_choice {
    uint32_t first_row;    /* its place in the list as it is filtered and sorted */
    uint32_t selected;     /* slot; UINT32_MAX: none */
    const char *sort;      /* column that it is sorted by; "": its own order */
    uint32_t descending;   /* 1: it is */
    uint32_t order_is_old; /* 1: values have left the order since */
    uint32_t columns;      /* bit i: column i is shown */
    uint32_t column;       /* that keys act on */
    uint32_t mode;         /* 0; 1: the search lies over it; 2: an alert's price is typed */
    const char *filter;
    const char *typed; /* in mode 1 and 2 */
} list_choice;

/* What the user sees and chose; recorded where it differs from the last one. */
typedef struct ui_state {
    uint32_t columns; /* of the grid */
    uint32_t rows;
    uint32_t width_px; /* before scaling, as the size of the letters */
    uint32_t height_px;
    uint32_t font_size_px;
    uint32_t scale_percent;
    const char *palette;
    uint32_t opened; /* slot in the panels; UINT32_MAX: none */
    uint32_t panels; /* bit i: panel i is wanted */
    uint32_t focus;  /* a panel, or their number: the watchlist */
    uint32_t help;   /* its page, which covers everything; 0: none */
    list_choice list;
} ui_state;

/* Thread: owner, all that follow. */
void session_record_ui(session_record *record, const ui_state *state);

/* Which slots the watchlist shows from its first line on; recorded where it differs. */
void session_record_list(session_record *record, const uint16_t *slots, size_t count);

/* The pass that is going on shows this version; recorded where the slot had another one before. */
void session_record_row(session_record *record, uint64_t pass, const shown_version *shown);

/* What the glass check read back: slot, the version that it was told, its verdict. */
void session_record_glass(session_record *record, uint64_t pass, size_t slot, tg_version version,
                          int verdict);

/* The same of the ladder of the slot's book, which has versions of its own. */
void session_record_depth(session_record *record, uint64_t pass, size_t slot, tg_version version,
                          int verdict);

/* What a pass drew, and how the window makes a picture of it. */
typedef struct drawn_pass {
    uint64_t number;
    const tg_draw_list *list;
    tg_grid *grid; /* whose latest damage it is */
    tg_picture_form form;
} drawn_pass;

/* Two records by their formats, for who reads them again. The first one comes with each picture
 * that is whole. */
#define SESSION_RECORD_FORM                                                                        \
    "pass %" PRIu64 " stands in %" PRId32 "x%" PRId32 " px letters %" PRId32                       \
    " px fonts %s drawn by %s"
#define SESSION_RECORD_DREW                                                                        \
    "pass %" PRIu64 " drew picture %" PRIu64 " whole %" PRIu32 " handed_utc_ns %" PRId64           \
    " from %" PRIu32 " of %" PRIu32 " bytes %p"

/* Before session_record_pass() of the same pass. */
void session_record_drew(session_record *record, const drawn_pass *pass, const pass_stamps *stamps);

/* The window's picture after that pass went into a file. */
void session_record_screenshot(session_record *record, uint64_t pass, const char *path);

/* A pass was handed over. */
void session_record_pass(session_record *record, uint64_t pass, uint64_t view_number,
                         size_t cell_count, const pass_stamps *stamps);

/* A window's counts of a histogram. */
void session_record_window(session_record *record, const char *name, const tg_histogram *histogram,
                           int64_t from_mono_ns, int64_t to_mono_ns);

#endif

/* One line of the watchlist: what it shows, what it showed before, and what flashes. */
#ifndef TG_TERMINAL_WATCH_ROW_H
#define TG_TERMINAL_WATCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/client.h>
#include <tickglass/market.h>

/* A price that moves. */
typedef struct watch_price {
    bool present;
    int64_t value;
    int64_t before;         /* the value before the last change, once there was one */
    int direction;          /* of the last change: -1, 0 (none yet), 1 */
    int64_t change_mono_ns; /* when it was first drawn */
} watch_price;

typedef struct watch_row {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    tg_sub_id sub;
    bool listed;        /* in the watchlist; a row that was taken away keeps its place */
    bool given;         /* by the list of symbols or the directory, not by the reader */
    bool refused;       /* by the reader: not listed, whoever gives it */
    unsigned wanted_by; /* the watchlist, a panel: with none of them nothing is subscribed */
    bool asked;         /* the client knows that it is wanted, or refused it for good */
    bool on_screen;
    bool hidden;         /* the client was told that it is not on the screen */
    bool was_current;    /* when all rows were last looked at */
    bool drawn;          /* version is that of the image drawn last */
    uint64_t shown_pass; /* number of the pass that last had it in the watchlist */
    tg_version version;
    watch_price bid;
    watch_price ask;
    watch_price last;
} watch_row;

typedef enum flash_phase {
    FLASH_NONE,
    FLASH_FADING,
    FLASH_STRONG
} flash_phase;

/* Take over an image that is about to be drawn. Thread: owner. */
void watch_row_take(watch_row *row, const tg_image *image, int64_t now_mono_ns);

/* Thread: owner. */
flash_phase watch_price_phase(const watch_price *price, int64_t now_mono_ns);

/* When the next phase begins; INT64_MAX: nothing flashes. Thread: owner. */
int64_t watch_row_next_phase_mono_ns(const watch_row *row, int64_t now_mono_ns);

#endif

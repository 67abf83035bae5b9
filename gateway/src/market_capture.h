/**
 * What the frames of one capture add up to: instruments with their books, rows for a tape, counts
 * of message kinds, and how the rebuilt books compare with what the venue says itself.
 *
 * A venue's reader calls the functions below for each frame; whoever reads the file takes the rows.
 */
#ifndef TG_GATEWAY_MARKET_CAPTURE_H
#define TG_GATEWAY_MARKET_CAPTURE_H

#include "book.h"
#include "cause.h"
#include "depth_sync.h"
#include "json.h"
#include "order_book.h"
#include "tape_line.h"
#include "top_ring.h"

#define TG__KINDS_MAX     64u    /* more are counted together */
#define TG__MARKETS_MAX   65535u /* what a tape can hold */
#define TG__MARKET_CHAINS 4096u

typedef enum tg__kind_use {
    TG__KIND_USED,
    TG__KIND_UNUSED, /* known, and of no use for a tape */
    TG__KIND_UNKNOWN
} tg__kind_use;

typedef struct tg__kind_count {
    char name[40];
    tg__kind_use use;
    uint64_t count;
} tg__kind_count;

typedef struct tg__market {
    struct tg__market *chained; /* the next one with the same hash */
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    tg__book book;
    tg__order_book orders; /* of feeds by order, which make the book */
    bool book_is_live;     /* stands on a snapshot, nothing is missing */
    bool has_quotes; /* the venue tells best bid and ask itself: they are not taken of the book */
    bool shown[2];
    tg__book_level top[2]; /* as the rows so far have it */
    tg__depth_sync depth;  /* of venues with ids */
    tg__top_ring tops;
} tg__market;

typedef struct tg__market_capture {
    tg__json *json;
    int64_t ts_ns; /* of the frame */
    tg__market **markets;
    uint32_t market_count;
    uint32_t market_capacity;
    tg__market *chains[TG__MARKET_CHAINS]; /* by hash of the symbol */
    tg__tape_line *rows;                   /* of the record read last */
    size_t row_count;
    size_t row_capacity;
    tg__kind_count kinds[TG__KINDS_MAX];
    uint32_t kind_count;
    uint64_t compared; /* books with what the venue says */
    uint64_t different;
    uint64_t books_lost;  /* by a gap in the ids or a bad record, until the next snapshot */
    char difference[256]; /* of the record read last; "": none */
    const char *what;     /* is wrong with the frame, when a function below failed */
} tg__market_capture;

/* TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__market_capture_init(tg__market_capture *capture);
void tg__market_capture_deinit(tg__market_capture *capture);

/* Sets what and returns TG_ERR_SYNTAX: the record is bad, the next one may be good. */
tg_err tg__frame_fault(tg__market_capture *capture, const char *what);

/* Counts a record of a kind; names that are new beyond TG__KINDS_MAX go to the last of them. */
void tg__market_capture_count(tg__market_capture *capture, tg__span kind, tg__kind_use use);

/* Its name is entered with the first call. TG_ERR_SYNTAX (not a symbol), NO_MEMORY, FULL. */
TG_MUST_CHECK tg_err tg__market_of(tg__market_capture *capture, const char *venue,
                                   tg__json_at symbol, tg__market **out);
TG_MUST_CHECK tg_err tg__market_named(tg__market_capture *capture, const char *venue,
                                      const char *symbol, tg__market **out);

/* has: the venue numbers what it sends. */
typedef struct tg__exchange_id {
    bool has;
    uint64_t value;
} tg__exchange_id;

static const tg__exchange_id tg__no_id = {false, 0};

/*
 * A row, if price or quantity differ from those of the side's last row. An empty side is price 0,
 * quantity 0. TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__emit_side(tg__market_capture *capture, tg__market *market,
                                   tg__book_side side, const tg__book_level *level,
                                   tg__exchange_id id);
/* Both sides of the book, if it is live and the venue has no quotes of its own. */
TG_MUST_CHECK tg_err tg__emit_top(tg__market_capture *capture, tg__market *market,
                                  tg__exchange_id id);
TG_MUST_CHECK tg_err tg__emit_trade(tg__market_capture *capture, tg__market *market,
                                    tg_decimal price, tg_decimal quantity, tg__exchange_id id);

/* A level from its two numbers; the quantity is not negative. TG_ERR_SYNTAX. */
TG_MUST_CHECK tg_err tg__read_level(tg__market_capture *capture, tg__json_at price,
                                    tg__json_at quantity, tg__book_level *out);

/* An array of [price, quantity, ...] into the book. As tg__read_level() and tg__book_set(). */
TG_MUST_CHECK tg_err tg__apply_levels(tg__market_capture *capture, tg__market *market,
                                      tg__book_side side, tg__json_at levels);

/* The book is not shown or compared again before the next snapshot. */
void tg__lose_book(tg__market_capture *capture, tg__market *market);

/* Counts one comparison of a book; names it in `difference` if it is not equal. */
void tg__count_comparison(tg__market_capture *capture, const tg__market *market, bool equal,
                          const char *against, uint64_t id);

#endif

/**
 * The store as its writer sees it. Files of the writer side share it; readers see tg_view only.
 */
#ifndef TICKGLASS_STORE_STORE_STATE_H
#define TICKGLASS_STORE_STORE_STATE_H

#include <tickglass/internal/store_writer.h>

#include "free_rows.h"
#include "pin.h"
#include "table.h"

#define TG__VERSIONS_MAX    66 /* 64 readers, the current and the pending version */
#define TG__VENUE_NAMES_MAX 512

/* Written by the writer, read by any thread; each by itself. */
typedef struct tg__tally {
    _Atomic uint64_t admitted;
    _Atomic uint64_t covered_ticks;
    _Atomic uint64_t confirmed;
    _Atomic uint64_t rejected_regression;
    _Atomic uint64_t rejected_epoch;
    _Atomic uint64_t integrity_faults;
    _Atomic uint64_t views_published;
    _Atomic uint64_t history_restarts;
    _Atomic uint64_t depth_admitted;
    _Atomic uint64_t depth_refused;
    _Atomic uint64_t confirmed_anew; /* admitted that were no other tick */
    _Atomic uint64_t unsaid; /* what admitted rows really covered - covered_ticks, modulo 2^64 */
    _Atomic uint64_t beyond; /* what their versions advanced - covered_ticks, modulo 2^64 */
    _Atomic uint64_t lost;
    _Atomic uint64_t superseded;
    _Atomic uint64_t repeated;
} tg__tally;

struct tg_reader {
    tg_store *store; /* constant while open */
    tg__pin_slot *slot;
    _Alignas(TG__CACHE_LINE) _Atomic bool open;
};

struct tg_store {
    tg__pins pins;
    _Alignas(TG__CACHE_LINE) tg__tally tally;

    /* Constant after open. */
    _Alignas(TG__CACHE_LINE) void *block; /* the one allocation; the store lies in it */
    size_t block_size;
    size_t part_size[TG__STORE_PART_COUNT];
    uint32_t row_max;
    uint32_t reader_count;
    uint32_t version_count;
    tg_reader *readers;
    tg_view *versions;
    tg__refusal_tally *refusals;       /* by row */
    tg__refusal_tally *venue_refusals; /* by venue id */
    tg__losses *losses;                /* by row */

    /* The writer's; first what every tick asks. */
    tg_view *pending;         /* the version that is being written; never current, never held */
    const uint8_t *shown;     /* by row: its plane in the current version */
    tg__cell *plane_cells[2]; /* the first two planes, by row */
    tg__ledger_row *ledger;
    tg__change_log log;
    uint32_t alone_ids; /* row_max while no version but the current one is kept, else 0 */
    uint32_t era;       /* TG__ERA_STEP times the number of losses so far, and one */
    uint32_t kept_count;
    const tg_view *kept[TG__VERSIONS_MAX - 1]; /* the current version, and those that readers may
                                                  hold: their cells are not written */
    tg__entry_pool pool;
    tg__cell *cells;        /* by plane and row */
    uint16_t *position;     /* by row: in the pending version's known[] */
    uint16_t *orphan_venue; /* by row, of an orphan: in venue_names, with a reference; 0: none.
                               Venue ids change with the dictionary's generation, names do not */
    uint64_t book_touched[TG__BOOK_MAX + 1]; /* publication in which the book last changed */
    uint64_t book_lineage[TG__BOOK_MAX + 1]; /* in which its version was given */
    uint64_t book_stamp;                     /* publication in which any book last changed */
    uint64_t venue_stamp;                    /* publication in which a venue last changed */
    uint64_t identity_stamp; /* publication in which a row's identity last changed */
    uint64_t flags_stamp;    /* publication in which a row's flags last did */
    uint64_t lineage;
    uint32_t generation;
    tg__quality_watch watch;
    tg__history history;
    tg__order *free_rows;
    uint32_t orphan_count; /* rows that kept their value over a restart and have no id yet */
    uint16_t orphan_hand;  /* where the search for one to give up goes on */
    tg__name_pool venue_names;
    uint64_t *tombstones; /* bit by id: removed in this generation */
};

static inline void tg__tally_add(_Atomic uint64_t *counter, uint64_t more)
{
    /* Relaxed, and no read-modify-write: one writer; readers want each number, not their order. */
    const uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

/* One more refusal of row and of its venue. */
void tg__refusal_count(tg_store *store, uint16_t row, tg__admission admission);

void tg__refusals_clear(tg__refusal_tally *tally);

void tg__history_init(tg__history *history, const tg__store_options *options);
/* Words of one instrument's records. */
size_t tg__history_words(uint32_t points);
/* Row has a new value. */
void tg__history_add(tg_store *store, uint16_t row);
/* Values have another scale: the past is not comparable. */
void tg__history_restart(tg_store *store, uint16_t row);
/* The row's ring is free for another. */
void tg__history_drop(tg_store *store, uint16_t row);
void tg__history_catch_up(tg_view *to, const tg_view *from, uint16_t row);

void tg__watch_init(tg__quality_watch *watch, uint32_t capacity);
/* Size of watch->records. */
size_t tg__watch_words(uint32_t capacity);
/* A row is given to an instrument: nothing has been told of it. */
void tg__watch_begin(tg_store *store, uint16_t row);
/* The next publication judges row. */
void tg__watch_mark(tg_store *store, uint16_t row);
/* view is what readers see now. */
void tg__watch_published(tg_store *store, const tg_view *view, int64_t now_mono_ns);

/* True if this tick may change the quality that was told. */
static inline bool tg__watch_minds(const tg_store *store, uint16_t row, const tg_image *image)
{
    const bool halted = image->value[TG_FIELD_STATUS] == TG_TRADING_HALTED;
    return store->ledger[row].told.watched != (uint8_t)halted;
}

/* The row was admitted or confirmed. */
static inline void tg__watch_tick(tg_store *store, uint16_t row, const tg_image *image)
{
    if (tg__watch_minds(store, row, image)) {
        tg__watch_mark(store, row);
    }
}

/* An admitted row that does not simply go on from the one before. */
void tg__ledger_irregular(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered);
/* A row of the version that is held. */
void tg__ledger_confirmed(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered);
/* A row that is older than what is held. */
void tg__ledger_refused(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered);
void tg__ledger_clear(tg_store *store, uint16_t row);
void tg__ledger_total(const tg__tally *tally, tg_ledger *out);

/* Seq of the version in the row's cell of the pending version. */
static inline uint64_t tg__ledger_seq(const tg__ledger_row *ledger)
{
    /* Relaxed: only this thread writes it. */
    return atomic_load_explicit(&ledger->account.newest, memory_order_relaxed);
}

/* An admitted row that stands for just the ticks by which it raises the seq, in the epoch or a
 * later one of the lineage. The totals of these are admitted and covered_ticks. */
static inline void tg__ledger_regular(tg__account *account, uint64_t seq, uint64_t covered)
{
    tg__tally_add(&account->covered, covered);
    atomic_store_explicit(&account->newest, seq, memory_order_relaxed);
    tg__tally_add(&account->received, 1);
}

/* An admitted row, before it is taken over. */
static inline void tg__ledger_admitted(tg_store *store, uint16_t row, const tg_image *image,
                                       uint64_t covered, bool comparable)
{
    const uint64_t advance = image->seq - tg__ledger_seq(&store->ledger[row]);
    /* The last says: at least one, and none of them before tick 1. */
    if (comparable && covered == advance && covered - 1 < image->seq) {
        tg__ledger_regular(&store->ledger[row].account, image->seq, covered);
    } else {
        tg__ledger_irregular(store, row, image, covered);
    }
}

/* A book's levels have another scale: they go, its version stays. Rows without a book are allowed.
 */
void tg__book_drop_values(tg_store *store, uint16_t row);
/* The row is given up, and its book with it. */
void tg__book_free(tg_store *store, uint16_t row);
/* Bring to's books from where they were at since to those of from. */
void tg__books_catch_up(const tg_store *store, tg_view *to, const tg_view *from, uint64_t since);

/* A plane in which no kept version has row's cell: one of readers + 2 is always free. */
uint8_t tg__plane_free(const tg_store *store, uint16_t row);

/*
 * The row's cell in the pending version, to be written whole. The first time in a publication that
 * is another one than the row had, which the current version shows: one that no kept version shows,
 * and the change is logged. Later it is the same again.
 */
static inline tg__cell *tg__row_renew(tg_store *store, uint16_t row)
{
    tg_view *pending = store->pending;
    if (pending->plane[row] == store->shown[row]) {
        pending->plane[row] = tg__plane_free(store, row);
        tg__log_put(&store->log, pending->number, row);
    }
    return tg__table_cell_in(pending, pending->plane[row], row);
}

/* Likewise, with what the row had in it. */
static inline tg__cell *tg__row_edit(tg_store *store, uint16_t row)
{
    const tg__cell *former = tg__table_cell(store->pending, row);
    tg__cell *cell = tg__row_renew(store, row);
    if (cell != former) {
        *cell = *former;
    }
    return cell;
}

/* Something of row that is not in its cell changes: versions that catch up must look at it. */
static inline void tg__row_touch(tg_store *store, uint16_t row)
{
    (void)tg__row_edit(store, row);
}

/* The version that row shows changes. */
static inline void tg__row_change(tg_store *store, uint16_t row)
{
    tg__row_edit(store, row)->changed_in = store->pending->number;
}

/* Flags of row change. Versions that catch up see it only if the row is touched as well. */
static inline void tg__row_flag(tg_store *store, uint16_t row, uint8_t set, uint8_t clear)
{
    tg__tag *tag = &store->pending->tag[row];
    const uint8_t now = (uint8_t)((tag->flags | set) & ~clear);
    if (now != tag->flags) {
        tag->flags = now;
        store->flags_stamp = store->pending->number;
    }
}

/* Row is not believed from here on, for the reason of flag, until it is admitted or confirmed. Row
 * 0: nothing happens. */
void tg__row_unprove(tg_store *store, uint16_t row, uint8_t flag);

/* A loss begins, or ends: what was proved before needs a new proof. */
static inline uint32_t tg__era_begin(tg_store *store)
{
    store->era += TG__ERA_STEP;
    store->pending->loss.latest_era = store->era;
    return store->era;
}

/* Bring every version that nobody holds up to date, so that it lets go of old entries. */
void tg__versions_refresh(tg_store *store);

#endif

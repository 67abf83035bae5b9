/**
 * One version of the store: rows, identities, names, axes. A struct tg_view is a whole cut.
 *
 * The writer fills it while no reader can hold it; from its publication until the last reader has
 * left it, nobody changes it. Values are in it by reference: each row has as many cells as there
 * are versions, in planes over all rows, and a version says in which plane the row's cell is. So a
 * row that did not change is not copied, and one that did is written once (tg__row_renew()).
 *
 * Rows are numbered from 1, links between them are row numbers, 0 is none: zeroed storage is a
 * valid empty version, so untouched versions and planes cost address space only. What a
 * row's dictionary entry says is read there and not kept here, where it would count readers + 2
 * times.
 */
#ifndef TICKGLASS_STORE_TABLE_H
#define TICKGLASS_STORE_TABLE_H

#include <stdatomic.h>
#include <stddef.h>

#include "change_log.h"
#include "entry_pool.h"
#include "history.h"
#include "ledger.h"
#include "quality.h"
#include "quality_watch.h"

/* The value of a row, as it was or is in one or more versions: three cache lines. */
typedef struct tg__cell {
    tg_image image;           /* its version stays as a floor when the values are dropped */
    int64_t received_mono_ns; /* of the newest admitted tick */
    int64_t ts_gateway_ns;
    uint64_t changed_in;      /* publication that first showed this version; 0: none */
    uint32_t commit_delay_ns; /* received to admitted; at most UINT32_MAX */
    uint32_t proved_era;      /* with TG__ERA_REMARKED if tg__cell_is_remarkable() */
    int64_t proved_mono_ns;   /* of what last admitted or confirmed it */
} tg__cell;
_Static_assert(sizeof(tg__cell) == 192, "a cell is three cache lines");

/* What a tg_row begins with is what a cell begins with: a read copies it as one. */
#define TG__CELL_AS_ROW (offsetof(tg__cell, changed_in) + sizeof(uint64_t))
_Static_assert(offsetof(tg_row, image) == offsetof(tg__cell, image) &&
                   offsetof(tg_row, received_mono_ns) == offsetof(tg__cell, received_mono_ns) &&
                   offsetof(tg_row, ts_gateway_ns) == offsetof(tg__cell, ts_gateway_ns) &&
                   offsetof(tg_row, changed_in) == offsetof(tg__cell, changed_in),
               "a row begins as a cell does");

/* Its book is crossed or locked. */
static inline bool tg__cell_is_crossed(const tg_image *image)
{
    const uint32_t both = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE);
    return image->value[TG_FIELD_BID_PRICE] >= image->value[TG_FIELD_ASK_PRICE] &&
           (image->present & both) == both;
}

/* A read has to say more of it than its values. */
static inline bool tg__cell_is_remarkable(const tg_image *image)
{
    return tg__cell_is_crossed(image) || image->value[TG_FIELD_STATUS] == TG_TRADING_HALTED;
}

#define TG__ROW_KNOWN        0x01u /* has an id in this version */
#define TG__ROW_HAS_VALUE    0x02u
#define TG__ROW_NOT_ENTITLED 0x04u
#define TG__ROW_DELAYED      0x08u /* the entry's: quality needs it */
#define TG__ROW_RESTARTED    0x10u /* taken over from another lineage without proof of age */
#define TG__ROW_UNFOLLOWED   0x20u /* no channel carries it any more */
#define TG__ROW_OWN          0x40u /* its id is the one before its number */
#define TG__ROW_CONTRADICTED                                                                       \
    0x80u /* its version came with other values, and none since that agree */

/* What the next admission or confirmation takes back. */
#define TG__ROW_UNPROVED (TG__ROW_UNFOLLOWED | TG__ROW_CONTRADICTED)

typedef struct tg__tag {
    uint32_t entry : 24; /* in the pool; 0: the row is free */
    uint32_t flags : 8;  /* TG__ROW_* */
} tg__tag;
_Static_assert(2 * TG_INSTRUMENT_MAX < 1 << 24, "two dictionaries fit a tag");

typedef struct tg__links {
    uint16_t next_by_id;
    uint16_t next_by_name;
} tg__links;

/* Counted by the writer, read by any thread, each by itself; not part of a cut. */
typedef struct tg__refusal_tally {
    _Atomic uint32_t regression; /* all three stay at their maximum */
    _Atomic uint32_t epoch;
    _Atomic uint32_t integrity;
} tg__refusal_tally;

/* What admission asks, and the row's account. All but the account is the writer's. */
typedef struct tg__ledger_row {
    uint64_t usual;     /* epoch + 1 of ticks that may take the short way (tick.c); 0: none may */
    uint64_t lineage;   /* this and the epoch: of the version in the row's cell of the pending */
    uint32_t epoch;     /* version. Its seq is the account's newest */
    uint32_t epoch_min; /* older epochs have another scale */
    tg__account account;
    uint32_t account_epoch; /* first one of the numbering that the account is in */
    tg__told told;
} tg__ledger_row;
_Static_assert(sizeof(tg__ledger_row) == 64, "an admission touches one cache line of it");

/* Depth of one instrument. */
typedef struct tg__book_row {
    tg_book book;
    tg_version version; /* stays as a floor when the levels are dropped */
    uint64_t changed_in;
    int64_t proved_mono_ns;
    uint32_t proved_era;
    bool has_value;
    bool doubted; /* something of its channel was lost; until it is admitted or confirmed again */
} tg__book_row;

struct tg_view {
    uint64_t number; /* of the publication; of the writer's pending version: the next one */
    int64_t published_mono_ns;
    tg__link_axis link;
    tg__loss_axis loss;
    tg__plain plain;            /* of link and loss, as published */
    int64_t cadence_min_ns;     /* no known row is QUIET before that */
    uint32_t count;             /* known instruments */
    uint32_t row_max;           /* constant; a plane has one more, row 0 */
    uint32_t bucket_mask;       /* constant */
    tg__entry_pool *pool;       /* shared by all versions */
    tg__name_pool *venue_names; /* likewise */

    tg__cell *cells; /* by plane and row; shared by all versions */
    uint8_t *plane;  /* by row: where its cell is */
    tg__tag *tag;
    const tg__change_log *log; /* shared */
    uint64_t log_end;          /* of this publication, in the log */
    uint16_t *known;           /* rows of the known instruments, in no order */
    tg__venue_axis *venue;     /* TG_VENUE_MAX */
    uint16_t *venue_name;      /* likewise: in the pool; 0: never named */
    tg__book_row *book;        /* from 1 to TG__BOOK_MAX */
    uint16_t *book_row;        /* likewise: whose it is; 0: it is free */
    uint16_t *history_of;      /* by row: its ring; 0: none. Only if there is history */
    tg__history_open *open;    /* by ring */

    tg__refusal_tally *refusals;       /* by row; shared by all versions */
    tg__refusal_tally *venue_refusals; /* by venue; shared by all versions */
    tg__ledger_row *ledger;            /* by row; shared: its account is for readers */
    tg__losses *losses;                /* by row; shared */
    const tg__history *history;        /* shared */

    /* Chains of rows: by id (known rows that are not their id's own) and by symbol (every row that
     * has an entry). */
    tg__links *links;
    uint16_t *id_bucket;
    uint16_t *name_bucket;
};

static inline bool tg__table_has(const tg_view *table, uint16_t row, uint8_t flag)
{
    return (table->tag[row].flags & flag) != 0;
}

static inline const tg__entry *tg__table_entry(const tg_view *table, uint16_t row)
{
    return &table->pool->entry[table->tag[row].entry];
}

/* Id of a known row. */
static inline tg_instrument_id tg__table_id(const tg_view *table, uint16_t row)
{
    return tg__table_has(table, row, TG__ROW_OWN) ? (tg_instrument_id)(row - 1u)
                                                  : tg__table_entry(table, row)->id;
}

/* A row is given to the id before it where possible, and then nothing need be searched. */
static inline bool tg__table_is_own(const tg_view *table, tg_instrument_id id)
{
    const uint32_t own = (uint32_t)id + 1;
    return own <= table->row_max && tg__table_has(table, (uint16_t)own, TG__ROW_OWN);
}

/* Row of a known id that is not in its own row; 0: not known. */
uint16_t tg__table_search(const tg_view *table, tg_instrument_id id);

/* Row of a known id; 0: not known. */
static inline uint16_t tg__table_row(const tg_view *table, tg_instrument_id id)
{
    return tg__table_is_own(table, id) ? (uint16_t)(id + 1u) : tg__table_search(table, id);
}

static inline tg__cell *tg__table_cell_in(const tg_view *table, uint8_t plane, uint32_t row)
{
    return &table->cells[(size_t)plane * (table->row_max + 1) + row];
}

static inline const tg__cell *tg__table_cell(const tg_view *table, uint32_t row)
{
    return tg__table_cell_in(table, table->plane[row], row);
}

/* What the row says of its top of book. */
static inline tg__row_axis tg__table_top(const tg_view *table, uint16_t row)
{
    const tg__cell *cell = tg__table_cell(table, row);
    return (tg__row_axis){
        .proved_mono_ns = cell->proved_mono_ns,
        .proved_era = cell->proved_era,
        .has_value = tg__table_has(table, row, TG__ROW_HAS_VALUE),
        .contradicted = tg__table_has(table, row, TG__ROW_CONTRADICTED),
    };
}

/* Proof and value of a field group, with what its row says of both. */
static inline tg__verdict tg__table_quality(const tg_view *table, uint16_t row,
                                            const tg__row_axis *group, int64_t now_mono_ns)
{
    const uint32_t flags = table->tag[row].flags;
    const tg__entry *entry = tg__table_entry(table, row);
    const tg__row_axis axis = {
        .proved_mono_ns = group->proved_mono_ns,
        .proved_era = group->proved_era,
        .cadence_ms = entry->cadence_ms,
        .has_value = group->has_value,
        .not_entitled = (flags & TG__ROW_NOT_ENTITLED) != 0,
        .delayed = (flags & TG__ROW_DELAYED) != 0,
        .halted = tg__table_cell(table, row)->image.value[TG_FIELD_STATUS] == TG_TRADING_HALTED,
        .unfollowed = (flags & TG__ROW_UNFOLLOWED) != 0,
        .contradicted = group->contradicted,
    };
    return tg__quality_at(&table->link, &table->loss, &table->venue[entry->venue], &axis,
                          now_mono_ns);
}

/* True: the row is its id's own, its top of book is LIVE, and there is nothing else to say of it.
 * False: who knows, tg__table_row() and tg__table_quality() do. Of published versions. */
static inline bool tg__table_is_plain(const tg_view *table, const tg__cell *cell, uint32_t flags,
                                      int64_t age_ns, int64_t now_mono_ns)
{
    const uint32_t in_favour = TG__ROW_OWN | TG__ROW_HAS_VALUE;
    const uint32_t against =
        TG__ROW_NOT_ENTITLED | TG__ROW_DELAYED | TG__ROW_RESTARTED | TG__ROW_UNPROVED;
    return (flags & (in_favour | against)) == in_favour && cell->proved_era == table->plain.era &&
           now_mono_ns <= table->plain.until_mono_ns && age_ns <= table->cadence_min_ns;
}

/* Index of the row's book; 0: it has none. There are few, and seldom asked for. */
static inline uint8_t tg__table_book(const tg_view *table, uint16_t row)
{
    uint8_t index = row == 0 ? 0 : TG__BOOK_MAX;
    while (index != 0 && table->book_row[index] != row) {
        index--;
    }
    return index;
}

/* First row of the chain that holds the rows with this symbol; go on with next_by_name. */
static inline uint16_t tg__table_name_chain(const tg_view *table, const char *symbol)
{
    return table->name_bucket[tg__name_hash(symbol) & table->bucket_mask];
}

/*
 * Writer: give row an entry (0: none) and, if known, the entry's id. Keeps both chains and the
 * reference counts; not the list of known rows.
 */
void tg__table_identify(tg_view *table, uint16_t row, uint32_t entry, bool known);

/* Writer: give venue a name of the pool (0: none). Keeps the reference counts. */
void tg__table_name_venue(tg_view *table, tg_venue_id venue, uint16_t name);

#endif

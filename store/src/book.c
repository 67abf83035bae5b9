#include <tickglass/internal/store_writer.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "admission.h"
#include "stop_point.h"
#include "store_state.h"

static void touch(tg_store *store, uint8_t index)
{
    store->book_touched[index] = store->pending->number;
    store->book_stamp = store->pending->number;
}

static bool levels_equal(const tg_level *a, const tg_level *b, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        if (a[i].price != b[i].price || a[i].quantity != b[i].quantity) {
            return false;
        }
    }
    return true;
}

static bool books_equal(const tg_book *a, const tg_book *b)
{
    return a->bid_count == b->bid_count && a->ask_count == b->ask_count &&
           levels_equal(a->bid, b->bid, a->bid_count) && levels_equal(a->ask, b->ask, a->ask_count);
}

/* The row's book, or a free one that becomes it; 0: none is left. */
static uint8_t book_for(tg_store *store, uint16_t row)
{
    tg_view *pending = store->pending;
    const uint8_t own = tg__table_book(pending, row);
    if (own != 0) {
        return own;
    }
    for (uint8_t index = 1; index <= TG__BOOK_MAX; index++) {
        if (pending->book_row[index] == 0) {
            pending->book_row[index] = row;
            store->book_lineage[index] = store->lineage;
            touch(store, index);
            return index;
        }
    }
    return 0;
}

static void prove(const tg_store *store, tg__book_row *to, const tg__arrival *arrival)
{
    to->proved_mono_ns = arrival->received_mono_ns;
    to->proved_era = store->era;
    to->doubted = false;
}

static void take_over(tg_store *store, uint8_t index, tg_version version, const tg_book *book)
{
    tg__book_row *to = &store->pending->book[index];
    to->book.bid_count = book->bid_count;
    to->book.ask_count = book->ask_count;
    memcpy(to->book.bid, book->bid, book->bid_count * sizeof book->bid[0]);
    TG__STOP_POINT("a book has its new bids and its old asks");
    memcpy(to->book.ask, book->ask, book->ask_count * sizeof book->ask[0]);
    to->version = version;
    to->changed_in = store->pending->number;
    to->has_value = true;
    store->book_lineage[index] = store->lineage;
}

tg_err tg__store_admit_book(tg_store *store, tg_instrument_id id, tg_version version,
                            const tg_book *book, const tg__arrival *arrival,
                            tg__admission *admission)
{
    TG_ENSURE(book->bid_count <= TG_BOOK_DEPTH_MAX && book->ask_count <= TG_BOOK_DEPTH_MAX,
              TG_ERR_INVALID_ARGUMENT);
    *admission = TG__REFUSED_UNKNOWN;
    const uint16_t row = tg__table_row(store->pending, id);
    if (row == 0) {
        return TG_OK;
    }
    const uint8_t index = book_for(store, row);
    TG_ENSURE(index != 0, TG_ERR_FULL);
    tg__book_row *held = &store->pending->book[index];
    const tg__holding holding = {
        .version = held->version,
        .epoch_min = store->ledger[row].epoch_min,
        .has_value = held->has_value,
        .comparable = store->book_lineage[index] == store->lineage,
        .values_equal = books_equal(&held->book, book),
    };
    const bool is_empty = book->bid_count == 0 && book->ask_count == 0;
    *admission = tg__admission_decide(&holding, version, is_empty);
    if (*admission == TG__ADMITTED) {
        take_over(store, index, version, book);
        tg__tally_add(&store->tally.depth_admitted, 1);
    } else if (*admission != TG__CONFIRMED) {
        tg__tally_add(&store->tally.depth_refused, 1);
        if (*admission == TG__REFUSED_INTEGRITY) {
            tg__store_doubt_book(store, id);
        }
        return TG_OK;
    }
    if (held->has_value && store->book_lineage[index] == store->lineage) {
        prove(store, held, arrival);
        touch(store, index);
    }
    return TG_OK;
}

void tg__store_drop_book(tg_store *store, tg_instrument_id id)
{
    tg__book_free(store, tg__table_row(store->pending, id));
}

void tg__store_doubt_book(tg_store *store, tg_instrument_id id)
{
    const uint8_t index = tg__table_book(store->pending, tg__table_row(store->pending, id));
    if (index != 0) {
        store->pending->book[index].doubted = true;
        touch(store, index);
    }
}

bool tg__store_is_book_doubted(const tg_store *store, tg_instrument_id id)
{
    const uint8_t index = tg__table_book(store->pending, tg__table_row(store->pending, id));
    return index != 0 && store->pending->book[index].doubted;
}

void tg__book_drop_values(tg_store *store, uint16_t row)
{
    const uint8_t index = tg__table_book(store->pending, row);
    if (index != 0) {
        store->pending->book[index].has_value = false;
        touch(store, index);
    }
}

void tg__book_free(tg_store *store, uint16_t row)
{
    const uint8_t index = tg__table_book(store->pending, row);
    if (index != 0) {
        memset(&store->pending->book[index], 0, sizeof store->pending->book[index]);
        store->pending->book_row[index] = 0;
        touch(store, index);
    }
}

void tg__books_catch_up(const tg_store *store, tg_view *to, const tg_view *from, uint64_t since)
{
    for (uint8_t index = 1; index <= TG__BOOK_MAX; index++) {
        if (store->book_touched[index] > since) {
            to->book[index] = from->book[index];
            to->book_row[index] = from->book_row[index];
        }
    }
}

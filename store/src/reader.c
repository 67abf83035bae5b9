#include <tickglass/store.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

tg_err tg_reader_open(tg_store *store, tg_reader **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(store != NULL, TG_ERR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < store->reader_count; i++) {
        tg_reader *reader = &store->readers[i];
        bool open = false;
        /* Acquire: pairs with the release in tg_reader_close(), so that a slot passes from one
         * thread to the next. */
        if (atomic_compare_exchange_strong_explicit(&reader->open, &open, true,
                                                    memory_order_acquire, memory_order_relaxed)) {
            *out = reader;
            return TG_OK;
        }
    }
    return TG_ERR_READERS;
}

void tg_reader_close(tg_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    tg_reader_unpin(reader);
    /* Release: pairs with the acquire in tg_reader_open(). */
    atomic_store_explicit(&reader->open, false, memory_order_release);
}

const tg_view *tg_reader_pin(tg_reader *reader)
{
    return &reader->store->versions[tg__pin_take(&reader->store->pins, reader->slot)];
}

void tg_reader_unpin(tg_reader *reader)
{
    tg__pin_drop(reader->slot);
}

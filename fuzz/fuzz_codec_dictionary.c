/*
 * DICTIONARY and FOUND. A rejection names a place within the message and leaves the reader as it
 * was; what is accepted yields as many entries as it announces, and encodes again to something that
 * decodes to the same entries.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/dictionary.h>

#include "repairing_mutator.h"
#include "start_channel.h"

const size_t repairing_mutator_head_size = 0;

static tg__dictionary_entry entries[TG__ITEM_MAX];
static uint8_t again[TG__MESSAGE_SIZE_MAX];

static void require_fault(const tg__fault *fault, size_t size)
{
    require(fault->offset <= size);
    require(fault->row == TG__NO_ROW || fault->row < TG__ITEM_MAX);
}

static size_t read_entries(tg__dictionary_reader *reader)
{
    const uint32_t announced = reader->left;
    size_t count = 0;
    while (tg__dictionary_next(reader, &entries[count])) {
        const tg__dictionary_entry *const entry = &entries[count];
        if (entry->op == TG__DICTIONARY_ADD || entry->op == TG__DICTIONARY_SCALE) {
            const tg_instrument *const instrument = &entry->as.instrument;
            require(instrument->id != TG_INSTRUMENT_NONE && instrument->band_count >= 1);
            require(instrument->band_count <= TG_TICK_BAND_MAX);
            require(memchr(instrument->symbol, '\0', TG_SYMBOL_SIZE) != NULL);
            require(memchr(instrument->currency, '\0', TG_CURRENCY_SIZE) != NULL);
        }
        count++;
        require(count + reader->unknown + reader->left == announced);
    }
    require(count + reader->unknown == announced && reader->left == 0);
    return count;
}

static void require_same_entries(tg__dictionary_reader *reader, size_t count)
{
    tg__dictionary_entry entry;
    require(reader->left == count);
    for (size_t i = 0; i < count; i++) {
        require(tg__dictionary_next(reader, &entry));
        require(memcmp(&entry, &entries[i], sizeof entry) == 0);
    }
    require(!tg__dictionary_next(reader, &entry) && reader->unknown == 0);
}

static void check_dictionary(const uint8_t *message, size_t size)
{
    const tg__dictionary_reader untouched = {again, again, 7, 7};
    tg__dictionary_reader reader = untouched;
    tg__fault fault;
    uint32_t generation = 0;
    if (tg__dictionary_decode(message, size, &generation, &reader, &fault) != TG_OK) {
        require_fault(&fault, size);
        require(memcmp(&reader, &untouched, sizeof reader) == 0);
        return;
    }
    const size_t count = read_entries(&reader);
    const bool all_known = reader.unknown == 0;
    size_t encoded = 0;
    uint32_t generation_again = 0;
    require(tg__dictionary_encode(generation, entries, count, again, sizeof again, &encoded) ==
            TG_OK);
    require(!all_known || encoded <= size);
    require(tg__dictionary_decode(again, encoded, &generation_again, &reader, &fault) == TG_OK);
    require(generation_again == generation);
    require_same_entries(&reader, count);
    require(tg__dictionary_encode(generation, entries, count, again, encoded - 1, &encoded) ==
            TG_ERR_BUFFER_TOO_SMALL);
}

static void check_found(const uint8_t *message, size_t size)
{
    tg__dictionary_reader reader;
    tg__found found;
    tg__found found_again;
    tg__fault fault;
    if (tg__found_decode(message, size, &found, &reader, &fault) != TG_OK) {
        require_fault(&fault, size);
        return;
    }
    const size_t count = read_entries(&reader);
    size_t encoded = 0;
    require(tg__found_encode(&found, entries, count, again, sizeof again, &encoded) == TG_OK);
    require(tg__found_decode(again, encoded, &found_again, &reader, &fault) == TG_OK);
    require(found_again.request == found.request && found_again.generation == found.generation &&
            found_again.more == found.more);
    require_same_entries(&reader, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const exact = malloc(size > 0 ? size : 1);
    require(exact != NULL);
    if (size > 0) {
        memcpy(exact, data, size);
    }
    check_dictionary(exact, size);
    check_found(exact, size);
    free(exact);
    return 0;
}

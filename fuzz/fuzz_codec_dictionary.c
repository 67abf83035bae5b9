/*
 * DICTIONARY and FOUND with the oracle beside: it and the decoder must agree on accept or reject,
 * error, offset, item and every value. A rejection leaves the reader as it was; what is accepted
 * encodes again to something that decodes to the same entries.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/dictionary.h>

#include "oracle_control.h"
#include "repairing_mutator.h"
#include "start_channel.h"

const size_t repairing_mutator_head_size = 0;

static tg__dictionary_entry wanted[TG__ITEM_MAX];
static tg__dictionary_entry entries[TG__ITEM_MAX];
static uint8_t again[TG__MESSAGE_SIZE_MAX];

static void require_same_fault(tg_err err, const tg__fault *fault, tg_err wanted_err,
                               const tg__fault *wanted_fault)
{
    require(err == wanted_err);
    require(err == TG_OK ||
            (fault->offset == wanted_fault->offset && fault->row == wanted_fault->row));
}

static size_t read_entries(tg__dictionary_reader *reader, const oracle_dictionary *expected)
{
    size_t count = 0;
    require(reader->left == expected->count);
    while (tg__dictionary_next(reader, &entries[count])) {
        require(count < expected->known);
        require(memcmp(&entries[count], &wanted[count], sizeof wanted[0]) == 0);
        count++;
        require(count + reader->unknown + reader->left == expected->count);
    }
    require(count == expected->known && reader->left == 0);
    require(count + reader->unknown == expected->count);
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
    tg__fault wanted_fault;
    uint32_t generation = 0;
    oracle_dictionary expected = {0, 0, wanted};
    const tg_err wanted_err = oracle_judge_dictionary(message, size, &expected, &wanted_fault);
    const tg_err err = tg__dictionary_decode(message, size, &generation, &reader, &fault);
    require_same_fault(err, &fault, wanted_err, &wanted_fault);
    if (err != TG_OK) {
        require(memcmp(&reader, &untouched, sizeof reader) == 0);
        return;
    }
    require(generation == oracle_bits(message, 16, 32));
    const size_t count = read_entries(&reader, &expected);
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
    tg__fault wanted_fault;
    oracle_dictionary expected = {0, 0, wanted};
    const tg_err wanted_err = oracle_judge_found(message, size, &expected, &wanted_fault);
    const tg_err err = tg__found_decode(message, size, &found, &reader, &fault);
    require_same_fault(err, &fault, wanted_err, &wanted_fault);
    if (err != TG_OK) {
        return;
    }
    require(found.more == (message[1] % 2 == 1) && found.request == oracle_bits(message, 16, 32) &&
            found.generation == oracle_bits(message, 48, 32));
    const size_t count = read_entries(&reader, &expected);
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

#include "tg_cmocka.h"

#include "codec_fixture.h"

#include <tickglass/internal/dictionary.h>

#define ENTRIES 5

static void set_text(char *out, size_t size, const char *text)
{
    assert_true(strlen(text) < size);
    memset(out, 0, size);
    memcpy(out, text, strlen(text));
}

static void make_instrument(tg_instrument *instrument)
{
    memset(instrument, 0, sizeof *instrument);
    instrument->id = 2399;
    instrument->venue = 5;
    instrument->asset_class = TG_ASSET_BOND;
    instrument->price_format = TG_PRICE_FRACTION_32_HALF;
    instrument->price_exponent = -18;
    instrument->quantity_exponent = 0;
    instrument->delayed = true;
    instrument->epoch = 7;
    instrument->cadence_ms = 30000;
    instrument->multiplier.mantissa = -125;
    instrument->multiplier.exponent = 3;
    instrument->band_count = 2;
    instrument->band[0].from_price = -1000;
    instrument->band[0].tick_size = 1;
    instrument->band[1].from_price = 500;
    instrument->band[1].tick_size = 25;
    set_text(instrument->symbol, sizeof instrument->symbol, "\xe6\xb2\xaa\xe6\xb7\xb1 2612");
    set_text(instrument->currency, sizeof instrument->currency, "CNY");
}

static void make_entries(tg__dictionary_entry *entries)
{
    memset(entries, 0, ENTRIES * sizeof entries[0]);
    entries[0].op = TG__DICTIONARY_VENUE;
    entries[0].as.venue.id = 254;
    set_text(entries[0].as.venue.name, TG_VENUE_NAME_SIZE, "BINANCE_COINM");
    entries[1].op = TG__DICTIONARY_ADD;
    make_instrument(&entries[1].as.instrument);
    entries[2].op = TG__DICTIONARY_SCALE;
    make_instrument(&entries[2].as.instrument);
    entries[2].as.instrument.currency[0] = '\0';
    entries[2].as.instrument.currency[1] = '\0';
    entries[2].as.instrument.currency[2] = '\0';
    entries[3].op = TG__DICTIONARY_RENAME;
    entries[3].as.instrument.id = 65534;
    set_text(entries[3].as.instrument.symbol, TG_SYMBOL_SIZE, "POL-USDT");
    entries[4].op = TG__DICTIONARY_TOMBSTONE;
    entries[4].as.instrument.id = 0;
}

static size_t encode(uint8_t *bytes, size_t capacity)
{
    tg__dictionary_entry entries[ENTRIES];
    size_t size = 0;
    make_entries(entries);
    assert_int_equal(tg__dictionary_encode(3, entries, ENTRIES, bytes, capacity, &size), TG_OK);
    return size;
}

static void every_operation_comes_back(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    const size_t size = encode(bytes, sizeof bytes);
    uint8_t *const exact = fixture_exact_copy(bytes, size);
    assert_non_null(exact);
    tg__dictionary_entry expected[ENTRIES];
    tg__dictionary_entry entry;
    tg__dictionary_reader reader;
    tg__fault fault;
    uint32_t generation = 0;
    make_entries(expected);
    assert_int_equal(tg__dictionary_decode(exact, size, &generation, &reader, &fault), TG_OK);
    assert_int_equal(generation, 3);
    for (unsigned i = 0; i < ENTRIES; i++) {
        assert_true(tg__dictionary_next(&reader, &entry));
        assert_int_equal(entry.op, expected[i].op);
        if (entry.op == TG__DICTIONARY_VENUE) {
            assert_int_equal(entry.as.venue.id, expected[i].as.venue.id);
            assert_string_equal(entry.as.venue.name, expected[i].as.venue.name);
            continue;
        }
        const tg_instrument *const a = &entry.as.instrument;
        const tg_instrument *const b = &expected[i].as.instrument;
        assert_int_equal(a->id, b->id);
        assert_string_equal(a->symbol, b->symbol);
        assert_string_equal(a->currency, b->currency);
        assert_int_equal(a->price_exponent, b->price_exponent);
        assert_int_equal(a->delayed, b->delayed);
        assert_int_equal(a->epoch, b->epoch);
        assert_int_equal(a->multiplier.mantissa, b->multiplier.mantissa);
        assert_int_equal(a->band_count, b->band_count);
        assert_memory_equal(a->band, b->band, sizeof a->band);
    }
    assert_false(tg__dictionary_next(&reader, &entry));
    free(exact);
}

static void decode_rejects_every_short_length(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    const size_t size = encode(bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *const exact = fixture_exact_copy(bytes, cut);
        assert_non_null(exact);
        tg__dictionary_reader reader;
        tg__fault fault = {SIZE_MAX, 0};
        uint32_t generation = 0;
        assert_int_not_equal(tg__dictionary_decode(exact, cut, &generation, &reader, &fault),
                             TG_OK);
        assert_true(fault.offset <= cut);
        free(exact);
    }
}

static void unknown_optional_entries_are_skipped_and_mandatory_ones_refused(void **state)
{
    (void)state;
    uint8_t bytes[] = {0x81, 0, 1, 0, 0, 0, 2, 0x11, 3, 9, 9, 9, 0x83, 2, 8, 0};
    tg__dictionary_reader reader;
    tg__dictionary_entry entry;
    tg__fault fault;
    uint32_t generation = 0;
    assert_int_equal(tg__dictionary_decode(bytes, sizeof bytes, &generation, &reader, &fault),
                     TG_OK);
    assert_true(tg__dictionary_next(&reader, &entry));
    assert_int_equal(entry.op, TG__DICTIONARY_TOMBSTONE);
    assert_int_equal(entry.as.instrument.id, 8);
    assert_int_equal(reader.unknown, 1);
    assert_false(tg__dictionary_next(&reader, &entry));
    bytes[7] = 0x91;
    assert_int_equal(tg__dictionary_decode(bytes, sizeof bytes, &generation, &reader, &fault),
                     TG_ERR_MANDATORY_UNKNOWN);
    assert_int_equal(fault.offset, 7);
    assert_int_equal(fault.row, 0);
}

static void tick_tables_must_rise_and_have_positive_steps(void **state)
{
    (void)state;
    tg__dictionary_entry entries[ENTRIES];
    uint8_t bytes[1024];
    size_t size = 0;
    make_entries(entries);
    tg__dictionary_reader reader;
    tg__fault fault;
    uint32_t generation = 0;
    entries[1].as.instrument.band[1].tick_size = 0;
    assert_int_equal(tg__dictionary_encode(1, entries, ENTRIES, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__dictionary_decode(bytes, size, &generation, &reader, &fault),
                     TG_ERR_VALUE_RANGE);
    assert_int_equal(fault.row, 1);
    entries[1].as.instrument.band[1].tick_size = 25;
    entries[1].as.instrument.band[1].from_price = -1000;
    assert_int_equal(tg__dictionary_encode(1, entries, ENTRIES, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__dictionary_decode(bytes, size, &generation, &reader, &fault),
                     TG_ERR_VALUE_RANGE);
}

/* One ADD, byte by byte, with one byte changed at a time. */
static void every_value_of_an_instrument_has_its_limits(void **state)
{
    (void)state;
    static const uint8_t good[] = {
        0x81, 0,   1, 0,  0, 0,    1, 0x81, 21,    /* header, operation, length */
        5,    0,   3, 2,  0, 0xfe, 0, 0,    7,  0, /* id to cadence */
        2,    0,   2, 1,  2, 8,    2,              /* multiplier, two bands */
        1,    'A', 1, 'B'};                        /* symbol, currency */
    static const struct {
        size_t at;
        uint8_t value;
        tg_err err;
        size_t fault_at;
    } cases[] = {
        {1, 1, TG_ERR_FLAGS, 1},
        {7, 0x85, TG_ERR_MANDATORY_UNKNOWN, 7},
        {7, 0x84, TG_OK, 0},
        {8, 22, TG_ERR_TRUNCATED, 8},
        {8, 20, TG_ERR_TRUNCATED, 28},
        {11, 254, TG_OK, 0},
        {11, 255, TG_ERR_VALUE_RANGE, 11},
        {12, 7, TG_OK, 0},
        {12, 8, TG_OK, 0},
        {13, 4, TG_OK, 0},
        {13, 5, TG_OK, 0},
        {14, 18, TG_OK, 0},
        {14, 19, TG_ERR_VALUE_RANGE, 14},
        {14, 0xee, TG_OK, 0},
        {14, 0xed, TG_ERR_VALUE_RANGE, 14},
        {15, 19, TG_ERR_VALUE_RANGE, 15},
        {16, 0xff, TG_OK, 0}, /* flags of later versions */
        {20, 0x80, TG_ERR_VALUE_RANGE, 20},
        {21, 0, TG_ERR_COUNT_LIMIT, 21},
        {21, 9, TG_ERR_COUNT_LIMIT, 21},
        {23, 0, TG_ERR_VALUE_RANGE, 23}, /* tick size 0 */
        {23, 1, TG_ERR_VALUE_RANGE, 23}, /* tick size -1 */
        {24, 2, TG_OK, 0},
        {24, 1, TG_ERR_VALUE_RANGE, 24}, /* the second band does not lie above the first */
        {26, 0, TG_ERR_STRING, 26},      /* no symbol */
        {26, 9, TG_ERR_TRUNCATED, 26},
        {28, 0, TG_OK, 0}, /* no currency, and a byte of a later version */
        {28, 2, TG_ERR_TRUNCATED, 28},
    };
    uint8_t bytes[sizeof good];
    tg__dictionary_reader reader;
    tg__dictionary_entry entry;
    uint32_t generation = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(bytes, good, sizeof good);
        bytes[cases[i].at] = cases[i].value;
        tg__fault fault = {0, 0};
        const tg_err err = tg__dictionary_decode(bytes, sizeof bytes, &generation, &reader, &fault);
        if (err != cases[i].err || fault.offset != cases[i].fault_at) {
            fail_msg("byte %zu = %u: error %d at %zu", cases[i].at, cases[i].value, (int)err,
                     fault.offset);
        }
    }
    memcpy(bytes, good, sizeof good);
    bytes[9] = bytes[10] = 0xff;
    tg__fault fault;
    assert_int_equal(tg__dictionary_decode(bytes, sizeof bytes, &generation, &reader, &fault),
                     TG_ERR_VALUE_RANGE);
    memcpy(bytes, good, sizeof good);
    bytes[12] = 8;
    bytes[13] = 5;
    assert_int_equal(tg__dictionary_decode(bytes, sizeof bytes, &generation, &reader, &fault),
                     TG_OK);
    assert_true(tg__dictionary_next(&reader, &entry));
    assert_int_equal(entry.as.instrument.asset_class, TG_ASSET_OTHER);
    assert_int_equal(entry.as.instrument.price_format, TG_PRICE_DECIMAL);
    assert_int_equal(entry.as.instrument.price_exponent, -2);
    assert_int_equal(entry.as.instrument.venue, 3);
}

static void a_message_has_at_most_4096_entries(void **state)
{
    (void)state;
    static uint8_t bytes[16384 + 16] = {0x81, 0, 1, 0, 0, 0, 0x80, 0x20};
    tg__dictionary_reader reader;
    tg__fault fault;
    uint32_t generation = 0;
    for (size_t i = 0; i < 4096; i++) {
        static const uint8_t tombstone[] = {0x83, 2, 1, 0};
        memcpy(bytes + 8 + 4 * i, tombstone, 4);
    }
    assert_int_equal(tg__dictionary_decode(bytes, 8 + 16384, &generation, &reader, &fault), TG_OK);
    assert_int_equal(reader.left, 4096);
    assert_int_equal(tg__dictionary_decode(bytes, 8 + 16385, &generation, &reader, &fault),
                     TG_ERR_TRAILING_BYTES);
    assert_int_equal(fault.offset, 8 + 16384);
    assert_int_equal(fault.row, TG__NO_ROW);
    bytes[6] = 0x81;
    assert_int_equal(tg__dictionary_decode(bytes, 8 + 16384, &generation, &reader, &fault),
                     TG_ERR_COUNT_LIMIT);
    assert_int_equal(fault.offset, 6);
}

static void a_page_of_the_directory_comes_back(void **state)
{
    (void)state;
    tg__dictionary_entry entries[ENTRIES];
    uint8_t bytes[1024];
    size_t size = 0;
    make_entries(entries);
    const tg__found page = {42, 3, true};
    assert_int_equal(tg__found_encode(&page, entries, 2, bytes, sizeof bytes, &size), TG_OK);
    tg__found found;
    tg__dictionary_reader reader;
    tg__fault fault;
    assert_int_equal(tg__found_decode(bytes, size, &found, &reader, &fault), TG_OK);
    assert_int_equal(found.request, 42);
    assert_true(found.more);
    assert_int_equal(found.generation, 3);
    assert_int_equal(reader.left, 2);
    bytes[1] = 0xfe; /* flags of later versions */
    assert_int_equal(tg__found_decode(bytes, size, &found, &reader, &fault), TG_OK);
    assert_false(found.more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_comes_back),
        cmocka_unit_test(decode_rejects_every_short_length),
        cmocka_unit_test(unknown_optional_entries_are_skipped_and_mandatory_ones_refused),
        cmocka_unit_test(tick_tables_must_rise_and_have_positive_steps),
        cmocka_unit_test(every_value_of_an_instrument_has_its_limits),
        cmocka_unit_test(a_message_has_at_most_4096_entries),
        cmocka_unit_test(a_page_of_the_directory_comes_back),
    };
    return cmocka_run_group_tests_name("codec.dictionary", tests, NULL, NULL);
}

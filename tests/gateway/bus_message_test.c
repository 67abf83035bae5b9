#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/internal/crc32c.h>

#include "bus_message.h"

static const tg__bus_hello hello = {.lineage = UINT64_C(0xfedcba9876543210),
                                    .dictionary_generation = 3,
                                    .time_resolution_ns = 1000,
                                    .venue_count = 2,
                                    .instrument_count = 40,
                                    .simulated = true,
                                    .seed = UINT64_C(0x0123456789abcdef)};

static uint8_t bytes[1u << 16];
static size_t size;

static tg_image sample_image(uint64_t seq)
{
    tg_image image = {.epoch = 7, .seq = seq};
    image.value[TG_FIELD_BID_PRICE] = -3763;
    image.value[TG_FIELD_ASK_PRICE] = INT64_MIN;
    image.value[TG_FIELD_TS_EXCHANGE] = -5000;
    image.value[TG_FIELD_STATUS] = INT64_MAX;
    image.present = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE) |
                    TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE) | TG_FIELD_BIT(TG_FIELD_STATUS);
    return image;
}

static void encode_cut(void)
{
    tg__bus_draft draft;
    const tg_image one = sample_image(1);
    const tg_image two = sample_image(UINT64_MAX);
    tg__bus_begin_cut(&draft, UINT64_C(1) << 40, -17, bytes, sizeof bytes);
    tg__bus_put_image(&draft, 0, &one);
    tg__bus_put_image(&draft, 39, &two);
    assert_int_equal(tg__bus_finish(&draft, &size), TG_OK);
}

static void encode_ticks(void)
{
    tg__bus_draft draft;
    const tg_image image = sample_image(4);
    tg__bus_begin_ticks(&draft, bytes, sizeof bytes);
    tg__bus_put_image(&draft, 39, &image);
    tg__bus_put_image(&draft, 2, &image);
    assert_int_equal(tg__bus_finish(&draft, &size), TG_OK);
}

static void encode_dictionary(void)
{
    tg__dictionary_entry entries[2];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    memcpy(entries[0].as.venue.name, "OKX", 4);
    entries[1].op = TG__DICTIONARY_ADD;
    entries[1].as.instrument.band_count = 1;
    entries[1].as.instrument.band[0].tick_size = 1;
    memcpy(entries[1].as.instrument.symbol, "BTC", 4);
    assert_int_equal(tg__bus_dictionary_encode(3, entries, 2, bytes, sizeof bytes, &size), TG_OK);
}

static void encode_hello(void)
{
    assert_int_equal(tg__bus_hello_encode(&hello, bytes, sizeof bytes, &size), TG_OK);
}

static void encode_venue_state(void)
{
    const tg__venue_state state = {1, TG__VENUE_STALE, 77};
    assert_int_equal(tg__bus_venue_state_encode(&state, bytes, sizeof bytes, &size), TG_OK);
}

static void (*const encoders[])(void) = {encode_hello, encode_dictionary, encode_cut, encode_ticks,
                                         encode_venue_state};
#define ENCODERS (sizeof encoders / sizeof encoders[0])

static tg_err decode(tg__bus_message *message, tg__fault *fault)
{
    return tg__bus_message_decode(bytes, size, &hello, message, fault);
}

/* Makes the checksum right again after a byte was changed on purpose. */
static void seal(void)
{
    const uint32_t crc = tg__crc32c(0, bytes, size - 4);
    for (unsigned i = 0; i < 4; i++) {
        bytes[size - 4 + i] = (uint8_t)(crc >> (8 * i));
    }
}

static void hello_and_venue_state_come_back(void **state)
{
    (void)state;
    tg__bus_message message;
    tg__fault fault;
    encode_hello();
    assert_int_equal(decode(&message, &fault), TG_OK);
    assert_int_equal(message.kind, TG__BUS_HELLO);
    assert_true(message.as.hello.lineage == hello.lineage && message.as.hello.seed == hello.seed);
    assert_int_equal(message.as.hello.dictionary_generation, hello.dictionary_generation);
    assert_int_equal(message.as.hello.time_resolution_ns, hello.time_resolution_ns);
    assert_int_equal(message.as.hello.venue_count, hello.venue_count);
    assert_int_equal(message.as.hello.instrument_count, hello.instrument_count);
    assert_true(message.as.hello.simulated);
    encode_venue_state();
    assert_int_equal(decode(&message, &fault), TG_OK);
    assert_int_equal(message.as.venue_state.venue, 1);
    assert_int_equal(message.as.venue_state.condition, TG__VENUE_STALE);
    assert_int_equal(message.as.venue_state.boundary, 77);
}

static void dictionary_entries_come_back(void **state)
{
    (void)state;
    tg__bus_message message;
    tg__dictionary_entry entry;
    tg__fault fault;
    encode_dictionary();
    assert_int_equal(decode(&message, &fault), TG_OK);
    assert_int_equal(message.as.dictionary.generation, 3);
    assert_true(tg__dictionary_next(&message.as.dictionary.reader, &entry));
    assert_string_equal(entry.as.venue.name, "OKX");
    assert_true(tg__dictionary_next(&message.as.dictionary.reader, &entry));
    assert_string_equal(entry.as.instrument.symbol, "BTC");
    assert_false(tg__dictionary_next(&message.as.dictionary.reader, &entry));
}

static void images_come_back_with_nulls_and_extremes(void **state)
{
    (void)state;
    tg__bus_message message;
    tg__update update;
    tg__fault fault;
    encode_cut();
    assert_int_equal(decode(&message, &fault), TG_OK);
    assert_true(message.as.cut.boundary == UINT64_C(1) << 40);
    assert_int_equal(message.as.cut.mono_ns, -17);
    const tg_image one = sample_image(1);
    const tg_image two = sample_image(UINT64_MAX);
    assert_true(tg__bus_image_next(&message.as.cut.images, &update));
    assert_int_equal(update.id, 0);
    assert_memory_equal(&update.image, &one, sizeof one);
    assert_true(tg__bus_image_next(&message.as.cut.images, &update));
    assert_int_equal(update.id, 39);
    assert_memory_equal(&update.image, &two, sizeof two);
    assert_false(tg__bus_image_next(&message.as.cut.images, &update));
    encode_ticks(); /* in any order */
    assert_int_equal(decode(&message, &fault), TG_OK);
    assert_true(tg__bus_image_next(&message.as.ticks, &update));
    assert_int_equal(update.id, 39);
}

static void every_short_message_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENCODERS; i++) {
        encoders[i]();
        const size_t whole = size;
        for (size = 0; size < whole; size++) {
            tg__bus_message message;
            tg__fault fault;
            size_t told = 1;
            assert_int_equal(decode(&message, &fault), TG_ERR_TRUNCATED);
            assert_int_equal(fault.offset, size);
            assert_int_equal(tg__bus_message_size(bytes, size, &told, &fault), TG_OK);
            assert_int_equal(told, size < 5 ? 0 : whole);
        }
    }
}

/* A body that is cut short, in an envelope that fits it. */
static void every_short_body_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENCODERS; i++) {
        encoders[i]();
        const size_t whole = size;
        for (size_t body = 0; body + TG__BUS_ENVELOPE_SIZE < whole; body++) {
            tg__bus_message message;
            tg__fault fault;
            encoders[i]();
            size = body + TG__BUS_ENVELOPE_SIZE;
            bytes[0] = (uint8_t)body;
            bytes[1] = (uint8_t)(body >> 8);
            seal();
            assert_int_not_equal(decode(&message, &fault), TG_OK);
            assert_true(fault.offset >= 5 && fault.offset <= size);
        }
    }
}

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ENCODERS; i++) {
        encoders[i]();
        for (size_t bit = 0; bit < size * 8; bit++) {
            tg__bus_message message;
            tg__fault fault;
            bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ (1u << (bit % 8)));
            assert_int_not_equal(decode(&message, &fault), TG_OK);
            bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ (1u << (bit % 8)));
        }
    }
}

static void what_does_not_belong_is_refused_by_name_and_place(void **state)
{
    (void)state;
    static const struct {
        void (*encode)(void);
        size_t at;
        uint8_t value;
        tg_err err;
        size_t offset;
        uint32_t row;
    } cases[] = {
        {encode_hello, 5, 0, TG_ERR_FORMAT, 5, TG__NO_ROW},
        {encode_hello, 28, 0x7f, TG_ERR_VALUE_RANGE, 25, TG__NO_ROW}, /* resolution: too great */
        {encode_hello, 30, 1, TG_ERR_COUNT_LIMIT, 29, TG__NO_ROW},    /* venues: over 255 */
        {encode_hello, 35, 1, TG_ERR_COUNT_LIMIT, 33, TG__NO_ROW},    /* instruments: over 65535 */
        {encode_hello, 37, 2, TG_ERR_VALUE_RANGE, 37, TG__NO_ROW}, /* neither simulated nor not */
        {encode_cut, 21, 41, TG_ERR_COUNT_LIMIT, 21, TG__NO_ROW},
        {encode_cut, 25, 40, TG_ERR_VALUE_RANGE, 25, 0}, /* id */
        {encode_cut, 25, 39, TG_ERR_SET_ORDER, 75, 1},   /* the second one's equal */
        {encode_cut, 27, 0, TG_ERR_VERSION, 27, 0},      /* epoch 0 */
        {encode_cut, 31, 0, TG_ERR_VERSION, 27, 0},      /* seq 0 */
        {encode_cut, 41, 3, TG_ERR_FIELD_MASK, 39, 0},   /* field 17 */
        {encode_cut, 59, 1, TG_ERR_VALUE_RANGE, 59, 0},  /* no whole unit of time */
        {encode_ticks, 5, 3, TG_ERR_TRUNCATED, 109, 2},
        {encode_ticks, 5, 1, TG_ERR_TRAILING_BYTES, 59, TG__NO_ROW},
        {encode_venue_state, 5, 2, TG_ERR_VALUE_RANGE, 5, TG__NO_ROW}, /* venue */
        {encode_venue_state, 6, 2, TG_ERR_VALUE_RANGE, 6, TG__NO_ROW}, /* condition */
        {encode_dictionary, 5, 0, TG_ERR_MESSAGE_KIND, 5, TG__NO_ROW},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__bus_message message;
        tg__fault fault;
        cases[i].encode();
        bytes[cases[i].at] = cases[i].value;
        seal();
        const tg_err err = decode(&message, &fault);
        if (err != cases[i].err || fault.offset != cases[i].offset || fault.row != cases[i].row) {
            fail_msg("case %zu: %s at %zu, row %u", i, tg_err_name(err), fault.offset,
                     (unsigned)fault.row);
        }
    }
}

static void an_envelope_that_promises_too_much_is_refused_at_once(void **state)
{
    (void)state;
    tg__fault fault;
    size_t told = 0;
    const uint8_t huge[] = {1, 0, 0xc0, 0, TG__BUS_CUT};
    const uint8_t largest[] = {0, 0, 0xc0, 0, TG__BUS_CUT};
    const uint8_t unknown[] = {1, 0, 0, 0, 6};
    assert_int_equal(tg__bus_message_size(huge, sizeof huge, &told, &fault), TG_ERR_FRAME_SIZE);
    assert_int_equal(tg__bus_message_size(largest, sizeof largest, &told, &fault), TG_OK);
    assert_int_equal(told, TG__BUS_SIZE_MAX);
    assert_int_equal(tg__bus_message_size(unknown, sizeof unknown, &told, &fault),
                     TG_ERR_MESSAGE_KIND);
    assert_int_equal(fault.offset, 4);
}

static void a_buffer_that_is_too_small_is_said(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity < 60; capacity++) {
        tg__bus_draft draft;
        const tg_image image = sample_image(4);
        size_t written = 0;
        tg__bus_begin_ticks(&draft, bytes, capacity);
        tg__bus_put_image(&draft, 1, &image);
        assert_int_equal(tg__bus_finish(&draft, &written), TG_ERR_BUFFER_TOO_SMALL);
    }
    for (size_t capacity = 0; capacity < 50; capacity++) {
        size_t written = 0;
        assert_int_equal(tg__bus_hello_encode(&hello, bytes, capacity, &written),
                         TG_ERR_BUFFER_TOO_SMALL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_and_venue_state_come_back),
        cmocka_unit_test(dictionary_entries_come_back),
        cmocka_unit_test(images_come_back_with_nulls_and_extremes),
        cmocka_unit_test(every_short_message_is_refused),
        cmocka_unit_test(every_short_body_is_refused),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(what_does_not_belong_is_refused_by_name_and_place),
        cmocka_unit_test(an_envelope_that_promises_too_much_is_refused_at_once),
        cmocka_unit_test(a_buffer_that_is_too_small_is_said),
    };
    return cmocka_run_group_tests_name("gateway.bus_message", tests, NULL, NULL);
}

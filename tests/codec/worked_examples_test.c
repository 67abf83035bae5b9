/* The examples of PROTOCOL.md section 15: bytes that were derived by hand, not by the encoder. */
#include "tg_cmocka.h"

#include "codec_fixture.h"

#include <tickglass/internal/control.h>

static void heartbeat_of_15_1(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x84, 0x00, 0x64, 0,    0,    0,    0,
                                       0,    0,    0,    0x01, 0xa0, 0x06, 0x00};
    tg__channel channel;
    tg__channel_init(&channel, NULL, NULL, 0, FIXTURE_RESOLUTION_NS);
    channel.boundary = 99;
    const tg__frame frame = {.base = 99, .boundary = 100, .ts_gateway_ns = 40000000};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__delta_encode(&channel, &frame, NULL, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    tg__frame decoded;
    tg__fault fault;
    assert_int_equal(
        tg__delta_decode(&channel, expected, sizeof expected, &decoded, NULL, 0, &fault), TG_OK);
    assert_true(decoded.boundary == 100 && decoded.ts_gateway_ns == 40000000);
}

static void make_channel_of_id_1(tg__channel *channel, tg_instrument_id *id, tg_image *image)
{
    *id = 1;
    memset(image, 0, sizeof *image);
    tg__channel_init(channel, id, image, 1, FIXTURE_RESOLUTION_NS);
    channel->count = 1;
    channel->set_digest = tg__set_digest(id, 1);
    image->present = TG_FIELD_BIT(TG_FIELD_BID_PRICE);
}

static void delta_of_15_2(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x84, 0x00, 0x65, 0,    0,    0,    0xa5, 0xef, 0xc3,
                                       0xe2, 0x01, 0x00, 0x01, 0x01, 0x7f, 0x02, 0x02, 0x63};
    tg_instrument_id id;
    tg_image image;
    tg__channel channel;
    make_channel_of_id_1(&channel, &id, &image);
    channel.boundary = 100;
    image.epoch = 7;
    image.seq = 1000;
    image.value[TG_FIELD_BID_PRICE] = 184275;
    tg__update update = {.id = 1, .covered = 2, .image = image};
    update.image.seq = 1002;
    update.image.value[TG_FIELD_BID_PRICE] = 184225;
    const tg__frame frame = {
        .base = 100, .boundary = 101, .set_digest = channel.set_digest, .count = 1};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__delta_encode(&channel, &frame, &update, bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    tg__frame decoded;
    tg__update row;
    tg__fault fault;
    assert_int_equal(
        tg__delta_decode(&channel, expected, sizeof expected, &decoded, &row, 1, &fault), TG_OK);
    assert_true(row.image.value[TG_FIELD_BID_PRICE] == 184225 && row.image.seq == 1002);
    assert_true(row.image.epoch == 7 && row.covered == 2);
}

static void snapshot_of_15_3(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x83, 0x00, 0x05, 0,    0,    0,    0,    0,    0,
                                       0,    0xa5, 0xef, 0xc3, 0xe2, 0x00, 0x01, 0x08, 0x01,
                                       0x00, 0x01, 0x01, 0x00, 0x01, 0xe5, 0x3a};
    tg_instrument_id id;
    tg_image image;
    tg__channel channel;
    make_channel_of_id_1(&channel, &id, &image);
    image.epoch = 1;
    image.seq = 1;
    image.value[TG_FIELD_BID_PRICE] = -3763;
    const tg__update row = {.id = 1, .image = image};
    const tg__frame frame = {
        .base = 5, .boundary = 5, .set_digest = channel.set_digest, .count = 1};
    uint8_t bytes[64];
    size_t head = 0;
    size_t size = 0;
    assert_int_equal(tg__snapshot_header_encode(&frame, TG__SNAPSHOT_SET_CHANGE,
                                                FIXTURE_RESOLUTION_NS, bytes, sizeof bytes, &head),
                     TG_OK);
    assert_int_equal(tg__snapshot_row_encode(&row, FIXTURE_RESOLUTION_NS, bytes + head,
                                             sizeof bytes - head, &size),
                     TG_OK);
    assert_int_equal(head + size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    tg__frame decoded;
    tg__update decoded_row;
    tg__snapshot_reason reason;
    tg__fault fault;
    assert_int_equal(tg__snapshot_decode(expected, sizeof expected, FIXTURE_RESOLUTION_NS, &decoded,
                                         &reason, &decoded_row, 1, &fault),
                     TG_OK);
    assert_true(decoded_row.image.value[TG_FIELD_BID_PRICE] == -3763);
}

static void subscribe_of_15_4(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xc0, 0x00, 0x02, 0,    0,    0,    0x02, 0x00, 0x01, 0x00,
                                       0x01, 0x03, 0x4f, 0x4b, 0x58, 0x03, 0x42, 0x54, 0x43};
    tg__name names[2];
    memset(names, 0, sizeof names);
    names[0].id = 1;
    names[1].id = TG_INSTRUMENT_NONE;
    memcpy(names[1].venue, "OKX", 3);
    memcpy(names[1].symbol, "BTC", 3);
    const tg__request request = {TG__KIND_SUBSCRIBE, 2, TG__CHANNEL_CONFLATED};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__request_encode(&request, names, 2, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    tg__request decoded;
    tg__name_reader reader;
    tg__name name;
    tg__fault fault;
    assert_int_equal(tg__request_decode(expected, sizeof expected, &decoded, &reader, &fault),
                     TG_OK);
    assert_true(tg__name_next(&reader, &name) && name.id == 1);
    assert_true(tg__name_next(&reader, &name));
    assert_string_equal(name.venue, "OKX");
    assert_string_equal(name.symbol, "BTC");
}

static void shaped_row_of_15_5(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x84, 0x00, 0x65, 0,    0,    0,    0xa5, 0xef, 0xc3, 0xe2,
                                       0x01, 0xa0, 0x06, 0x01, 0x01, 0x06, 0x00, 0x28, 0x02};
    const int64_t second = 1000000000;
    const int64_t ms = 1000000;
    tg_instrument_id id;
    tg_image image;
    tg__channel channel;
    make_channel_of_id_1(&channel, &id, &image);
    channel.boundary = 100;
    channel.ts_gateway_ns = second;
    image.epoch = 7;
    image.seq = 1000;
    image.value[TG_FIELD_BID_PRICE] = 184275;
    image.present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    image.value[TG_FIELD_TS_EXCHANGE] = second;
    tg__update update = {.id = 1, .covered = 1, .image = image};
    update.image.seq = 1001;
    update.image.value[TG_FIELD_BID_PRICE] = 184276;
    update.image.value[TG_FIELD_TS_EXCHANGE] = second + 38 * ms;
    const tg__frame frame = {.base = 100,
                             .boundary = 101,
                             .ts_gateway_ns = second + 40 * ms,
                             .set_digest = channel.set_digest,
                             .count = 1};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__delta_encode(&channel, &frame, &update, bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    tg__frame decoded;
    tg__update row;
    memset(&row, 0, sizeof row); /* padding too: the whole is compared */
    tg__fault fault;
    assert_int_equal(
        tg__delta_decode(&channel, expected, sizeof expected, &decoded, &row, 1, &fault), TG_OK);
    assert_int_equal(row.id, update.id);
    assert_int_equal(row.slot, update.slot);
    assert_int_equal(row.covered, update.covered);
    assert_memory_equal(&row.image, &update.image, sizeof row.image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heartbeat_of_15_1),  cmocka_unit_test(delta_of_15_2),
        cmocka_unit_test(snapshot_of_15_3),   cmocka_unit_test(subscribe_of_15_4),
        cmocka_unit_test(shaped_row_of_15_5),
    };
    return cmocka_run_group_tests_name("codec.worked_examples", tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include "codec_fixture.h"

#include <tickglass/internal/control.h>

static tg__name named(const char *venue, const char *symbol)
{
    tg__name name;
    memset(&name, 0, sizeof name);
    name.id = TG_INSTRUMENT_NONE;
    memcpy(name.venue, venue, strlen(venue));
    memcpy(name.symbol, symbol, strlen(symbol));
    return name;
}

static size_t encode_request(uint8_t *bytes, size_t capacity)
{
    tg__name names[3] = {named("BINANCE", "BTCUSDT"), named("", ""), named("UPBIT", "KRW-LAMB")};
    names[1].id = 65534;
    const tg__request request = {TG__KIND_SUBSCRIBE, 7, TG__CHANNEL_PRIORITY};
    size_t size = 0;
    assert_int_equal(tg__request_encode(&request, names, 3, bytes, capacity, &size), TG_OK);
    return size;
}

static void requests_come_back_by_name_and_by_id(void **state)
{
    (void)state;
    uint8_t bytes[256];
    const size_t size = encode_request(bytes, sizeof bytes);
    tg__request request;
    tg__name_reader reader;
    tg__name name;
    tg__fault fault;
    assert_int_equal(tg__request_decode(bytes, size, &request, &reader, &fault), TG_OK);
    assert_int_equal(request.request, 7);
    assert_int_equal(request.channel, TG__CHANNEL_PRIORITY);
    assert_true(tg__name_next(&reader, &name));
    assert_string_equal(name.symbol, "BTCUSDT");
    assert_true(tg__name_next(&reader, &name));
    assert_int_equal(name.id, 65534);
    assert_true(tg__name_next(&reader, &name));
    assert_string_equal(name.venue, "UPBIT");
    assert_false(tg__name_next(&reader, &name));
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *const exact = fixture_exact_copy(bytes, cut);
        assert_non_null(exact);
        assert_int_not_equal(tg__request_decode(exact, cut, &request, &reader, &fault), TG_OK);
        free(exact);
    }
}

static void only_a_resync_may_name_nothing(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t size = 0;
    tg__request request = {TG__KIND_UNSUBSCRIBE, 1, TG__CHANNEL_CONFLATED};
    tg__name_reader reader;
    tg__fault fault;
    assert_int_equal(tg__request_encode(&request, NULL, 0, bytes, sizeof bytes, &size),
                     TG_ERR_INVALID_ARGUMENT);
    request.kind = TG__KIND_RESYNC;
    assert_int_equal(tg__request_encode(&request, NULL, 0, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__request_decode(bytes, size, &request, &reader, &fault), TG_OK);
    assert_int_equal(reader.left, 0);
    bytes[0] = TG__KIND_SUBSCRIBE;
    assert_int_equal(tg__request_decode(bytes, size, &request, &reader, &fault),
                     TG_ERR_COUNT_LIMIT);
    bytes[0] = TG__KIND_TOKEN;
    assert_int_equal(tg__request_decode(bytes, size, &request, &reader, &fault),
                     TG_ERR_MESSAGE_KIND);
}

static void answers_come_back_in_the_order_of_the_request(void **state)
{
    (void)state;
    const tg__result sent[] = {
        {TG__ANSWER_OK, 3},           {TG__ANSWER_UNKNOWN, TG_INSTRUMENT_NONE},
        {TG__ANSWER_NOT_ENTITLED, 9}, {TG__ANSWER_LIMIT, 10},
        {TG__ANSWER_PENDING, 11},     {TG__ANSWER_TOO_FAST, TG_INSTRUMENT_NONE}};
    const tg__answer head = {5, TG__CHANNEL_CONFLATED, 25, 0xdeadbeef, 6};
    uint8_t bytes[128];
    size_t size = 0;
    tg__answer answer;
    tg__result results[6];
    tg__fault fault;
    assert_int_equal(tg__answer_encode(&head, sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__answer_decode(bytes, size, &answer, results, 6, &fault), TG_OK);
    assert_int_equal(answer.set_count, 25);
    assert_int_equal(answer.set_digest, 0xdeadbeef);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(results[i].code, sent[i].code);
        assert_int_equal(results[i].id, sent[i].id);
    }
    assert_int_equal(tg__answer_decode(bytes, size, &answer, results, 5, &fault),
                     TG_ERR_BUFFER_TOO_SMALL);
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_not_equal(tg__answer_decode(bytes, cut, &answer, results, 6, &fault), TG_OK);
    }
}

static void an_answer_of_a_later_version_is_a_refusal(void **state)
{
    (void)state;
    const tg__result sent = {TG__ANSWER_UNKNOWN, 4};
    const tg__answer head = {5, TG__CHANNEL_CONFLATED, 0, 0, 1};
    uint8_t bytes[64];
    size_t size = 0;
    tg__answer answer;
    tg__result result;
    tg__fault fault;
    assert_int_equal(tg__answer_encode(&head, &sent, bytes, sizeof bytes, &size), TG_OK);
    bytes[size - 3] = 200;
    assert_int_equal(tg__answer_decode(bytes, size, &answer, &result, 1, &fault), TG_OK);
    assert_int_equal(result.code, TG__ANSWER_UNKNOWN);
    bytes[size - 3] = TG__ANSWER_OK;
    bytes[size - 2] = bytes[size - 1] = 0xff; /* accepted, but which instrument? */
    assert_int_equal(tg__answer_decode(bytes, size, &answer, &result, 1, &fault),
                     TG_ERR_VALUE_RANGE);
    assert_int_equal(fault.row, 0);
}

static void searches_come_back_and_have_a_limit(void **state)
{
    (void)state;
    uint8_t bytes[256];
    size_t size = 0;
    tg__find sent;
    tg__find got;
    tg__fault fault;
    memset(&sent, 0, sizeof sent);
    sent.request = 3;
    sent.limit = 200;
    memcpy(sent.prefix, "BTC", 3);
    memcpy(sent.after_venue, "OKX", 3);
    memcpy(sent.after_symbol, "BTC-USDT", 8);
    assert_int_equal(tg__find_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__find_decode(bytes, size, &got, &fault), TG_OK);
    assert_memory_equal(&got, &sent, sizeof got);
    bytes[size] = 0; /* a search is not a message that later versions may make longer */
    assert_int_equal(tg__find_decode(bytes, size + 1, &got, &fault), TG_ERR_TRAILING_BYTES);
    assert_int_equal(fault.offset, size);
    sent.limit = TG__ITEM_MAX + 1;
    assert_int_equal(tg__find_encode(&sent, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    bytes[6] = 0;
    assert_int_equal(tg__find_decode(bytes, size, &got, &fault), TG_ERR_COUNT_LIMIT);
    assert_int_equal(fault.offset, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_back_by_name_and_by_id),
        cmocka_unit_test(only_a_resync_may_name_nothing),
        cmocka_unit_test(answers_come_back_in_the_order_of_the_request),
        cmocka_unit_test(an_answer_of_a_later_version_is_a_refusal),
        cmocka_unit_test(searches_come_back_and_have_a_limit),
    };
    return cmocka_run_group_tests_name("codec.subscription", tests, NULL, NULL);
}

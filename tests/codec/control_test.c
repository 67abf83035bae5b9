#include "tg_cmocka.h"

#include "codec_fixture.h"

#include <tickglass/internal/control.h>

static void make_welcome(tg__welcome *welcome)
{
    memset(welcome, 0, sizeof *welcome);
    welcome->instance = UINT64_MAX;
    welcome->lineage = 17;
    welcome->boundary = (UINT64_C(1) << 40) + 5;
    welcome->features = TG__FEATURE_STATE_DIGEST;
    welcome->ts_gateway_ns = -1;
    welcome->dictionary_generation = 2;
    welcome->dictionary_size = 2400;
    welcome->frame_interval_ms = 40;
    welcome->heartbeat_interval_ms = 1000;
    welcome->time_resolution_ns = FIXTURE_RESOLUTION_NS;
    welcome->token_lifetime_s = 900;
    welcome->limits.instruments_max = TG__SET_MAX;
    welcome->limits.priority_max = 32;
    welcome->limits.message_size_max = TG__MESSAGE_SIZE_MAX;
    welcome->limits.subscribe_per_second = 1000;
}

static void welcome_comes_back_and_may_be_longer(void **state)
{
    (void)state;
    tg__welcome sent;
    uint8_t bytes[256];
    size_t size = 0;
    make_welcome(&sent);
    assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    for (size_t more = 0; more < 3; more++) {
        tg__welcome got;
        tg__fault fault;
        memset(&got, 0, sizeof got);
        assert_int_equal(tg__welcome_decode(bytes, size + more, &got, &fault), TG_OK);
        assert_memory_equal(&got, &sent, sizeof got);
    }
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *const exact = fixture_exact_copy(bytes, cut);
        assert_non_null(exact);
        tg__welcome got;
        tg__fault fault;
        assert_int_equal(tg__welcome_decode(exact, cut, &got, &fault), TG_ERR_TRUNCATED);
        free(exact);
    }
}

static void a_spread_of_reconnects_comes_back_and_need_not_be_told(void **state)
{
    (void)state;
    tg__welcome sent;
    tg__welcome got;
    tg__fault fault;
    uint8_t bytes[256];
    size_t plain = 0;
    size_t size = 0;
    make_welcome(&sent);
    assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &plain), TG_OK);
    sent.limits.reconnect_spread_ms = 8334;
    assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(size, plain + 4);
    for (size_t told = plain; told <= size; told++) {
        memset(&got, 0xff, sizeof got);
        assert_int_equal(tg__welcome_decode(bytes, told, &got, &fault), TG_OK);
        assert_int_equal(got.limits.reconnect_spread_ms, told == size ? 8334 : 0);
        assert_int_equal(got.limits.subscribe_per_second, 1000);
    }
    assert_int_equal(tg__limits_encode(&sent.limits, bytes, sizeof bytes, &size), TG_OK);
    tg__limits limits;
    assert_int_equal(tg__limits_decode(bytes, size, &limits, &fault), TG_OK);
    assert_memory_equal(&limits, &sent.limits, sizeof limits);
}

static void welcome_refuses_values_that_cannot_be_lived_with(void **state)
{
    (void)state;
    tg__welcome sent;
    tg__welcome got;
    tg__fault fault;
    uint8_t bytes[256];
    size_t size = 0;
    make_welcome(&sent);
    sent.time_resolution_ns = 0;
    assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__welcome_decode(bytes, size, &got, &fault), TG_ERR_VALUE_RANGE);
    make_welcome(&sent);
    sent.limits.instruments_max = TG__SET_MAX + 1;
    assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__welcome_decode(bytes, size, &got, &fault), TG_ERR_VALUE_RANGE);
    assert_int_equal(fault.offset, size - 16);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void welcome_takes_each_value_up_to_its_limit_and_no_further(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        tg_err err;
    } cases[] = {
        {50, 0, TG_ERR_VALUE_RANGE},
        {50, 1, TG_OK},
        {54, 0, TG_ERR_VALUE_RANGE},
        {54, 1, TG_OK},
        {58, 0, TG_ERR_VALUE_RANGE},
        {58, 1, TG_OK},
        {58, 1000000000, TG_OK},
        {58, 1000000001, TG_ERR_VALUE_RANGE},
        {66, 0, TG_OK},
        {66, TG__SET_MAX, TG_OK},
        {66, TG__SET_MAX + 1, TG_ERR_VALUE_RANGE},
        {70, TG__SET_MAX, TG_OK},
        {70, TG__SET_MAX + 1, TG_ERR_VALUE_RANGE},
        {74, TG__MESSAGE_SIZE_MAX, TG_OK},
        {74, TG__MESSAGE_SIZE_MAX + 1, TG_ERR_VALUE_RANGE},
        {78, 0, TG_ERR_VALUE_RANGE},
        {78, 1, TG_OK},
    };
    tg__welcome sent;
    tg__welcome got;
    uint8_t bytes[256];
    size_t size = 0;
    make_welcome(&sent);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tg__welcome_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
        assert_int_equal(size, 82);
        put_u32(bytes + cases[i].at, cases[i].value);
        tg__fault fault = {0, 0};
        assert_int_equal(tg__welcome_decode(bytes, size, &got, &fault), cases[i].err);
        assert_int_equal(fault.offset, cases[i].err == TG_OK ? 0 : cases[i].at);
    }
    bytes[1] = 1;
    tg__fault fault;
    assert_int_equal(tg__welcome_decode(bytes, size, &got, &fault), TG_ERR_FLAGS);
    assert_int_equal(fault.offset, 1);
}

static void limits_and_venue_states_come_back(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t size = 0;
    tg__fault fault;
    const tg__limits limits = {100, 8, 65536, 50, 0};
    tg__limits got;
    assert_int_equal(tg__limits_encode(&limits, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__limits_decode(bytes, size, &got, &fault), TG_OK);
    assert_memory_equal(&got, &limits, sizeof got);
    const tg__venue_state sent = {3, TG__VENUE_STALE, 99};
    tg__venue_state venue;
    assert_int_equal(tg__venue_state_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__venue_state_decode(bytes, size, &venue, &fault), TG_OK);
    assert_int_equal(venue.venue, 3);
    assert_int_equal(venue.condition, TG__VENUE_STALE);
    assert_int_equal(venue.boundary, 99);
    bytes[2] = 77; /* a condition of a later version is not proved to be live */
    assert_int_equal(tg__venue_state_decode(bytes, size, &venue, &fault), TG_OK);
    assert_int_equal(venue.condition, TG__VENUE_STALE);
}

static void tokens_are_visible_ascii_within_their_limit(void **state)
{
    (void)state;
    static uint8_t bytes[TG__TOKEN_SIZE_MAX + 16];
    static char longest[TG__TOKEN_SIZE_MAX + 1];
    size_t size = 0;
    size_t token_size = 0;
    const char *token = NULL;
    tg__fault fault;
    assert_int_equal(tg__token_encode("abc.def", 7, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__token_decode(bytes, size, &token, &token_size, &fault), TG_OK);
    assert_int_equal(token_size, 7);
    assert_memory_equal(token, "abc.def", 7);
    assert_int_equal(tg__token_encode("", 0, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__token_encode("a b", 3, bytes, sizeof bytes, &size),
                     TG_ERR_INVALID_ARGUMENT);
    memset(longest, 'x', sizeof longest);
    assert_int_equal(tg__token_encode(longest, TG__TOKEN_SIZE_MAX, bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(tg__token_encode(longest, TG__TOKEN_SIZE_MAX + 1, bytes, sizeof bytes, &size),
                     TG_ERR_INVALID_ARGUMENT);
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t one[] = {0xc3, 0, (uint8_t)byte};
        const bool visible = byte >= 0x21 && byte <= 0x7e;
        assert_int_equal(tg__token_decode(one, 3, &token, &token_size, &fault),
                         visible ? TG_OK : TG_ERR_STRING);
    }
    assert_int_equal(fault.offset, 2);
    const uint8_t with_newline[] = {0xc3, 0, 'a', '\n'};
    assert_int_equal(tg__token_decode(with_newline, 4, &token, &token_size, &fault), TG_ERR_STRING);
}

static void token_answers_and_echoes_come_back(void **state)
{
    (void)state;
    uint8_t bytes[64];
    size_t size = 0;
    tg__fault fault;
    const tg__token_answer accepted = {true, 900};
    tg__token_answer answer;
    assert_int_equal(tg__token_answer_encode(&accepted, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__token_answer_decode(bytes, size, &answer, &fault), TG_OK);
    assert_true(answer.accepted && answer.lifetime_s == 900);
    bytes[1] = 2;
    assert_int_equal(tg__token_answer_decode(bytes, size, &answer, &fault), TG_ERR_VALUE_RANGE);
    assert_int_equal(fault.offset, 1);
    uint64_t cookie = 0;
    assert_int_equal(tg__echo_encode(UINT64_C(0x0123456789abcdef), bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(bytes[1], 0xef); /* little-endian */
    assert_int_equal(tg__echo_decode(bytes, size, &cookie, &fault), TG_OK);
    assert_true(cookie == UINT64_C(0x0123456789abcdef));
    const tg__echo_reply reply = {cookie, INT64_MIN};
    tg__echo_reply got;
    assert_int_equal(tg__echo_reply_encode(&reply, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__echo_reply_decode(bytes, size, &got, &fault), TG_OK);
    assert_true(got.cookie == cookie && got.ts_gateway_ns == INT64_MIN);
}

static void reports_come_back_and_are_visible_ascii_within_their_limit(void **state)
{
    (void)state;
    static uint8_t bytes[TG__REPORT_HEAD + TG__REPORT_TEXT_MAX + 1];
    static char longest[TG__REPORT_TEXT_MAX + 1];
    size_t size = 0;
    tg__fault fault;
    tg__report got;
    tg__report sent = {TG__REPORT_COMMIT, 60000, "HISTFAAA", 8};
    assert_int_equal(tg__report_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    const uint8_t wanted[] = {0x43, 0, 1, 0x60, 0xea, 0, 0, 'H', 'I', 'S', 'T', 'F', 'A', 'A', 'A'};
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    assert_int_equal(tg__report_decode(bytes, size, &got, &fault), TG_OK);
    assert_true(got.stage == TG__REPORT_COMMIT && got.interval_ms == 60000 && got.text_size == 8);
    assert_memory_equal(got.text, "HISTFAAA", 8);
    memset(longest, 'x', sizeof longest);
    sent.text = longest;
    sent.text_size = TG__REPORT_TEXT_MAX;
    assert_int_equal(tg__report_encode(&sent, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(tg__report_decode(bytes, size, &got, &fault), TG_OK);
    bytes[size] = 'x';
    assert_int_equal(tg__report_decode(bytes, size + 1, &got, &fault), TG_ERR_STRING);
    assert_int_equal(fault.offset, TG__REPORT_HEAD);
    sent.text_size++;
    assert_int_equal(tg__report_encode(&sent, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    sent.text_size = 0;
    assert_int_equal(tg__report_encode(&sent, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    sent.text_size = 1;
    sent.interval_ms = 0;
    assert_int_equal(tg__report_encode(&sent, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
}

static void a_report_that_is_not_whole_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    tg__report got;
    tg__fault fault;
    for (size_t cut = 0; cut <= TG__REPORT_HEAD; cut++) {
        const uint8_t whole[TG__REPORT_HEAD] = {0x43, 0, 0, 1, 0, 0, 0};
        uint8_t *const exact = fixture_exact_copy(whole, cut);
        assert_non_null(exact);
        assert_int_equal(tg__report_decode(exact, cut, &got, &fault),
                         cut < TG__REPORT_HEAD ? TG_ERR_TRUNCATED : TG_ERR_STRING);
        free(exact);
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t one[] = {0x43, 0, 200, 1, 0, 0, 0, 'a', (uint8_t)byte};
        assert_int_equal(tg__report_decode(one, sizeof one, &got, &fault),
                         byte >= 0x21 && byte <= 0x7e ? TG_OK : TG_ERR_STRING);
        assert_int_equal(got.stage, 200); /* of a later version: for the receiver to ignore */
    }
    const uint8_t flags[] = {0x43, 1, 0, 1, 0, 0, 0, 'a'};
    assert_int_equal(tg__report_decode(flags, sizeof flags, &got, &fault), TG_ERR_FLAGS);
    assert_int_equal(fault.offset, 1);
    const uint8_t no_time[] = {0x43, 0, 0, 0, 0, 0, 0, 'a'};
    assert_int_equal(tg__report_decode(no_time, sizeof no_time, &got, &fault), TG_ERR_VALUE_RANGE);
    assert_int_equal(fault.offset, 3);
}

static void a_message_of_another_kind_is_named(void **state)
{
    (void)state;
    const uint8_t bytes[32] = {TG__KIND_ECHO};
    tg__limits limits;
    tg__fault fault;
    uint8_t kind = 0;
    assert_int_equal(tg__limits_decode(bytes, sizeof bytes, &limits, &fault), TG_ERR_MESSAGE_KIND);
    assert_int_equal(tg__message_kind(bytes, sizeof bytes, &kind), TG_OK);
    assert_int_equal(kind, TG__KIND_ECHO);
    assert_int_equal(tg__message_kind(bytes, 0, &kind), TG_ERR_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welcome_comes_back_and_may_be_longer),
        cmocka_unit_test(a_spread_of_reconnects_comes_back_and_need_not_be_told),
        cmocka_unit_test(welcome_refuses_values_that_cannot_be_lived_with),
        cmocka_unit_test(welcome_takes_each_value_up_to_its_limit_and_no_further),
        cmocka_unit_test(limits_and_venue_states_come_back),
        cmocka_unit_test(tokens_are_visible_ascii_within_their_limit),
        cmocka_unit_test(token_answers_and_echoes_come_back),
        cmocka_unit_test(reports_come_back_and_are_visible_ascii_within_their_limit),
        cmocka_unit_test(a_report_that_is_not_whole_is_refused_where_it_is_wrong),
        cmocka_unit_test(a_message_of_another_kind_is_named),
    };
    return cmocka_run_group_tests_name("codec.control", tests, NULL, NULL);
}

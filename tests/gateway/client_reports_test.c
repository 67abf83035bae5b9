#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/hlog.h>

#include "client_reports.h"
#include "hub_fixture.h"

#define S           INT64_C(1000000000)
#define MS          INT64_C(1000000)
#define HIGHEST     INT64_C(60000000000)
#define PLAIN_HEAD  40u
#define PLAIN_MAX   4096u
#define PACKED_MAX  (TG__REPORT_TEXT_MAX / 4 * 3)
#define MESSAGE_MAX (TG__REPORT_HEAD + TG__REPORT_TEXT_MAX)

typedef struct fixture {
    int64_t mono_ns;
    tg__metrics *metrics;
    tg__client_reports *reports;
    tg__report_pace pace;
    tg__text_buffer text; /* of the report that comes next */
    uint8_t message[MESSAGE_MAX];
    size_t size;
} fixture;

static int64_t read_mono(void *ctx)
{
    return ((fixture *)ctx)->mono_ns;
}

static int64_t read_utc(void *ctx)
{
    return 1800000000 * S + ((fixture *)ctx)->mono_ns;
}

static void open_fixture(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->mono_ns = 100 * S;
    const tg_clock clock = {read_mono, read_utc, f, NULL};
    assert_int_equal(tg__metrics_open(&clock, 10, NULL, &f->metrics), TG_OK);
    assert_int_equal(tg__client_reports_open(f->mono_ns, &f->reports), TG_OK);
}

static void close_fixture(fixture *f)
{
    tg__text_buffer_deinit(&f->text);
    tg__client_reports_close(f->reports);
    tg__metrics_close(f->metrics);
}

/* ---- texts, honest and otherwise ---- */

static void make_text(fixture *f, int64_t lowest, int64_t highest, int64_t value, unsigned times)
{
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.lowest = lowest;
    options.highest = highest;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(&options, &histogram), TG_OK);
    for (unsigned i = 0; i < times; i++) {
        tg_histogram_record(histogram, value);
    }
    f->text.size = 0;
    assert_int_equal(tg__hlog_encode(histogram, &f->text), TG_OK);
    tg_histogram_close(histogram);
}

static void put_be(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
    }
}

/* The text of a zlib stream, whatever is in it. */
static void put_text(fixture *f, const uint8_t *stream, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t packed[PACKED_MAX + 3] = {0};
    assert_true(size + 8 <= PACKED_MAX);
    put_be(packed, UINT32_C(0x1c849314), 4);
    put_be(packed + 4, size, 4);
    memcpy(packed + 8, stream, size);
    f->text.size = 0;
    for (size_t i = 0; i < size + 8; i += 3) { /* zeros behind a stream are not looked at */
        const uint32_t three =
            (uint32_t)packed[i] << 16 | (uint32_t)packed[i + 1] << 8 | packed[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) {
            tg__text_add(&f->text, &digits[three >> shift & 63], 1);
        }
    }
    assert_false(f->text.failed);
}

static void put_plain(uint8_t *plain, int64_t highest, const uint8_t *counts, size_t size)
{
    put_be(plain, UINT32_C(0x1c849313), 4);
    put_be(plain + 4, size, 4);
    put_be(plain + 8, 0, 4);
    put_be(plain + 12, 3, 4);
    put_be(plain + 16, 1, 8);
    put_be(plain + 24, (uint64_t)highest, 8);
    put_be(plain + 32, UINT64_C(0x3ff0000000000000), 8);
    memcpy(plain + PLAIN_HEAD, counts, size);
}

static uint32_t adler_of(const uint8_t *bytes, size_t size)
{
    uint32_t low = 1;
    uint32_t high = 0;
    for (size_t i = 0; i < size; i++) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

/* A histogram with these counts, as their bytes are on the wire, in one stored block. */
static void put_counts(fixture *f, int64_t highest, const uint8_t *counts, size_t size)
{
    uint8_t stream[PLAIN_MAX + 64] = {0x78, 0x01, 0x01};
    uint8_t *plain = stream + 7;
    const size_t plain_size = PLAIN_HEAD + size;
    assert_true(plain_size <= PLAIN_MAX);
    put_plain(plain, highest, counts, size);
    stream[3] = (uint8_t)plain_size;
    stream[4] = (uint8_t)(plain_size >> 8);
    stream[5] = (uint8_t)~stream[3];
    stream[6] = (uint8_t)~stream[4];
    put_be(plain + plain_size, adler_of(plain, plain_size), 4);
    put_text(f, stream, 7 + plain_size + 4);
}

typedef struct bit_writer {
    uint8_t bytes[PACKED_MAX];
    size_t bits;
} bit_writer;

static void put_bits(bit_writer *out, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, out->bits++) {
        out->bytes[out->bits / 8] |= (uint8_t)((value >> i & 1u) << (out->bits % 8));
    }
}

/* Codes come with their highest bit first. */
static void put_code(bit_writer *out, unsigned code, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_bits(out, code >> (count - 1 - i) & 1u, 1);
    }
}

static void put_literal(bit_writer *out, uint8_t byte)
{
    put_code(out, byte < 144 ? 0x30u + byte : 0x190u + byte - 144u, byte < 144 ? 8 : 9);
}

/* The byte before, 258 times. */
static void put_longest_match(bit_writer *out)
{
    put_code(out, 0xc0 + 285 - 280, 8);
    put_code(out, 0, 5);
}

/* One value and zeros that nobody counts, together so many bytes when unpacked. */
static void put_padded(fixture *f, size_t plain_size)
{
    static uint8_t plain[2 * TG__REPORT_UNPACKED];
    static bit_writer out;
    static const uint8_t one[] = {0x02};
    memset(&out, 0, sizeof out);
    put_plain(plain, HIGHEST, one, sizeof one);
    put_bits(&out, 0x0178, 16);    /* zlib's head */
    put_bits(&out, 1 | 1 << 1, 3); /* the last block, of the fixed code */
    size_t done = 0;
    for (; done <= PLAIN_HEAD + 1; done++) {
        put_literal(&out, plain[done]);
    }
    for (; plain_size - done >= 258; done += 258) {
        put_longest_match(&out);
    }
    for (; done < plain_size; done++) {
        put_literal(&out, 0);
    }
    put_code(&out, 0, 7);
    out.bits = (out.bits + 7) / 8 * 8;
    put_be(out.bytes + out.bits / 8, adler_of(plain, plain_size), 4);
    put_text(f, out.bytes, out.bits / 8 + 4);
}

/* ---- taking ---- */

/* The clock stands where the rates allow another report. */
static void pass(fixture *f)
{
    f->mono_ns += TG__REPORT_GAP_NS;
}

static tg__report_verdict take_of(fixture *f, tg__report_pace *pace, uint8_t stage,
                                  uint32_t interval_ms)
{
    const tg__report report = {stage, interval_ms, f->text.bytes, f->text.size};
    assert_int_equal(tg__report_encode(&report, f->message, sizeof f->message, &f->size), TG_OK);
    return tg__client_reports_take(f->reports, f->metrics, pace, f->message, f->size, f->mono_ns);
}

static tg__report_verdict take(fixture *f, uint8_t stage, uint32_t interval_ms)
{
    return take_of(f, &f->pace, stage, interval_ms);
}

static uint64_t values_of(const fixture *f, tg__stage stage)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(f->metrics->current[stage], &summary);
    assert_int_equal(summary.negative + summary.over + summary.saturated, 0);
    return summary.count;
}

/* No stage has a value, of this interval or ever. */
static void check_nothing_was_added(const fixture *f)
{
    for (unsigned stage = 0; stage < TG__STAGE_COUNT; stage++) {
        assert_int_equal(values_of(f, (tg__stage)stage), 0);
        assert_int_equal(f->metrics->totals[stage].count, 0);
        assert_int_equal(f->metrics->totals[stage].sum_ns, 0);
    }
}

static void a_report_goes_into_its_stage_and_nowhere_else(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    make_text(&f, 1, HIGHEST, 1000, 7);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TAKEN);
    make_text(&f, 1, HIGHEST, 2000, 5);
    assert_int_equal(take(&f, TG__REPORT_COMMIT, 60000), TG__REPORT_TAKEN);
    pass(&f);
    assert_int_equal(take(&f, TG__REPORT_COMMIT, 60000), TG__REPORT_TAKEN);
    for (unsigned stage = 0; stage < TG__STAGE_CLIENT_DECODE; stage++) {
        assert_int_equal(values_of(&f, (tg__stage)stage), 0);
        assert_int_equal(f.metrics->totals[stage].count, 0);
    }
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 7);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_COMMIT), 10);
    assert_int_equal(f.metrics->totals[TG__STAGE_CLIENT_DECODE].count, 7);
    assert_int_equal(f.metrics->totals[TG__STAGE_CLIENT_DECODE].sum_ns, 7000);
    assert_int_equal(f.metrics->totals[TG__STAGE_CLIENT_COMMIT].sum_ns, 20000);
    f.mono_ns += 10 * S;
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        tg__metrics_rotate(f.metrics);
    }
    assert_int_equal(f.metrics->quantiles[TG__STAGE_CLIENT_DECODE].p50_ns, 1000);
    assert_int_equal(f.metrics->quantiles[TG__STAGE_CLIENT_COMMIT].p999_ns, 2000);
    assert_false(f.metrics->quantiles[TG__STAGE_WRITE].known);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 0);
    assert_int_equal(f.metrics->totals[TG__STAGE_CLIENT_DECODE].count, 7);
    close_fixture(&f);
}

static void a_connection_has_each_stage_once_in_five_seconds(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    make_text(&f, 1, HIGHEST, 1000, 1);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TAKEN);
    assert_int_equal(take(&f, TG__REPORT_COMMIT, 60000), TG__REPORT_TAKEN);
    f.mono_ns += TG__REPORT_GAP_NS - 1;
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TOO_OFTEN);
    f.mono_ns += 1;
    f.text.size = 4; /* what cannot be read has cost as much */
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_NO_HISTOGRAM);
    make_text(&f, 1, HIGHEST, 1000, 1);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TOO_OFTEN);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 1);
    close_fixture(&f);
}

static void all_connections_together_have_a_rate(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    make_text(&f, 1, HIGHEST, 1000, 1);
    unsigned taken = 0;
    for (unsigned ms = 0; ms < 10000; ms++) { /* a new connection each */
        tg__report_pace pace = {{0}};
        const tg__report_verdict verdict = take_of(&f, &pace, TG__REPORT_DECODE, 60000);
        assert_true(verdict == TG__REPORT_TAKEN || verdict == TG__REPORT_BUSY);
        taken += verdict == TG__REPORT_TAKEN;
        assert_true(ms > 0 || taken == 1);
        f.mono_ns += MS;
    }
    assert_in_range(taken, 10 * TG__REPORTS_PER_SECOND,
                    10 * TG__REPORTS_PER_SECOND + TG__REPORTS_BURST);
    f.mono_ns += 60 * S;
    for (unsigned i = 0; i < TG__REPORTS_BURST + 1; i++) { /* at one moment */
        tg__report_pace pace = {{0}};
        assert_int_equal(take_of(&f, &pace, TG__REPORT_DECODE, 60000),
                         i < TG__REPORTS_BURST ? TG__REPORT_TAKEN : TG__REPORT_BUSY);
    }
    close_fixture(&f);
}

static void what_a_client_cannot_have_had_is_refused(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    /* 2^63 - 1 values of 0 ns: zigzag 2^64 - 2 in nine bytes. Then twice half of that. */
    static const uint8_t most[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t twice[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    put_counts(&f, HIGHEST, most, sizeof most);
    assert_int_equal(take(&f, TG__REPORT_DECODE, UINT32_MAX), TG__REPORT_NOT_PLAUSIBLE);
    pass(&f);
    put_counts(&f, HIGHEST, twice, sizeof twice);
    assert_int_equal(take(&f, TG__REPORT_DECODE, UINT32_MAX), TG__REPORT_NOT_PLAUSIBLE);
    pass(&f);
    static const uint8_t one_more[] = {0x82, 0x89, 0x7a}; /* 1,000,001 values */
    put_counts(&f, HIGHEST, one_more, sizeof one_more);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_NOT_PLAUSIBLE);
    pass(&f);
    make_text(&f, 1, HIGHEST, 60 * S, 61); /* an hour and a minute in an hour, whatever it says */
    assert_int_equal(take(&f, TG__REPORT_DECODE, UINT32_MAX), TG__REPORT_NOT_PLAUSIBLE);
    pass(&f);
    make_text(&f, 1, HIGHEST, 10 * MS, 5);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 45), TG__REPORT_NOT_PLAUSIBLE);
    check_nothing_was_added(&f);
    pass(&f);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 50), TG__REPORT_TAKEN);
    pass(&f);
    static const uint8_t million[] = {0x80, 0x89, 0x7a}; /* of 0 ns */
    put_counts(&f, HIGHEST, million, sizeof million);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 1), TG__REPORT_TAKEN);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 1000005);
    close_fixture(&f);
}

static void no_report_makes_a_total_or_an_interval_overflow(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    static const uint8_t million[] = {0x80, 0x89, 0x7a};
    put_counts(&f, HIGHEST, million, sizeof million);
    const unsigned most = (unsigned)(TG__METRICS_CLIENT_VALUES_MAX / TG__REPORT_VALUES_MAX);
    for (unsigned i = 0; i <= most; i++) {
        tg__report_pace pace = {{0}};
        f.mono_ns += 10 * MS;
        assert_int_equal(take_of(&f, &pace, TG__REPORT_DECODE, 60000),
                         i < most ? TG__REPORT_TAKEN : TG__REPORT_BUSY);
    }
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), most * TG__REPORT_VALUES_MAX);
    assert_int_equal(take(&f, TG__REPORT_COMMIT, 60000), TG__REPORT_TAKEN); /* of its own */
    f.mono_ns += 10 * S;
    tg__metrics_rotate(f.metrics);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TAKEN);
    tg__stage_total *total = &f.metrics->totals[TG__STAGE_CLIENT_DECODE];
    total->count = UINT64_MAX - 3;
    total->sum_ns = UINT64_MAX - 3;
    pass(&f);
    make_text(&f, 1, HIGHEST, 1000, 5);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TAKEN);
    assert_true(total->count == UINT64_MAX && total->sum_ns == UINT64_MAX);
    close_fixture(&f);
}

static void another_shape_is_refused_before_it_costs_memory(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    static const uint8_t one[] = {0x02};
    put_counts(&f, INT64_MAX, one, sizeof one);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_OTHER_SHAPE);
    pass(&f);
    make_text(&f, 1, HIGHEST + 1, 1000, 1);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_OTHER_SHAPE);
    check_nothing_was_added(&f);
    close_fixture(&f);
}

/* Sixteen KiB that unpack to megabytes, and sixteen that unpack to nothing, ten bits at a time. */
static void a_text_that_only_costs_time_is_cut_short(void **state)
{
    (void)state;
    static fixture f;
    static bit_writer bomb;
    static bit_writer blocks;
    open_fixture(&f);
    put_bits(&bomb, 0x0178, 16);    /* zlib's head */
    put_bits(&bomb, 1 | 1 << 1, 3); /* the last block, of the fixed code */
    put_literal(&bomb, 0);
    while (bomb.bits + 13 < (PACKED_MAX - 8) * 8) {
        put_longest_match(&bomb);
    }
    put_text(&f, bomb.bytes, PACKED_MAX - 8);
    assert_int_equal(f.text.size, TG__REPORT_TEXT_MAX);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_NO_HISTOGRAM);
    put_bits(&blocks, 0x0178, 16);
    while (blocks.bits + 10 < (PACKED_MAX - 8) * 8) {
        put_bits(&blocks, 1 << 1, 3); /* a block of the fixed code, and its end */
        put_bits(&blocks, 0, 7);
    }
    put_text(&f, blocks.bytes, PACKED_MAX - 8);
    pass(&f);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_NO_HISTOGRAM);
    check_nothing_was_added(&f);
    close_fixture(&f);
}

static void a_histogram_has_up_to_64_kib(void **state)
{
    (void)state;
    static fixture f;
    open_fixture(&f);
    put_padded(&f, TG__REPORT_UNPACKED);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_TAKEN);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 1);
    pass(&f);
    put_padded(&f, TG__REPORT_UNPACKED + 1);
    assert_int_equal(take(&f, TG__REPORT_DECODE, 60000), TG__REPORT_NO_HISTOGRAM);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 1);
    close_fixture(&f);
}

static void what_is_wrong_with_a_report_is_counted_and_ends_nothing(void **state)
{
    (void)state;
    static fixture f;
    hub_fixture h;
    hub_client client;
    tg__cause cause;
    open_fixture(&f);
    hub_fixture_open(&h, 1);
    hub_client_open(&client, &h);
    make_text(&f, 1, HIGHEST, 1000, 1);
    const tg__report report = {TG__REPORT_DECODE, 60000, f.text.bytes, f.text.size};
    assert_int_equal(tg__report_encode(&report, f.message, sizeof f.message, &f.size), TG_OK);
    static const uint8_t not_valid[] = {TG__KIND_REPORT, 0, 0, 1, 0, 0, 0, ' '};
    static const uint8_t no_stage[] = {TG__KIND_REPORT, 0, 2, 1, 0, 0, 0, 'a'};
    static const uint8_t no_histogram[] = {TG__KIND_REPORT, 0, 1, 1, 0, 0, 0, 'a'};
    tg__hub *const hub = h.hub;
    assert_int_equal(tg__hub_receive(hub, client.peer, f.message, f.size, h.now, &cause), TG_OK);
    assert_int_equal(hub->counts.reports[TG__REPORT_NOT_MEASURED], 1);
    hub->options.metrics = f.metrics;
    assert_int_equal(tg__client_reports_open(h.now.mono_ns, &hub->reports), TG_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tg__hub_receive(hub, client.peer, f.message, f.size, h.now, &cause),
                         TG_OK);
    }
    assert_int_equal(tg__hub_receive(hub, client.peer, not_valid, sizeof not_valid, h.now, &cause),
                     TG_OK);
    assert_int_equal(tg__hub_receive(hub, client.peer, no_stage, sizeof no_stage, h.now, &cause),
                     TG_OK);
    assert_int_equal(
        tg__hub_receive(hub, client.peer, no_histogram, sizeof no_histogram, h.now, &cause), TG_OK);
    static const tg__report_verdict seen[] = {TG__REPORT_TAKEN, TG__REPORT_TOO_OFTEN,
                                              TG__REPORT_NOT_VALID, TG__REPORT_NO_STAGE,
                                              TG__REPORT_NO_HISTOGRAM};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        assert_int_equal(hub->counts.reports[seen[i]], 1);
    }
    assert_int_equal(hub->counts.bad_messages + hub->counts.unknown_messages, 0);
    assert_int_equal(client.peer->close_code, 0);
    assert_int_equal(values_of(&f, TG__STAGE_CLIENT_DECODE), 1);
    hub_client_close(&client);
    hub_fixture_close(&h);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_goes_into_its_stage_and_nowhere_else),
        cmocka_unit_test(a_connection_has_each_stage_once_in_five_seconds),
        cmocka_unit_test(all_connections_together_have_a_rate),
        cmocka_unit_test(what_a_client_cannot_have_had_is_refused),
        cmocka_unit_test(no_report_makes_a_total_or_an_interval_overflow),
        cmocka_unit_test(another_shape_is_refused_before_it_costs_memory),
        cmocka_unit_test(a_text_that_only_costs_time_is_cut_short),
        cmocka_unit_test(a_histogram_has_up_to_64_kib),
        cmocka_unit_test(what_is_wrong_with_a_report_is_counted_and_ends_nothing),
    };
    return cmocka_run_group_tests_name("gateway.client_reports", tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "dbn_builder.h"
#include "dbn_metadata.h"

static dbn_builder builder;

static tg_err decode(tg__dbn_metadata *out, const char **what)
{
    uint32_t size = 0;
    const tg_err err = tg__dbn_prelude_decode(builder.bytes, out, &size, what);
    return err != TG_OK
               ? err
               : tg__dbn_metadata_decode(builder.bytes + TG__DBN_PRELUDE_SIZE, size, out, what);
}

static int64_t noon_of(int64_t days_since_1970)
{
    return (days_since_1970 * 24 + 12) * INT64_C(3600000000000);
}

static void every_version_names_the_instrument(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        tg__dbn_metadata metadata;
        const char *what = NULL;
        dbn_put_header(&builder, version, "ESH1");
        assert_int_equal(decode(&metadata, &what), TG_OK);
        assert_int_equal(metadata.version, version);
        assert_string_equal(metadata.dataset, "XTST.TEST");
        assert_false(metadata.ts_out);
        assert_int_equal(metadata.symbol_size, version == 1 ? 22 : 71);
        const tg__dbn_name *name = tg__dbn_metadata_find(&metadata, 42, (int64_t)DBN_TS_RECV);
        assert_non_null(name);
        assert_string_equal(name->name, "ESH1");
        assert_null(tg__dbn_metadata_find(&metadata, 43, (int64_t)DBN_TS_RECV));
        assert_null(tg__dbn_metadata_find(&metadata, 42, noon_of(18993))); /* 2022-01-01 */
        assert_non_null(tg__dbn_metadata_find(&metadata, 42, noon_of(18992)));
        assert_null(tg__dbn_metadata_find(&metadata, 42, noon_of(18596))); /* 2020-11-30 */
        tg__dbn_metadata_deinit(&metadata);
    }
}

static void symbols_map_in_both_directions_and_parents_keep_the_id(void **state)
{
    (void)state;
    tg__dbn_metadata metadata;
    const char *what = NULL;
    dbn_put_header_of(&builder, 2, "42", "ESH1", 0, 1);
    assert_int_equal(decode(&metadata, &what), TG_OK);
    assert_string_equal(tg__dbn_metadata_find(&metadata, 42, (int64_t)DBN_TS_RECV)->name, "ESH1");
    tg__dbn_metadata_deinit(&metadata);
    dbn_put_header_of(&builder, 2, "ES.FUT", "42", 4, 0);
    assert_int_equal(decode(&metadata, &what), TG_OK);
    assert_string_equal(tg__dbn_metadata_find(&metadata, 42, (int64_t)DBN_TS_RECV)->name,
                        "ES.FUT:42");
    tg__dbn_metadata_deinit(&metadata);
    dbn_put_header_of(&builder, 2, "ES.FUT", "ESH1", 4, 1);
    assert_int_equal(decode(&metadata, &what), TG_OK); /* names on both sides: no id */
    assert_int_equal(metadata.name_count, 0);
    tg__dbn_metadata_deinit(&metadata);
}

static void a_name_that_comes_later_goes_before(void **state)
{
    (void)state;
    tg__dbn_metadata metadata;
    const char *what = NULL;
    const tg__dbn_name later = {.instrument = 42, .end_date = TG__DBN_DATE_END, .name = "NEW"};
    dbn_put_header(&builder, 3, "ESH1");
    assert_int_equal(decode(&metadata, &what), TG_OK);
    assert_int_equal(tg__dbn_metadata_add(&metadata, &later), TG_OK);
    const tg__dbn_name other = {.instrument = 42 + TG__DBN_CHAINS, /* of the same chain */
                                .end_date = TG__DBN_DATE_END,
                                .name = "OTHER"};
    assert_int_equal(tg__dbn_metadata_add(&metadata, &other), TG_OK);
    assert_string_equal(tg__dbn_metadata_find(&metadata, 42, (int64_t)DBN_TS_RECV)->name, "NEW");
    assert_string_equal(
        tg__dbn_metadata_find(&metadata, 42 + TG__DBN_CHAINS, (int64_t)DBN_TS_RECV)->name, "OTHER");
    tg__dbn_metadata_deinit(&metadata);
}

static void a_header_that_ends_anywhere_is_refused(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) { /* version 3 has padding behind */
        dbn_put_header(&builder, version, "ESH1");
        const size_t whole = builder.size - TG__DBN_PRELUDE_SIZE;
        for (size_t size = 0; size < whole; size++) {
            tg__dbn_metadata metadata = {.version = (uint8_t)version};
            const char *what = NULL;
            uint8_t *exact = malloc(size + 1);
            assert_non_null(exact);
            memcpy(exact + 1, builder.bytes + TG__DBN_PRELUDE_SIZE, size);
            assert_int_equal(tg__dbn_metadata_decode(exact + 1, size, &metadata, &what),
                             TG_ERR_TAPE);
            assert_string_equal(what, "its header ends too early");
            tg__dbn_metadata_deinit(&metadata);
            free(exact);
        }
    }
}

static void impossible_headers_say_what_is_wrong(void **state)
{
    (void)state;
    tg__dbn_metadata metadata;
    const char *what = NULL;
    dbn_put_header(&builder, 2, "ESH1");
    builder.bytes[3] = 4;
    assert_int_equal(decode(&metadata, &what), TG_ERR_TAPE);
    assert_string_equal(what, "its DBN version is not 1, 2 or 3");
    builder.bytes[3] = 2;
    builder.bytes[0] = 'X';
    assert_int_equal(decode(&metadata, &what), TG_ERR_TAPE);
    assert_string_equal(what, "it is not a DBN file");
    builder.bytes[0] = 'D';
    dbn_set_u32(&builder, 4, 99);
    assert_int_equal(decode(&metadata, &what), TG_ERR_TAPE);
    assert_string_equal(what, "the length of its header is not possible");
    dbn_set_u32(&builder, 4, UINT32_MAX);
    assert_int_equal(decode(&metadata, &what), TG_ERR_TAPE);
    dbn_put_header(&builder, 2, "ESH1");
    builder.bytes[8 + 45] = 1; /* symbol_cstr_len */
    assert_int_equal(decode(&metadata, &what), TG_ERR_TAPE);
    assert_string_equal(what, "the size of its symbols is not possible");
}

static void dates_are_those_of_the_calendar(void **state)
{
    (void)state;
    static const struct {
        int64_t day;
        uint32_t date;
    } known[] = {{0, 19700101},     {58, 19700228},    {59, 19700301},    {11016, 20000229},
                 {11017, 20000301}, {18624, 20201228}, {18992, 20211231}, {18993, 20220101},
                 {47541, 21000301}, {47540, 21000228}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(tg__dbn_date_of(noon_of(known[i].day)), known[i].date);
    }
    assert_int_equal(tg__dbn_date_of(INT64_MAX), 22620411);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_names_the_instrument),
        cmocka_unit_test(symbols_map_in_both_directions_and_parents_keep_the_id),
        cmocka_unit_test(a_name_that_comes_later_goes_before),
        cmocka_unit_test(a_header_that_ends_anywhere_is_refused),
        cmocka_unit_test(impossible_headers_say_what_is_wrong),
        cmocka_unit_test(dates_are_those_of_the_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/record_inline.h>

#include "bytes.h"
#include "pack.h"
#include "seeded_random.h"

enum {
    SITES = 300,
    RECORDS = 400
};

typedef struct sites {
    tg__site_info infos[SITES + 1];
    uint8_t types[SITES + 1][TG_RECORD_ARGUMENTS_MAX];
} sites;

/* Sites of every number and mix of arguments; ids on both sides of the one-byte limit. */
static void make_sites(sites *s, seeded_random *random)
{
    memset(s, 0, sizeof *s);
    for (uint32_t id = 1; id <= SITES; id++) {
        tg__site_info *info = &s->infos[id];
        info->id = id;
        info->level = TG_RECORD_INFO;
        info->argument_count = (uint8_t)random_below(random, TG_RECORD_ARGUMENTS_MAX + 1);
        info->types = s->types[id];
        info->file = "f";
        info->format = "";
        for (uint8_t i = 0; i < info->argument_count; i++) {
            s->types[id][i] = (uint8_t)(1 + random_below(random, 8));
            info->nibble_count =
                (uint8_t)(info->nibble_count + (s->types[id][i] == TG__TYPE_DECIMAL ? 2 : 1));
            info->has_bytes = info->has_bytes || s->types[id][i] >= TG__TYPE_TEXT;
        }
    }
}

static size_t make_record(const tg__site_info *site, seeded_random *random, uint64_t stamp,
                          unsigned char *out)
{
    unsigned char *at = out + TG__RECORD_HEADER;
    for (uint8_t i = 0; i < site->argument_count; i++) {
        tg__argument argument = {random_any_size(random, 64), NULL, 0};
        argument.word = random_below(random, 2) == 0 ? argument.word : 0 - argument.word;
        unsigned char bytes[64];
        if (site->types[i] == TG__TYPE_TEXT || site->types[i] == TG__TYPE_BLOB) {
            argument.word = random_below(random, sizeof bytes);
            memset(bytes, (int)random_below(random, 256), sizeof bytes);
            argument.bytes = bytes;
        }
        argument.exponent = (int8_t)(random_below(random, 37) - 18);
        at = tg__argument_put(at, site->types[i], argument);
    }
    const size_t exact = (size_t)(at - out);
    const size_t size = (exact + 7u) & ~(size_t)7u;
    memset(at, 0, size - exact);
    tg__put_u32(out, (uint32_t)size);
    tg__put_u32(out + 4, site->id | (random_below(random, 4) == 0 ? TG__SITE_STAMP_NS : 0));
    tg__put_u64(out + 8, stamp);
    return size;
}

static void packed_records_unpack_to_the_same_bytes(void **state)
{
    (void)state;
    seeded_random random = random_start("pack", 5);
    static sites s;
    static unsigned char records[RECORDS][2048];
    static unsigned char packed[RECORDS * 2048];
    for (int round = 0; round < 20; round++) {
        make_sites(&s, &random);
        tg__pack pack;
        tg__pack unpack;
        assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
        assert_int_equal(tg__pack_init(&unpack, SITES + 1), TG_OK);
        for (int block = 0; block < 3; block++) { /* nothing of one block reaches into the next */
            tg__pack_begin_block(&pack);
            tg__pack_begin_block(&unpack);
            size_t used = 0;
            uint64_t stamp = random_u64(&random);
            for (int i = 0; i < RECORDS; i++) {
                const uint32_t id = 1 + (uint32_t)random_below(&random, i % 2 == 0 ? 4 : SITES);
                stamp += random_any_size(&random, 40) - random_any_size(&random, 20);
                const size_t size = make_record(&s.infos[id], &random, stamp, records[i]);
                const size_t now = tg__pack_record(&pack, &s.infos[id], records[i], packed + used);
                assert_true(now <= size + TG__PACK_GROWTH - 8);
                used += now;
            }
            tg__packed in = {packed, packed + used};
            for (int i = 0; i < RECORDS; i++) {
                unsigned char out[4096];
                assert_int_equal(tg__unpack_record(&unpack, s.infos, &in, out, sizeof out), TG_OK);
                assert_memory_equal(out, records[i], tg__get_u32(records[i]));
            }
            assert_ptr_equal(in.at, in.end);
        }
        tg__pack_deinit(&pack);
        tg__pack_deinit(&unpack);
    }
}

/* Of three blocks a record each in turn; now and then one is first tried with too little room,
 * which must leave no trace. */
static void readers_side_by_side_know_only_their_own(void **state)
{
    (void)state;
    enum {
        READERS = 3
    };
    seeded_random random = random_start("side by side", 7);
    static sites s;
    static unsigned char records[READERS][RECORDS][2048];
    static unsigned char packed[READERS][RECORDS * 2048];
    make_sites(&s, &random);
    tg__pack_site *places = calloc((SITES + 1) * READERS, sizeof *places);
    assert_non_null(places);
    tg__pack readers[READERS];
    tg__packed in[READERS];
    for (int r = 0; r < READERS; r++) {
        tg__pack pack;
        assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
        tg__pack_begin_block(&pack);
        in[r] = (tg__packed){packed[r], packed[r]};
        for (int i = 0; i < RECORDS; i++) {
            const uint32_t id = 1 + (uint32_t)random_below(&random, SITES);
            (void)make_record(&s.infos[id], &random, random_u64(&random) >> 8, records[r][i]);
            in[r].end += tg__pack_record(&pack, &s.infos[id], records[r][i],
                                         packed[r] + (in[r].end - packed[r]));
        }
        tg__pack_deinit(&pack);
        tg__pack_init_among(&readers[r], places + r, SITES + 1, READERS);
        tg__pack_begin_block(&readers[r]);
    }
    for (int i = 0; i < RECORDS; i++) {
        for (int r = 0; r < READERS; r++) {
            unsigned char out[4096];
            const tg__packed before = in[r];
            const size_t size = tg__get_u32(records[r][i]);
            if (random_below(&random, 4) == 0) {
                assert_int_equal(tg__unpack_record(&readers[r], s.infos, &in[r], out, size - 8),
                                 TG_ERR_CORRUPT);
                assert_ptr_equal(in[r].at, before.at);
            }
            assert_int_equal(tg__unpack_record(&readers[r], s.infos, &in[r], out, sizeof out),
                             TG_OK);
            assert_memory_equal(out, records[r][i], size);
        }
    }
    free(places);
}

/* The same block in several lanes, of which the first ones are ahead by some records and end
 * earlier. What shapes were met before does not matter. */
static void skim_in_rows(seeded_random *random, const sites *s, const tg__skim *what, tg__packed in,
                         const uint64_t *words, size_t count)
{
    uint64_t taken[TG__SKIM_LANES][RECORDS];
    tg__pack packs[TG__SKIM_LANES];
    tg__skim_lane lanes[TG__SKIM_LANES];
    tg__skim_lane *row[TG__SKIM_LANES];
    tg__skim_shapes shapes;
    memset(&shapes, 0, sizeof shapes);
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        assert_int_equal(tg__pack_init(&packs[i], SITES + 1), TG_OK);
        tg__pack_begin_block(&packs[i]);
        lanes[i] = (tg__skim_lane){&packs[i], in, taken[i], RECORDS, 0, &shapes};
        row[i] = &lanes[i];
    }
    for (unsigned i = 0; i + 1 < TG__SKIM_LANES; i++) {
        for (uint64_t ahead = random_below(random, 20); ahead > 0; ahead--) {
            assert_int_equal(tg__skim_one(s->infos, what, row[i]), TG_OK);
        }
        lanes[i].capacity =
            lanes[i].count + (size_t)random_below(random, RECORDS - lanes[i].count + 1);
    }
    const tg__skim_lane *last = row[TG__SKIM_LANES - 1];
    while (last->in.at < last->in.end) {
        tg__skim_row(what, row);
        for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
            assert_int_equal(tg__skim_one(s->infos, what, row[i]), TG_OK);
        }
    }
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        assert_int_equal(lanes[i].count, lanes[i].capacity < count ? lanes[i].capacity : count);
        assert_memory_equal(taken[i], words, lanes[i].count * sizeof *words);
        tg__pack_deinit(&packs[i]);
    }
}

static void skimming_takes_the_same_number_that_unpacking_gives(void **state)
{
    (void)state;
    seeded_random random = random_start("skim", 8);
    static sites s;
    static unsigned char packed[RECORDS * 2048];
    for (int round = 0; round < 50; round++) {
        make_sites(&s, &random);
        const tg__site_info *wanted = NULL;
        uint8_t index = 0;
        for (uint32_t id = 1; id <= SITES; id++) {
            for (uint8_t i = 0; i < s.infos[id].argument_count; i++) {
                if (id <= 4 && s.types[id][i] <= TG__TYPE_F64) {
                    wanted = &s.infos[id];
                    index = i;
                }
            }
        }
        if (wanted == NULL) {
            continue;
        }
        tg__pack pack;
        tg__pack unpack;
        tg__pack skim;
        assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
        assert_int_equal(tg__pack_init(&unpack, SITES + 1), TG_OK);
        assert_int_equal(tg__pack_init(&skim, SITES + 1), TG_OK);
        tg__pack_begin_block(&pack);
        tg__pack_begin_block(&unpack);
        tg__pack_begin_block(&skim);
        size_t used = 0;
        for (int i = 0; i < RECORDS; i++) {
            unsigned char record[2048];
            const uint32_t id = 1 + (uint32_t)random_below(&random, i % 2 == 0 ? 4 : SITES);
            (void)make_record(&s.infos[id], &random, (uint64_t)i, record);
            used += tg__pack_record(&pack, &s.infos[id], record, packed + used);
        }
        tg__packed in = {packed, packed + used};
        const tg__skim what = {wanted, index};
        uint64_t words[RECORDS];
        tg__skim_shapes shapes;
        memset(&shapes, 0, sizeof shapes);
        tg__skim_lane lane = {&skim, in, words, 0, 0, &shapes};
        /* Taken in handfuls, so that every place is once the last. */
        while (lane.in.at < lane.in.end) {
            const size_t before = lane.count;
            const size_t most = before + 1 + (size_t)random_below(&random, 9);
            lane.capacity = most < RECORDS ? most : RECORDS;
            assert_int_equal(tg__skim_on(s.infos, &what, &lane), TG_OK);
            assert_true(lane.count > before || lane.in.at == lane.in.end);
        }
        const size_t taken = lane.count;
        skim_in_rows(&random, &s, &what, in, words, taken);
        size_t expected = 0;
        while (in.at < in.end) {
            unsigned char out[4096];
            assert_int_equal(tg__unpack_record(&unpack, s.infos, &in, out, sizeof out), TG_OK);
            if ((tg__get_u32(out + 4) & ~TG__SITE_STAMP_NS) == wanted->id) {
                assert_true(expected < taken);
                assert_int_equal(words[expected], unpack.sites[wanted->id].words[index]);
                expected++;
            }
        }
        assert_int_equal(taken, expected);
        tg__pack_deinit(&pack);
        tg__pack_deinit(&unpack);
        tg__pack_deinit(&skim);
    }
}

/* A bit of a block is wrong: what is skimmed is what can be unpacked, as long as both go on, and
 * neither reads a byte beyond the end. Of a site without decimals, whose exponents skimming does
 * not look at, both go as far. */
static void skimming_a_damaged_block_stays_in_bounds(void **state)
{
    (void)state;
    enum {
        FEW = 60
    };
    static uint8_t types[] = {TG__TYPE_I64, TG__TYPE_U64, TG__TYPE_F64, TG__TYPE_DECIMAL};
    seeded_random random = random_start("damaged", 9);
    tg__pack pack;
    assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
    for (int round = 0; round < 2000; round++) {
        const bool has_decimal = round % 2 == 0;
        tg__site_info infos[SITES + 1];
        memset(infos, 0, sizeof infos);
        infos[4] = (tg__site_info){.id = 4,
                                   .level = 1,
                                   .argument_count = has_decimal ? 4 : 3,
                                   .nibble_count = has_decimal ? 5 : 3,
                                   .types = types};
        unsigned char packed[FEW * 128];
        size_t size = 0;
        tg__pack_begin_block(&pack);
        for (uint64_t i = 0; i < FEW; i++) {
            unsigned char record[2048];
            (void)make_record(&infos[4], &random, i * random_below(&random, 1000), record);
            size += tg__pack_record(&pack, &infos[4], record, packed + size);
        }
        unsigned char *exact = malloc(size); /* so that ASan sees a byte too far */
        assert_non_null(exact);
        memcpy(exact, packed, size);
        exact[random_below(&random, size)] ^= (unsigned char)(1u << random_below(&random, 8));
        const tg__skim wanted = {&infos[4], (uint8_t)random_below(&random, 3)};
        tg__packed in = {exact, exact + size};
        uint64_t words[FEW * 128];
        tg__skim_shapes shapes;
        memset(&shapes, 0, sizeof shapes);
        tg__skim_lane lane = {&pack, in, words, FEW * 128, 0, &shapes};
        tg__pack_begin_block(&pack);
        const tg_err err = tg__skim_on(infos, &wanted, &lane);
        assert_true(err == TG_ERR_CORRUPT || (err == TG_OK && lane.in.at == lane.in.end));
        const unsigned char *skimmed_to = lane.in.at;

        tg__pack_begin_block(&pack);
        size_t unpacked = 0;
        unsigned char out[4096];
        while (unpacked < lane.count &&
               tg__unpack_record(&pack, infos, &in, out, sizeof out) == TG_OK) {
            assert_int_equal(words[unpacked], pack.sites[4].words[wanted.index]);
            assert_true(in.at <= skimmed_to);
            unpacked++;
        }
        if (!has_decimal) {
            assert_int_equal(unpacked, lane.count);
            assert_ptr_equal(in.at, skimmed_to);
            assert_true(in.at == in.end ||
                        tg__unpack_record(&pack, infos, &in, out, sizeof out) == TG_ERR_CORRUPT);
        }
        free(exact);
    }
    tg__pack_deinit(&pack);
}

static void every_shorter_record_is_rejected_and_changes_nothing(void **state)
{
    (void)state;
    seeded_random random = random_start("short", 6);
    static sites s;
    make_sites(&s, &random);
    tg__pack pack;
    tg__pack unpack;
    assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
    assert_int_equal(tg__pack_init(&unpack, SITES + 1), TG_OK);
    tg__pack_begin_block(&unpack);
    tg__pack_site *before = malloc((SITES + 1) * sizeof *before);
    assert_non_null(before);
    for (uint32_t id = 1; id <= SITES; id++) {
        unsigned char record[2048];
        unsigned char out[4096];
        (void)make_record(&s.infos[id], &random, random_u64(&random), record);
        unsigned char packed[4096];
        tg__pack_begin_block(&pack);
        const size_t size = tg__pack_record(&pack, &s.infos[id], record, packed);
        memcpy(before, unpack.sites, (SITES + 1) * sizeof *before);
        for (size_t shorter = 0; shorter < size; shorter++) {
            unsigned char *exact = malloc(shorter + 1); /* so that ASan sees a byte too far */
            assert_non_null(exact);
            memcpy(exact + 1, packed, shorter);
            tg__packed in = {exact + 1, exact + 1 + shorter};
            assert_int_equal(tg__unpack_record(&unpack, s.infos, &in, out, sizeof out),
                             TG_ERR_CORRUPT);
            assert_ptr_equal(in.at, exact + 1);
            free(exact);
        }
        assert_memory_equal(before, unpack.sites, (SITES + 1) * sizeof *before);
    }
    free(before);
    tg__pack_deinit(&pack);
    tg__pack_deinit(&unpack);
}

static void unknown_sites_and_bad_codes_are_rejected(void **state)
{
    (void)state;
    static sites s;
    seeded_random random = random_start("bad", 7);
    make_sites(&s, &random);
    s.infos[7].id = 0;
    static uint8_t one_number[] = {TG__TYPE_U32};
    s.infos[8] = (tg__site_info){
        .id = 8, .level = 1, .argument_count = 1, .nibble_count = 1, .types = one_number};
    tg__pack pack;
    assert_int_equal(tg__pack_init(&pack, SITES + 1), TG_OK);
    tg__pack_begin_block(&pack);
    const struct {
        size_t size;
        unsigned char bytes[16];
    } rows[] = {
        {2, {0x00, 0x00}},             /* no such site */
        {2, {0x07, 0x00}},             /* not in the dictionary */
        {3, {0xf2, 0x01, 0x00}},       /* reserved code */
        {4, {0xf0, 0xad, 0x02, 0x00}}, /* 301: over the last place */
        {4, {0x08, 0x00, 0x09, 0x00}}, /* a number of nine bytes */
        {4, {0x08, 0x00, 0x01, 0x01}}, /* -1 is not a u32 */
        {4, {0x08, 0x00, 0x10, 0x01}}, /* an odd last half that is not 0 */
        {12, {0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0x00}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char out[256];
        tg__packed in = {rows[i].bytes, rows[i].bytes + rows[i].size};
        assert_int_equal(tg__unpack_record(&pack, s.infos, &in, out, sizeof out), TG_ERR_CORRUPT);
    }
    tg__pack_deinit(&pack);
}

static void a_typical_tick_takes_few_bytes(void **state)
{
    (void)state;
    /* FORMAT.md 5 derives these bytes by hand. */
    static const uint8_t types[] = {TG__TYPE_U32, TG__TYPE_I64, TG__TYPE_I64, TG__TYPE_U64};
    tg__site_info infos[5];
    memset(infos, 0, sizeof infos);
    infos[4] = (tg__site_info){
        .id = 4, .level = 3, .argument_count = 4, .nibble_count = 4, .types = types};
    tg__pack pack;
    assert_int_equal(tg__pack_init(&pack, 5), TG_OK);
    tg__pack_begin_block(&pack);
    unsigned char record[48];
    unsigned char out[128];
    memset(record, 0, sizeof record);
    tg__put_u32(record, 48);
    tg__put_u32(record + 4, 4);
    tg__put_u64(record + 8, 1000);
    tg__put_u32(record + 16, 120);
    tg__put_u64(record + 20, 184275);
    tg__put_u64(record + 28, 184300);
    tg__put_u64(record + 36, 77);
    static const unsigned char first[] = {0x04, 0xd0, 0x0f, 0x31, 0x13, 0xf0, 0xa6,
                                          0x9f, 0x05, 0xd8, 0x9f, 0x05, 0x9a};
    assert_int_equal(tg__pack_record(&pack, &infos[4], record, out), sizeof first);
    assert_memory_equal(out, first, sizeof first);
    tg__put_u64(record + 8, 1050);
    tg__put_u64(record + 20, 184274);
    tg__put_u64(record + 36, 78);
    static const unsigned char second[] = {0x04, 0x64, 0x10, 0x10, 0x01, 0x02};
    assert_int_equal(tg__pack_record(&pack, &infos[4], record, out), sizeof second);
    assert_memory_equal(out, second, sizeof second);
    tg__pack_deinit(&pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_records_unpack_to_the_same_bytes),
        cmocka_unit_test(readers_side_by_side_know_only_their_own),
        cmocka_unit_test(skimming_takes_the_same_number_that_unpacking_gives),
        cmocka_unit_test(skimming_a_damaged_block_stays_in_bounds),
        cmocka_unit_test(every_shorter_record_is_rejected_and_changes_nothing),
        cmocka_unit_test(unknown_sites_and_bad_codes_are_rejected),
        cmocka_unit_test(a_typical_tick_takes_few_bytes),
    };
    return cmocka_run_group_tests_name("recorder.pack", tests, NULL, NULL);
}

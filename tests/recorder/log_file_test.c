#include "tg_cmocka.h"

#include <inttypes.h>
#include <string.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_file.h"
#include "log_merge.h"
#include "scratch_dir.h"
#include "seeded_random.h"

enum {
    RECORDS = 3000
};

static unsigned char *original;
static size_t original_size;

static int64_t given_ns(void *ctx)
{
    int64_t *now = ctx;
    return (*now += 1000);
}

/* A file of several blocks of each kind, from a real recorder. */
static int make_original(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    int64_t now = 1000000;
    const tg_clock clock = {given_ns, given_ns, &now, NULL};
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(&dir, "a.tgrec", path, sizeof path);
    opt.rings_dir = dir.path;
    opt.ring_size = 1 << 18;
    opt.threads_max = 2;
    opt.clock = &clock;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK) {
        return -1;
    }
    for (uint64_t i = 0; i < RECORDS; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "number %" PRIu64 " %s", i,
                  tg_text_of("0123456789", i % 11));
        if (i % 500 == 0 && tg_recorder_poll(recorder, NULL) != TG_OK) {
            return -1;
        }
    }
    tg_recorder_close(recorder);
    FILE *file = fopen(path, "rb");
    original = malloc(1 << 20);
    original_size = fread(original, 1, 1 << 20, file);
    (void)fclose(file);
    scratch_remove(&dir);
    return 0;
}

static int free_original(void **state)
{
    (void)state;
    free(original);
    return 0;
}

/* Reads all records; they must be an ascending part of 0 … RECORDS - 1 with the right texts. */
static uint64_t read_all(tg__log_file *file)
{
    tg__log_merge merge;
    tg__log_record record;
    uint64_t count = 0;
    uint64_t next = 0;
    assert_int_equal(tg__log_merge_open(file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        const uint64_t number = tg__get_u64(record.arguments);
        assert_true(number >= next && number < RECORDS);
        assert_int_equal(tg__get_u32(record.arguments + 8), number % 11);
        assert_memory_equal(record.arguments + 12, "0123456789", number % 11);
        next = number + 1;
        count++;
    }
    tg__log_merge_close(&merge);
    return count;
}

static void a_whole_file_reads_without_a_problem(void **state)
{
    (void)state;
    tg__log_file file;
    assert_int_equal(tg__log_file_from_memory(original, original_size, &file), TG_OK);
    assert_int_equal(read_all(&file), RECORDS);
    assert_int_equal(file.problem_count, 0);
    assert_int_equal(file.record_count, RECORDS);
    assert_true(file.ended);
    tg__log_file_close(&file);
}

static void a_file_cut_anywhere_gives_everything_before_the_torn_block(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (size_t size = 0; size < original_size; size += size < 400 ? 1 : 37) {
        unsigned char *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut + 1, original, size);
        tg__log_file file;
        const tg_err err = tg__log_file_from_memory(cut + 1, size, &file);
        if (err != TG_OK) {
            assert_int_equal(err, TG_ERR_FORMAT);
            assert_true(size < 400); /* the first block itself is torn */
            free(cut);
            continue;
        }
        assert_false(file.ended);
        const uint64_t count = read_all(&file);
        assert_true(count >= before);
        before = count;
        if (file.problem_count != 0) {
            assert_int_equal(file.problem_count, 1);
            assert_int_equal(file.problems[0].err, TG_ERR_TORN);
            assert_int_equal(file.problems[0].offset + file.problems[0].size, size);
        }
        tg__log_file_close(&file);
        free(cut);
    }
    assert_true(before > RECORDS / 2);
}

static void a_flipped_bit_loses_its_block_alone_and_is_told_with_its_place(void **state)
{
    (void)state;
    seeded_random random = random_start("flip", 3);
    for (int round = 0; round < 300; round++) {
        unsigned char *damaged = malloc(original_size);
        assert_non_null(damaged);
        memcpy(damaged, original, original_size);
        const size_t at = (size_t)random_below(&random, original_size);
        damaged[at] ^= (unsigned char)(1u << random_below(&random, 8));
        tg__log_file file;
        const tg_err err = tg__log_file_from_memory(damaged, original_size, &file);
        if (err == TG_OK) {
            (void)read_all(&file);
            assert_true(file.problem_count >= 1);
            bool told = false;
            for (size_t i = 0; i < file.problem_count && i < TG__PROBLEMS_MAX; i++) {
                const tg__problem *problem = &file.problems[i];
                told = told || (at >= problem->offset && at < problem->offset + problem->size);
            }
            assert_true(told);
            tg__log_file_close(&file);
        } else {
            assert_int_equal(err, TG_ERR_FORMAT); /* in the first block */
        }
        free(damaged);
    }
}

static void bytes_between_blocks_are_passed_over(void **state)
{
    (void)state;
    tg__block first;
    assert_int_equal(tg__block_open(original, original_size, &first), TG_OK);
    const size_t head = TG__BLOCK_HEADER + first.payload_size;
    static const char junk[] = "TGRB is not enough TGRBTGRB";
    unsigned char *bytes = malloc(original_size + sizeof junk);
    assert_non_null(bytes);
    memcpy(bytes, original, head);
    memcpy(bytes + head, junk, sizeof junk);
    memcpy(bytes + head + sizeof junk, original + head, original_size - head);
    tg__log_file file;
    assert_int_equal(tg__log_file_from_memory(bytes, original_size + sizeof junk, &file), TG_OK);
    assert_int_equal(read_all(&file), RECORDS);
    assert_int_equal(file.problem_count, 1);
    assert_int_equal(file.problems[0].err, TG_ERR_CORRUPT);
    assert_int_equal(file.problems[0].offset, head);
    assert_int_equal(file.problems[0].size, sizeof junk);
    tg__log_file_close(&file);
    free(bytes);
}

static void blocks_of_a_newer_version_are_skipped_by_their_length(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(original_size + 256);
    assert_non_null(bytes);
    memcpy(bytes, original, original_size);
    memset(bytes + original_size + TG__BLOCK_HEADER, 7, 100);
    const tg__block unknown = {.kind = 99, .payload_size = 100};
    const size_t size = tg__block_seal(&unknown, bytes + original_size);
    tg__log_file file;
    assert_int_equal(tg__log_file_from_memory(bytes, original_size + size, &file), TG_OK);
    assert_int_equal(file.unknown_blocks, 1);
    assert_int_equal(file.problem_count, 0);
    assert_int_equal(read_all(&file), RECORDS);
    tg__log_file_close(&file);
    free(bytes);
}

static size_t append_anchor(unsigned char *out, uint64_t stamp, int64_t mono_ns)
{
    const tg__anchor anchor = {stamp, mono_ns, mono_ns, mono_ns};
    tg__block block = {.kind = TG__BLOCK_ANCHOR};
    block.payload_size = (uint32_t)tg__anchor_encode(&anchor, out + TG__BLOCK_HEADER);
    return tg__block_seal(&block, out);
}

static void a_counter_that_falls_is_told_and_an_anchor_twice_is_not(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(original_size + 512);
    assert_non_null(bytes);
    memcpy(bytes, original, original_size);
    for (int falls = 0; falls < 2; falls++) {
        size_t size = original_size;
        size += append_anchor(bytes + size, INT64_C(1) << 40, INT64_C(1) << 40);
        size += append_anchor(bytes + size, INT64_C(1) << 40, INT64_C(1) << 40);
        size += append_anchor(bytes + size, falls != 0 ? 7 : INT64_C(1) << 41, INT64_C(1) << 41);
        tg__log_file file;
        assert_int_equal(tg__log_file_from_memory(bytes, size, &file), TG_OK);
        assert_int_equal(file.problem_count, falls);
        assert_true(falls == 0 || file.problems[0].err == TG_ERR_STATE);
        assert_int_equal(read_all(&file), RECORDS);
        tg__log_file_close(&file);
    }
    free(bytes);
}

static void another_format_version_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    tg__file_info info;
    memset(&info, 0, sizeof info);
    info.version = TG__FORMAT_VERSION + 1;
    tg__block block = {.kind = TG__BLOCK_FILE};
    block.payload_size = (uint32_t)tg__file_info_encode(&info, bytes + TG__BLOCK_HEADER);
    const size_t size = tg__block_seal(&block, bytes);
    tg__log_file file;
    assert_int_equal(tg__log_file_from_memory(bytes, size, &file), TG_ERR_UNSUPPORTED);
}

static void what_is_not_a_record_is_refused(void **state)
{
    (void)state;
    tg__log_file file;
    assert_int_equal(tg__log_file_from_memory("", 0, &file), TG_ERR_FORMAT);
    char text[200];
    memset(text, 'x', sizeof text);
    assert_int_equal(tg__log_file_from_memory(text, sizeof text, &file), TG_ERR_FORMAT);
    assert_int_equal(tg__log_file_open("/", &file), TG_ERR_IO);
    assert_int_equal(tg__log_file_open("/nowhere/at/all", &file), TG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_file_reads_without_a_problem),
        cmocka_unit_test(a_file_cut_anywhere_gives_everything_before_the_torn_block),
        cmocka_unit_test(a_flipped_bit_loses_its_block_alone_and_is_told_with_its_place),
        cmocka_unit_test(bytes_between_blocks_are_passed_over),
        cmocka_unit_test(blocks_of_a_newer_version_are_skipped_by_their_length),
        cmocka_unit_test(a_counter_that_falls_is_told_and_an_anchor_twice_is_not),
        cmocka_unit_test(another_format_version_is_refused),
        cmocka_unit_test(what_is_not_a_record_is_refused),
    };
    return cmocka_run_group_tests_name("recorder.log_file", tests, make_original, free_original);
}

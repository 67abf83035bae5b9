#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/recorder.h>

#include "histogram_slots.h"
#include "histogram_snapshot.h"
#include "scratch_dir.h"
#include "seeded_random.h"

static tg_histogram *open_default(void)
{
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    return histogram;
}

static void assert_same(const tg_histogram *a, const tg_histogram *b)
{
    tg_histogram_summary left;
    tg_histogram_summary right;
    tg_histogram_summary_get(a, &left);
    tg_histogram_summary_get(b, &right);
    assert_memory_equal(&left, &right, sizeof left);
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(a); slot++) {
        assert_int_equal(tg__histogram_slot_get(a, slot), tg__histogram_slot_get(b, slot));
    }
}

static void fill(tg_histogram *histogram, seeded_random *random, int count)
{
    for (int i = 0; i < count; i++) {
        const int64_t value = (int64_t)random_any_size(random, 37);
        tg_histogram_record(histogram, i % 100 == 0 ? -value - 1 : value);
    }
    for (int i = 0; i < 70000 && count > 1000; i++) {
        tg_histogram_record(histogram, 5000000);
    }
}

static void a_stream_rebuilds_the_histogram_in_whatever_pieces_it_is_cut(void **state)
{
    (void)state;
    seeded_random random = random_start("stream", 21);
    const int counts[] = {0, 1, 500, 200000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        tg_histogram *histogram = open_default();
        fill(histogram, &random, counts[c]);
        const size_t size = (size_t)tg__histogram_stream(histogram, 0, 0, NULL);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        for (size_t at = 0; at < size;) {
            const size_t piece = 1 + (size_t)random_below(&random, 5000);
            const size_t now = piece < size - at ? piece : size - at;
            assert_int_equal(tg__histogram_stream(histogram, at, now, bytes + at), size);
            at += now;
        }
        tg_histogram *again = NULL;
        assert_int_equal(tg__histogram_from_stream(bytes, size, &again), TG_OK);
        assert_same(histogram, again);
        tg_histogram_close(again);
        free(bytes);
        tg_histogram_close(histogram);
    }
}

static void damaged_streams_are_rejected_or_at_least_bounded(void **state)
{
    (void)state;
    seeded_random random = random_start("damage", 22);
    tg_histogram *histogram = open_default();
    fill(histogram, &random, 300);
    const size_t size = (size_t)tg__histogram_stream(histogram, 0, 0, NULL);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    (void)tg__histogram_stream(histogram, 0, size, bytes);
    tg_histogram *again = NULL;
    for (size_t shorter = 0; shorter < 64; shorter++) {
        assert_int_equal(tg__histogram_from_stream(bytes, shorter, &again), TG_ERR_CORRUPT);
        assert_null(again);
    }
    for (int round = 0; round < 2000; round++) {
        const size_t at = (size_t)random_below(&random, size);
        const unsigned char kept = bytes[at];
        bytes[at] = (unsigned char)random_u64(&random);
        if (tg__histogram_from_stream(bytes, size, &again) == TG_OK) {
            tg_histogram_close(again);
        } else {
            assert_null(again);
        }
        bytes[at] = kept;
    }
    free(bytes);
    tg_histogram_close(histogram);
}

static void windows_in_a_file_add_up_to_the_whole(void **state)
{
    (void)state;
    seeded_random random = random_start("windows", 23);
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = scratch_name(&dir, "h.tgrec", path, sizeof path);
    opt.rings_dir = dir.path;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    tg_histogram *whole = open_default();
    tg_histogram *window = open_default();
    for (int w = 0; w < 8; w++) {
        fill(window, &random, 1 + 20000 * w);
        assert_int_equal(tg_histogram_add(whole, window), TG_OK);
        assert_int_equal(tg_recorder_histogram(recorder, "glass", window, w, w + 1), TG_OK);
        tg_histogram_reset(window);
        assert_int_equal(tg_recorder_poll(recorder, NULL), TG_OK);
    }
    char long_name[65];
    memset(long_name, 'n', 64);
    long_name[64] = '\0';
    assert_int_equal(tg_recorder_histogram(recorder, long_name, window, 0, 1),
                     TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_recorder_histogram(recorder, NULL, window, 0, 1), TG_ERR_INVALID_ARGUMENT);
    tg_recorder_close(recorder);

    tg__log_file file;
    tg__log_merge merge;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    tg_histogram *sum = open_default();
    unsigned char *stream = malloc(1 << 20);
    assert_non_null(stream);
    size_t used = 0;
    int windows = 0;
    tg__log_record record;
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        tg__histogram_piece piece;
        assert_int_equal(tg__histogram_piece_read(&record, &piece), TG_OK);
        assert_int_equal(piece.name_size, 5);
        assert_memory_equal(piece.name, "glass", 5);
        used = piece.number == 1 ? 0 : used;
        memcpy(stream + used, piece.bytes, piece.size);
        used += piece.size;
        if (piece.number == piece.count) {
            assert_int_equal(piece.from_mono_ns, windows);
            windows++;
            tg_histogram *read = NULL;
            assert_int_equal(tg__histogram_from_stream(stream, used, &read), TG_OK);
            assert_int_equal(tg_histogram_add(sum, read), TG_OK);
            tg_histogram_close(read);
        }
    }
    assert_int_equal(windows, 8);
    assert_same(sum, whole);
    free(stream);
    tg_histogram_close(sum);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
    tg_histogram_close(whole);
    tg_histogram_close(window);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_rebuilds_the_histogram_in_whatever_pieces_it_is_cut),
        cmocka_unit_test(damaged_streams_are_rejected_or_at_least_bounded),
        cmocka_unit_test(windows_in_a_file_add_up_to_the_whole),
    };
    return cmocka_run_group_tests_name("recorder.histogram_snapshot", tests, NULL, NULL);
}

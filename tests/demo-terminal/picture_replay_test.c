#include "picture_replay.h"

#include <inttypes.h>

#include "../gateway/scratch_folder.h"
#include "picture_chain.h"
#include "random_draw_list.h"
#include "session_record.h"

#define PASSES 400
#define MS     INT64_C(1000000)

static void nobody(void *ctx)
{
    (void)ctx;
}

/* What stood there after each pass. */
typedef struct glass {
    tg_cell *cells;
    uint16_t columns;
    uint16_t rows;
    uint32_t background;
} glass;

static glass stood[PASSES + 1]; /* by pass, from 1 */
static scratch_folder folder;
static char path[160];

static void keep(uint64_t pass, const tg_draw_list *list, tg_grid *grid)
{
    const size_t size = (size_t)list->columns * list->rows * sizeof(tg_cell);
    glass *now = &stood[pass];
    free(now->cells);
    *now = (glass){malloc(size), list->columns, list->rows, list->background};
    assert_non_null(now->cells);
    memcpy(now->cells, tg_grid_drawn(grid), size);
}

static session_record *begin_record(void)
{
    session_record *record = NULL;
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "glass.tgrec"));
    (void)remove(path);
    assert_int_equal(session_record_open(4, nobody, NULL, &record), TG_OK);
    assert_int_equal(session_record_start_now(record, path), TG_OK);
    return record;
}

/* Records passes over two minutes with other sizes in between. */
static void record_passes(uint64_t seed, unsigned writes_most)
{
    random_source from = {seed};
    session_record *record = begin_record();
    tg_grid *grid = NULL;
    char why[400];
    assert_int_equal(tg_grid_open(180, 40, &grid), TG_OK);
    tg_grid_clear(grid, random_style(&from, 20));
    for (uint64_t pass = 1; pass <= PASSES; pass++) {
        if (random_below(&from, 60) == 0) {
            assert_int_equal(tg_grid_resize(grid, (uint16_t)(100 + random_below(&from, 200)),
                                            (uint16_t)(20 + random_below(&from, 40))),
                             TG_OK);
            tg_grid_clear(grid, random_style(&from, 20));
        }
        for (uint32_t i = 1 + random_below(&from, writes_most); i > 0; i--) {
            random_write(&from, grid, 20);
        }
        const tg_draw_list *list = tg_grid_damage(grid);
        const pass_stamps stamps = {.handed_mono_ns = (int64_t)pass * 300 * MS,
                                    .handed_utc_ns = (int64_t)pass * 300 * MS + 7};
        const drawn_pass drawn = {pass, list, grid, {1000 + (int)pass, 700, 14}};
        session_record_drew(record, &drawn, &stamps);
        keep(pass, list, grid);
    }
    tg_grid_close(grid);
    assert_int_equal(session_record_close(record, why, sizeof why), TG_OK);
}

static tg_record_reader *open_record(void)
{
    tg_record_reader *reader = NULL;
    const char *const paths[] = {path};
    assert_int_equal(tg_record_reader_open(paths, 1, &reader, NULL, 0), TG_OK);
    return reader;
}

static bool is_as_it_stood(const replayed_picture *is)
{
    const glass *was = &stood[is->head.pass];
    return is->list->columns == was->columns && is->list->rows == was->rows &&
           is->list->background == was->background && is->list->full &&
           is->list->cell_count == (size_t)was->columns * was->rows &&
           memcmp(is->list->cells, was->cells, is->list->cell_count * sizeof(tg_cell)) == 0;
}

static void every_pass_comes_out_as_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        print_message("seed %" PRIu64 "\n", seed);
        record_passes(seed, 60);
        tg_record_reader *reader = open_record();
        picture_replay *replay = NULL;
        tg_record_entry entry;
        picture_head head;
        uint64_t passes = 0;
        int width_px = 0;
        assert_int_equal(picture_replay_open(&replay), TG_OK);
        assert_int_equal(picture_replay_get(replay).state, REPLAY_NOTHING);
        while (tg_record_reader_next(reader, &entry) == TG_OK) {
            assert_int_equal(picture_replay_take(replay, &entry), TG_OK);
            const replayed_picture is = picture_replay_get(replay);
            if (!picture_head_of(&entry, &head)) {
                /* The form of a picture that is still to come is not that of the one there. */
                assert_true(passes == 0 || is.form.width_px == width_px);
                continue;
            }
            passes++;
            assert_int_equal(is.state, REPLAY_KNOWN);
            assert_int_equal(is.head.pass, passes);
            assert_int_equal(is.head.handed_mono_ns, (int64_t)passes * 300 * MS);
            assert_int_equal(is.head.handed_utc_ns, (int64_t)passes * 300 * MS + 7);
            assert_true(is_as_it_stood(&is));
            /* The form comes with whole pictures, ten seconds apart at most. */
            assert_in_range(is.form.width_px, width_px, 1000 + (int)passes);
            assert_true(is.form.width_px > 1000 + (int)passes - 35);
            width_px = is.form.width_px;
        }
        assert_int_equal(passes, PASSES);
        picture_replay_close(replay);
        tg_record_reader_close(reader);
    }
}

static bool is_whole(const tg_record_entry *entry)
{
    return entry->arguments[2].as.u == 1;
}

static void after_a_loss_nothing_is_said_until_the_next_whole_one(void **state)
{
    (void)state;
    record_passes(7, 60);
    for (uint64_t lost = 1; lost < PASSES; lost += 23) {
        tg_record_reader *reader = open_record();
        picture_replay *replay = NULL;
        tg_record_entry entry;
        picture_head head;
        bool whole = false;
        assert_int_equal(picture_replay_open(&replay), TG_OK);
        while (tg_record_reader_next(reader, &entry) == TG_OK) {
            const bool drew = picture_head_of(&entry, &head);
            if (drew && head.pass == lost) {
                continue;
            }
            assert_int_equal(picture_replay_take(replay, &entry), TG_OK);
            const replayed_picture is = picture_replay_get(replay);
            whole = whole || (drew && head.pass > lost && is_whole(&entry));
            if (!drew) {
                continue;
            }
            if (head.pass < lost || whole) {
                assert_int_equal(is.state, REPLAY_KNOWN);
                assert_true(is_as_it_stood(&is));
            } else if (lost == 1) {
                assert_int_equal(is.state, REPLAY_NOTHING); /* the first one was lost */
            } else {
                assert_int_equal(is.state, REPLAY_LOST);
                assert_non_null(strstr(is.why, "is missing from the record"));
                assert_null(is.list);
            }
        }
        assert_true(whole || lost > PASSES - 35);
        picture_replay_close(replay);
        tg_record_reader_close(reader);
    }
}

static void one_may_begin_at_any_time(void **state)
{
    (void)state;
    record_passes(8, 60);
    tg_record_reader *reader = open_record();
    picture_replay *replay = NULL;
    tg_record_entry entry;
    picture_head head;
    assert_int_equal(picture_replay_open(&replay), TG_OK);
    for (uint64_t from = 2; from < PASSES - 35; from += 19) {
        bool whole = false;
        picture_replay_begin(replay);
        assert_int_equal(tg_record_reader_seek(reader, INT64_MIN), TG_OK);
        while (!whole && tg_record_reader_next(reader, &entry) == TG_OK) {
            if (picture_head_of(&entry, &head) && head.pass >= from) {
                whole = is_whole(&entry);
                assert_int_equal(picture_replay_take(replay, &entry), TG_OK);
                assert_int_equal(picture_replay_get(replay).state,
                                 whole ? REPLAY_KNOWN : REPLAY_NOTHING);
            }
        }
        const replayed_picture is = picture_replay_get(replay);
        assert_true(whole && is_as_it_stood(&is));
    }
    picture_replay_close(replay);
    tg_record_reader_close(reader);
}

/* A picture that is another one, by a single bit of what was recorded, is never taken for it. */
static void no_bit_of_it_may_be_another(void **state)
{
    (void)state;
    static unsigned char bytes[PICTURE_CHAIN_BYTES_MAX];
    record_passes(9, 12);
    tg_record_reader *reader = open_record();
    picture_replay *replay = NULL;
    tg_record_entry entry;
    tg_record_entry first;
    unsigned char *first_bytes = NULL;
    picture_head head;
    size_t noticed = 0;
    assert_int_equal(picture_replay_open(&replay), TG_OK);
    while (tg_record_reader_next(reader, &entry) == TG_OK && noticed < 4000) {
        if (!picture_head_of(&entry, &head)) {
            continue;
        }
        if (first_bytes == NULL) {
            first = entry;
            first_bytes = malloc(entry.arguments[6].as.blob.size);
            assert_non_null(first_bytes);
            memcpy(first_bytes, entry.arguments[6].as.blob.bytes, entry.arguments[6].as.blob.size);
            first.arguments[6].as.blob.bytes = first_bytes;
            continue;
        }
        if (head.number != 1) {
            break;
        }
        const tg_blob right = entry.arguments[6].as.blob;
        memcpy(bytes, right.bytes, right.size);
        entry.arguments[6].as.blob.bytes = bytes;
        for (size_t bit = 0; bit < right.size * 8; bit++, noticed++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            picture_replay_begin(replay);
            assert_int_equal(picture_replay_take(replay, &first), TG_OK);
            assert_int_equal(picture_replay_take(replay, &entry), TG_OK);
            const replayed_picture is = picture_replay_get(replay);
            assert_true(is.state == REPLAY_LOST || !is_as_it_stood(&is));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
    assert_true(noticed > 100);
    free(first_bytes);
    picture_replay_close(replay);
    tg_record_reader_close(reader);
}

/* A display full of single styles: more than a record holds. */
static void record_large(void)
{
    session_record *record = begin_record();
    tg_grid *grid = NULL;
    char why[400];
    assert_int_equal(tg_grid_open(300, 100, &grid), TG_OK);
    for (uint64_t pass = 1; pass <= 2; pass++) {
        for (uint32_t i = 0; i < 300 * 100; i++) {
            const tg_style style = {i * 7, (i + (uint32_t)pass) & 0xffffff, 0};
            (void)tg_grid_put(grid, (uint16_t)(i / 300), (uint16_t)(i % 300), style, "x");
        }
        const tg_draw_list *list = tg_grid_damage(grid);
        const pass_stamps stamps = {.handed_mono_ns = (int64_t)pass * MS};
        const drawn_pass drawn = {pass, list, grid, {1000, 700, 14}};
        session_record_drew(record, &drawn, &stamps);
        keep(pass, list, grid);
    }
    tg_grid_close(grid);
    assert_int_equal(session_record_close(record, why, sizeof why), TG_OK);
}

static void a_large_one_comes_in_pieces_of_which_none_may_be_missing(void **state)
{
    (void)state;
    record_large();
    size_t pieces = 1;
    for (size_t lost = SIZE_MAX, i = 0; i <= pieces; lost = i++) {
        tg_record_reader *reader = open_record();
        picture_replay *replay = NULL;
        tg_record_entry entry;
        picture_head head;
        size_t piece = 0;
        assert_int_equal(picture_replay_open(&replay), TG_OK);
        while (tg_record_reader_next(reader, &entry) == TG_OK) {
            if (picture_head_of(&entry, &head) && piece++ == lost) {
                continue;
            }
            assert_int_equal(picture_replay_take(replay, &entry), TG_OK);
        }
        const replayed_picture is = picture_replay_get(replay);
        if (lost == SIZE_MAX) {
            assert_true(is.state == REPLAY_KNOWN && is_as_it_stood(&is));
            assert_in_range(piece, 6, 20);
            pieces = piece;
        } else {
            assert_int_not_equal(is.state, REPLAY_KNOWN);
        }
        picture_replay_close(replay);
        tg_record_reader_close(reader);
    }
}

static int open_folder(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    for (size_t i = 0; i <= PASSES; i++) {
        free(stood[i].cells);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pass_comes_out_as_it_was),
        cmocka_unit_test(after_a_loss_nothing_is_said_until_the_next_whole_one),
        cmocka_unit_test(one_may_begin_at_any_time),
        cmocka_unit_test(no_bit_of_it_may_be_another),
        cmocka_unit_test(a_large_one_comes_in_pieces_of_which_none_may_be_missing),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}

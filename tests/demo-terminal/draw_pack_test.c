#include "draw_pack.h"

#include "random_draw_list.h"

#define BYTES_MAX (1 << 20)

static unsigned char bytes[BYTES_MAX];

static void expect_equal(const tg_draw_list *is, const tg_draw_list *wanted)
{
    assert_int_equal(is->full, wanted->full);
    assert_int_equal(is->background, wanted->background);
    assert_int_equal(is->columns, wanted->columns);
    assert_int_equal(is->rows, wanted->rows);
    assert_int_equal(is->run_count, wanted->run_count);
    assert_int_equal(is->cell_count, wanted->cell_count);
    for (size_t r = 0; r < wanted->run_count; r++) {
        const tg_draw_run *a = &is->runs[r];
        const tg_draw_run *b = &wanted->runs[r];
        assert_int_equal(a->row, b->row);
        assert_int_equal(a->column, b->column);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(is->cells + a->first, wanted->cells + b->first,
                            a->count * sizeof *is->cells);
    }
}

static size_t pack(const tg_draw_list *list)
{
    size_t size = 0;
    assert_int_equal(draw_pack(list, bytes, sizeof bytes, &size), TG_OK);
    assert_true(size > 0);
    return size;
}

static tg_err unpack_exactly(const unsigned char *from, size_t size, draw_unpacked *out,
                             draw_fault *fault)
{
    unsigned char *copy = malloc(size != 0 ? size : 1); /* exact: a byte too far is seen */
    assert_non_null(copy);
    if (size != 0) {
        memcpy(copy, from, size);
    }
    const tg_err err = draw_unpack(copy, size, out, fault);
    free(copy);
    return err;
}

static void expect_round_trip(const tg_draw_list *list, draw_unpacked *out)
{
    draw_fault fault;
    const size_t size = pack(list);
    const tg_err err = unpack_exactly(bytes, size, out, &fault);
    if (err != TG_OK) {
        fail_msg("%s at %zu of %zu: %s", tg_err_name(err), fault.offset, size, fault.what);
    }
    expect_equal(&out->list, list);
}

static void whatever_a_grid_draws_comes_back(void **state)
{
    (void)state;
    draw_unpacked unpacked = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_source from = {seed};
        tg_grid *grid = NULL;
        print_message("seed %u\n", (unsigned)seed);
        assert_int_equal(tg_grid_open((uint16_t)(1 + random_below(&from, 300)),
                                      (uint16_t)(1 + random_below(&from, 80)), &grid),
                         TG_OK);
        const unsigned styles = seed % 3 == 0 ? 1000 : 12; /* more than there are places for */
        tg_grid_clear(grid, random_style(&from, styles));
        for (int pass = 0; pass < 20; pass++) {
            for (uint32_t i = random_below(&from, 400); i > 0; i--) {
                random_write(&from, grid, styles);
            }
            expect_round_trip(tg_grid_damage(grid), &unpacked);
        }
        tg_grid_close(grid);
    }
    draw_unpacked_deinit(&unpacked);
}

static const tg_style plain = {0xffffff, 0x102030, 0};
static const tg_style risen = {0x40a0ff, 0x102030, TG_CELL_BOLD};

static tg_grid *open_grid(uint16_t columns, uint16_t rows)
{
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(columns, rows, &grid), TG_OK);
    tg_grid_clear(grid, plain);
    (void)tg_grid_damage(grid);
    return grid;
}

static void the_form_is_the_documented_one(void **state)
{
    (void)state;
    static const unsigned char wanted[] = {
        1, 0, 39, 0, 0, 40, 4, 0x30, 0x20, 0x10, 2,     /* 40 x 4, two runs */
        0xf4, 1, 3,                                     /* row 1, column 3, 5 cells */
        0x00, 0xff, 0xff, 0xff, 0x30, 0x20, 0x10, 0, 3, /* a style of 4 cells */
        0x01, 0xff, 0xa0, 0x40, 0x30, 0x20, 0x10, 1,    /* another to the end */
        0xf0, 1, 0, 0x03,                               /* row 3, column 0: the first one */
        /* 6 1 . 5 7, then x as ASCII: from the end, low halves first. */
        0x78, 0xe7, 0x5b, 0x16};
    tg_grid *grid = open_grid(40, 4);
    (void)tg_grid_put(grid, 1, 3, plain, "61.5");
    (void)tg_grid_put(grid, 1, 7, risen, "7");
    (void)tg_grid_put(grid, 3, 0, plain, "x");
    const size_t size = pack(tg_grid_damage(grid));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    tg_grid_close(grid);
}

static void digits_that_change_take_less_than_a_byte(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(240, 62);
    size_t cells = 0;
    for (uint16_t row = 0; row < 60; row++) {
        for (uint16_t column = 0; column < 5; column++) {
            (void)tg_grid_put(grid, row, (uint16_t)(20 + column * 12), column < 2 ? plain : risen,
                              "61813.25");
        }
    }
    const tg_draw_list *list = tg_grid_damage(grid);
    cells = list->cell_count;
    assert_int_equal(cells, 60 * 5 * 8);
    assert_in_range(pack(list), cells / 2, cells * 9 / 10);
    /* A whole picture that is mostly blank takes next to nothing. */
    tg_grid_forget(grid);
    assert_in_range(pack(tg_grid_damage(grid)), 1, 3500);
    tg_grid_close(grid);
}

static void what_does_not_fit_is_refused_and_writes_no_further(void **state)
{
    (void)state;
    random_source from = {5};
    tg_grid *grid = open_grid(120, 30);
    for (int i = 0; i < 300; i++) {
        random_write(&from, grid, 200);
    }
    const tg_draw_list *list = tg_grid_damage(grid);
    const size_t needed = pack(list);
    for (size_t capacity = 0; capacity < needed; capacity++) {
        size_t size = 1;
        unsigned char *room = malloc(capacity != 0 ? capacity : 1);
        assert_non_null(room);
        assert_int_equal(draw_pack(list, room, capacity, &size), TG_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(size, 0);
        free(room);
    }
    tg_grid_close(grid);
}

static void what_no_grid_makes_is_not_packed(void **state)
{
    (void)state;
    size_t size = 0;
    tg_cell cell = {.text = "a", .foreground = 0xffffff};
    tg_draw_run run = {0, 0, 1, 0};
    tg_draw_list list = {
        .columns = 1, .rows = 1, .run_count = 1, .cell_count = 1, .runs = &run, .cells = &cell};
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_OK);
    cell.foreground = 0x1000000;
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    cell.foreground = 0;
    cell.marks = 32;
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    cell.marks = 0;
    memset(cell.text, 'a', sizeof cell.text);
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    memset(cell.text, 0, sizeof cell.text);
    run.count = 0;
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
    run.count = 1;
    list.background = 0x1000000;
    assert_int_equal(draw_pack(&list, bytes, sizeof bytes, &size), TG_ERR_INVALID_ARGUMENT);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    static unsigned char whole[BYTES_MAX];
    draw_unpacked unpacked = {0};
    draw_fault fault;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        random_source from = {seed};
        tg_grid *grid = open_grid(90, 20);
        for (int i = 0; i < 120; i++) {
            random_write(&from, grid, 30);
        }
        const size_t size = pack(tg_grid_damage(grid));
        memcpy(whole, bytes, size);
        for (size_t cut = 0; cut < size; cut++) {
            assert_int_equal(unpack_exactly(whole, cut, &unpacked, &fault), TG_ERR_CORRUPT);
            assert_true(fault.offset <= cut && fault.what[0] != '\0');
            assert_int_equal(unpacked.list.run_count, 0);
            const tg_err err = unpack_exactly(whole + cut + 1, size - cut - 1, &unpacked, &fault);
            assert_int_not_equal(err, TG_OK);
        }
        whole[size] = 0;
        assert_int_equal(unpack_exactly(whole, size + 1, &unpacked, &fault), TG_ERR_CORRUPT);
        tg_grid_close(grid);
    }
    draw_unpacked_deinit(&unpacked);
}

/* Everything before the runs; the size is filled in. */
#define HEAD(full, columns, rows, runs) 1, full, 0, 0, 0, columns, rows, 0, 0, 0, runs
/* And a run of one cell, in a style that is given. */
#define ONE_CELL(stretch, marks) HEAD(0, 8, 2, 1), 0xf0, 0, 0, stretch, 0, 0, 0, 0, 0, 0, marks

typedef struct bad_bytes {
    unsigned char bytes[32];
    size_t size;
    tg_err err;
    size_t offset;
    const char *what;
} bad_bytes;

static void an_error_names_the_place_and_the_reason(void **state)
{
    (void)state;
    static const bad_bytes bad[] = {
        {{2}, 2, TG_ERR_UNSUPPORTED, 0, "a form that this version does not know"},
        {{HEAD(2, 8, 2, 0)}, 11, TG_ERR_CORRUPT, 7, "a grid that cannot be"},
        {{HEAD(0, 0, 2, 0)}, 11, TG_ERR_CORRUPT, 7, "a grid that cannot be"},
        {{1, 0, 0, 0, 0, 0x81, 0x10, 2}, 12, TG_ERR_CORRUPT, 5, "a number that is out of range"},
        {{1, 0, 0, 0, 0, 0x88, 0, 2},
         12,
         TG_ERR_CORRUPT,
         5,
         "a number that is longer than it needs to be"},
        {{HEAD(0, 8, 2, 9), 0xf0}, 13, TG_ERR_CORRUPT, 10, "a number that is out of range"},
        {{HEAD(0, 8, 2, 1), 0x00, 3}, 14, TG_ERR_CORRUPT, 12, "the first run names no row"},
        {{HEAD(0, 8, 2, 1), 0xf0, 2}, 14, TG_ERR_CORRUPT, 12, "a number that is out of range"},
        {{HEAD(0, 8, 2, 1), 0xf3, 0, 5}, 15, TG_ERR_CORRUPT, 14, "a run beyond the last column"},
        {{HEAD(0, 8, 2, 1), 0xf0, 0, 0, 3},
         16,
         TG_ERR_CORRUPT,
         14,
         "a style that has not been given"},
        {{ONE_CELL(1, 32), 0xa}, 23, TG_ERR_CORRUPT, 21, "marks that do not exist"},
        {{ONE_CELL(0, 0), 0, 0xa}, 24, TG_ERR_CORRUPT, 22, "a stretch behind the end of its run"},
        {{ONE_CELL(1, 0), 0xd}, 23, TG_ERR_CORRUPT, 22, "a repetition without a cell"},
        {{ONE_CELL(1, 0), 0x01, 0xbe},
         24,
         TG_ERR_CORRUPT,
         22, /* ESC */
         "a text that is not ASCII to be shown"},
        {{ONE_CELL(1, 0), 0x9b, 0xc2, 0x2f},
         25,
         TG_ERR_CORRUPT,
         24, /* CSI */
         "a text that is not UTF-8 to be shown"},
        {{ONE_CELL(1, 0), 0x0f}, 23, TG_ERR_CORRUPT, 22, "bars where a text is"},
        {{ONE_CELL(1, TG_CELL_PLOT), 0x01}, 23, TG_ERR_CORRUPT, 22, "a text where bars are"},
        {{ONE_CELL(1, 0), 0x1a}, 23, TG_ERR_CORRUPT, 22, "bytes that belong to nothing"},
    };
    draw_unpacked unpacked = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        draw_fault fault;
        bad_bytes one = bad[i];
        one.bytes[2] = (unsigned char)(one.size > 2 ? one.size : 0);
        const tg_err err = unpack_exactly(one.bytes, one.size, &unpacked, &fault);
        if (err != bad[i].err || fault.offset != bad[i].offset ||
            strcmp(fault.what, bad[i].what) != 0) {
            fail_msg("%zu: %s at %zu: %s, not at %zu: %s", i, tg_err_name(err), fault.offset,
                     fault.what, bad[i].offset, bad[i].what);
        }
    }
    draw_unpacked_deinit(&unpacked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_a_grid_draws_comes_back),
        cmocka_unit_test(the_form_is_the_documented_one),
        cmocka_unit_test(digits_that_change_take_less_than_a_byte),
        cmocka_unit_test(what_does_not_fit_is_refused_and_writes_no_further),
        cmocka_unit_test(what_no_grid_makes_is_not_packed),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(an_error_names_the_place_and_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

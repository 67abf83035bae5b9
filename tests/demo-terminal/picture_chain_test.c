#include "picture_chain.h"

#include "draw_pack.h"
#include "random_draw_list.h"

#define SECOND INT64_C(1000000000)

static const tg_style plain = {0xffffff, 0x102030, 0};

typedef struct fixture {
    picture_chain *chain;
    tg_grid *grid;
    draw_unpacked unpacked;
} fixture;

static fixture begin(uint16_t columns, uint16_t rows)
{
    fixture f = {0};
    assert_int_equal(picture_chain_open(&f.chain), TG_OK);
    assert_int_equal(tg_grid_open(columns, rows, &f.grid), TG_OK);
    tg_grid_clear(f.grid, plain);
    return f;
}

static void end(fixture *f)
{
    draw_unpacked_deinit(&f->unpacked);
    tg_grid_close(f->grid);
    picture_chain_close(f->chain);
}

static chained_picture next(fixture *f, int64_t now_mono_ns)
{
    chained_picture picture;
    draw_fault fault;
    const tg_draw_list *list = tg_grid_damage(f->grid);
    assert_int_equal(picture_chain_next(f->chain, list, f->grid, now_mono_ns, &picture), TG_OK);
    assert_int_equal(draw_unpack(picture.bytes, picture.size, &f->unpacked, &fault), TG_OK);
    assert_int_equal(f->unpacked.list.full, picture.whole);
    return picture;
}

static void the_first_of_a_file_is_whole_whatever_the_pass_drew(void **state)
{
    (void)state;
    fixture f = begin(30, 4);
    (void)tg_grid_put(f.grid, 1, 2, plain, "before");
    (void)tg_grid_damage(f.grid); /* nobody recorded */
    (void)tg_grid_put(f.grid, 2, 2, plain, "x");
    chained_picture picture = next(&f, 5 * SECOND);
    assert_true(picture.whole);
    assert_int_equal(picture.number, 0);
    assert_int_equal(f.unpacked.list.cell_count, 30 * 4);
    assert_memory_equal(f.unpacked.cells, tg_grid_drawn(f.grid), 30 * 4 * sizeof(tg_cell));
    (void)tg_grid_put(f.grid, 2, 2, plain, "y");
    picture = next(&f, 6 * SECOND);
    assert_false(picture.whole);
    assert_int_equal(picture.number, 1);
    assert_int_equal(f.unpacked.list.cell_count, 1);
    picture_chain_begin(f.chain);
    (void)tg_grid_put(f.grid, 2, 2, plain, "z");
    picture = next(&f, 6 * SECOND);
    assert_true(picture.whole);
    assert_int_equal(picture.number, 0);
    end(&f);
}

static void every_ten_seconds_one_is_whole(void **state)
{
    (void)state;
    fixture f = begin(30, 4);
    int64_t whole_ns = 0;
    unsigned wholes = 0;
    for (int64_t ms = 0; ms < 61000; ms += 40) {
        (void)tg_grid_put(f.grid, 0, 0, plain, ms / 40 % 2 == 0 ? "a" : "b");
        if (next(&f, ms * SECOND / 1000).whole) {
            assert_true(wholes == 0 || ms * SECOND / 1000 - whole_ns == PICTURE_CHAIN_WHOLE_NS);
            whole_ns = ms * SECOND / 1000;
            wholes++;
        }
    }
    assert_int_equal(wholes, 7);
    /* What a resize draws is whole anyway, and begins the ten seconds anew. */
    (void)tg_grid_put(f.grid, 0, 0, plain, "c");
    tg_grid_forget(f.grid);
    assert_true(next(&f, 65 * SECOND).whole);
    (void)tg_grid_put(f.grid, 0, 0, plain, "d");
    assert_false(next(&f, 70 * SECOND).whole);
    end(&f);
}

static void one_that_cannot_be_packed_leaves_a_number_out_and_the_next_is_whole(void **state)
{
    (void)state;
    fixture f = begin(2000, 1000); /* nobody has such a display: no two neighbours alike */
    for (uint16_t row = 0; row < 1000; row++) {
        for (uint16_t column = 0; column < 2000; column++) {
            const uint32_t which = row * 2000u + column;
            (void)tg_grid_put(f.grid, row, column, (tg_style){which, which, 0}, "x");
        }
    }
    chained_picture picture;
    const tg_draw_list *list = tg_grid_damage(f.grid);
    assert_int_equal(picture_chain_next(f.chain, list, f.grid, 0, &picture),
                     TG_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(picture.number, 0);
    assert_int_equal(picture.size, 0);
    tg_grid_clear(f.grid, plain);
    assert_int_equal(next(&f, 1).number, 1);
    assert_true(f.unpacked.list.full);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_a_file_is_whole_whatever_the_pass_drew),
        cmocka_unit_test(every_ten_seconds_one_is_whole),
        cmocka_unit_test(one_that_cannot_be_packed_leaves_a_number_out_and_the_next_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

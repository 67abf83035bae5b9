#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "order_book.h"

static tg__order_book orders;
static tg__book book;

static int set_up(void **state)
{
    (void)state;
    memset(&orders, 0, sizeof orders);
    memset(&book, 0, sizeof book);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__order_book_deinit(&orders);
    tg__book_deinit(&book);
    return 0;
}

static void set(uint64_t id, tg__book_side side, int64_t price, uint32_t size)
{
    const tg__order order = {.id = id, .price = {price, -2}, .size = size, .side = side};
    assert_int_equal(tg__order_book_set(&orders, &book, &order), TG_OK);
}

static int64_t quantity_at(tg__book_side side, int64_t price)
{
    const tg__book_level *level = tg__book_find(&book, side, (tg_decimal){price, -2});
    return level != NULL ? level->quantity.mantissa : 0;
}

static void orders_of_one_price_add_up(void **state)
{
    (void)state;
    set(1, TG__BOOK_BID, 500, 10);
    set(2, TG__BOOK_BID, 500, 5);
    set(3, TG__BOOK_ASK, 501, UINT32_MAX);
    set(4, TG__BOOK_ASK, 501, UINT32_MAX);
    assert_int_equal(quantity_at(TG__BOOK_BID, 500), 15);
    assert_int_equal(quantity_at(TG__BOOK_ASK, 501), 2 * (int64_t)UINT32_MAX);
    assert_int_equal(tg__order_book_cancel(&orders, &book, 1, 4), TG_OK);
    assert_int_equal(quantity_at(TG__BOOK_BID, 500), 11);
    assert_int_equal(tg__order_book_cancel(&orders, &book, 1, 100), TG_OK); /* all that is left */
    assert_int_equal(quantity_at(TG__BOOK_BID, 500), 5);
    assert_int_equal(tg__order_book_cancel(&orders, &book, 1, 1), TG_ERR_NOT_FOUND);
    assert_int_equal(orders.count, 3);
    tg__order_book_clear(&orders, &book);
    assert_int_equal(tg__order_book_cancel(&orders, &book, 2, 1), TG_ERR_NOT_FOUND);
    assert_null(tg__book_at(&book, TG__BOOK_ASK, 0));
}

static void a_changed_order_leaves_its_old_price(void **state)
{
    (void)state;
    set(1, TG__BOOK_BID, 500, 10);
    set(1, TG__BOOK_BID, 499, 7);
    assert_int_equal(quantity_at(TG__BOOK_BID, 500), 0);
    assert_int_equal(quantity_at(TG__BOOK_BID, 499), 7);
    set(1, TG__BOOK_BID, 499, 0);
    assert_int_equal(orders.count, 0);
    assert_null(tg__book_at(&book, TG__BOOK_BID, 0));
}

/* Against a plain array, with ids that collide often because there are many. */
static void random_orders_give_the_same_levels_as_an_array(void **state)
{
    (void)state;
    enum {
        IDS = 3000,
        PRICES = 20
    };
    static struct {
        uint32_t size;
        int price;
        int side;
    } plain[IDS];
    int64_t sums[2][PRICES] = {{0}};
    uint32_t random = 77; /* the seed */
    memset(plain, 0, sizeof plain);
    for (int step = 0; step < 100000; step++) {
        random = random * 1664525u + 1013904223u;
        const unsigned id = (random >> 8) % IDS;
        random = random * 1664525u + 1013904223u;
        const uint32_t size = (random >> 10) % 50;
        if ((random >> 28) < 8) {
            const tg_err err = tg__order_book_cancel(&orders, &book, id, size);
            assert_int_equal(err, plain[id].size > 0 ? TG_OK : TG_ERR_NOT_FOUND);
            const uint32_t taken = size < plain[id].size ? size : plain[id].size;
            sums[plain[id].side][plain[id].price] -= taken;
            plain[id].size -= taken;
        } else {
            sums[plain[id].side][plain[id].price] -= plain[id].size;
            plain[id].size = size;
            plain[id].price = (int)((random >> 3) % PRICES);
            plain[id].side = (int)((random >> 30) & 1);
            sums[plain[id].side][plain[id].price] += size;
            set(id, (tg__book_side)plain[id].side, plain[id].price, size);
        }
        const int price = (int)((random >> 5) % PRICES);
        assert_int_equal(quantity_at(TG__BOOK_BID, price), sums[0][price]);
        assert_int_equal(quantity_at(TG__BOOK_ASK, price), sums[1][price]);
    }
    size_t resting = 0;
    for (unsigned id = 0; id < IDS; id++) {
        resting += plain[id].size > 0 ? 1 : 0;
    }
    assert_int_equal(orders.count, resting);
}

static void the_number_of_orders_is_bounded(void **state)
{
    (void)state;
    for (uint64_t id = 0; id < TG__ORDERS_MAX; id++) {
        set(id, TG__BOOK_BID, 500, 1);
    }
    const tg__order more = {.id = UINT64_MAX, .price = {500, -2}, .size = 1};
    assert_int_equal(tg__order_book_set(&orders, &book, &more), TG_ERR_FULL);
    assert_int_equal(quantity_at(TG__BOOK_BID, 500), TG__ORDERS_MAX);
    set(5, TG__BOOK_BID, 500, 3); /* one that is there */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(orders_of_one_price_add_up),
        TEST(a_changed_order_leaves_its_old_price),
        TEST(random_orders_give_the_same_levels_as_an_array),
        TEST(the_number_of_orders_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

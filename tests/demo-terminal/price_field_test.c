#include "price_field.h"

#include "tg_cmocka.h"

static void a_half_keeps_its_place(void **state)
{
    (void)state;
    const tg_price_style halves = {TG_PRICE_FRACTION_32_HALF, -6};
    char text[TG_PRICE_TEXT_SIZE];
    price_field_price(halves, 110046875, text);
    assert_string_equal(text, "110-01+");
    price_field_price(halves, 110062500, text);
    assert_string_equal(text, "110-02 ");
    price_field_change(halves, -62500, text);
    assert_string_equal(text, "-0-02 ");
    price_field_price(halves, 110000001, text); /* no 64th: as a decimal, with nothing behind it */
    assert_string_equal(text, "110.000001");
    price_field_price((tg_price_style){TG_PRICE_DECIMAL, 99}, 1, text);
    assert_string_equal(text, "?");
}

static void quantities_are_decimals(void **state)
{
    (void)state;
    char text[TG_PRICE_TEXT_SIZE];
    price_field_quantity(-3, 12450, text);
    assert_string_equal(text, "12.450");
    price_field_quantity(99, 1, text);
    assert_string_equal(text, "?");
}

static void the_change_is_against_the_close_or_else_the_open(void **state)
{
    (void)state;
    tg_image image = {0};
    int64_t reference = 0;
    assert_false(price_field_reference(&image, &reference));
    image.present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE);
    assert_false(price_field_reference(&image, &reference));
    image.present |= TG_FIELD_BIT(TG_FIELD_OPEN);
    image.value[TG_FIELD_OPEN] = 7;
    assert_true(price_field_reference(&image, &reference));
    assert_int_equal(reference, 7);
    image.present |= TG_FIELD_BIT(TG_FIELD_PREVIOUS_CLOSE);
    image.value[TG_FIELD_PREVIOUS_CLOSE] = 8;
    assert_true(price_field_reference(&image, &reference));
    assert_int_equal(reference, 8);
    image.present &= ~TG_FIELD_BIT(TG_FIELD_LAST_PRICE);
    assert_false(price_field_reference(&image, &reference));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_half_keeps_its_place),
        cmocka_unit_test(quantities_are_decimals),
        cmocka_unit_test(the_change_is_against_the_close_or_else_the_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distribution.h"

static void expect_refusal(const char *text, const char *words)
{
    distribution d;
    why reason = {""};
    assert_false(distribution_parse(text, &d, &reason));
    if (strstr(reason.text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", reason.text, words);
    }
}

static void draws_follow_the_shares(void **state)
{
    (void)state;
    distribution d;
    why reason;
    splitmix random = {42};
    uint32_t counts[3] = {0, 0, 0};
    assert_true(distribution_parse("10:50,40:30,120:20", &d, &reason));
    assert_int_equal(distribution_largest(&d), 120);
    for (int i = 0; i < 100000; i++) {
        const uint32_t size = distribution_draw(&d, &random);
        assert_true(size == 10 || size == 40 || size == 120);
        counts[size == 10 ? 0 : size == 40 ? 1 : 2]++;
    }
    assert_in_range(counts[0], 49000, 51000);
    assert_in_range(counts[1], 29000, 31000);
    assert_in_range(counts[2], 19000, 21000);
}

static void one_seed_draws_the_same_again(void **state)
{
    (void)state;
    distribution d;
    why reason;
    splitmix first = {7};
    splitmix second = {7};
    assert_true(distribution_parse("1:25,2:25,3:50", &d, &reason));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(distribution_draw(&d, &first), distribution_draw(&d, &second));
    }
}

static void what_is_no_distribution_is_refused_with_its_place(void **state)
{
    (void)state;
    expect_refusal("10:50,40:30", "80 per cent");
    expect_refusal("10:50,40:51", "101 per cent");
    expect_refusal("0:100", "item 1");
    expect_refusal("5000:100", "item 1");
    expect_refusal("10:50,40", "item 2");
    expect_refusal("10:50,40:", "item 2");
    expect_refusal("10:50,40:50,", "item 3");
    expect_refusal("10:101", "item 1");
    expect_refusal("", "item 1");
    expect_refusal("no-such-file.txt", "no-such-file.txt: ");
}

static void a_file_holds_one_size_a_line(void **state)
{
    (void)state;
    char path[] = "distribution-XXXXXX";
    static const char text[] = "# desks\n10:60\n\n250:40 # the index desk\n";
    distribution d;
    why reason;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    (void)close(fd);
    const bool good = distribution_parse(path, &d, &reason);
    (void)unlink(path);
    assert_true(good);
    assert_int_equal(d.count, 2);
    assert_int_equal(d.size[1], 250);
    assert_int_equal(d.percent[1], 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_follow_the_shares),
        cmocka_unit_test(one_seed_draws_the_same_again),
        cmocka_unit_test(what_is_no_distribution_is_refused_with_its_place),
        cmocka_unit_test(a_file_holds_one_size_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

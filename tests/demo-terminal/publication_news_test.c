/* Which publications need no more than the cells of the priority channel. */
#include "publication_news.h"

#include <stddef.h>

#include "tg_cmocka.h"

static void ticks_of_the_priority_channel_alone_are_priority_news(void **state)
{
    (void)state;
    static const struct {
        publication_counts now;
        bool priority_only;
    } rows[] = {
        {{.frames = 5, .priority_rows = 8, .transitions = 2}, true},
        {{.frames = 5, .priority_rows = 7, .transitions = 2}, false}, /* who knows of what */
        {{.frames = 6, .priority_rows = 7, .transitions = 2}, false},
        {{.frames = 6, .priority_rows = 9, .transitions = 2}, false}, /* two at once */
        {{.frames = 5, .priority_rows = 8, .transitions = 3}, false}, /* somebody became stale */
    };
    const publication_counts before = {.frames = 5, .priority_rows = 7, .transitions = 2};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (publication_is_priority_only(&before, &rows[i].now) != rows[i].priority_only) {
            fail_msg("row %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_of_the_priority_channel_alone_are_priority_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

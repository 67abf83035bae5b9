#include "directory.h"

#include <stdio.h>
#include <string.h>

#include "tg_cmocka.h"

static tg_client *open_client(void)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1/";
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    return client;
}

static void without_a_session_nothing_is_asked_and_nothing_is_taken(void **state)
{
    (void)state;
    directory *dir = NULL;
    tg_client *client = open_client();
    assert_int_equal(directory_open(3, &dir), TG_OK);
    directory_poll(dir, client, 0);
    directory_poll(dir, client, 1);
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
    assert_false(directory_next(dir, venue, symbol));
    /* An answer to a question that was not asked. */
    const tg_instrument stray = {.symbol = "S"};
    assert_false(directory_found(dir, 7, "V", &stray, true));
    assert_false(directory_found(dir, 7, "V", NULL, false));
    assert_false(directory_next(dir, venue, symbol));
    tg_client_close(client);
    directory_close(dir);
    directory_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_session_nothing_is_asked_and_nothing_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "address_race.h"
#include "client_rig.h"
#include "listener.h"

static tg__addresses two(const char *first, const char *second)
{
    tg__addresses addresses;
    memset(&addresses, 0, sizeof addresses);
    addresses.count = second != NULL ? 2 : 1;
    (void)snprintf(addresses.text[0], sizeof addresses.text[0], "%s", first);
    (void)snprintf(addresses.text[1], sizeof addresses.text[1], "%s", second != NULL ? second : "");
    return addresses;
}

static tg__race_result run(const tg__addresses *addresses, uint16_t port)
{
    const int never = eventfd(0, EFD_CLOEXEC);
    tg__race_result result;
    tg__address_race(addresses, port, never, &result);
    (void)close(never);
    return result;
}

static void the_first_address_wins_where_it_answers(void **state)
{
    (void)state;
    listener first;
    listener second;
    listener_open(&first, "127.0.0.1", 0);
    listener_open(&second, "127.0.0.2", first.port);
    const tg__addresses addresses = two("127.0.0.1", "127.0.0.2");
    const tg__race_result result = run(&addresses, first.port);
    assert_true(result.fd >= 0);
    assert_int_equal(result.index, 0);
    (void)close(result.fd);
    listener_close(&first);
    listener_close(&second);
}

static void a_refusal_gives_the_next_address_its_turn(void **state)
{
    (void)state;
    listener second;
    listener_open(&second, "127.0.0.2", 0);
    const tg__addresses addresses = two("127.0.0.1", "127.0.0.2");
    const tg__race_result result = run(&addresses, second.port);
    assert_true(result.fd >= 0);
    assert_int_equal(result.index, 1);
    (void)close(result.fd);
    listener_close(&second);
}

static void an_address_without_an_answer_does_not_hold_up_the_next(void **state)
{
    (void)state;
    listener first;
    listener second;
    listener_open(&first, "127.0.0.1", 0);
    listener_open(&second, "127.0.0.2", first.port);
    listener_fill(&first);
    const tg__addresses addresses = two("127.0.0.1", "127.0.0.2");
    const tg__race_result result = run(&addresses, first.port);
    assert_true(result.fd >= 0);
    assert_int_equal(result.index, 1);
    (void)close(result.fd);
    listener_close(&first);
    listener_close(&second);
}

typedef struct release {
    listener *first;
    unsigned descriptors; /* before the race */
} release;

static void *drain_when_both_are_under_way(void *argument)
{
    release *r = argument;
    while (open_descriptors() < r->descriptors + 2) {
        (void)sched_yield();
    }
    listener_drain(r->first);
    return NULL;
}

/* Neither answers at first; then there is room, but only at the address that was tried before. */
static void an_earlier_attempt_goes_on_beside_the_later_one(void **state)
{
    (void)state;
    listener first;
    listener second;
    listener_open(&first, "127.0.0.1", 0);
    listener_open(&second, "127.0.0.2", first.port);
    listener_fill(&first);
    listener_fill(&second);
    const int never = eventfd(0, EFD_CLOEXEC);
    release r = {&first, open_descriptors()};
    const unsigned fillers = first.filler_count;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drain_when_both_are_under_way, &r), 0);
    const tg__addresses addresses = two("127.0.0.1", "127.0.0.2");
    tg__race_result result;
    tg__address_race(&addresses, first.port, never, &result);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(result.fd >= 0);
    assert_int_equal(result.index, 0);
    (void)close(result.fd);
    assert_int_equal(open_descriptors(), r.descriptors - fillers);
    (void)close(never);
    listener_close(&first);
    listener_close(&second);
}

static void the_last_failure_is_told_when_nobody_answers(void **state)
{
    (void)state;
    listener closed;
    listener_open(&closed, "127.0.0.1", 0);
    const uint16_t port = closed.port;
    listener_close(&closed);
    const tg__addresses addresses = two("127.0.0.1", "127.0.0.2");
    const tg__race_result result = run(&addresses, port);
    assert_int_equal(result.fd, -1);
    assert_int_equal(result.index, 1);
    assert_int_equal(result.failure, ECONNREFUSED);
    const tg__addresses nonsense = two("not an address", NULL);
    assert_int_equal(run(&nonsense, port).failure, EADDRNOTAVAIL);
}

static void cancelling_ends_it_and_closes_every_attempt(void **state)
{
    (void)state;
    listener first;
    listener_open(&first, "127.0.0.1", 0);
    listener_fill(&first);
    const int cancel = eventfd(1, EFD_CLOEXEC);
    const unsigned before = open_descriptors();
    const tg__addresses addresses = two("127.0.0.1", NULL);
    tg__race_result result;
    tg__address_race(&addresses, first.port, cancel, &result);
    assert_int_equal(result.fd, -1);
    assert_int_equal(result.failure, ECANCELED);
    assert_int_equal(open_descriptors(), before);
    (void)close(cancel);
    listener_close(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_address_wins_where_it_answers),
        cmocka_unit_test(a_refusal_gives_the_next_address_its_turn),
        cmocka_unit_test(an_address_without_an_answer_does_not_hold_up_the_next),
        cmocka_unit_test(an_earlier_attempt_goes_on_beside_the_later_one),
        cmocka_unit_test(the_last_failure_is_told_when_nobody_answers),
        cmocka_unit_test(cancelling_ends_it_and_closes_every_attempt),
    };
    return cmocka_run_group_tests_name("sdk.address_race", tests, NULL, NULL);
}

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdbool.h>
#include <string.h>

#include "resolver.h"

/* What the system's resolver says, where a test wants it to say something; linked with --wrap. */
#define ANSWERS_MAX 12u

typedef struct answer {
    struct addrinfo info;
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
} answer;

static answer answers[ANSWERS_MAX];
static unsigned answer_count;

int __real_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out);
void __real_freeaddrinfo(struct addrinfo *list);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out);
void __wrap_freeaddrinfo(struct addrinfo *list);

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out)
{
    if (answer_count == 0) {
        return __real_getaddrinfo(host, service, hints, out);
    }
    *out = &answers[0].info;
    return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    if (list != &answers[0].info) {
        __real_freeaddrinfo(list);
    }
}

static void say(const char *const *texts)
{
    memset(answers, 0, sizeof answers);
    answer_count = 0;
    for (; texts[answer_count] != NULL; answer_count++) {
        answer *a = &answers[answer_count];
        const char *text = texts[answer_count];
        const bool six = strchr(text, ':') != NULL;
        a->info.ai_family = six ? AF_INET6 : AF_INET;
        a->info.ai_addrlen = six ? sizeof a->address.six : sizeof a->address.four;
        a->info.ai_addr = &a->address.any;
        a->address.any.sa_family = (sa_family_t)a->info.ai_family;
        assert_int_equal(
            inet_pton(a->info.ai_family, text,
                      six ? (void *)&a->address.six.sin6_addr : (void *)&a->address.four.sin_addr),
            1);
        if (answer_count > 0) {
            answers[answer_count - 1].info.ai_next = &a->info;
        }
    }
}

static void assert_order(const char *const *said, const char *const *expected)
{
    tg__addresses addresses;
    say(said);
    tg__resolve("gw.example.com", &addresses);
    answer_count = 0;
    assert_int_equal(addresses.failure, 0);
    uint32_t count = 0;
    for (; expected[count] != NULL; count++) {
        assert_true(count < addresses.count);
        assert_string_equal(addresses.text[count], expected[count]);
    }
    assert_int_equal(addresses.count, count);
}

static void families_take_turns_from_the_systems_first_one_on(void **state)
{
    (void)state;
    assert_order((const char *[]){"2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2", NULL},
                 (const char *[]){"2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", NULL});
    assert_order((const char *[]){"192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", NULL},
                 (const char *[]){"192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3", NULL});
    assert_order((const char *[]){"192.0.2.1", NULL}, (const char *[]){"192.0.2.1", NULL});
}

static void a_long_list_keeps_a_place_for_each_family(void **state)
{
    (void)state;
    assert_order((const char *[]){"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5",
                                  "192.0.2.6", "192.0.2.7", "192.0.2.8", "192.0.2.9", "2001:db8::1",
                                  NULL},
                 (const char *[]){"192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3", "192.0.2.4",
                                  "192.0.2.5", "192.0.2.6", "192.0.2.7", NULL});
}

/* Also on a system whose tables do not name it, as in a bare container. */
static void localhost_has_loopback_addresses(void **state)
{
    (void)state;
    tg__addresses addresses;
    tg__resolve("localhost", &addresses);
    assert_int_equal(addresses.failure, 0);
    assert_int_equal(addresses.count, 2);
    assert_string_equal(addresses.text[0], "127.0.0.1");
    assert_string_equal(addresses.text[1], "::1");
}

static void an_address_is_its_own_answer(void **state)
{
    (void)state;
    tg__addresses addresses;
    tg__resolve("192.0.2.7", &addresses);
    assert_int_equal(addresses.count, 1);
    assert_string_equal(addresses.text[0], "192.0.2.7");
}

static void names_under_localhost_have_loopback_addresses(void **state)
{
    (void)state;
    static const char *const names[] = {"feed.localhost", "a.b.LocalHost"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tg__addresses addresses;
        tg__resolve(names[i], &addresses);
        assert_int_equal(addresses.failure, 0);
        assert_string_equal(addresses.text[0], "127.0.0.1");
    }
}

static void a_name_that_cannot_exist_is_a_failure_and_not_silence(void **state)
{
    (void)state;
    tg__addresses addresses;
    tg__resolve("no..such..name", &addresses);
    assert_int_not_equal(addresses.failure, 0);
    assert_int_equal(addresses.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_take_turns_from_the_systems_first_one_on),
        cmocka_unit_test(a_long_list_keeps_a_place_for_each_family),
        cmocka_unit_test(localhost_has_loopback_addresses),
        cmocka_unit_test(an_address_is_its_own_answer),
        cmocka_unit_test(names_under_localhost_have_loopback_addresses),
        cmocka_unit_test(a_name_that_cannot_exist_is_a_failure_and_not_silence),
    };
    return cmocka_run_group_tests_name("sdk.resolver", tests, NULL, NULL);
}

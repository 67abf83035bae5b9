#include "tg_cmocka.h"

#include <netinet/in.h>

#include "ip_address.h"

static void addresses_of_both_families_are_understood_and_names_are_not(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        int family; /* AF_UNSPEC: refused */
    } cases[] = {{"127.0.0.1", AF_INET}, {"localhost", AF_INET}, {"0.0.0.0", AF_INET},
                 {"::1", AF_INET6},      {"::", AF_INET6},       {"example", AF_UNSPEC},
                 {"", AF_UNSPEC},        {"1.2.3", AF_UNSPEC},   {"[::1]", AF_UNSPEC}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__ip_address address;
        assert_int_equal(tg__ip_address_of(cases[i].host, 8443, &address),
                         cases[i].family != AF_UNSPEC);
        if (cases[i].family == AF_UNSPEC) {
            continue;
        }
        assert_int_equal(address.storage.ss_family, cases[i].family);
        assert_int_equal(address.size, cases[i].family == AF_INET ? sizeof(struct sockaddr_in)
                                                                  : sizeof(struct sockaddr_in6));
        assert_int_equal(tg__ip_address_port(&address), 8443);
    }
}

static void an_ipv6_address_is_written_in_brackets(void **state)
{
    (void)state;
    char text[TG__IP_ADDRESS_TEXT_SIZE];
    tg__ip_address_text("127.0.0.1", 80, text);
    assert_string_equal(text, "127.0.0.1:80");
    tg__ip_address_text("::1", 65535, text);
    assert_string_equal(text, "[::1]:65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_both_families_are_understood_and_names_are_not),
        cmocka_unit_test(an_ipv6_address_is_written_in_brackets),
    };
    return cmocka_run_group_tests_name("gateway.ip_address", tests, NULL, NULL);
}

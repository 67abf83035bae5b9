#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tls_trust.h"

/* A self-signed certificate of no use to anybody, valid for a hundred years. */
static const char certificate[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdTCCARugAwIBAgIUESgMhYLGH8TqpIGEsUGf3V/x6acwCgYIKoZIzj0EAwIw\n"
    "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAxOTE4NTBaGA8yMTI2MTEwNjE5MTg1\n"
    "MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJmw\n"
    "jr5eiwqzT7ozgDSMbQwfN89uRsuSBAszJROgKahdJ9fsb0GZpnHB4wGIyFUgxguX\n"
    "y2Qo14OH/BDKkou/ZYajUzBRMB0GA1UdDgQWBBRVz2iex4y1a1xVWvx8xuYt0hX7\n"
    "4jAfBgNVHSMEGDAWgBRVz2iex4y1a1xVWvx8xuYt0hX74jAPBgNVHRMBAf8EBTAD\n"
    "AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCGelOFvzKpZuEhyHTmcOFRbfySkdprt1h7\n"
    "U2/YHWmpcgIgO5awgqr7/NIR674mYbrCs7k0/XcgGZDKP8zZMtqnKSU=\n"
    "-----END CERTIFICATE-----\n";

static void write_file(char path[64], const char *text)
{
    strcpy(path, "tg_trust_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static size_t certificates_in(const char *pem)
{
    size_t count = 0;
    for (const char *at = strstr(pem, "BEGIN CERT"); at != NULL;
         at = strstr(at + 1, "BEGIN CERT")) {
        count++;
    }
    return count;
}

static void a_file_is_taken_over_without_what_does_not_parse(void **state)
{
    (void)state;
    char text[8192];
    (void)snprintf(text, sizeof text,
                   "a comment\n%s-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n%s",
                   certificate, certificate);
    char path[64];
    write_file(path, text);
    char *pem = NULL;
    size_t size = 0;
    char why[256] = "";
    assert_int_equal(tg__trust_load(path, &pem, &size, why, sizeof why), TG_OK);
    assert_int_equal(size, strlen(pem) + 1);
    assert_int_equal(certificates_in(pem), 2);
    free(pem);
    unlink(path);
}

static void a_file_that_is_absent_or_holds_none_is_named(void **state)
{
    (void)state;
    char path[64];
    write_file(path, "nothing of the kind\n");
    char *pem = NULL;
    size_t size = 0;
    char why[256] = "";
    assert_int_equal(tg__trust_load(path, &pem, &size, why, sizeof why), TG_ERR_CERTIFICATE);
    assert_null(pem);
    assert_non_null(strstr(why, path));
    assert_non_null(strstr(why, "holds no certificate"));
    unlink(path);
    assert_int_equal(tg__trust_load(path, &pem, &size, why, sizeof why), TG_ERR_CERTIFICATE);
    assert_non_null(strstr(why, "cannot read"));
    write_file(path, "");
    assert_int_equal(tg__trust_load(path, &pem, &size, why, sizeof why), TG_ERR_CERTIFICATE);
    unlink(path);
    assert_int_equal(tg__trust_load("/", &pem, &size, why, sizeof why), TG_ERR_CERTIFICATE);
}

static void the_systems_store_is_used_or_missed_by_name(void **state)
{
    (void)state;
    char *pem = NULL;
    size_t size = 0;
    char why[256] = "";
    const tg_err err = tg__trust_load(NULL, &pem, &size, why, sizeof why);
    if (err == TG_OK) {
        assert_true(certificates_in(pem) > 0);
        free(pem);
    } else {
        assert_int_equal(err, TG_ERR_CERTIFICATE);
        assert_non_null(strstr(why, "trust store"));
    }
}

static void flags_are_explained_in_words(void **state)
{
    (void)state;
    char text[256];
    tg__trust_explain(0x01 | 0x04, "gw", text, sizeof text);
    assert_string_equal(text, "certificate of gw: it is for another host; it has expired");
    tg__trust_explain(0x40000000, "gw", text, sizeof text);
    assert_string_equal(text, "certificate of gw: verify flags 0x40000000");
    char small[16];
    tg__trust_explain(0xff, "a-very-long-host-name", small, sizeof small);
    assert_int_equal(strlen(small), 15);
}

static void a_wiped_secret_is_gone(void **state)
{
    (void)state;
    char secret[] = "secret";
    tg__wipe(secret, sizeof secret);
    for (size_t i = 0; i < sizeof secret; i++) {
        assert_int_equal(secret[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_taken_over_without_what_does_not_parse),
        cmocka_unit_test(a_file_that_is_absent_or_holds_none_is_named),
        cmocka_unit_test(the_systems_store_is_used_or_missed_by_name),
        cmocka_unit_test(flags_are_explained_in_words),
        cmocka_unit_test(a_wiped_secret_is_gone),
    };
    return cmocka_run_group_tests_name("sdk.tls_trust", tests, NULL, NULL);
}

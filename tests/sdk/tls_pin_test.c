#include "tg_cmocka.h"

#include <string.h>

#include <mbedtls/base64.h>

#include "tls_pin.h"

/* A self-signed certificate of no use to anybody, valid for a hundred years, and openssl's word for
 * its key: x509 -pubkey, pkey -pubin -outform DER, dgst -sha256 -binary, base64. */
static const char certificate[] = "MIIBdTCCARugAwIBAgIUESgMhYLGH8TqpIGEsUGf3V/x6acwCgYIKoZIzj0EAwIw"
                                  "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAxOTE4NTBaGA8yMTI2MTEwNjE5MTg1"
                                  "MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJmw"
                                  "jr5eiwqzT7ozgDSMbQwfN89uRsuSBAszJROgKahdJ9fsb0GZpnHB4wGIyFUgxguX"
                                  "y2Qo14OH/BDKkou/ZYajUzBRMB0GA1UdDgQWBBRVz2iex4y1a1xVWvx8xuYt0hX7"
                                  "4jAfBgNVHSMEGDAWgBRVz2iex4y1a1xVWvx8xuYt0hX74jAPBgNVHRMBAf8EBTAD"
                                  "AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCGelOFvzKpZuEhyHTmcOFRbfySkdprt1h7"
                                  "U2/YHWmpcgIgO5awgqr7/NIR674mYbrCs7k0/XcgGZDKP8zZMtqnKSU=";
#define ITS_PIN   "DifEPjwfIqFQCYrrsEW8zQX35fZi8WBvTiD5XUMdNWY="
#define OTHER_PIN "//8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define PREFIXED  "sha256/" OTHER_PIN

static bool holds(const char *const *texts, uint32_t count)
{
    unsigned char der[1024];
    size_t size = 0;
    char why[128] = "";
    tg__pins pins;
    assert_int_equal(mbedtls_base64_decode(der, sizeof der, &size,
                                           (const unsigned char *)certificate,
                                           sizeof certificate - 1),
                     0);
    assert_int_equal(tg__pins_parse(texts, count, &pins, why, sizeof why), TG_OK);
    assert_int_equal(pins.count, count);
    assert_string_equal(why, "");
    /* A certificate that does not parse is not pinned. */
    assert_false(tg__pins_hold(&pins, der, size - 1));
    assert_false(tg__pins_hold(&pins, der, 0));
    return tg__pins_hold(&pins, der, size);
}

static void one_of_several_pins_is_enough_in_every_spelling(void **state)
{
    (void)state;
    static const char *const bare[] = {ITS_PIN};
    static const char *const usual[] = {"sha256/" ITS_PIN};
    static const char *const curls[] = {"sha256//" ITS_PIN};
    static const char *const last[] = {OTHER_PIN, (PREFIXED), ITS_PIN};
    assert_true(holds(bare, 1));
    assert_true(holds(usual, 1));
    assert_true(holds(curls, 1));
    assert_true(holds(last, 3));
}

static void another_key_is_not_pinned(void **state)
{
    (void)state;
    static const char *const others[] = {OTHER_PIN, (PREFIXED)};
    assert_false(holds(others, 2));
    assert_false(holds(NULL, 0));
}

static void the_slash_of_a_digest_is_no_second_slash_of_the_prefix(void **state)
{
    (void)state;
    static const char *const texts[] = {OTHER_PIN, (PREFIXED), ("sha256//" OTHER_PIN)};
    char why[128] = "";
    tg__pins pins;
    assert_int_equal(tg__pins_parse(texts, 3, &pins, why, sizeof why), TG_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(pins.digest[i][0], 0xff);
        assert_int_equal(pins.digest[i][1], 0xff);
        assert_int_equal(pins.digest[i][2], 0);
    }
}

static void what_is_no_pin_is_refused_by_its_number(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "sha256/",
        "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        ("SHA256/" OTHER_PIN),
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",  /* no padding */
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", /* 31 bytes */
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", /* 33 */
        "sha256/AAAA AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* a space */
        "sha256/AAAA-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* base64url */
        (PREFIXED "\n"),
        ("sha256///" OTHER_PIN),
        NULL,
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *const texts[] = {OTHER_PIN, bad[i]};
        char why[128] = "";
        tg__pins pins;
        if (tg__pins_parse(texts, 2, &pins, why, sizeof why) != TG_ERR_INVALID_ARGUMENT) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_non_null(strstr(why, "spki_pins[1]"));
    }
}

static void their_number_is_bounded(void **state)
{
    (void)state;
    const char *texts[TG__PINS_MAX + 1];
    for (uint32_t i = 0; i < TG__PINS_MAX + 1; i++) {
        texts[i] = OTHER_PIN;
    }
    char why[128] = "";
    tg__pins pins;
    assert_int_equal(tg__pins_parse(texts, TG__PINS_MAX, &pins, why, sizeof why), TG_OK);
    assert_int_equal(tg__pins_parse(texts, TG__PINS_MAX + 1, &pins, why, sizeof why),
                     TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__pins_parse(NULL, 1, &pins, why, sizeof why), TG_ERR_INVALID_ARGUMENT);
}

static void a_refusal_names_host_and_number(void **state)
{
    (void)state;
    const tg__pins pins = {.count = 2};
    char text[128];
    tg__pins_explain(&pins, "gw.example.com", text, sizeof text);
    assert_string_equal(text, "certificate of gw.example.com: its public key is none of the 2 "
                              "pinned ones");
    tg__pins_explain(&pins, "a-name-of-a-hundred-letters-a-name-of-a-hundred-letters-and-so-forth",
                     text, sizeof text);
    assert_non_null(strstr(text, "none of the 2 pinned ones"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_several_pins_is_enough_in_every_spelling),
        cmocka_unit_test(another_key_is_not_pinned),
        cmocka_unit_test(the_slash_of_a_digest_is_no_second_slash_of_the_prefix),
        cmocka_unit_test(what_is_no_pin_is_refused_by_its_number),
        cmocka_unit_test(their_number_is_bounded),
        cmocka_unit_test(a_refusal_names_host_and_number),
    };
    return cmocka_run_group_tests_name("sdk.tls_pin", tests, NULL, NULL);
}

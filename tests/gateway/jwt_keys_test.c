#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jwt_keys.h"
#include "jwt_maker.h"
#include "scratch_folder.h"

#define CLAIMS "{\"exp\":1800000000}"

typedef struct fixture {
    scratch_folder folder;
    jwt_maker maker;
    tg__directory directory;
    tg__jwt_keys *keys;
    tg__cause cause;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    char text[4096];
    tg_venue_id id = 0;
    scratch_folder_open(&f.folder);
    jwt_maker_open(&f.maker);
    tg__directory_init(&f.directory);
    assert_int_equal(tg__directory_venue(&f.directory, "ORION", &id), TG_OK);
    jwt_maker_keys(&f.maker, text, sizeof text);
    scratch_write(&f.folder, "keys.pem", text, strlen(text));
    assert_int_equal(tg__jwt_keys_open(scratch_path(&f.folder, "keys.pem"), &f.keys, &f.cause),
                     TG_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tg__jwt_keys_close(f->keys);
    jwt_maker_close(&f->maker);
    tg__directory_deinit(&f->directory);
    scratch_folder_close(&f->folder);
    return 0;
}

/* Whether some key fits, and whether one of them signed. */
static void judge(fixture *f, const char *token, bool *fits, bool *good)
{
    const tg__jwt_rules rules = {.directory = &f->directory};
    tg__jwt jwt;
    *fits = false;
    *good = false;
    if (tg__jwt_read(token, strlen(token), &rules, &jwt) == TG__TOKEN_ADMITTED) {
        *fits = tg__jwt_keys_has(f->keys, &jwt);
        *good = tg__jwt_keys_verify(f->keys, token, &jwt);
    }
}

static bool is_good(fixture *f, const char *token)
{
    bool fits = false;
    bool good = false;
    judge(f, token, &fits, &good);
    return fits && good;
}

static void what_the_issuer_signed_is_good(void **state)
{
    fixture *f = *state;
    assert_int_equal(tg__jwt_keys_count(f->keys), 2);
    assert_true(is_good(f, jwt_maker_es256(&f->maker, CLAIMS)));
    assert_true(is_good(f, jwt_maker_rs256(&f->maker, CLAIMS)));
    assert_true(is_good(f, jwt_maker_sign(&f->maker, &f->maker.ec, "{\"alg\":\"ES256\"}", CLAIMS)));
    assert_true(
        is_good(f, jwt_maker_sign(&f->maker, &f->maker.rsa, "{\"alg\":\"RS256\"}", CLAIMS)));
}

static void a_kid_chooses_the_key_and_the_algorithm_must_be_its_own(void **state)
{
    fixture *f = *state;
    static const char *const headers[] = {
        "{\"alg\":\"ES256\",\"kid\":\"desk-rsa\"}", "{\"alg\":\"RS256\",\"kid\":\"desk-ec\"}",
        "{\"alg\":\"ES256\",\"kid\":\"\"}", "{\"alg\":\"ES256\",\"kid\":\"../keys.pem\"}",
        "{\"alg\":\"ES256\",\"kid\":\"desk-ec2\"}"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        bool fits = true;
        bool good = true;
        judge(f, jwt_maker_sign(&f->maker, &f->maker.ec, headers[i], CLAIMS), &fits, &good);
        assert_false(fits);
        assert_false(good);
    }
}

static void what_another_key_signed_is_not_good(void **state)
{
    fixture *f = *state;
    bool fits = false;
    bool good = true;
    judge(f,
          jwt_maker_sign(&f->maker, &f->maker.other, "{\"alg\":\"ES256\",\"kid\":\"desk-ec\"}",
                         CLAIMS),
          &fits, &good);
    assert_true(fits);
    assert_false(good);
}

static void one_changed_character_anywhere_spoils_a_token(void **state)
{
    fixture *f = *state;
    char token[JWT_MAKER_TOKEN_SIZE];
    (void)snprintf(token, sizeof token, "%s", jwt_maker_es256(&f->maker, CLAIMS));
    const size_t size = strlen(token);
    for (size_t i = 0; i < size; i += 3) {
        const char kept = token[i];
        token[i] = kept == 'Q' ? 'R' : 'Q';
        assert_false(is_good(f, token));
        token[i] = kept;
    }
    assert_true(is_good(f, token));
}

static void signatures_of_another_length_or_form_are_not_good(void **state)
{
    fixture *f = *state;
    static const char *const signatures[] = {
        "AAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    for (size_t i = 0; i < 2; i++) {
        assert_false(
            is_good(f, jwt_maker_join(&f->maker, "{\"alg\":\"ES256\"}", CLAIMS, signatures[i])));
        assert_false(
            is_good(f, jwt_maker_join(&f->maker, "{\"alg\":\"RS256\"}", CLAIMS, signatures[i])));
    }
}

static void the_public_key_is_no_secret_for_an_hmac(void **state)
{
    fixture *f = *state;
    char pem[1024];
    assert_false(is_good(
        f, jwt_maker_hs256(&f->maker, jwt_maker_pem(&f->maker.ec, pem, sizeof pem), CLAIMS)));
}

static void expect_cause(fixture *f, const char *text, const char *expected)
{
    tg__jwt_keys *keys = NULL;
    scratch_write(&f->folder, "bad.pem", text, strlen(text));
    assert_int_equal(tg__jwt_keys_open(scratch_path(&f->folder, "bad.pem"), &keys, &f->cause),
                     TG_ERR_FORMAT);
    assert_null(keys);
    if (strstr(f->cause.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", f->cause.text, expected);
    }
}

static void a_key_file_that_cannot_be_used_says_in_which_line_and_why(void **state)
{
    fixture *f = *state;
    char ec[1024];
    char text[4096];
    (void)jwt_maker_pem(&f->maker.ec, ec, sizeof ec);
    expect_cause(f, "", "there is no key");
    expect_cause(f, "# nothing\n", "there is no key");
    expect_cause(f, "secret\n", "bad.pem:1: expected kid: NAME");
    expect_cause(f, "\nkid: two words\n", "bad.pem:2: a kid has");
    expect_cause(f, "kid:\n", "bad.pem:1: a kid has");
    expect_cause(f, "kid: a\nkid: b\n", "bad.pem:2: the kid before it has no key");
    expect_cause(f, "-----BEGIN PRIVATE KEY-----\n", "no private key does");
    expect_cause(f, "-----BEGIN PUBLIC KEY-----\nAAAA\n", "has no end");
    expect_cause(f, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
                 "bad.pem:3: is not a key");
    /* RFC 8410 10.1 */
    expect_cause(f,
                 "-----BEGIN PUBLIC KEY-----\n"
                 "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
                 "-----END PUBLIC KEY-----\n",
                 "Ed25519 is not");
    (void)snprintf(text, sizeof text, "kid: a\n%skid: a\n%s", ec, ec);
    expect_cause(f, text, "the same kid");
    (void)snprintf(text, sizeof text, "%skid: left\n", ec);
    expect_cause(f, text, "there is no key");
    assert_int_equal(tg__jwt_keys_open("/nowhere/keys.pem", &(tg__jwt_keys *){NULL}, &f->cause),
                     TG_ERR_NOT_FOUND);
}

static void short_rsa_keys_and_other_curves_are_refused(void **state)
{
    fixture *f = *state;
    char pem[1024];
    mbedtls_pk_context key;
    mbedtls_pk_init(&key);
    assert_int_equal(mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)), 0);
    assert_int_equal(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP384R1, mbedtls_pk_ec(key),
                                         mbedtls_ctr_drbg_random, &f->maker.random),
                     0);
    expect_cause(f, jwt_maker_pem(&key, pem, sizeof pem), "neither an RSA nor a P-256 key");
    mbedtls_pk_free(&key);
    mbedtls_pk_init(&key);
    assert_int_equal(mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_RSA)), 0);
    assert_int_equal(mbedtls_rsa_gen_key(mbedtls_pk_rsa(key), mbedtls_ctr_drbg_random,
                                         &f->maker.random, 1024, 65537),
                     0);
    expect_cause(f, jwt_maker_pem(&key, pem, sizeof pem), "2048 to 4096");
    mbedtls_pk_free(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_issuer_signed_is_good),
        cmocka_unit_test(a_kid_chooses_the_key_and_the_algorithm_must_be_its_own),
        cmocka_unit_test(what_another_key_signed_is_not_good),
        cmocka_unit_test(one_changed_character_anywhere_spoils_a_token),
        cmocka_unit_test(signatures_of_another_length_or_form_are_not_good),
        cmocka_unit_test(the_public_key_is_no_secret_for_an_hmac),
        cmocka_unit_test(a_key_file_that_cannot_be_used_says_in_which_line_and_why),
        cmocka_unit_test(short_rsa_keys_and_other_curves_are_refused),
    };
    return cmocka_run_group_tests_name("gateway.jwt_keys", tests, set_up, tear_down);
}

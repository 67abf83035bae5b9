#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "jwt.h"
#include "jwt_maker.h"

#define HEADER "{\"alg\":\"ES256\"}"
#define NOW_S  INT64_C(1800000000)

typedef struct fixture {
    tg__directory directory;
    tg__jwt_rules rules;
    tg__jwt jwt;
    jwt_maker maker;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    static const char *const venues[] = {"ORION", "LYRA", "龍門"};
    memset(&f, 0, sizeof f);
    tg__directory_init(&f.directory);
    for (size_t i = 0; i < 3; i++) {
        tg_venue_id id = 0;
        assert_int_equal(tg__directory_venue(&f.directory, venues[i], &id), TG_OK);
    }
    f.rules.directory = &f.directory;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tg__directory_deinit(&f->directory);
    return 0;
}

static tg__token_verdict read_token(fixture *f, const char *token)
{
    return tg__jwt_read(token, strlen(token), &f->rules, &f->jwt);
}

static tg__token_verdict read_claims(fixture *f, const char *claims)
{
    return read_token(f, jwt_maker_join(&f->maker, HEADER, claims, "AAAA"));
}

static tg__token_verdict read_header(fixture *f, const char *header)
{
    return read_token(f, jwt_maker_join(&f->maker, header, "{\"exp\":1800000000}", "AAAA"));
}

static void a_token_says_who_for_what_and_until_when(void **state)
{
    fixture *f = *state;
    assert_int_equal(
        read_token(f, jwt_maker_join(&f->maker, "{\"kid\":\"k1\",\"alg\":\"RS256\"}",
                                     "{\"sub\":\"desk 7\",\"exp\":1800000100,\"nbf\":1800000000,"
                                     "\"venues\":[\"LYRA\",\"\\u9f8d\\u9580\",\"ELSEWHERE\"],"
                                     "\"jti\":{\"any\":[1,2,{}]}}",
                                     "AQID")),
        TG__TOKEN_ADMITTED);
    assert_int_equal(f->jwt.alg, TG__JWT_RS256);
    assert_true(f->jwt.has_kid);
    assert_string_equal(f->jwt.kid, "k1");
    assert_int_equal(f->jwt.signature_size, 3);
    assert_memory_equal(f->jwt.signature, "\1\2\3", 3);
    assert_int_equal(f->jwt.signed_size, strrchr(f->maker.token, '.') - f->maker.token);
    assert_string_equal(f->jwt.entitlement.subject, "desk 7");
    assert_int_equal(f->jwt.entitlement.expires_s, 1800000100);
    assert_int_equal(f->jwt.not_before_s, 1800000000);
    assert_false(tg__entitlement_covers(&f->jwt.entitlement, 0));
    assert_true(tg__entitlement_covers(&f->jwt.entitlement, 1));
    assert_true(tg__entitlement_covers(&f->jwt.entitlement, 2));
}

static void venues_that_are_absent_or_a_star_are_all(void **state)
{
    fixture *f = *state;
    static const char *const claims[] = {"{\"exp\":1}", "{\"exp\":1,\"venues\":\"*\"}",
                                         "{\"exp\":1,\"venues\":[\"*\"]}"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_claims(f, claims[i]), TG__TOKEN_ADMITTED);
        for (tg_venue_id venue = 0; venue < 3; venue++) {
            assert_true(tg__entitlement_covers(&f->jwt.entitlement, venue));
        }
        assert_false(tg__entitlement_covers(&f->jwt.entitlement, 3));
    }
    assert_int_equal(read_claims(f, "{\"exp\":1,\"venues\":[]}"), TG__TOKEN_NO_VENUE);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"venues\":[\"orion\"]}"), TG__TOKEN_NO_VENUE);
}

static void only_two_algorithms_are_taken(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_header(f, "{\"alg\":\"ES256\"}"), TG__TOKEN_ADMITTED);
    assert_int_equal(read_header(f, "{\"alg\":\"RS256\"}"), TG__TOKEN_ADMITTED);
    static const char *const refused[] = {"none",  "None",  "HS256", "HS512", "EdDSA",
                                          "ES384", "PS256", "es256", "",      "ES256 "};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char header[64];
        (void)snprintf(header, sizeof header, "{\"alg\":\"%s\"}", refused[i]);
        assert_int_equal(read_header(f, header), TG__TOKEN_ALGORITHM);
    }
}

static void headers_that_are_not_as_they_should_be_are_malformed(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {"{}",
                                      "[]",
                                      "{\"alg\":[\"ES256\"]}",
                                      "{\"alg\":\"none\",\"alg\":\"ES256\"}",
                                      "{\"alg\":\"ES256\",\"alg\":\"ES256\"}",
                                      "{\"alg\":\"ES256\",\"kid\":7}",
                                      "{\"alg\":\"ES256\",\"kid\":\"a\",\"kid\":\"b\"}",
                                      "{\"alg\":\"ES256\",\"crit\":[\"b64\"]}",
                                      "{\"alg\":\"ES256\"} {}",
                                      "{\"alg\":\"ES256\",}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_header(f, bad[i]) != TG__TOKEN_MALFORMED) {
            fail_msg("not malformed: %s", bad[i]);
        }
    }
}

static void a_kid_is_a_name_and_never_a_path(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_header(f, "{\"alg\":\"ES256\",\"kid\":\"../../etc/passwd\"}"),
                     TG__TOKEN_ADMITTED);
    assert_string_equal(f->jwt.kid, "../../etc/passwd"); /* compared with names, opened by nobody */
    assert_int_equal(read_header(f, "{\"alg\":\"ES256\",\"kid\":\"a\\u0000b\"}"),
                     TG__TOKEN_MALFORMED);
    char header[256];
    (void)snprintf(header, sizeof header, "{\"alg\":\"ES256\",\"kid\":\"%0100d\"}", 7);
    assert_int_equal(read_header(f, header), TG__TOKEN_ADMITTED);
    assert_true(f->jwt.has_kid);
    assert_string_equal(f->jwt.kid, ""); /* which fits no key */
}

static void claims_that_are_not_as_they_should_be_are_malformed(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {
        "{}",
        "{\"exp\":\"1800000000\"}",
        "{\"exp\":18e8}",
        "{\"exp\":null}",
        "{\"exp\":0}",
        "{\"exp\":-5}",
        "{\"exp\":99999999999999999999}",
        "{\"exp\":1,\"exp\":2}",
        "{\"exp\":1,\"sub\":\"a\",\"sub\":\"a\"}",
        "{\"exp\":1,\"venues\":[\"ORION\"],\"venues\":\"*\"}",
        "{\"exp\":1,\"\\u0065xp\":2}",
        "{\"exp\":1,\"venues\":{\"ORION\":true}}",
        "{\"exp\":1,\"venues\":[\"ORION\",7]}",
        "{\"exp\":1,\"nbf\":\"1\"}",
        "{\"exp\":1,\"aud\":7}",
        "{\"exp\":1,\"iss\":[\"a\"]}",
        "{\"exp\":1,\"sub\":\"line\\nbreak\"}",
        "{\"exp\":1,\"a\":[[[[[[[[[]]]]]]]]]}",
        "[{\"exp\":1}]",
        "{\"exp\":1",
        "{\"exp\":1}x",
        "\xef\xbb\xbf{\"exp\":1}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_claims(f, bad[i]) != TG__TOKEN_MALFORMED) {
            fail_msg("not malformed: %s", bad[i]);
        }
    }
    char claims[256];
    (void)snprintf(claims, sizeof claims, "{\"exp\":1,\"sub\":\"%0128d\"}", 7);
    assert_int_equal(read_claims(f, claims), TG__TOKEN_MALFORMED);
}

static void issuer_and_audience_are_compared_where_the_gateway_knows_them(void **state)
{
    fixture *f = *state;
    f->rules.issuer = "https://desk.example";
    assert_int_equal(read_claims(f, "{\"exp\":1}"), TG__TOKEN_ISSUER);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"iss\":\"https://desk.example.org\"}"),
                     TG__TOKEN_ISSUER);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"iss\":\"https://desk.example\"}"),
                     TG__TOKEN_ADMITTED);
    f->rules.issuer = NULL;
    f->rules.audience = "tickglass";
    assert_int_equal(read_claims(f, "{\"exp\":1}"), TG__TOKEN_AUDIENCE);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"aud\":\"other\"}"), TG__TOKEN_AUDIENCE);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"aud\":\"tickglass\"}"), TG__TOKEN_ADMITTED);
    assert_int_equal(read_claims(f, "{\"exp\":1,\"aud\":[\"other\",\"tickglass\"]}"),
                     TG__TOKEN_ADMITTED);
}

static void clocks_may_differ_by_half_a_minute(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_claims(f, "{\"exp\":1800000000,\"nbf\":1799999900}"), TG__TOKEN_ADMITTED);
    assert_int_equal(tg__jwt_check_times(&f->jwt, NOW_S + 29), TG__TOKEN_ADMITTED);
    assert_int_equal(tg__jwt_check_times(&f->jwt, NOW_S + 30), TG__TOKEN_EXPIRED);
    assert_int_equal(tg__jwt_check_times(&f->jwt, NOW_S - 130), TG__TOKEN_ADMITTED);
    assert_int_equal(tg__jwt_check_times(&f->jwt, NOW_S - 131), TG__TOKEN_NOT_YET);
}

static void what_is_not_base64url_in_three_parts_is_malformed(void **state)
{
    fixture *f = *state;
    static const char *const bad[] = {
        "",
        ".",
        "..",
        "secret",
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9",       /* two parts */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.",      /* no signature */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AAAA.", /* four */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AAA=",  /* padding */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AA+A",  /* the other alphabet */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AA A",
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AAB", /* stray bits */
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.A",
        "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF.AAAA",
    };
    assert_int_equal(read_token(f, "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.AAAA"), TG__TOKEN_ADMITTED);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_token(f, bad[i]) != TG__TOKEN_MALFORMED) {
            fail_msg("not malformed: %s", bad[i]);
        }
    }
}

static void what_is_huge_is_malformed_wherever_it_is(void **state)
{
    fixture *f = *state;
    static char big[9000];
    memset(big, 'A', sizeof big - 1);
    assert_int_equal(read_token(f, big), TG__TOKEN_MALFORMED);
    big[4000] = '.';
    big[8000] = '.';
    assert_int_equal(tg__jwt_read(big, 8192, &f->rules, &f->jwt), TG__TOKEN_MALFORMED);
    static char token[8192];
    (void)snprintf(token, sizeof token, "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.");
    memset(token + strlen(token), 'A', 700); /* more than any signature */
    assert_int_equal(read_token(f, token), TG__TOKEN_MALFORMED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_token_says_who_for_what_and_until_when),
        CASE(venues_that_are_absent_or_a_star_are_all),
        CASE(only_two_algorithms_are_taken),
        CASE(headers_that_are_not_as_they_should_be_are_malformed),
        CASE(a_kid_is_a_name_and_never_a_path),
        CASE(claims_that_are_not_as_they_should_be_are_malformed),
        CASE(issuer_and_audience_are_compared_where_the_gateway_knows_them),
        CASE(clocks_may_differ_by_half_a_minute),
        CASE(what_is_not_base64url_in_three_parts_is_malformed),
        CASE(what_is_huge_is_malformed_wherever_it_is),
    };
    return cmocka_run_group_tests_name("gateway.jwt", tests, NULL, NULL);
}

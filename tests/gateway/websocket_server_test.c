#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control.h>

#include "lockstep.h"

#define NS INT64_C(1000000000)

static jwt_maker maker;
static char keys[4096];
static lockstep l;
static step_client a;
static step_client b;
static char log_path[] = "/tmp/tickglass-log-XXXXXX";
static int kept_stderr;
/* Of the tokens that were used: a piece that must not stand in the log. */
static char secrets[256][48];
static unsigned secret_count;

static int make_issuer(void **state)
{
    (void)state;
    const int fd = mkstemp(log_path);
    kept_stderr = dup(2);
    assert_true(fd >= 0 && kept_stderr >= 0);
    (void)fflush(stderr);
    assert_int_equal(dup2(fd, 2), 2);
    (void)close(fd);
    jwt_maker_open(&maker);
    jwt_maker_keys(&maker, keys, sizeof keys);
    return 0;
}

static int end_issuer(void **state)
{
    (void)state;
    (void)fflush(stderr);
    (void)dup2(kept_stderr, 2);
    (void)close(kept_stderr);
    (void)unlink(log_path);
    jwt_maker_close(&maker);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    lockstep_open(&l, keys, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lockstep_close(&l);
    return 0;
}

/* Remembered, so that the log can be searched for its parts. */
static const char *remember(const char *token)
{
    const char *part = strchr(token, '.');
    while (part != NULL && strlen(part) > 40 && secret_count < 256) {
        memcpy(secrets[secret_count], part + 1, 32);
        secrets[secret_count++][32] = '\0';
        part = strchr(part + 1, '.');
    }
    return token;
}

static const char *token_for(int64_t lifetime_s, const char *more)
{
    char claims[256];
    static unsigned number;
    (void)snprintf(claims, sizeof claims, "{\"exp\":%lld,\"sub\":\"desk\",\"jti\":%u%s}",
                   (long long)(lockstep_utc_s(&l) + lifetime_s), number++, more);
    return remember(jwt_maker_es256(&maker, claims));
}

static const char *false_token(void)
{
    char claims[256];
    static unsigned number;
    (void)snprintf(claims, sizeof claims, "{\"exp\":%lld,\"jti\":%u}",
                   (long long)(lockstep_utc_s(&l) + 600), number++);
    return remember(jwt_maker_sign(&maker, &maker.other, "{\"alg\":\"ES256\"}", claims));
}

static const char *const everything[][2] = {{"ORION", "A"}, {"LYRA", "C"}, {"VEGA", "D"}};

static void expect_codes(step_client *c, const uint8_t codes[3])
{
    tg__answer answer;
    tg__result results[8];
    tg__fault fault;
    const size_t size = step_client_await(c, TG__KIND_ANSWER);
    assert_int_equal(tg__answer_decode(c->message, size, &answer, results, 8, &fault), TG_OK);
    assert_int_equal(answer.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(results[i].code, codes[i]);
    }
}

static uint32_t lifetime_of_welcome(step_client *c)
{
    tg__welcome welcome;
    tg__fault fault;
    size_t size = 0;
    assert_int_equal(step_client_next(c, &size), TG__KIND_WELCOME); /* before anything else */
    assert_int_equal(tg__welcome_decode(c->message, size, &welcome, &fault), TG_OK);
    return welcome.token_lifetime_s;
}

static void the_gateways_own_token_comes_in_for_ever_and_to_everything(void **state)
{
    (void)state;
    assert_int_equal(step_client_join(&a, &l, "own-secret"), 101);
    assert_int_equal(lifetime_of_welcome(&a), 0);
    step_client_subscribe(&a, everything, 3);
    expect_codes(&a, (const uint8_t[]){0, 0, 0});
    step_client_close(&a);
    assert_int_equal(step_client_join(&a, &l, "own-secreT"), 401);
    step_client_close(&a);
}

static void nothing_is_sent_before_the_verdict_and_nothing_is_lost(void **state)
{
    (void)state;
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&a, &l, token_for(600, ",\"venues\":[\"ORION\",\"LYRA\"]")),
                     101);
    step_client_subscribe(&a, everything, 3); /* does not wait for WELCOME, as it ought to */
    assert_int_equal(step_client_drain(&a), 0);
    assert_int_equal(l.hub->peer_count, 0);
    lockstep_let_go(&l);
    assert_in_range(lifetime_of_welcome(&a), 590, 600);
    expect_codes(&a, (const uint8_t[]){0, 0, TG__ANSWER_NOT_ENTITLED});
    assert_int_equal(l.hub->peer_count, 1);
    step_client_close(&a);
}

static void a_false_signature_is_4001_in_place_of_welcome_and_then_401(void **state)
{
    (void)state;
    size_t size = 0;
    const char *token = false_token();
    assert_int_equal(step_client_join(&a, &l, token), 101);
    assert_int_equal(step_client_next(&a, &size), TG__CLOSE_TOKEN_EXPIRED);
    step_client_close(&a);
    assert_int_equal(step_client_join(&a, &l, token), 401);
    step_client_close(&a);
    assert_int_equal(l.hub->peer_count, 0);
}

static void a_known_token_comes_in_without_the_thread(void **state)
{
    (void)state;
    char token[JWT_MAKER_TOKEN_SIZE];
    (void)snprintf(token, sizeof token, "%s", token_for(600, ""));
    assert_int_equal(step_client_join(&a, &l, token), 101);
    (void)lifetime_of_welcome(&a);
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&b, &l, token), 101);
    assert_in_range(lifetime_of_welcome(&b), 590, 600);
    assert_int_equal(tg__door_counts_of(l.door)->hits, 1);
    step_client_close(&b);
    step_client_close(&a);
}

static void what_can_be_seen_in_a_token_is_refused_by_status(void **state)
{
    (void)state;
    assert_int_equal(step_client_join(&a, &l, token_for(-31, "")), 401);
    step_client_close(&a);
    assert_int_equal(step_client_join(&a, &l, token_for(600, ",\"venues\":[]")), 403);
    step_client_close(&a);
    assert_int_equal(step_client_join(&a, &l, token_for(600, ",\"exp\":1")), 401);
    step_client_close(&a);
}

static void who_leaves_while_he_waits_is_forgotten(void **state)
{
    (void)state;
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    assert_int_equal(step_client_join(&b, &l, token_for(600, "")), 101);
    step_client_close(&a);
    lockstep_settle(&l);
    lockstep_let_go(&l);
    (void)lifetime_of_welcome(&b);
    lockstep_settle(&l);
    assert_int_equal(l.hub->peer_count, 1);
    step_client_close(&b);
}

/* Closed with that code, and told to stay away for 1 to 4 s. */
static void expect_to_come_back(step_client *c, unsigned code)
{
    size_t size = 0;
    uint32_t reconnect_after_ms = 0;
    assert_int_equal(step_client_next(c, &size), code);
    assert_in_range(size, 2, 2 + TG__CLOSE_REASON_MAX);
    assert_int_equal(
        tg__close_reason_decode((const char *)c->message + 2, size - 2, &reconnect_after_ms),
        TG_OK);
    assert_in_range(reconnect_after_ms, 1000, 4000);
}

/* The market is another one before the verdict: it says nothing of the token any more. */
static void who_waits_while_the_market_is_changed_may_come_back(void **state)
{
    (void)state;
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    tg__door_serve(l.door, &l.directory);
    lockstep_let_go(&l);
    expect_to_come_back(&a, TG__CLOSE_TRY_AGAIN_LATER);
    step_client_close(&a);
}

static void who_waits_while_there_is_nothing_to_serve_gets_no_welcome(void **state)
{
    (void)state;
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    tg__websocket_server_pause(l.server, true);
    lockstep_let_go(&l);
    expect_to_come_back(&a, TG__CLOSE_TRY_AGAIN_LATER);
    assert_int_equal(l.hub->next_number, 0);
    step_client_close(&a);
}

static void who_waits_while_the_gateway_goes_is_told_when_to_come(void **state)
{
    (void)state;
    lockstep_hold(&l, &maker);
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    tg__websocket_server_refuse_new(l.server);
    assert_true(tg__websocket_server_has_visitors(l.server));
    lockstep_let_go(&l);
    expect_to_come_back(&a, TG__CLOSE_SERVICE_RESTART);
    assert_false(tg__websocket_server_has_visitors(l.server));
    step_client_close(&a);
}

static void a_full_queue_is_503_with_a_time(void **state)
{
    (void)state;
    char answer[2048];
    lockstep_hold(&l, &maker);
    lockstep_settle(&l); /* its verdict is collected, and its place free again */
    for (;;) {
        const char *token = token_for(600, "");
        if (tg__door_ask(l.door, token, strlen(token), lockstep_utc_s(&l) * NS).ticket == 0) {
            break;
        }
    }
    step_client_open(&a, &l, l.certificate.ca_path, false);
    assert_true(step_client_handshake(&a));
    assert_int_equal(step_client_upgrade(&a, token_for(600, ""), answer, sizeof answer), 503);
    assert_non_null(strstr(answer, "etry-"));
    step_client_close(&a);
}

static void over_the_admission_rate_it_is_503_with_a_time(void **state)
{
    (void)state;
    char answer[2048];
    unsigned in = 0;
    for (;;) {
        step_client_open(&a, &l, l.certificate.ca_path, false);
        assert_true(step_client_handshake(&a));
        const int status = step_client_upgrade(&a, "own-secret", answer, sizeof answer);
        step_client_close(&a);
        if (status == 503) {
            break;
        }
        assert_int_equal(status, 101);
        in++;
    }
    assert_in_range(in, 20, 40); /* the burst, and one a second while this runs */
    const char *at = strstr(answer, "etry-");
    assert_non_null(at);
    assert_in_range(atoi(strchr(at, ':') + 1), 1, 4);
}

static void a_token_that_ends_ends_the_connection(void **state)
{
    (void)state;
    assert_int_equal(step_client_join(&a, &l, token_for(100, "")), 101);
    assert_in_range(lifetime_of_welcome(&a), 95, 100);
    l.ahead_ns += 110 * NS; /* clocks may differ by 30 s */
    (void)step_client_drain(&a);
    l.ahead_ns += 25 * NS;
    assert_int_equal(step_client_end(&a), TG__CLOSE_TOKEN_EXPIRED);
    step_client_close(&a);
}

static tg__token_answer renew(step_client *c, const char *token)
{
    uint8_t message[9000];
    size_t size = 0;
    tg__token_answer answer;
    tg__fault fault;
    assert_int_equal(tg__token_encode(token, strlen(token), message, sizeof message, &size), TG_OK);
    step_client_send(c, message, size);
    size = step_client_await(c, TG__KIND_TOKEN_ANSWER);
    assert_int_equal(tg__token_answer_decode(c->message, size, &answer, &fault), TG_OK);
    return answer;
}

static void a_renewed_token_takes_the_place_of_the_first(void **state)
{
    (void)state;
    assert_int_equal(step_client_join(&a, &l, token_for(100, ",\"venues\":[\"ORION\"]")), 101);
    (void)lifetime_of_welcome(&a);
    tg__token_answer answer = renew(&a, false_token());
    assert_false(answer.accepted);
    assert_in_range(answer.lifetime_s, 90, 100); /* of the one that stays in force */
    answer = renew(&a, token_for(1000, ""));
    assert_true(answer.accepted);
    assert_in_range(answer.lifetime_s, 990, 1000);
    step_client_subscribe(&a, everything, 3);
    expect_codes(&a, (const uint8_t[]){0, 0, 0});
    l.ahead_ns += 200 * NS;
    (void)step_client_drain(&a);
    assert_int_equal(l.hub->peer_count, 1);
    step_client_close(&a);
}

static void a_lost_venue_ends_who_follows_it_and_nobody_else(void **state)
{
    (void)state;
    static const char *const orion[][2] = {{"ORION", "A"}};
    uint32_t closed = 0;
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    step_client_subscribe(&a, everything, 3);
    (void)step_client_await(&a, TG__KIND_SNAPSHOT);
    assert_int_equal(step_client_join(&b, &l, token_for(600, "")), 101);
    step_client_subscribe(&b, orion, 1);
    (void)step_client_await(&b, TG__KIND_SNAPSHOT);
    assert_int_equal(tg__hub_revoke(l.hub, "desk", "VEGA", &closed), TG_OK);
    assert_int_equal(closed, 1);
    assert_int_equal(step_client_end(&a), TG__CLOSE_SERVICE_RESTART);
    step_client_close(&a);
    (void)step_client_drain(&b);
    assert_int_equal(step_client_join(&a, &l, token_for(600, "")), 101);
    step_client_subscribe(&a, everything, 3);
    expect_codes(&a, (const uint8_t[]){0, 0, TG__ANSWER_NOT_ENTITLED});
    assert_int_equal(tg__hub_revoke(l.hub, NULL, NULL, &closed), TG_OK);
    assert_int_equal(closed, 2);
    assert_int_equal(step_client_end(&b), TG__CLOSE_FORBIDDEN);
    step_client_close(&b);
    step_client_close(&a);
    assert_int_equal(step_client_join(&a, &l, "own-secret"), 403);
    step_client_close(&a);
}

static void more_handshakes_than_allowed_wait_in_the_queue(void **state)
{
    (void)state;
    static step_client half[LOCKSTEP_HANDSHAKES + 2];
    for (unsigned i = 0; i < LOCKSTEP_HANDSHAKES + 2; i++) {
        step_client_open(&half[i], &l, l.certificate.ca_path, false); /* says nothing */
    }
    lockstep_settle(&l);
    step_client_open(&a, &l, l.certificate.ca_path, false);
    assert_true(step_client_is_kept_waiting(&a)); /* its hello is not even read */
    step_client_close(&half[0]);
    step_client_close(&half[1]);
    lockstep_settle(&l);
    assert_true(step_client_is_kept_waiting(&a)); /* two others were before it */
    step_client_close(&half[2]);
    assert_true(step_client_handshake(&a));
    /* Its own place is free again: the next comes in at once. */
    step_client_open(&b, &l, l.certificate.ca_path, false);
    assert_true(step_client_handshake(&b));
    for (unsigned i = 3; i < LOCKSTEP_HANDSHAKES + 2; i++) {
        step_client_close(&half[i]);
    }
    step_client_close(&a);
    step_client_close(&b);
}

static int64_t system_mono_ns(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock);
}

static void who_was_half_open_is_not_hung_up_on_for_the_silence_of_then(void **state)
{
    (void)state;
    assert_int_equal(step_client_join(&a, &l, "own-secret"), 101);
    (void)lifetime_of_welcome(&a);
    assert_int_equal(tg__websocket_fault_half_open(l.server, 0, true), 1);
    l.ahead_ns += 100 * NS;
    assert_int_equal(tg__websocket_fault_half_open(l.server, 0, false), 1);
    const int64_t inspected_ns = system_mono_ns() + NS; /* it looks twice a second */
    while (system_mono_ns() < inspected_ns) {
        lockstep_step(&l);
    }
    assert_int_equal(l.hub->peer_count, 1);
    l.ahead_ns += 100 * NS; /* and this one is its own */
    assert_int_equal(step_client_end(&a), 1006);
    assert_int_equal(l.hub->peer_count, 0);
    assert_int_equal(l.hub->counts.ends[TG__END_TIMEOUT], 1);
    step_client_close(&a);
}

/* The last of all, so that all have logged. */
static void no_token_stands_in_the_log(void **state)
{
    (void)state;
    static char text[1 << 20];
    (void)fflush(stderr);
    FILE *file = fopen(log_path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    assert_non_null(strstr(text, "the token's signature is wrong")); /* it was read at all */
    assert_true(secret_count > 20);
    for (unsigned i = 0; i < secret_count; i++) {
        assert_null(strstr(text, secrets[i]));
    }
    assert_null(strstr(text, "own-secre"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_gateways_own_token_comes_in_for_ever_and_to_everything),
        CASE(nothing_is_sent_before_the_verdict_and_nothing_is_lost),
        CASE(a_false_signature_is_4001_in_place_of_welcome_and_then_401),
        CASE(a_known_token_comes_in_without_the_thread),
        CASE(what_can_be_seen_in_a_token_is_refused_by_status),
        CASE(who_leaves_while_he_waits_is_forgotten),
        CASE(who_waits_while_the_market_is_changed_may_come_back),
        CASE(who_waits_while_there_is_nothing_to_serve_gets_no_welcome),
        CASE(who_waits_while_the_gateway_goes_is_told_when_to_come),
        CASE(a_full_queue_is_503_with_a_time),
        CASE(over_the_admission_rate_it_is_503_with_a_time),
        CASE(a_token_that_ends_ends_the_connection),
        CASE(a_renewed_token_takes_the_place_of_the_first),
        CASE(a_lost_venue_ends_who_follows_it_and_nobody_else),
        CASE(more_handshakes_than_allowed_wait_in_the_queue),
        CASE(who_was_half_open_is_not_hung_up_on_for_the_silence_of_then),
        cmocka_unit_test(no_token_stands_in_the_log),
    };
    return cmocka_run_group_tests_name("gateway.websocket_server", tests, make_issuer, end_issuer);
}

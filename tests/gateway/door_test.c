#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "door.h"
#include "jwt_maker.h"
#include "scratch_folder.h"

#define NS     INT64_C(1000000000)
#define NOW_S  INT64_C(1800000000)
#define NOW_NS (NOW_S * NS)
#define CLAIMS "{\"exp\":1800000600,\"sub\":\"desk 7\",\"venues\":[\"ORION\",\"LYRA\"]}"

/* What the verifier's thread tells; a gate holds it back, so that the queue can be filled. */
typedef struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rings;
    unsigned count;
    bool held;
} bell;

typedef struct fixture {
    scratch_folder folder;
    jwt_maker maker;
    tg__bearer bearer;
    tg__directory directory;
    tg__jwt_keys *keys;
    tg__door *door;
    bell bell;
    tg__cause cause;
} fixture;

static fixture f;

static void ring(void *ctx)
{
    bell *own = ctx;
    (void)pthread_mutex_lock(&own->lock);
    own->count++;
    (void)pthread_cond_broadcast(&own->rings);
    while (own->held) {
        (void)pthread_cond_wait(&own->rings, &own->lock);
    }
    (void)pthread_mutex_unlock(&own->lock);
}

static void await_rings(unsigned count)
{
    (void)pthread_mutex_lock(&f.bell.lock);
    while (f.bell.count < count) {
        (void)pthread_cond_wait(&f.bell.rings, &f.bell.lock);
    }
    (void)pthread_mutex_unlock(&f.bell.lock);
}

static unsigned rings_so_far(void)
{
    (void)pthread_mutex_lock(&f.bell.lock);
    const unsigned count = f.bell.count;
    (void)pthread_mutex_unlock(&f.bell.lock);
    return count;
}

static void hold_thread(bool held)
{
    (void)pthread_mutex_lock(&f.bell.lock);
    f.bell.held = held;
    (void)pthread_cond_broadcast(&f.bell.rings);
    (void)pthread_mutex_unlock(&f.bell.lock);
}

static int make_issuer(void **state)
{
    static const char *const venues[] = {"ORION", "LYRA", "VEGA"};
    char text[4096];
    (void)state;
    scratch_folder_open(&f.folder);
    jwt_maker_open(&f.maker);
    jwt_maker_keys(&f.maker, text, sizeof text);
    scratch_write(&f.folder, "keys.pem", text, strlen(text));
    tg__directory_init(&f.directory);
    for (size_t i = 0; i < 3; i++) {
        tg_venue_id id = 0;
        assert_int_equal(tg__directory_venue(&f.directory, venues[i], &id), TG_OK);
    }
    f.bearer.size = 6;
    memcpy(f.bearer.token, "secret", 6);
    (void)pthread_mutex_init(&f.bell.lock, NULL);
    (void)pthread_cond_init(&f.bell.rings, NULL);
    return 0;
}

static int end_issuer(void **state)
{
    (void)state;
    jwt_maker_close(&f.maker);
    tg__directory_deinit(&f.directory);
    scratch_folder_close(&f.folder);
    (void)pthread_cond_destroy(&f.bell.rings);
    (void)pthread_mutex_destroy(&f.bell.lock);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    f.bell.count = 0;
    f.bell.held = false;
    assert_int_equal(tg__jwt_keys_open(scratch_path(&f.folder, "keys.pem"), &f.keys, &f.cause),
                     TG_OK);
    const tg__door_options options = {.bearer = &f.bearer,
                                      .directory = &f.directory,
                                      .keys = f.keys,
                                      .wake = ring,
                                      .ctx = &f.bell};
    assert_int_equal(tg__door_open(&options, &f.door), TG_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hold_thread(false);
    tg__door_close(f.door);
    tg__jwt_keys_close(f.keys);
    return 0;
}

static tg__door_answer ask_at(const char *token, int64_t utc_ns)
{
    return tg__door_ask(f.door, token, strlen(token), utc_ns);
}

static tg__door_answer ask(const char *token)
{
    return ask_at(token, NOW_NS);
}

/* The verdict of a token that had to be verified, at whoever owns its ticket. */
static tg__door_answer verdict_of(const char *token, void *owner)
{
    const tg__door_answer first = ask(token);
    assert_true(first.ticket != 0);
    tg__door_own(f.door, first.ticket, owner);
    void *told = NULL;
    tg__door_answer answer;
    for (unsigned i = rings_so_far();; i++) {
        if (tg__door_next(f.door, NOW_NS, &told, &answer)) {
            break;
        }
        await_rings(i);
    }
    assert_true(answer.ticket == first.ticket);
    assert_ptr_equal(told, owner);
    return answer;
}

static void the_gateways_own_token_gives_everything_for_ever(void **state)
{
    (void)state;
    const tg__door_answer answer = ask("secret");
    assert_int_equal(answer.verdict, TG__TOKEN_ADMITTED);
    assert_true(answer.ticket == 0);
    assert_int_equal(answer.entitlement.expires_s, 0);
    assert_true(tg__entitlement_covers(&answer.entitlement, 2));
    assert_int_equal(ask("secreT").verdict, TG__TOKEN_MALFORMED);
}

static void without_keys_there_are_no_other_tokens(void **state)
{
    (void)state;
    const tg__door_options options = {.bearer = &f.bearer, .directory = &f.directory};
    tg__door *door = NULL;
    const char *token = jwt_maker_es256(&f.maker, CLAIMS);
    assert_int_equal(tg__door_open(&options, &door), TG_OK);
    assert_int_equal(tg__door_ask(door, token, strlen(token), NOW_NS).verdict, TG__TOKEN_NOT_OURS);
    assert_int_equal(tg__door_ask(door, "secret", 6, NOW_NS).verdict, TG__TOKEN_ADMITTED);
    tg__door_close(door);
}

static void a_token_is_verified_once_and_known_until_it_expires(void **state)
{
    (void)state;
    int owner = 0;
    const char *token = jwt_maker_es256(&f.maker, CLAIMS);
    const tg__door_answer answer = verdict_of(token, &owner);
    assert_int_equal(answer.verdict, TG__TOKEN_ADMITTED);
    assert_string_equal(answer.entitlement.subject, "desk 7");
    assert_true(tg__entitlement_covers(&answer.entitlement, 1));
    assert_false(tg__entitlement_covers(&answer.entitlement, 2));
    for (unsigned i = 0; i < 9; i++) {
        const tg__door_answer again = ask(token);
        assert_int_equal(again.verdict, TG__TOKEN_ADMITTED);
        assert_true(again.ticket == 0);
        assert_memory_equal(&again.entitlement, &answer.entitlement, sizeof answer.entitlement);
    }
    assert_true(ask_at(token, (NOW_S + 629) * NS).ticket == 0);
    assert_int_equal(ask_at(token, (NOW_S + 630) * NS).verdict, TG__TOKEN_EXPIRED);
    const tg__door_counts *counts = tg__door_counts_of(f.door);
    assert_int_equal(counts->hits, 10);
    assert_int_equal(counts->misses, 1);
    assert_int_equal(counts->verified, 1);
}

static void a_false_signature_is_verified_once_a_minute_at_most(void **state)
{
    (void)state;
    const char *token = jwt_maker_sign(&f.maker, &f.maker.other, "{\"alg\":\"ES256\"}", CLAIMS);
    assert_int_equal(verdict_of(token, NULL).verdict, TG__TOKEN_SIGNATURE);
    assert_int_equal(ask_at(token, NOW_NS + 59 * NS).verdict, TG__TOKEN_SIGNATURE);
    const tg__door_counts *counts = tg__door_counts_of(f.door);
    assert_int_equal(counts->negative_hits, 1);
    assert_int_equal(counts->refused[TG__TOKEN_SIGNATURE], 2);
    assert_true(ask_at(token, NOW_NS + 60 * NS).ticket != 0);
}

static void what_can_be_seen_without_a_key_is_refused_at_once(void **state)
{
    (void)state;
    char pem[1024];
    static const struct {
        const char *claims;
        tg__token_verdict verdict;
    } cases[] = {
        {"{\"exp\":1799999970}", TG__TOKEN_EXPIRED},
        {"{\"exp\":1800000600,\"nbf\":1800000031}", TG__TOKEN_NOT_YET},
        {"{\"exp\":1800000600,\"venues\":[\"NONE\"]}", TG__TOKEN_NO_VENUE},
        {"{\"exp\":1800000600,\"exp\":1900000000}", TG__TOKEN_MALFORMED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tg__door_answer answer = ask(jwt_maker_rs256(&f.maker, cases[i].claims));
        assert_int_equal(answer.verdict, cases[i].verdict);
        assert_true(answer.ticket == 0);
    }
    assert_int_equal(ask(jwt_maker_join(&f.maker, "{\"alg\":\"none\"}", CLAIMS, "")).verdict,
                     TG__TOKEN_ALGORITHM);
    assert_int_equal(ask(jwt_maker_join(&f.maker, "{\"alg\":\"none\"}", CLAIMS, "AAAA")).verdict,
                     TG__TOKEN_ALGORITHM);
    (void)jwt_maker_pem(&f.maker.ec, pem, sizeof pem);
    assert_int_equal(ask(jwt_maker_hs256(&f.maker, pem, CLAIMS)).verdict, TG__TOKEN_ALGORITHM);
    assert_int_equal(ask(jwt_maker_sign(&f.maker, &f.maker.ec,
                                        "{\"alg\":\"ES256\",\"kid\":\"desk-rsa\"}", CLAIMS))
                         .verdict,
                     TG__TOKEN_UNKNOWN_KEY);
    assert_int_equal(tg__door_counts_of(f.door)->misses, 0);
}

static void a_full_queue_refuses_and_loses_nothing(void **state)
{
    (void)state;
    char claims[64];
    unsigned given = 0;
    hold_thread(true);
    for (unsigned i = 0;; i++) {
        (void)snprintf(claims, sizeof claims, "{\"exp\":1800000600,\"jti\":%u}", i);
        const tg__door_answer answer = ask(jwt_maker_es256(&f.maker, claims));
        if (answer.verdict == TG__TOKEN_BUSY) {
            break;
        }
        assert_true(answer.ticket != 0);
        given++;
    }
    assert_int_equal(given, TG__VERIFIER_QUEUE);
    hold_thread(false);
    await_rings(given);
    uint64_t last = 0;
    for (unsigned i = 0; i < given; i++) {
        void *owner = &given;
        tg__door_answer answer;
        assert_true(tg__door_next(f.door, NOW_NS, &owner, &answer));
        assert_int_equal(answer.verdict, TG__TOKEN_ADMITTED);
        assert_null(owner);
        assert_true(answer.ticket > last);
        last = answer.ticket;
    }
    assert_true(ask(jwt_maker_es256(&f.maker, "{\"exp\":1800000599}")).ticket != 0);
}

static void who_has_gone_gets_no_verdict_but_it_is_remembered(void **state)
{
    (void)state;
    int owner = 0;
    void *told = NULL;
    tg__door_answer answer;
    const char *token = jwt_maker_es256(&f.maker, CLAIMS);
    const uint64_t ticket = ask(token).ticket;
    tg__door_own(f.door, ticket, &owner);
    tg__door_own(f.door, ticket, NULL);
    await_rings(1);
    assert_true(tg__door_next(f.door, NOW_NS, &told, &answer));
    assert_null(told);
    assert_true(ask(token).ticket == 0);
}

static void what_is_revoked_is_given_by_no_token_any_more(void **state)
{
    (void)state;
    const char *token = jwt_maker_es256(&f.maker, CLAIMS);
    assert_int_equal(verdict_of(token, NULL).verdict, TG__TOKEN_ADMITTED);
    assert_int_equal(tg__door_revoke(f.door, "desk 7", "ORION"), TG_OK);
    tg__door_answer answer = ask(token);
    assert_false(tg__entitlement_covers(&answer.entitlement, 0));
    assert_true(tg__entitlement_covers(&answer.entitlement, 1));
    const tg__door_answer others = ask("secret");
    assert_true(tg__entitlement_covers(&others.entitlement, 0));
    assert_int_equal(tg__door_revoke(f.door, "desk 7", "LYRA"), TG_OK);
    assert_int_equal(ask(token).verdict, TG__TOKEN_NO_VENUE);
    assert_int_equal(tg__door_revoke(f.door, NULL, "VEGA"), TG_OK);
    answer = ask("secret");
    assert_true(tg__entitlement_covers(&answer.entitlement, 0));
    assert_false(tg__entitlement_covers(&answer.entitlement, 2));
    assert_int_equal(tg__door_revoke(f.door, "", NULL), TG_OK);
    assert_int_equal(ask("secret").verdict, TG__TOKEN_NO_VENUE);
    assert_int_equal(tg__door_revoke(f.door, "desk 7", "NOWHERE"), TG_ERR_NOT_FOUND);
}

static void revocations_are_bounded(void **state)
{
    (void)state;
    char subject[200];
    for (unsigned i = 0; i < TG__REVOCATIONS_MAX; i++) {
        (void)snprintf(subject, sizeof subject, "desk %u", i);
        assert_int_equal(tg__door_revoke(f.door, subject, "ORION"), TG_OK);
    }
    assert_int_equal(tg__door_revoke(f.door, "one more", "ORION"), TG_ERR_FULL);
    assert_int_equal(tg__door_revoke(f.door, "desk 0", "LYRA"), TG_OK); /* has an entry */
    memset(subject, 'x', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    assert_int_equal(tg__door_revoke(f.door, subject, "ORION"), TG_ERR_INVALID_ARGUMENT);
}

static void a_stopped_door_verifies_nothing(void **state)
{
    (void)state;
    tg__door_stop(f.door);
    tg__door_stop(f.door);
    assert_int_equal(ask(jwt_maker_es256(&f.maker, CLAIMS)).verdict, TG__TOKEN_BUSY);
    assert_int_equal(ask("secret").verdict, TG__TOKEN_ADMITTED);
}

static void a_refusal_has_the_status_that_the_protocol_gives_it(void **state)
{
    (void)state;
    assert_int_equal(tg__door_status(TG__TOKEN_ADMITTED), 0);
    assert_int_equal(tg__door_status(TG__TOKEN_NO_VENUE), 403);
    assert_int_equal(tg__door_status(TG__TOKEN_BUSY), 503);
    assert_int_equal(tg__door_status(TG__TOKEN_EXPIRED), 401);
    for (unsigned i = 0; i < TG__TOKEN_VERDICT_COUNT; i++) {
        assert_non_null(tg__token_verdict_text((tg__token_verdict)i));
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_gateways_own_token_gives_everything_for_ever),
        CASE(without_keys_there_are_no_other_tokens),
        CASE(a_token_is_verified_once_and_known_until_it_expires),
        CASE(a_false_signature_is_verified_once_a_minute_at_most),
        CASE(what_can_be_seen_without_a_key_is_refused_at_once),
        CASE(a_full_queue_refuses_and_loses_nothing),
        CASE(who_has_gone_gets_no_verdict_but_it_is_remembered),
        CASE(what_is_revoked_is_given_by_no_token_any_more),
        CASE(revocations_are_bounded),
        CASE(a_stopped_door_verifies_nothing),
        CASE(a_refusal_has_the_status_that_the_protocol_gives_it),
    };
    return cmocka_run_group_tests_name("gateway.door", tests, make_issuer, end_issuer);
}

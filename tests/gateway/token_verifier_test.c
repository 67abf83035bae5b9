#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "jwt_maker.h"
#include "scratch_folder.h"
#include "token_verifier.h"

static scratch_folder folder;
static jwt_maker maker;
static tg__directory directory;
static tg__jwt_keys *keys;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static unsigned verdicts;

static int set_up(void **state)
{
    char text[4096];
    tg_venue_id id = 0;
    tg__cause cause;
    (void)state;
    scratch_folder_open(&folder);
    jwt_maker_open(&maker);
    jwt_maker_keys(&maker, text, sizeof text);
    scratch_write(&folder, "keys.pem", text, strlen(text));
    assert_int_equal(tg__jwt_keys_open(scratch_path(&folder, "keys.pem"), &keys, &cause), TG_OK);
    tg__directory_init(&directory);
    assert_int_equal(tg__directory_venue(&directory, "ORION", &id), TG_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__jwt_keys_close(keys);
    jwt_maker_close(&maker);
    tg__directory_deinit(&directory);
    scratch_folder_close(&folder);
    return 0;
}

static void tell(void *ctx)
{
    (void)ctx;
    (void)pthread_mutex_lock(&lock);
    verdicts++;
    (void)pthread_cond_signal(&told);
    (void)pthread_mutex_unlock(&lock);
}

static void await(unsigned count)
{
    (void)pthread_mutex_lock(&lock);
    while (verdicts < count) {
        (void)pthread_cond_wait(&told, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
}

static uint64_t give(tg__token_verifier *verifier, const char *token)
{
    const tg__jwt_rules rules = {.directory = &directory};
    const tg__fingerprint fingerprint = {{(uint8_t)strlen(token)}};
    tg__jwt jwt;
    assert_int_equal(tg__jwt_read(token, strlen(token), &rules, &jwt), TG__TOKEN_ADMITTED);
    return tg__token_verifier_give(verifier, token, &fingerprint, &jwt);
}

static void verdicts_come_in_the_order_of_the_questions(void **state)
{
    (void)state;
    tg__token_verifier *verifier = NULL;
    const tg__token_job *job = NULL;
    verdicts = 0;
    assert_int_equal(tg__token_verifier_open(keys, tell, NULL, &verifier), TG_OK);
    assert_null(tg__token_verifier_collect(verifier));
    for (unsigned i = 0; i < 3 * TG__VERIFIER_QUEUE; i++) { /* round the ring, too */
        char claims[64];
        (void)snprintf(claims, sizeof claims, "{\"exp\":%u}", i + 1);
        const bool good = i % 3 != 0;
        assert_int_equal(give(verifier, jwt_maker_sign(&maker, good ? &maker.ec : &maker.other,
                                                       "{\"alg\":\"ES256\"}", claims)),
                         i + 1);
        await(i + 1);
        job = tg__token_verifier_collect(verifier);
        assert_non_null(job);
        assert_int_equal(job->ticket, i + 1);
        assert_int_equal(job->jwt.entitlement.expires_s, i + 1);
        assert_true(job->good == good);
        tg__token_verifier_done(verifier);
        assert_int_equal(job->token[0], 0); /* wiped */
    }
    tg__token_verifier_close(verifier);
}

static void what_is_under_way_may_be_dropped(void **state)
{
    (void)state;
    tg__token_verifier *verifier = NULL;
    assert_int_equal(tg__token_verifier_open(keys, tell, NULL, &verifier), TG_OK);
    const char *token = jwt_maker_rs256(&maker, "{\"exp\":1}");
    for (unsigned i = 0; i < TG__VERIFIER_QUEUE; i++) {
        assert_true(give(verifier, token) != 0);
    }
    assert_true(give(verifier, token) == 0); /* full: nobody has collected */
    tg__token_verifier_close(verifier);
    tg__token_verifier_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_come_in_the_order_of_the_questions),
        cmocka_unit_test(what_is_under_way_may_be_dropped),
    };
    return cmocka_run_group_tests_name("gateway.token_verifier", tests, set_up, tear_down);
}

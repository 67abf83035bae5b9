#include "token_verifier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "wipe.h"

struct tg__token_verifier {
    tg__jwt_keys *keys;
    void (*wake)(void *ctx);
    void *ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    /* Under the lock. collected <= verified <= given <= collected + TG__VERIFIER_QUEUE; the jobs
     * from verified on are the thread's, those before it the owner's. */
    uint64_t given;
    uint64_t verified;
    uint64_t collected;
    bool ends;
    tg__token_job jobs[TG__VERIFIER_QUEUE];
};

static tg__token_job *job_at(tg__token_verifier *verifier, uint64_t number)
{
    return &verifier->jobs[number % TG__VERIFIER_QUEUE];
}

static void *run(void *argument)
{
    tg__token_verifier *verifier = argument;
    (void)pthread_mutex_lock(&verifier->lock);
    for (;;) {
        while (!verifier->ends && verifier->verified == verifier->given) {
            (void)pthread_cond_wait(&verifier->work, &verifier->lock);
        }
        if (verifier->ends) {
            break;
        }
        tg__token_job *job = job_at(verifier, verifier->verified);
        (void)pthread_mutex_unlock(&verifier->lock);
        job->good = tg__jwt_keys_verify(verifier->keys, job->token, &job->jwt);
        (void)pthread_mutex_lock(&verifier->lock);
        verifier->verified++;
        (void)pthread_mutex_unlock(&verifier->lock);
        verifier->wake(verifier->ctx);
        (void)pthread_mutex_lock(&verifier->lock);
    }
    (void)pthread_mutex_unlock(&verifier->lock);
    return NULL;
}

tg_err tg__token_verifier_open(tg__jwt_keys *keys, void (*wake)(void *ctx), void *ctx,
                               tg__token_verifier **out)
{
    *out = NULL;
    tg__token_verifier *verifier = calloc(1, sizeof *verifier);
    TG_ENSURE(verifier != NULL, TG_ERR_NO_MEMORY);
    verifier->keys = keys;
    verifier->wake = wake;
    verifier->ctx = ctx;
    if (pthread_mutex_init(&verifier->lock, NULL) != 0) {
        free(verifier);
        return TG_ERR_NO_MEMORY;
    }
    if (pthread_cond_init(&verifier->work, NULL) != 0) {
        (void)pthread_mutex_destroy(&verifier->lock);
        free(verifier);
        return TG_ERR_NO_MEMORY;
    }
    if (pthread_create(&verifier->thread, NULL, run, verifier) != 0) {
        (void)pthread_cond_destroy(&verifier->work);
        (void)pthread_mutex_destroy(&verifier->lock);
        free(verifier);
        return TG_ERR_IO;
    }
    *out = verifier;
    return TG_OK;
}

void tg__token_verifier_close(tg__token_verifier *verifier)
{
    if (verifier == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&verifier->lock);
    verifier->ends = true;
    (void)pthread_cond_signal(&verifier->work);
    (void)pthread_mutex_unlock(&verifier->lock);
    (void)pthread_join(verifier->thread, NULL);
    (void)pthread_cond_destroy(&verifier->work);
    (void)pthread_mutex_destroy(&verifier->lock);
    tg__wipe(verifier->jobs, sizeof verifier->jobs);
    free(verifier);
}

uint64_t tg__token_verifier_give(tg__token_verifier *verifier, const char *token,
                                 const tg__fingerprint *fingerprint, const tg__jwt *jwt)
{
    (void)pthread_mutex_lock(&verifier->lock);
    const bool full = verifier->given - verifier->collected == TG__VERIFIER_QUEUE;
    const uint64_t number = verifier->given;
    (void)pthread_mutex_unlock(&verifier->lock);
    if (full) {
        return 0;
    }
    /* Only the owner's thread gives and collects: the place is his until given is raised. */
    tg__token_job *job = job_at(verifier, number);
    job->ticket = number + 1;
    job->good = false;
    job->fingerprint = *fingerprint;
    job->jwt = *jwt;
    memcpy(job->token, token, jwt->signed_size); /* the rest of it is in jwt */
    (void)pthread_mutex_lock(&verifier->lock);
    verifier->given++;
    (void)pthread_cond_signal(&verifier->work);
    (void)pthread_mutex_unlock(&verifier->lock);
    return number + 1;
}

const tg__token_job *tg__token_verifier_collect(tg__token_verifier *verifier)
{
    (void)pthread_mutex_lock(&verifier->lock);
    const bool any = verifier->collected < verifier->verified;
    (void)pthread_mutex_unlock(&verifier->lock);
    return any ? job_at(verifier, verifier->collected) : NULL;
}

void tg__token_verifier_done(tg__token_verifier *verifier)
{
    tg__token_job *job = job_at(verifier, verifier->collected);
    tg__wipe(job, sizeof *job);
    (void)pthread_mutex_lock(&verifier->lock);
    verifier->collected++;
    (void)pthread_mutex_unlock(&verifier->lock);
}

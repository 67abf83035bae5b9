/**
 * One thread that verifies signatures, so that the event loop never waits for one.
 *
 * Jobs are given and verdicts collected by one other thread, in order, through a ring of 256; full,
 * it takes no more. A place is wiped when its verdict has been collected.
 */
#ifndef TG_GATEWAY_TOKEN_VERIFIER_H
#define TG_GATEWAY_TOKEN_VERIFIER_H

#include <tickglass/internal/message.h>

#include "fingerprint.h"
#include "jwt_keys.h"

#define TG__VERIFIER_QUEUE 256u

typedef struct tg__token_job {
    uint64_t ticket; /* 1, 2, 3 … in the order of giving */
    bool good;       /* the verdict */
    tg__fingerprint fingerprint;
    tg__jwt jwt;
    char token[TG__TOKEN_SIZE_MAX];
} tg__token_job;

typedef struct tg__token_verifier tg__token_verifier;

/*
 * keys are the thread's alone until the close. wake(ctx) is called from that thread, without a
 * lock, after each verdict. TG_ERR_NO_MEMORY; TG_ERR_IO: no thread.
 */
TG_MUST_CHECK tg_err tg__token_verifier_open(tg__jwt_keys *keys, void (*wake)(void *ctx), void *ctx,
                                             tg__token_verifier **out);
/* Ends the thread after the job that it is at; the others are dropped. NULL is allowed. */
void tg__token_verifier_close(tg__token_verifier *verifier);

/* The ticket; 0: the queue is full. */
uint64_t tg__token_verifier_give(tg__token_verifier *verifier, const char *token,
                                 const tg__fingerprint *fingerprint, const tg__jwt *jwt);

/* The oldest verdict, valid until tg__token_verifier_done(), or NULL. */
const tg__token_job *tg__token_verifier_collect(tg__token_verifier *verifier);
void tg__token_verifier_done(tg__token_verifier *verifier);

#endif

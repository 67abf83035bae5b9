#include "credential.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "tls_trust.h"

bool tg__token_is_valid(const char *token)
{
    size_t size = 0;
    while (token[size] != '\0') {
        if (token[size] <= ' ' || token[size] >= 0x7f || ++size > TG__TOKEN_SIZE_MAX) {
            return false;
        }
    }
    return size > 0;
}

/* Call with the lock held, or before others know of it. */
static void hold(tg__credential *credential, const char *token)
{
    credential->size = strlen(token);
    memcpy(credential->token, token, credential->size + 1);
}

/* Call with the lock held. */
static void wipe(tg__credential *credential)
{
    tg__wipe(credential->token, sizeof credential->token);
    credential->size = 0;
}

tg_err tg__credential_init(tg__credential *credential, const char *token, bool keep)
{
    memset(credential, 0, sizeof *credential);
    TG_ENSURE(pthread_mutex_init(&credential->lock, NULL) == 0, TG_ERR_NO_MEMORY);
    credential->open = true;
    credential->keep = keep;
    if (token != NULL) {
        hold(credential, token);
    }
    return TG_OK;
}

void tg__credential_deinit(tg__credential *credential)
{
    if (credential->open) {
        wipe(credential);
        (void)pthread_mutex_destroy(&credential->lock);
        credential->open = false;
    }
}

void tg__credential_ask(tg__credential *credential)
{
    (void)pthread_mutex_lock(&credential->lock);
    wipe(credential);
    credential->wanted = true;
    credential->answered = false;
    (void)pthread_mutex_unlock(&credential->lock);
}

tg_err tg__credential_answer(tg__credential *credential, const char *token)
{
    (void)pthread_mutex_lock(&credential->lock);
    const bool wanted = credential->wanted;
    if (wanted) {
        credential->wanted = false;
        credential->answered = true;
        if (token != NULL) {
            hold(credential, token);
        }
    }
    (void)pthread_mutex_unlock(&credential->lock);
    return wanted ? TG_OK : TG_ERR_STATE;
}

bool tg__credential_take_answer(tg__credential *credential, bool *given)
{
    (void)pthread_mutex_lock(&credential->lock);
    const bool answered = credential->answered;
    credential->answered = false;
    *given = credential->size > 0;
    (void)pthread_mutex_unlock(&credential->lock);
    return answered;
}

size_t tg__credential_hand_over(tg__credential *credential, char out[TG__TOKEN_SIZE_MAX + 1])
{
    (void)pthread_mutex_lock(&credential->lock);
    const size_t size = credential->size;
    memcpy(out, credential->token, size + 1);
    if (!credential->keep) {
        wipe(credential);
    }
    (void)pthread_mutex_unlock(&credential->lock);
    return size;
}

void tg__credential_forget(tg__credential *credential)
{
    (void)pthread_mutex_lock(&credential->lock);
    wipe(credential);
    credential->wanted = false;
    credential->answered = false;
    (void)pthread_mutex_unlock(&credential->lock);
}

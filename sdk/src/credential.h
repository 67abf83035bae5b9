/*
 * The one place of a client's bearer token. A token that a provider gave is wiped as soon as it is
 * handed to the transport; one from the options is kept for the next connection. In text that
 * leaves the library it never stands.
 */
#ifndef TG_SDK_CREDENTIAL_H
#define TG_SDK_CREDENTIAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>
#include <tickglass/internal/control.h>

typedef struct tg__credential {
    pthread_mutex_t lock; /* guards the rest; never held over a callback */
    bool open;
    bool keep;     /* handing it over does not wipe it: there is no provider */
    bool wanted;   /* the provider was asked and has not answered */
    bool answered; /* and the network thread has not taken the answer yet */
    size_t size;   /* 0: no token */
    char token[TG__TOKEN_SIZE_MAX + 1];
} tg__credential;

/* 1 to TG__TOKEN_SIZE_MAX characters of visible ASCII: a line break would end the header. */
bool tg__token_is_valid(const char *token);

/* token: valid, or NULL for none. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__credential_init(tg__credential *credential, const char *token, bool keep);
/* Wipes; harmless after a failed init, or none on zeroed memory. */
void tg__credential_deinit(tg__credential *credential);

/* What is held is wiped, and an answer is awaited. Thread: network. */
void tg__credential_ask(tg__credential *credential);
/* The provider's answer; NULL: it has none. TG_ERR_STATE: nobody asked. Thread: any. */
TG_MUST_CHECK tg_err tg__credential_answer(tg__credential *credential, const char *token);
/* True once for each answer; given says whether there is a token. Thread: network. */
bool tg__credential_take_answer(tg__credential *credential, bool *given);
/* Copies the token with its terminator to out and wipes it unless it is kept. The size without the
 * terminator; 0: none. Thread: network. */
size_t tg__credential_hand_over(tg__credential *credential, char out[TG__TOKEN_SIZE_MAX + 1]);
/* Wipes; an answer that is under way is refused. Thread: network. */
void tg__credential_forget(tg__credential *credential);

#endif

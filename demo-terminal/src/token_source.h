/*
 * Where the client's tokens come from: a file that is read again, or a command that is run again,
 * whenever one is wanted. Both may take long and neither the network nor the window waits: there is
 * a thread for it.
 */
#ifndef TG_TERMINAL_TOKEN_SOURCE_H
#define TG_TERMINAL_TOKEN_SOURCE_H

#include <stddef.h>

#include <tickglass/client.h>

#include "settings.h"

#define TOKEN_TROUBLE_SIZE 224

typedef struct token_source token_source;

/*
 * *out is NULL with TG_OK where the settings name no source. on_trouble, which may be NULL, runs on
 * the thread when token_source_trouble() has changed. The settings must outlive the source.
 * TG_ERR_IO, TG_ERR_SYNTAX: the file holds no token now, why says it in one line; TG_ERR_NO_MEMORY.
 * Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err token_source_open(const settings *settings, void (*on_trouble)(void *ctx),
                                       void *ctx, token_source **out, char *why, size_t why_size);

/* The body of token_provider: the answer comes later. Thread: any. Blocks: no. */
void token_source_ask(token_source *source, tg_client *client, tg_token_reason reason);

/*
 * No client is touched after this; questions are ignored. To be called before the client is closed,
 * which in turn has to be before the source is. NULL is allowed. Thread: owner. Blocks: until a
 * command that runs has been ended.
 */
void token_source_stop(token_source *source);
/* NULL is allowed. Thread: owner. */
void token_source_close(token_source *source);

/* Why the latest token could not be had, without a secret; "": it could. Thread: any. */
void token_source_trouble(token_source *source, char text[TOKEN_TROUBLE_SIZE]);

#endif

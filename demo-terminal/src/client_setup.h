/* The client's options out of the settings. */
#ifndef TG_TERMINAL_CLIENT_SETUP_H
#define TG_TERMINAL_CLIENT_SETUP_H

#include <stddef.h>

#include <tickglass/client.h>

#include "secret.h"
#include "settings.h"

/* What the options point to until the client is open. */
typedef struct client_setup {
    char *urls_text;
    const char *urls[SETTING_ENDPOINTS_MAX];
    char *pins_text;
    const char *pins[SETTING_PINS_MAX];
    char password[SECRET_SIZE];
} client_setup;

/*
 * Fills in everything that the settings decide; a token is not among it. why says what is wrong, in
 * one line without a secret. TG_ERR_IO, TG_ERR_SYNTAX: of the password's file; TG_ERR_NO_MEMORY.
 * Close in any case, once the client is open. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err client_setup_open(const settings *settings, client_setup *setup,
                                       tg_client_options *options, char *why, size_t why_size);
/* Wipes the password. Thread: owner. */
void client_setup_close(client_setup *setup);

#endif

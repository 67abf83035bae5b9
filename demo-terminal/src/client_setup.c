#include "client_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts a copy of the list into its items; *text owns them. */
static tg_err cut(const char *list, char **text, const char **items, uint32_t most, uint32_t *count)
{
    *count = 0;
    if (list == NULL) {
        return TG_OK;
    }
    *text = strdup(list);
    if (*text == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    const char *at = *text;
    const char *item = NULL;
    size_t size = 0;
    while (*count < most && setting_next_item(&at, &item, &size)) {
        const size_t end = (size_t)(item - *text) + size;
        at += (*text)[end] != '\0' ? 1 : 0;
        (*text)[end] = '\0';
        items[(*count)++] = item;
    }
    return TG_OK;
}

static tg_err read_password(const settings *from, client_setup *setup, tg_client_options *options,
                            char *why, size_t why_size)
{
    const char *path = settings_text(from, SETTING_CLIENT_KEY_PASSWORD_FILE);
    if (path == NULL) {
        return TG_OK;
    }
    char detail[256] = "";
    const tg_err err = secret_read(path, setup->password, detail, sizeof detail);
    if (err == TG_OK) {
        options->client_key_password = setup->password;
    } else {
        (void)snprintf(why, why_size, "client_key_password_file: %s", detail);
    }
    return err;
}

tg_err client_setup_open(const settings *from, client_setup *setup, tg_client_options *options,
                         char *why, size_t why_size)
{
    memset(setup, 0, sizeof *setup);
    uint32_t urls = 0;
    tg_err err = cut(settings_text(from, SETTING_ENDPOINTS), &setup->urls_text, setup->urls,
                     SETTING_ENDPOINTS_MAX, &urls);
    if (err == TG_OK) {
        err = cut(settings_text(from, SETTING_SPKI_PINS), &setup->pins_text, setup->pins,
                  SETTING_PINS_MAX, &options->spki_pin_count);
    }
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "%s", tg_err_text(err));
        return err;
    }
    options->url = setup->urls[0];
    options->fallback_urls = setup->urls + 1;
    options->fallback_count = urls > 0 ? urls - 1 : 0;
    options->spki_pins = setup->pins;
    options->ca_file = settings_text(from, SETTING_CA_FILE);
    options->client_cert_file = settings_text(from, SETTING_CLIENT_CERT_FILE);
    options->client_key_file = settings_text(from, SETTING_CLIENT_KEY_FILE);
    const char *proxy = settings_text(from, SETTING_PROXY);
    options->proxy = strcmp(proxy, "none") == 0 ? NULL : proxy;
    return read_password(from, setup, options, why, why_size);
}

void client_setup_close(client_setup *setup)
{
    secret_wipe(setup->password, sizeof setup->password);
    free(setup->urls_text);
    free(setup->pins_text);
    memset(setup, 0, sizeof *setup);
}

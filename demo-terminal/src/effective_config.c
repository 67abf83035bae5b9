#include "effective_config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/watchlist.h>

#include "client_setup.h"

#define WHY_SIZE 400

/* What it means that nothing is set. */
static const char *meaning_of_none(setting_id id)
{
    switch (id) {
    case SETTING_CA_FILE:
        return "the system's";
    case SETTING_FONT:
        return "the one found when this was built";
    case SETTING_ENDPOINTS:
    case SETTING_CLIENT_CERT_FILE:
    case SETTING_CLIENT_KEY_FILE:
    case SETTING_CLIENT_KEY_PASSWORD_FILE:
    case SETTING_SPKI_PINS:
    case SETTING_TOKEN_FILE:
    case SETTING_TOKEN_COMMAND:
    case SETTING_PROXY:
    case SETTING_SYMBOLS:
    case SETTING_PALETTE:
    case SETTING_FONT_SIZE:
    case SETTING_SIZE:
    case SETTING_RENDERER:
    case SETTING_COUNT:
        break;
    }
    return "none";
}

void effective_config_print(const settings *from, FILE *to)
{
    if (settings_profile(from) != NULL) {
        (void)fprintf(to, "# profile %s of %s\n", settings_profile(from),
                      settings_config_path(from));
    }
    for (int i = 0; i < SETTING_COUNT; i++) {
        const setting_id id = (setting_id)i;
        const char *text = settings_text(from, id);
        char shown[SETTING_SHOWN_SIZE];
        if (text != NULL) {
            setting_value_show(settings_kind(id), text, shown);
            (void)fprintf(to, "%-24s = %s", settings_key(id), shown);
        } else {
            (void)fprintf(to, "%-24s : %s", settings_key(id), meaning_of_none(id));
        }
        (void)fprintf(to, "  (%s)\n", settings_origin(from, id));
    }
}

static void check_readable(const settings *from, setting_id id, complaints *wrong)
{
    const char *path = settings_text(from, id);
    if (path != NULL && access(path, R_OK) != 0) {
        complaints_add(wrong, "%s: %s: %s", settings_key(id), path, strerror(errno));
    }
}

static void check_token_file(const settings *from, complaints *wrong)
{
    const char *path = settings_text(from, SETTING_TOKEN_FILE);
    char token[SECRET_SIZE];
    char why[WHY_SIZE] = "";
    if (path != NULL && secret_read(path, token, why, sizeof why) != TG_OK) {
        complaints_add(wrong, "token_file: %s", why);
    }
    secret_wipe(token, sizeof token);
}

static void check_symbols(const settings *from, complaints *wrong)
{
    tg_watchlist *list = NULL;
    char why[WHY_SIZE] = "";
    if (tg_watchlist_open(settings_text(from, SETTING_SYMBOLS), &list, why, sizeof why) != TG_OK) {
        complaints_add(wrong, "symbols: %s", why);
    }
    tg_watchlist_close(list);
}

static void check_client(const settings *from, complaints *wrong)
{
    client_setup setup;
    tg_client_options options;
    tg_client *client = NULL;
    char why[WHY_SIZE] = "";
    tg_client_options_init(&options);
    options.error_text = why;
    options.error_text_size = sizeof why;
    tg_err err = client_setup_open(from, &setup, &options, why, sizeof why);
    if (err == TG_OK) {
        err = tg_client_open(&options, &client);
    }
    client_setup_close(&setup);
    tg_client_close(client);
    if (err != TG_OK) {
        complaints_add(wrong, "%s", why[0] != '\0' ? why : tg_err_text(err));
    }
}

void effective_config_check(const settings *from, complaints *wrong)
{
    check_client(from, wrong);
    check_token_file(from, wrong);
    check_symbols(from, wrong);
    check_readable(from, SETTING_FONT, wrong);
}

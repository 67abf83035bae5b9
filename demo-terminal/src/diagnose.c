#include "diagnose.h"

#include <string.h>

#include "diagnosis.h"
#include "endpoint.h"
#include "route_walk.h"
#include "session_walk.h"

#define CONFIGURATION   2
#define SECONDS_DEFAULT 30
#define WHY_SIZE        400

static int walk_to(const settings *from, const char *url, int seconds, FILE *to, FILE *wrong_to)
{
    diagnosis found;
    endpoint at;
    char shown[ENDPOINT_URL_SIZE];
    char why[WHY_SIZE] = "";
    memset(&found, 0, sizeof found);
    endpoint_show(url, shown, sizeof shown);
    (void)fprintf(to, "%s\n", shown);
    (void)fflush(to);
    const char *proxy = settings_text(from, SETTING_PROXY);
    tg_err err = endpoint_parse(url, &at);
    if (err == TG_OK && route_walk(&at, strcmp(proxy, "none") == 0 ? NULL : proxy, &found)) {
        err = session_walk(from, url, seconds, &found, why, sizeof why);
    }
    diagnosis_print(&found, to);
    if (err != TG_OK) {
        (void)fprintf(wrong_to, "tickglass-terminal: %s\n",
                      why[0] != '\0' ? why : tg_err_text(err));
        return CONFIGURATION;
    }
    return diagnosis_exit_code(&found);
}

int diagnose_run(const settings *from, int seconds, FILE *to, FILE *wrong_to)
{
    char url[ENDPOINT_URL_SIZE];
    int code = 0;
    for (size_t i = 0; settings_endpoint(from, i, url, sizeof url); i++) {
        const int one = walk_to(from, url, seconds > 0 ? seconds : SECONDS_DEFAULT, to, wrong_to);
        code = code == 0 ? one : code;
    }
    return code;
}

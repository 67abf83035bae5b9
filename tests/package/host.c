/** The smallest C host: what an embedder's first file looks like. */
#include <stdio.h>
#include <string.h>
#include <tickglass/client.h>
#include <tickglass/version.h>

int main(void)
{
    tg_client *client = NULL;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "wss://localhost:1/tickglass";
    const tg_err err = tg_client_open(&opt, &client);
    if (err != TG_OK) {
        printf("%s: %s\n", tg_err_name(err), tg_err_text(err));
        return 1;
    }
    tg_client_close(client);
    printf("%s\n", tg_build_info());
    return strstr(tg_build_info(), TG_VERSION_STRING) != NULL ? 0 : 1;
}

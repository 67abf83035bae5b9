/** The same host as C++. */
#include <cstdio>
#include <cstring>
#include <tickglass/client.h>
#include <tickglass/version.h>

int main()
{
    tg_client *client = nullptr;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "wss://localhost:1/tickglass";
    const tg_err err = tg_client_open(&opt, &client);
    if (err != TG_OK) {
        std::printf("%s: %s\n", tg_err_name(err), tg_err_text(err));
        return 1;
    }
    tg_client_close(client);
    std::printf("%s\n", tg_build_info());
    return std::strstr(tg_build_info(), TG_VERSION_STRING) != nullptr ? 0 : 1;
}

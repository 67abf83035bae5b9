#include "gateway_fixture.h"

gateway_process gateway;

int gateway_fixture_start(void **state)
{
    (void)state;
    return gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL) ? 0 : -1;
}

int gateway_fixture_stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    return 0;
}

tg_client_options gateway_fixture_options(const char *url)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = gateway.ca;
    opt.token = gateway.token;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    return opt;
}

/* One real gateway for all tests of a program. */
#ifndef GATEWAY_FIXTURE_H
#define GATEWAY_FIXTURE_H

#include <tickglass/client.h>

#include "../integration/gateway_process.h"

extern gateway_process gateway;

/* For cmocka_run_group_tests_name(). */
int gateway_fixture_start(void **state);
int gateway_fixture_stop(void **state);

/* Of a client that trusts it, has its token and does not wait long between attempts. */
tg_client_options gateway_fixture_options(const char *url);

#endif

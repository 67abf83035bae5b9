/* One real gateway behind one TLS front for all tests of a program. */
#ifndef TLS_GATEWAY_FIXTURE_H
#define TLS_GATEWAY_FIXTURE_H

#include "gateway_fixture.h"
#include "tls_front.h"

extern tls_front front;

/* Leads connections to each of binds, as tls_front_start() has them, to the gateway. For the start
 * function of cmocka_run_group_tests_name(). */
int tls_gateway_fixture_start(const char *const *binds, unsigned count);
int tls_gateway_fixture_stop(void **state);

#endif

/* One real gateway behind one TLS front for all tests of a program. */
#ifndef TLS_GATEWAY_FIXTURE_H
#define TLS_GATEWAY_FIXTURE_H

#include <stdbool.h>

#include "gateway_fixture.h"
#include "tls_front.h"

extern tls_front front;

/* Says what each of binds is, as tls_front_start() has them; they are kept. False, and a line that
 * says so: this machine lacks what a front needs. */
bool tls_gateway_fixture_lead(const char *const *binds, unsigned count);
/* For cmocka_run_group_tests_name(). */
int tls_gateway_fixture_start(void **state);
int tls_gateway_fixture_stop(void **state);

#endif

#include "tls_gateway_fixture.h"

#include <stddef.h>

tls_front front;

int tls_gateway_fixture_start(const char *const *binds, unsigned count)
{
    tls_front_init(&front);
    if (gateway_fixture_start(NULL) != 0) {
        return -1;
    }
    tls_front_start(&front, binds, count, gateway.port, true);
    return 0;
}

int tls_gateway_fixture_stop(void **state)
{
    tls_front_stop(&front);
    return gateway_fixture_stop(state);
}

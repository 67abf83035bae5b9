#include "tls_gateway_fixture.h"

#include <stddef.h>

tls_front front;

static const char *const *led;
static unsigned led_count;

bool tls_gateway_fixture_lead(const char *const *binds, unsigned count)
{
    led = binds;
    led_count = count;
    return tls_front_is_possible();
}

int tls_gateway_fixture_start(void **state)
{
    tls_front_init(&front);
    if (gateway_fixture_start(state) != 0) {
        return -1;
    }
    tls_front_start(&front, led, led_count, gateway.port, true);
    return 0;
}

int tls_gateway_fixture_stop(void **state)
{
    tls_front_stop(&front);
    return gateway_fixture_stop(state);
}

#include <tickglass/client.h>

#include <pthread.h>
#include <stdio.h>

#include <tickglass/version.h>

#include "io.h"
#include "tls_trust.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char info[128];

static void write_info(void)
{
    (void)snprintf(info, sizeof info, "tickglass %s libwebsockets %s mbedTLS %s", TG_VERSION_STRING,
                   tg__io_version(), tg__tls_version());
}

const char *tg_build_info(void)
{
    (void)pthread_once(&once, write_info);
    return info;
}

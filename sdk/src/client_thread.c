#include <signal.h>

#include <tickglass/internal/control_flow.h>

#include "client_state.h"

static void *run(void *argument)
{
    tg_client *client = argument;
    tg__client_connect(client);
    /* Acquire: pairs with the release in tg_client_close(). */
    while (!atomic_load_explicit(&client->close_requested, memory_order_acquire)) {
        tg__io_service(client->io, true);
    }
    tg__client_leave(client);
    return NULL;
}

tg_err tg__client_start_thread(tg_client *client)
{
    /* The host's signals are for the host's threads. */
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    TG_ENSURE(pthread_sigmask(SIG_SETMASK, &all, &before) == 0, TG_ERR_IO);
    const int failed = pthread_create(&client->thread, NULL, run, client);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0 ? TG_OK : TG_ERR_NO_MEMORY;
}

void tg__client_join_thread(tg_client *client)
{
    (void)pthread_join(client->thread, NULL);
}

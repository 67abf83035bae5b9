/* A loop of one's own around poll(). Everything happens on this one thread. */
#include <poll.h>
#include <stddef.h>

#include "price_watch.h"

int main(int argc, char **argv) /* URL CA-FILE TOKEN */
{
    price_watch watch;
    struct pollfd client = {-1, POLLIN, 0};
    bool good =
        price_watch_open(&watch, argc, argv) && tg_client_fd(watch.client, &client.fd) == TG_OK;
    while (good && price_watch_step(&watch)) {
        good = poll(&client, 1, price_watch_timeout_ms(&watch, 1000)) >= 0;
    }
    good = good && watch.shown == watch.wanted;
    price_watch_close(&watch);
    return good ? 0 : 1;
}

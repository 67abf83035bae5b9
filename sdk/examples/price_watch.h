/* What the examples share and what is not about loops: a client, one instrument, ten lines of it.
 */
#ifndef PRICE_WATCH_H
#define PRICE_WATCH_H

#include <stdbool.h>

#include <tickglass/client.h>

TG_BEGIN_DECLS

typedef struct price_watch {
    tg_client *client;
    tg_reader *reader;
    uint64_t view_number; /* of the view that was printed last */
    int shown;
    int wanted;
} price_watch;

/* argv: URL CA-FILE TOKEN. False: not to be opened; what there is can be closed. */
bool price_watch_open(price_watch *watch, int argc, char **argv);
void price_watch_close(price_watch *watch);

/* One step of the client, and the price if there is a new view. False: that was enough. */
bool price_watch_step(price_watch *watch);

/* Until the next step if the descriptor does not become readable before: 0 to limit_ms. */
int price_watch_timeout_ms(price_watch *watch, int limit_ms);

TG_END_DECLS

#endif

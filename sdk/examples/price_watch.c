#include "price_watch.h"

#include <stdio.h>
#include <string.h>

#define BUDGET_US 2000 /* of one turn of the loop: the host has other things to do */
#define NS_PER_MS 1000000

bool price_watch_open(price_watch *watch, int argc, char **argv)
{
    memset(watch, 0, sizeof *watch);
    watch->wanted = 10;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = argc == 4 ? argv[1] : NULL;
    opt.ca_file = argc == 4 ? argv[2] : NULL;
    opt.token = argc == 4 ? argv[3] : NULL;
    tg_sub_id sub;
    return tg_client_open(&opt, &watch->client) == TG_OK &&
           tg_reader_open(tg_client_store(watch->client), &watch->reader) == TG_OK &&
           tg_client_subscribe(watch->client, "ORION", "BTC-USD", &sub) == TG_OK;
}

void price_watch_close(price_watch *watch)
{
    tg_reader_close(watch->reader);
    tg_client_close(watch->client);
}

static void show(price_watch *watch, const tg_view *view)
{
    tg_instrument_id id;
    tg_row row;
    tg_instrument instrument;
    char bid[TG_DECIMAL_TEXT_SIZE];
    if (tg_view_find(view, "ORION", "BTC-USD", &id) == TG_OK &&
        tg_view_row(view, id, tg_view_published_mono_ns(view), &row) == TG_OK &&
        tg_view_instrument(view, id, &instrument) == TG_OK &&
        tg_image_has(&row.image, TG_FIELD_BID_PRICE)) {
        const tg_decimal price = {row.image.value[TG_FIELD_BID_PRICE], instrument.price_exponent};
        if (tg_decimal_format(price, bid, sizeof bid) == TG_OK) {
            printf("%d: %s %s\n", ++watch->shown, bid, tg_quality_name(row.quality));
        }
    }
}

bool price_watch_step(price_watch *watch)
{
    if (tg_client_step(watch->client, BUDGET_US) != TG_OK) {
        return false;
    }
    const tg_view *view = tg_reader_pin(watch->reader);
    if (tg_view_number(view) != watch->view_number && watch->shown < watch->wanted) {
        watch->view_number = tg_view_number(view);
        show(watch, view);
    }
    tg_reader_unpin(watch->reader);
    /* Who is not let in is told so, and does not wait for ever. */
    return watch->shown < watch->wanted && tg_client_state(watch->client) != TG_SESSION_IDLE;
}

int price_watch_timeout_ms(price_watch *watch, int limit_ms)
{
    const tg_clock clock = tg_clock_system();
    const int64_t now_ns = tg_clock_mono_ns(&clock);
    int64_t deadline_ns = 0;
    if (tg_client_next_deadline(watch->client, &deadline_ns) != TG_OK || deadline_ns <= now_ns) {
        return 0;
    }
    const int64_t wait_ns = deadline_ns - now_ns;
    /* Rounded up: waking too early would only mean waiting again. */
    return wait_ns / NS_PER_MS < limit_ms ? (int)(wait_ns / NS_PER_MS) + 1 : limit_ms;
}

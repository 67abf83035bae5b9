#include <semaphore.h>
#include <stdio.h>
#include <tickglass/client.h>

static void on_publish(void *ctx, uint64_t view_number) /* on the client's network thread */
{
    (void)view_number;
    (void)sem_post(ctx);
}

static int show_ten(tg_reader *reader, sem_t *published)
{
    for (int shown = 0; shown < 10 && sem_wait(published) == 0; tg_reader_unpin(reader)) {
        const tg_view *view = tg_reader_pin(reader); /* one cut: it does not change while we look */
        tg_instrument_id id;
        tg_row row;
        tg_instrument instrument;
        char bid[TG_DECIMAL_TEXT_SIZE];
        if (tg_view_find(view, "ORION", "BTC-USD", &id) == TG_OK &&
            tg_view_row(view, id, tg_view_published_mono_ns(view), &row) == TG_OK &&
            tg_view_instrument(view, id, &instrument) == TG_OK &&
            tg_image_has(&row.image, TG_FIELD_BID_PRICE)) {
            const tg_decimal price = {row.image.value[TG_FIELD_BID_PRICE],
                                      instrument.price_exponent};
            if (tg_decimal_format(price, bid, sizeof bid) == TG_OK) {
                printf("%d: %s %s\n", ++shown, bid, tg_quality_name(row.quality));
            }
        }
    }
    return 0;
}

int main(int argc, char **argv) /* URL CA-FILE TOKEN */
{
    sem_t published;
    tg_client *client = NULL;
    tg_reader *reader = NULL;
    tg_sub_id sub;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = argc == 4 ? argv[1] : NULL;
    opt.ca_file = argc == 4 ? argv[2] : NULL;
    opt.token = argc == 4 ? argv[3] : NULL;
    opt.on_publish = on_publish;
    opt.ctx = &published;
    const int good = sem_init(&published, 0, 0) == 0 && tg_client_open(&opt, &client) == TG_OK &&
                     tg_reader_open(tg_client_store(client), &reader) == TG_OK &&
                     tg_client_subscribe(client, "ORION", "BTC-USD", &sub) == TG_OK &&
                     tg_client_start(client) == TG_OK && show_ten(reader, &published) == 0;
    tg_reader_close(reader);
    tg_client_close(client);
    return good ? 0 : 1;
}

#include "activity.h"

#include <stdlib.h>
#include <time.h>

#include <tickglass/client.h>

#define WATCH_MS       2000
#define FIRST_LIMIT_MS 10000
#define LOOK_MS        20

static void sleep_ms(long ms)
{
    const struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&span, NULL);
}

static bool subscribe_all(tg_client *client, const names *of, why *reason)
{
    for (size_t i = 0; i < of->count; i++) {
        tg_sub_id sub;
        const tg_err err = tg_client_subscribe(client, of->at[i].venue, of->at[i].symbol, &sub);
        if (err != TG_OK) {
            return why_say(reason, "%s:%s: %s", of->at[i].venue, of->at[i].symbol,
                           tg_err_text(err));
        }
    }
    return true;
}

/* How many of them have a value. seq: 0 where there is none. */
static size_t read_seqs(tg_reader *reader, const names *of, uint64_t *seqs)
{
    const tg_view *const view = tg_reader_pin(reader);
    size_t known = 0;
    for (size_t i = 0; i < of->count; i++) {
        tg_instrument_id id = 0;
        tg_row row;
        const bool found = tg_view_find(view, of->at[i].venue, of->at[i].symbol, &id) == TG_OK &&
                           tg_view_row(view, id, 0, &row) == TG_OK;
        seqs[i] = found ? row.image.seq : 0;
        known += found && row.image.seq > 0;
    }
    tg_reader_unpin(reader);
    return known;
}

static bool watch(tg_client *client, tg_reader *reader, names *of, why *reason)
{
    uint64_t *const first = calloc(of->count, sizeof *first);
    uint64_t *const last = calloc(of->count, sizeof *last);
    bool good = first != NULL && last != NULL;
    if (!good) {
        (void)why_say(reason, "activity: no memory");
    }
    for (int waited_ms = 0; good && tg_client_state(client) != TG_SESSION_LIVE;
         waited_ms += LOOK_MS) {
        sleep_ms(LOOK_MS);
        good = waited_ms < FIRST_LIMIT_MS ||
               why_say(reason, "the first values did not come within %d s", FIRST_LIMIT_MS / 1000);
    }
    if (good) {
        (void)read_seqs(reader, of, first);
        sleep_ms(WATCH_MS);
        good = read_seqs(reader, of, last) > 0 || why_say(reason, "no instrument has a value");
    }
    for (size_t i = 0; good && i < of->count; i++) {
        /* What had its first value in between counts from there. */
        of->at[i].weight = 1 + (first[i] > 0 && last[i] > first[i] ? last[i] - first[i] : 0);
    }
    free(first);
    free(last);
    return good;
}

bool activity_weigh(names *of, const gateway_address *gateway, why *reason)
{
    tg_client *client = NULL;
    tg_reader *reader = NULL;
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = gateway->url;
    options.ca_file = gateway->ca_file;
    options.token = gateway->token;
    tg_err err = tg_client_open(&options, &client);
    if (err == TG_OK) {
        err = tg_reader_open(tg_client_store(client), &reader);
    }
    bool good = err == TG_OK && subscribe_all(client, of, reason);
    if (good) {
        err = tg_client_start(client);
        good = err == TG_OK && watch(client, reader, of, reason);
    }
    if (err != TG_OK) {
        (void)why_say(reason, "%s: %s", gateway->url, tg_err_text(err));
    }
    tg_reader_close(reader);
    tg_client_close(client);
    return good;
}

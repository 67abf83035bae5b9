/*
 * Instruments of the gateway's directory whose symbols begin with what was typed.
 *
 * "BTC" finds symbols of every venue, "CME:ES" those of one. Names are compared as they are
 * written; where that finds nothing, once more in upper case. One page: what follows it is only
 * known to be there.
 */
#ifndef TG_TERMINAL_INSTRUMENT_SEARCH_H
#define TG_TERMINAL_INSTRUMENT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>

#define INSTRUMENT_SEARCH_MAX 200

typedef struct instrument_search instrument_search;

typedef struct search_result {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} search_result;

typedef enum search_state {
    SEARCH_NOTHING_ASKED,
    SEARCH_UNDER_WAY, /* what is there is the answer to an earlier text */
    SEARCH_ANSWERED
} search_state;

/* TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err instrument_search_open(instrument_search **out);
/* The client must be closed before. NULL is allowed. Thread: owner. */
void instrument_search_close(instrument_search *search);

/* For tg_client_options.on_found. True: an answer is complete. Thread: network. */
bool instrument_search_found(instrument_search *search, uint32_t request, const char *venue,
                             const tg_instrument *instrument, bool more);

/* Search for that instead; "": for nothing. Thread: owner. */
void instrument_search_for(instrument_search *search, const char *text);

/* Asks what is to be asked. connects counts sessions: a question of an earlier one is asked again.
 * True: there is a new answer. Thread: owner. */
bool instrument_search_poll(instrument_search *search, tg_client *client, uint64_t connects);

/* The answer as of the last poll. Thread: owner, all of these. */
search_state instrument_search_state(const instrument_search *search);
size_t instrument_search_count(const instrument_search *search);
bool instrument_search_has_more(const instrument_search *search);
/* index < instrument_search_count(). */
const search_result *instrument_search_at(const instrument_search *search, size_t index);

#endif

#include "instrument_search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_line.h"

typedef struct answer {
    size_t count;
    bool more;
    search_result result[INSTRUMENT_SEARCH_MAX];
} answer;

struct instrument_search {
    /* The owner's. */
    char text[TEXT_LINE_SIZE];
    bool upper; /* asked in upper case */
    search_state state;
    answer shown;
    uint64_t asked_in_connect;
    pthread_mutex_t lock; /* what follows is shared with the network thread */
    bool asked;
    bool complete;
    uint32_t request;
    answer coming;
};

tg_err instrument_search_open(instrument_search **out)
{
    *out = calloc(1, sizeof **out);
    if (*out != NULL && pthread_mutex_init(&(*out)->lock, NULL) != 0) {
        free(*out);
        *out = NULL;
    }
    return *out != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

void instrument_search_close(instrument_search *self)
{
    if (self != NULL) {
        (void)pthread_mutex_destroy(&self->lock);
        free(self);
    }
}

bool instrument_search_found(instrument_search *self, uint32_t request, const char *venue,
                             const tg_instrument *instrument, bool more)
{
    bool ended = false;
    (void)pthread_mutex_lock(&self->lock);
    if (self->asked && !self->complete && request == self->request) {
        answer *to = &self->coming;
        if (instrument == NULL) {
            to->more = more;
            self->complete = true;
            ended = true;
        } else if (to->count < INSTRUMENT_SEARCH_MAX) {
            search_result *result = &to->result[to->count++];
            (void)snprintf(result->venue, sizeof result->venue, "%s", venue);
            (void)snprintf(result->symbol, sizeof result->symbol, "%s", instrument->symbol);
        }
    }
    (void)pthread_mutex_unlock(&self->lock);
    return ended;
}

/* The question that is under way counts no more: its answer is not waited for. */
static void give_up(instrument_search *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->asked = false;
    self->complete = false;
    (void)pthread_mutex_unlock(&self->lock);
}

void instrument_search_for(instrument_search *self, const char *text)
{
    if (strcmp(text, self->text) == 0) {
        return;
    }
    (void)snprintf(self->text, sizeof self->text, "%s", text);
    self->upper = false;
    self->state = SEARCH_UNDER_WAY;
    if (text[0] == '\0') {
        self->state = SEARCH_NOTHING_ASKED;
        self->shown.count = 0;
        self->shown.more = false;
    }
    give_up(self);
}

static void to_upper(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
    }
}

static bool has_lower(const char *text)
{
    char upper[TEXT_LINE_SIZE];
    (void)snprintf(upper, sizeof upper, "%s", text);
    to_upper(upper);
    return strcmp(upper, text) != 0;
}

/* The lock is held: an answer that comes at once waits until it can find the request's number. */
static void ask(instrument_search *self, tg_client *client)
{
    char venue[TEXT_LINE_SIZE];
    (void)snprintf(venue, sizeof venue, "%s", self->text);
    if (self->upper) {
        to_upper(venue);
    }
    const char *prefix = venue;
    char *colon = strchr(venue, ':');
    if (colon != NULL) {
        *colon = '\0';
        prefix = colon + 1;
    }
    self->coming.count = 0;
    self->coming.more = false;
    self->complete = false;
    self->asked = tg_client_find(client, colon != NULL ? venue : NULL, prefix, NULL, NULL,
                                 INSTRUMENT_SEARCH_MAX, &self->request) == TG_OK;
}

bool instrument_search_poll(instrument_search *self, tg_client *client, uint64_t connects)
{
    bool answered = false;
    if (self->state != SEARCH_UNDER_WAY) {
        return false;
    }
    (void)pthread_mutex_lock(&self->lock);
    if (self->asked && !self->complete && self->asked_in_connect != connects) {
        self->asked = false;
    }
    if (self->asked && self->complete) {
        self->asked = false;
        if (self->coming.count == 0 && !self->upper && has_lower(self->text)) {
            self->upper = true;
        } else {
            self->shown = self->coming;
            self->state = SEARCH_ANSWERED;
            answered = true;
        }
    }
    if (!answered && !self->asked && connects > 0) {
        /* Queues a command and returns. No session: asked again at the next poll. */
        ask(self, client);
        self->asked_in_connect = connects;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return answered;
}

search_state instrument_search_state(const instrument_search *self)
{
    return self->state;
}

size_t instrument_search_count(const instrument_search *self)
{
    return self->shown.count;
}

bool instrument_search_has_more(const instrument_search *self)
{
    return self->shown.more;
}

const search_result *instrument_search_at(const instrument_search *self, size_t index)
{
    return &self->shown.result[index];
}

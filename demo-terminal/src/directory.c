#include "directory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 100

typedef struct found_name {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} found_name;

struct directory {
    size_t limit;
    pthread_mutex_t lock; /* what follows is shared with the network thread */
    found_name *names;
    size_t count;
    size_t taken;
    bool asked; /* a page is on its way */
    bool complete;
    uint32_t request;
    uint64_t asked_in_connect;
};

tg_err directory_open(size_t limit, directory **out)
{
    *out = NULL;
    directory *dir = calloc(1, sizeof *dir);
    if (dir == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    dir->limit = limit;
    dir->names = calloc(limit, sizeof *dir->names);
    if (dir->names == NULL || pthread_mutex_init(&dir->lock, NULL) != 0) {
        free(dir->names);
        free(dir);
        return TG_ERR_NO_MEMORY;
    }
    *out = dir;
    return TG_OK;
}

void directory_close(directory *dir)
{
    if (dir != NULL) {
        (void)pthread_mutex_destroy(&dir->lock);
        free(dir->names);
        free(dir);
    }
}

bool directory_found(directory *dir, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    bool page_ended = false;
    (void)pthread_mutex_lock(&dir->lock);
    if (dir->asked && request == dir->request) {
        if (instrument == NULL) {
            dir->asked = false;
            dir->complete = !more || dir->count == dir->limit;
            page_ended = true;
        } else if (dir->count < dir->limit) {
            found_name *name = &dir->names[dir->count++];
            (void)snprintf(name->venue, sizeof name->venue, "%s", venue);
            (void)snprintf(name->symbol, sizeof name->symbol, "%s", instrument->symbol);
        }
    }
    (void)pthread_mutex_unlock(&dir->lock);
    return page_ended;
}

void directory_poll(directory *dir, tg_client *client, uint64_t connects)
{
    (void)pthread_mutex_lock(&dir->lock);
    if (dir->asked && dir->asked_in_connect != connects) {
        dir->asked = false;
    }
    if (!dir->asked && !dir->complete && connects > 0) {
        const found_name *last = dir->count > 0 ? &dir->names[dir->count - 1] : NULL;
        const size_t room = dir->limit - dir->count;
        const uint32_t wanted = (uint32_t)(room < PAGE_SIZE ? room : PAGE_SIZE);
        /* Queues a command and returns; an answer that comes at once waits for our lock, so that
         * it finds the request's number. No session: asked again at the next poll. */
        if (tg_client_find(client, NULL, NULL, last != NULL ? last->venue : NULL,
                           last != NULL ? last->symbol : NULL, wanted, &dir->request) == TG_OK) {
            dir->asked = true;
            dir->asked_in_connect = connects;
        }
    }
    (void)pthread_mutex_unlock(&dir->lock);
}

bool directory_next(directory *dir, char venue[TG_VENUE_NAME_SIZE], char symbol[TG_SYMBOL_SIZE])
{
    (void)pthread_mutex_lock(&dir->lock);
    const bool any = dir->taken < dir->count;
    if (any) {
        const found_name *name = &dir->names[dir->taken++];
        memcpy(venue, name->venue, sizeof name->venue);
        memcpy(symbol, name->symbol, sizeof name->symbol);
    }
    (void)pthread_mutex_unlock(&dir->lock);
    return any;
}

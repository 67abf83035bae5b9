#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "splitmix.h"

/* Clients that are away, in a ring; those that are there, in any order. */
typedef struct crowd {
    uint32_t *away;
    size_t away_first;
    size_t away_count;
    uint32_t *there;
    size_t there_count;
    size_t *connected_by; /* per client: its latest connect among the steps */
    uint32_t clients;
} crowd;

static void *room_for(size_t count, size_t size)
{
    void *const room = calloc(count + 1, size);
    if (room == NULL) {
        perror("plan");
        exit(1);
    }
    return room;
}

static uint32_t arrive(crowd *c)
{
    const uint32_t client = c->away[c->away_first];
    c->away_first = (c->away_first + 1) % c->clients;
    c->away_count--;
    c->there[c->there_count++] = client;
    return client;
}

static uint32_t leave(crowd *c, splitmix *random)
{
    const size_t at = splitmix_below(random, (uint32_t)c->there_count);
    const uint32_t client = c->there[at];
    c->there[at] = c->there[--c->there_count];
    c->away[(c->away_first + c->away_count++) % c->clients] = client;
    return client;
}

void plan_init(plan *p, const trace *from, uint32_t clients, uint64_t seed)
{
    splitmix random = {seed};
    crowd c = {.away = room_for(clients, sizeof *c.away),
               .there = room_for(clients, sizeof *c.there),
               .connected_by = room_for(clients, sizeof *c.connected_by),
               .clients = clients,
               .away_count = clients};
    for (uint32_t i = 0; i < clients; i++) {
        c.away[i] = i;
    }
    p->steps = room_for(from->count, sizeof *p->steps);
    p->count = from->count;
    for (size_t i = 0; i < from->count; i++) {
        const trace_event *const event = &from->events[i];
        plan_step *const step = &p->steps[i];
        *step = (plan_step){.time_ms = event->time_ms, .kind = event->kind};
        if (event->kind == TRACE_CONNECT) {
            step->client = arrive(&c);
            c.connected_by[step->client] = i;
        } else {
            step->client = leave(&c, &random);
            p->steps[c.connected_by[step->client]].ends_by_reset = event->kind == TRACE_RESET;
        }
    }
    free(c.away);
    free(c.there);
    free(c.connected_by);
}

void plan_deinit(plan *p)
{
    free(p->steps);
    memset(p, 0, sizeof *p);
}

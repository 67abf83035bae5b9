/*
 * In an SDL program. SDL waits for its own events only, so a small thread waits for the client's
 * descriptor and puts an event into SDL's queue; everything else happens on the main thread. One
 * that draws at the screen's rate anyway needs neither: it steps once for each picture.
 */
#include <SDL.h>
#include <poll.h>
#include <stddef.h>

#include "price_watch.h"

typedef struct waker {
    int fd;
    Uint32 event;
    SDL_sem *taken; /* the main thread has done its step: wait again */
    SDL_atomic_t over;
} waker;

static int wait_for_client(void *ctx)
{
    waker *w = ctx;
    struct pollfd client = {w->fd, POLLIN, 0};
    while (SDL_AtomicGet(&w->over) == 0) {
        if (poll(&client, 1, 100) > 0) {
            SDL_Event event = {.type = w->event};
            if (SDL_PushEvent(&event) == 1) {
                (void)SDL_SemWait(w->taken);
            }
        }
    }
    return 0;
}

static void run(price_watch *watch, waker *w)
{
    bool more = true;
    while (more) {
        SDL_Event event;
        const int got = SDL_WaitEventTimeout(&event, price_watch_timeout_ms(watch, 1000));
        more = price_watch_step(watch) && !(got != 0 && event.type == SDL_QUIT);
        if (got != 0 && event.type == w->event) {
            (void)SDL_SemPost(w->taken);
        }
    }
}

int main(int argc, char **argv) /* URL CA-FILE TOKEN */
{
    price_watch watch;
    waker w = {.fd = -1};
    bool good = price_watch_open(&watch, argc, argv) && tg_client_fd(watch.client, &w.fd) == TG_OK;
    good = good && SDL_Init(SDL_INIT_EVENTS) == 0;
    if (good) {
        w.event = SDL_RegisterEvents(1);
        w.taken = SDL_CreateSemaphore(0);
        SDL_Thread *thread = SDL_CreateThread(wait_for_client, "client", &w);
        run(&watch, &w);
        SDL_AtomicSet(&w.over, 1);
        (void)SDL_SemPost(w.taken);
        SDL_WaitThread(thread, NULL);
        SDL_DestroySemaphore(w.taken);
        good = watch.shown == watch.wanted;
    }
    SDL_Quit();
    price_watch_close(&watch);
    return good ? 0 : 1;
}

/*
 * Sleeps until the display or another thread has something to say.
 *
 * SDL can do that, too, but its way goes through the X server: whoever wakes sends the window an
 * event, which costs that thread two system calls, the server its turn, and the sleeper a lot of
 * looking for other events. Here the sleeper waits for the display's own connection and for a pipe.
 */
#ifndef TICKGLASS_RENDER_DISPLAY_WAIT_H
#define TICKGLASS_RENDER_DISPLAY_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <SDL.h>

#include <tickglass/err.h>

enum {
    TG__WAIT_AWAKE,
    TG__WAIT_ASLEEP, /* the owner is about to sleep, or does: a byte ends that */
    TG__WAIT_WOKEN
};

typedef struct tg__display_wait {
    int display_fd; /* of the X connection; -1: none is known, or there is no display */
    int pipe[2];
    bool through_sdl; /* another window system: SDL sleeps, and is woken by an event */
    uint32_t event;   /* by this one */
    /* WOKEN is set by any thread and cleared by the owner before he looks at what he was woken for:
     * a change that comes after the clearing sets it again. */
    _Atomic int state;
} tg__display_wait;

/* TG_ERR_NO_MEMORY: no descriptor is free. Thread: owner. */
TG_MUST_CHECK tg_err tg__display_wait_open(tg__display_wait *wait);
/* Idempotent. Thread: owner. */
void tg__display_wait_close(tg__display_wait *wait);

/* Which window system there is, once there is a window; before any other thread wakes. event: a
 * number of SDL's queue that means nothing else. blind: nothing of it could be slept on. Thread:
 * owner. */
void tg__display_wait_attach(tg__display_wait *wait, SDL_Window *window, uint32_t event,
                             bool blind);

/* At most timeout_ns, or until display or a wake. SDL's queue must have been emptied before. False:
 * certainly nothing came from the display. Thread: owner. */
bool tg__display_wait_sleep(tg__display_wait *wait, int64_t timeout_ns);

/* Ends a sleep, or keeps the next one from beginning. Thread: any. */
void tg__display_wait_wake(tg__display_wait *wait);

/* True, once: somebody woke. Thread: owner. */
bool tg__display_wait_take(tg__display_wait *wait);

#endif

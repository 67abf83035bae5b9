#include "display_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <SDL_syswm.h>

#include <tickglass/internal/control_flow.h>

#define NS_PER_MS INT64_C(1000000)

tg_err tg__display_wait_open(tg__display_wait *wait)
{
    memset(wait, 0, sizeof *wait);
    wait->display_fd = -1;
    wait->pipe[0] = -1;
    wait->pipe[1] = -1;
    TG_ENSURE(pipe(wait->pipe) == 0, TG_ERR_NO_MEMORY);
    if (fcntl(wait->pipe[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(wait->pipe[1], F_SETFD, FD_CLOEXEC) != 0) {
        tg__display_wait_close(wait);
        return TG_ERR_NO_MEMORY;
    }
    return TG_OK;
}

void tg__display_wait_close(tg__display_wait *wait)
{
    for (int i = 0; i < 2; i++) {
        if (wait->pipe[i] >= 0) {
            (void)close(wait->pipe[i]);
            wait->pipe[i] = -1;
        }
    }
}

void tg__display_wait_attach(tg__display_wait *wait, SDL_Window *window, uint32_t event, bool blind)
{
    wait->event = event;
    wait->display_fd = -1;
    wait->through_sdl = !blind;
#ifdef SDL_VIDEO_DRIVER_X11
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!blind && SDL_GetWindowWMInfo(window, &info) == SDL_TRUE &&
        info.subsystem == SDL_SYSWM_X11) {
        wait->display_fd = ConnectionNumber(info.info.x11.display);
        wait->through_sdl = false;
    }
#else
    (void)window;
#endif
}

/* One byte for each sleep that was ended; it may still be on its way. */
static void take_byte(int fd)
{
    char byte;
    while (read(fd, &byte, 1) < 0 && errno == EINTR) {
    }
}

static bool sleep_on_display(tg__display_wait *wait, int timeout_ms)
{
    struct pollfd polled[] = {{.fd = wait->pipe[0], .events = POLLIN},
                              {.fd = wait->display_fd, .events = POLLIN}};
    int state = TG__WAIT_AWAKE;
    /* Whether somebody woke is the acquire's business in take: none is needed here. */
    if (!atomic_compare_exchange_strong_explicit(&wait->state, &state, TG__WAIT_ASLEEP,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return false;
    }
    const bool any = poll(polled, 2, timeout_ms) > 0;
    state = TG__WAIT_ASLEEP;
    if (!atomic_compare_exchange_strong_explicit(&wait->state, &state, TG__WAIT_AWAKE,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        take_byte(wait->pipe[0]);
    }
    return any && polled[1].revents != 0;
}

bool tg__display_wait_sleep(tg__display_wait *wait, int64_t timeout_ns)
{
    /* Rounded up: who wakes before his time only sleeps again. */
    const int64_t ms = (timeout_ns + NS_PER_MS - 1) / NS_PER_MS;
    const int timeout_ms = ms > INT_MAX ? INT_MAX : (int)ms;
    if (wait->through_sdl) {
        /* NULL: the event stays in the queue. */
        (void)SDL_WaitEventTimeout(NULL, timeout_ms);
        return true;
    }
    return sleep_on_display(wait, timeout_ms);
}

void tg__display_wait_wake(tg__display_wait *wait)
{
    /* Release: what the caller wrote before is seen after the acquire in take. */
    const int before = atomic_exchange_explicit(&wait->state, TG__WAIT_WOKEN, memory_order_acq_rel);
    if (before == TG__WAIT_ASLEEP) {
        (void)!write(wait->pipe[1], "", 1);
    } else if (before == TG__WAIT_AWAKE && wait->through_sdl) {
        SDL_Event woken;
        memset(&woken, 0, sizeof woken);
        woken.type = wait->event;
        /* A full queue wakes the owner as well. */
        (void)SDL_PushEvent(&woken);
    }
}

bool tg__display_wait_take(tg__display_wait *wait)
{
    /* Acquire: pairs with the release in wake. */
    return atomic_exchange_explicit(&wait->state, TG__WAIT_AWAKE, memory_order_acq_rel) ==
           TG__WAIT_WOKEN;
}

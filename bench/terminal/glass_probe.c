#include "glass_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <X11/Xlib.h>
#include <X11/keysym.h>
#ifdef TG_BENCH_XTEST
#include <X11/extensions/XTest.h>
#endif

#include <samples.h>

#define NS_PER_S       INT64_C(1000000000)
#define WINDOW_LIMIT_S 30
#define PIXEL_LIMIT_S  5
/* Between two looks at the screen: a processor that only looks is taken from those that work. */
#define LOOK_NS 20000
/* Where a row's background can be seen and nothing else: to the left of its first letter. */
#define STRIP_X   1
#define STRIP_MAX 4096

struct glass_probe {
    const x_server *server;
    Display *display;
    Window window;
    int x; /* of the window on the screen */
    int y;
    int height;
    bool down; /* the next key */
};

static void pause_ns(long ns)
{
    const struct timespec pause = {0, ns};
    (void)nanosleep(&pause, NULL);
}

static bool find_window(glass_probe *probe, int width_px, int height_px)
{
    Window root = DefaultRootWindow(probe->display);
    Window ignored = 0;
    Window *children = NULL;
    unsigned count = 0;
    bool found = false;
    if (XQueryTree(probe->display, root, &ignored, &ignored, &children, &count) == 0) {
        return false;
    }
    for (unsigned i = 0; i < count && !found; i++) {
        XWindowAttributes about;
        if (XGetWindowAttributes(probe->display, children[i], &about) != 0 &&
            about.map_state == IsViewable && about.width == width_px && about.height == height_px) {
            probe->window = children[i];
            probe->x = about.x;
            probe->y = about.y;
            probe->height = about.height;
            found = true;
        }
    }
    if (children != NULL) {
        (void)XFree(children);
    }
    return found;
}

glass_probe *glass_probe_open(const x_server *server, int width_px, int height_px)
{
    glass_probe *probe = calloc(1, sizeof *probe);
    if (probe == NULL) {
        return NULL;
    }
    probe->server = server;
    probe->down = true;
    probe->display = XOpenDisplay(server->display);
    const int64_t deadline_ns = now_ns() + WINDOW_LIMIT_S * NS_PER_S;
    bool found = false;
    while (probe->display != NULL && !found && now_ns() < deadline_ns) {
        found = find_window(probe, width_px, height_px);
        pause_ns(found ? 0 : 10000000);
    }
    if (!found) {
        (void)fprintf(stderr, "bench_terminal: the terminal's window did not come\n");
        glass_probe_close(probe);
        return NULL;
    }
    (void)XSetInputFocus(probe->display, probe->window, RevertToPointerRoot, CurrentTime);
    (void)XSync(probe->display, False);
    return probe;
}

void glass_probe_close(glass_probe *probe)
{
    if (probe != NULL && probe->display != NULL) {
        (void)XCloseDisplay(probe->display);
    }
    free(probe);
}

void glass_probe_hide(glass_probe *probe)
{
    (void)XUnmapWindow(probe->display, probe->window);
    (void)XSync(probe->display, False);
}

#ifdef TG_BENCH_XTEST

const bool glass_probe_has_keys = true;

static void press(glass_probe *probe, KeySym key, Bool down)
{
    (void)XTestFakeKeyEvent(probe->display, XKeysymToKeycode(probe->display, key), down,
                            CurrentTime);
    (void)XFlush(probe->display);
}

#else

const bool glass_probe_has_keys = false;

static void press(glass_probe *probe, KeySym key, Bool down)
{
    (void)probe;
    (void)key;
    (void)down;
}

#endif

static void read_strip(const glass_probe *probe, uint32_t *strip)
{
    const int height = probe->height < STRIP_MAX ? probe->height : STRIP_MAX;
    x_server_read(probe->server, probe->x + STRIP_X, probe->y, 1, height, strip);
}

double glass_probe_key_ms(glass_probe *probe)
{
    static uint32_t before[STRIP_MAX];
    static uint32_t now[STRIP_MAX];
    const KeySym key = probe->down ? XK_Down : XK_Up;
    probe->down = !probe->down;
    read_strip(probe, before);
    const int64_t start_ns = now_ns();
    press(probe, key, True);
    int64_t seen_ns = start_ns;
    bool changed = false;
    while (!changed && seen_ns < start_ns + PIXEL_LIMIT_S * NS_PER_S) {
        pause_ns(LOOK_NS);
        read_strip(probe, now);
        changed = memcmp(before, now, sizeof now) != 0;
        seen_ns = now_ns();
    }
    press(probe, key, False);
    return changed ? (double)(seen_ns - start_ns) * 1e-6 : -1;
}

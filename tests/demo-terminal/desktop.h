/*
 * The program in a real window, as somebody in front of it has it: on an X server of its own
 * (Xvfb), with a window manager (openbox), without one, and on Wayland (weston). xdotool types and
 * pulls at the window; what is on the screen is read from outside.
 */
#ifndef TG_TESTS_DESKTOP_H
#define TG_TESTS_DESKTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tickglass/api.h>

#include "../integration/gateway_process.h"
#include "text_file.h"
#include "x_server.h"

#define SCREEN_WIDTH  1280
#define SCREEN_HEIGHT 900
#define SCREEN_PIXELS (SCREEN_WIDTH * SCREEN_HEIGHT)
/* Of the terminal's window, where nobody gives it another size. */
#define WIDTH  1000
#define HEIGHT 700
/* Of the compositor; its kiosk shell gives it all to the one window that it shows. */
#define COMPOSITOR_WIDTH  1200
#define COMPOSITOR_HEIGHT 860
/* What --record is given: the terminal's file, in its folder. */
#define RECORD "record.tgrec"

extern x_server server;

typedef struct desktop {
    gateway_process gateway;
    text_file tape;     /* that it plays; path "": none of ours */
    pid_t surroundings; /* window manager or compositor; 0: none */
    pid_t terminal;
    char folder[32]; /* the terminal's current one */
    char window[32]; /* its X window, or the compositor's */
    bool managed;
    bool wayland;
} desktop;

/* False, and a line that says so: this machine lacks xdotool or Xvfb. */
bool desktop_begin(void);
/* Of each test. An X server of its own: one that a window manager has just left still asks that one
 * for a while, and whoever opens a window then waits for an answer for ever. */
int desktop_open(void **state);
int desktop_end(void **state);

int64_t desktop_deadline(void);
bool desktop_passed(int64_t deadline_ns);
int64_t desktop_now_utc_ns(void);

/* What a command line says on standard output. False: it ended with an error. */
bool desktop_ask(char *said, size_t size, const char *format, ...) TG_PRINTF(3, 4);
bool desktop_has_program(const char *name);
/* xdotool with these words, and with a verb for the window. */
void desktop_do(const char *what);
void desktop_pull(const desktop *d, const char *verb, const char *more);

/* Skips the test, visibly, where that program is not installed. */
void desktop_need(const char *program);

void desktop_start_manager(desktop *d);
/* scale 2: half as many units, each of two pixels. False: it does not come up. */
bool desktop_start_compositor(desktop *d, const char *shell, int scale);
/* With the options in more, up to NULL, until its window is there and has the keys: one of its own,
 * or the compositor's. */
void desktop_start_terminal(desktop *d, const char *const *more);
/* Ends the terminal, what is around it and the gateway, and removes their folders and the tape. */
void desktop_close(desktop *d);

/* With these options, up to NULL; NULL: the simulated market. */
void desktop_start_gateway(desktop *d, const char *const *play);
/* Rows of a tape, below its head. */
void desktop_play(desktop *d, const char *rows, const char *faults);
/* Two instruments that say one thing and then nothing. */
void desktop_play_quiet(desktop *d);

typedef struct picture {
    uint32_t *pixels;
    int width;
    int height;
} picture;

/* A PNG, which is removed once it is whole; the caller frees the pixels. False: it is not there, or
 * is still being written. */
bool picture_read(const char *path, picture *own);
/* Wherever decorations and compositors put it. */
bool picture_stands_on(const picture *own, const uint32_t *screen);

/* F2's picture has that size and stands on the screen. */
void desktop_expect_picture(const desktop *d, int width, int height);
/* A key that changes so many pixels, more than the clock does. */
void desktop_expect_key(const char *key, size_t pixels);

/* Records of RECORD with that text, of a stretch of time. */
unsigned desktop_count_records(const desktop *d, int64_t from_utc_ns, int64_t to_utc_ns,
                               const char *text);
/* Waits for so many from a time on. */
void desktop_await_records(const desktop *d, int64_t from_utc_ns, unsigned count, const char *text);

#endif

/*
 * The program in a real window, as somebody in front of it has it: on an X server of its own
 * (Xvfb), with a window manager (openbox), without one, and on Wayland (weston). xdotool types and
 * pulls at the window; what is on the screen is read from outside.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "../integration/gateway_process.h"
#include "child_process.h"
#include "text_file.h"
#include "x_server.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_FAILURE_STRINGS
#include <stb/stb_image.h>

#define SCREEN_WIDTH  1280
#define SCREEN_HEIGHT 900
#define SCREEN_PIXELS (SCREEN_WIDTH * SCREEN_HEIGHT)
#define WIDTH         1000
#define HEIGHT        700
/* Of the compositor; its kiosk shell gives it all to the one window that it shows. */
#define COMPOSITOR_WIDTH  1200
#define COMPOSITOR_HEIGHT 860
/* It draws a pointer, which the test puts into the lower right corner: into the margin. */
#define POINTER_LINES 5
/* Of the letters that are opened unless others are asked for. */
#define CELL_HEIGHT    19
#define COLOUR_BAD     0xf0766du
#define DEADLINE_NS    INT64_C(60000000000)
#define PRESS_AGAIN_NS INT64_C(3000000000)
#define ARGUMENTS_MAX  32
#define RECORD         "record.tgrec"

static x_server server;
static const char *const nothing_more[] = {NULL};
static char runtime_folder[sizeof server.folder + 16];

typedef struct desktop {
    pid_t surroundings; /* window manager or compositor; 0: none */
    pid_t terminal;
    char folder[32]; /* the terminal's current one */
    char window[32]; /* its X window, or the compositor's */
    bool managed;
    bool wayland;
} desktop;

static int64_t deadline(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock) + DEADLINE_NS;
}

static bool passed(int64_t deadline_ns)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock) > deadline_ns;
}

/* What a command line says on standard output. False: it ended with an error. */
static bool ask(char *said, size_t size, const char *format, ...) TG_PRINTF(3, 4);

static bool ask(char *said, size_t size, const char *format, ...)
{
    char command[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(command, sizeof command, format, args);
    va_end(args);
    (void)fflush(NULL);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, size - 1, pipe)] = '\0';
    while (fgetc(pipe) != EOF) { /* what does not fit is read, or the other end would fail */
    }
    return pclose(pipe) == 0;
}

static bool has_program(const char *name)
{
    char said[8];
    return ask(said, sizeof said, "command -v %s >/dev/null", name);
}

static void xdotool(const char *what)
{
    char said[8];
    char command[256];
    (void)snprintf(command, sizeof command, "xdotool %s", what);
    if (!ask(said, sizeof said, "%s 2>&1", command)) {
        fail_msg("%s: %s", command, said);
    }
}

static void pull(const desktop *d, const char *verb, const char *more)
{
    char what[128];
    (void)snprintf(what, sizeof what, "%s %s %s", verb, d->window, more);
    xdotool(what);
}

static pid_t start_child(const char *const *argv, const char *folder)
{
    const pid_t parent = getpid();
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        const int quiet = open("/dev/null", O_WRONLY);
        (void)dup2(quiet, STDERR_FILENO);
        (void)dup2(quiet, STDOUT_FILENO);
        if (folder == NULL || chdir(folder) == 0) {
            (void)execvp(argv[0], (char *const *)argv);
        }
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void end_child(pid_t *pid)
{
    if (*pid > 0) {
        (void)kill(*pid, SIGTERM);
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR) {
        }
        *pid = 0;
    }
}

static void start_terminal(desktop *d, const gateway_process *gateway, const char *const *more)
{
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    (void)snprintf(d->folder, sizeof d->folder, "real_window_XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    const char *argv[ARGUMENTS_MAX + 1] = {TG_TEST_TERMINAL, "--url",  gateway->url, "--token-file",
                                           token_file,       "--ca",   gateway->ca,  "--state",
                                           "state",          "--size", "1000x700"};
    size_t count = 11;
    for (size_t i = 0; more[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = more[i];
    }
    d->terminal = start_child(argv, d->folder);
}

/* The window of that name, once it is on the screen; it gets the keys. */
static void find_window(desktop *d, const char *name)
{
    char said[64] = "";
    const int64_t until_ns = deadline();
    while (!ask(said, sizeof said,
                "xdotool search --onlyvisible --name '%s' 2>/dev/null | tail -1 | grep .", name)) {
        assert_false(passed(until_ns));
    }
    (void)snprintf(d->window, sizeof d->window, "%.*s", (int)strcspn(said, "\n"), said);
    pull(d, d->managed ? "windowactivate --sync" : "windowfocus --sync", "");
}

static void close_desktop(desktop *d)
{
    end_child(&d->terminal);
    end_child(&d->surroundings);
    DIR *folder = opendir(d->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[320];
        (void)snprintf(path, sizeof path, "%s/%s", d->folder, entry->d_name);
        (void)unlink(path);
    }
    (void)closedir(folder);
    assert_int_equal(rmdir(d->folder), 0);
}

/* ---- pictures ------------------------------------------------------------------------------ */

typedef struct picture {
    uint32_t *pixels;
    int width;
    int height;
} picture;

/* A PNG, which is removed once it is whole; the caller frees the pixels. False: it is not there, or
 * is still being written. */
static bool read_picture(const char *path, picture *own)
{
    int channels = 0;
    uint8_t *rgb = stbi_load(path, &own->width, &own->height, &channels, 3);
    if (rgb == NULL) {
        return false;
    }
    const size_t count = (size_t)own->width * (size_t)own->height;
    own->pixels = malloc(count * sizeof *own->pixels);
    assert_non_null(own->pixels);
    for (size_t i = 0; i < count; i++) {
        own->pixels[i] =
            (uint32_t)rgb[3 * i] << 16 | (uint32_t)rgb[3 * i + 1] << 8 | rgb[3 * i + 2];
    }
    stbi_image_free(rgb);
    assert_int_equal(unlink(path), 0);
    return true;
}

/* What F2 puts into the terminal's folder; waits for it. A compositor gives a new window the keys
 * when it likes: what was pressed before is lost, and is pressed again. */
static picture take_own_picture(const desktop *d)
{
    const tg_clock clock = tg_clock_system();
    const int64_t until_ns = deadline();
    int64_t pressed_ns = INT64_MIN / 2;
    for (;;) {
        if (tg_clock_mono_ns(&clock) - pressed_ns > PRESS_AGAIN_NS) {
            pressed_ns = tg_clock_mono_ns(&clock);
            xdotool("key F2");
        }
        DIR *folder = opendir(d->folder);
        assert_non_null(folder);
        char path[320] = "";
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            const size_t length = strlen(entry->d_name);
            if (length > 4 && strcmp(entry->d_name + length - 4, ".png") == 0) {
                (void)snprintf(path, sizeof path, "%s/%s", d->folder, entry->d_name);
            }
        }
        (void)closedir(folder);
        picture own = {0};
        if (path[0] != '\0' && read_picture(path, &own)) {
            return own;
        }
        assert_false(passed(until_ns));
    }
}

static bool stands_at(const picture *own, const uint32_t *screen, int x, int y)
{
    for (int line = 0; line < own->height; line++) {
        if (memcmp(own->pixels + (size_t)line * (size_t)own->width,
                   screen + (size_t)(y + line) * SCREEN_WIDTH + x,
                   (size_t)own->width * sizeof *screen) != 0) {
            return false;
        }
    }
    return true;
}

/* Wherever decorations and compositors put it. */
static bool stands_on(const picture *own, const uint32_t *screen)
{
    for (int y = 0; y + own->height <= SCREEN_HEIGHT; y++) {
        for (int x = 0; x + own->width <= SCREEN_WIDTH; x++) {
            if (stands_at(own, screen, x, y)) {
                return true;
            }
        }
    }
    return false;
}

/* A clock goes on in the header: a second may end between the two pictures. */
static void expect_own_picture_on_screen(const desktop *d, int width, int height)
{
    static uint32_t before[SCREEN_PIXELS];
    static uint32_t after[SCREEN_PIXELS];
    const int64_t until_ns = deadline();
    bool same = false;
    while (!same) {
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, before);
        picture own = take_own_picture(d);
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, after);
        same = own.width == width && own.height == height;
        own.height -= d->wayland ? POINTER_LINES : 0;
        same = same && (stands_on(&own, before) || stands_on(&own, after));
        if (!same && passed(until_ns)) {
            fail_msg("the screen does not show the %dx%d picture", own.width, own.height);
        }
        free(own.pixels);
    }
}

/* How many pixels of the screen are not as they were. */
static size_t count_changed(const uint32_t *before)
{
    static uint32_t now[SCREEN_PIXELS];
    size_t count = 0;
    x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, now);
    for (size_t i = 0; i < SCREEN_PIXELS; i++) {
        count += now[i] != before[i] ? 1 : 0;
    }
    return count;
}

static void await_change(const uint32_t *before, size_t pixels)
{
    const int64_t until_ns = deadline();
    while (count_changed(before) < pixels) {
        assert_false(passed(until_ns));
    }
}

/* A key that changes more than the clock does. */
static void expect_key_changes_screen(const char *key, size_t pixels)
{
    static uint32_t before[SCREEN_PIXELS];
    char what[64];
    x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, before);
    (void)snprintf(what, sizeof what, "key %s", key);
    xdotool(what);
    await_change(before, pixels);
}

/* ---- markets ------------------------------------------------------------------------------- */

/* Two instruments that say one thing and then nothing. */
static text_file write_quiet_tape(void)
{
    static const char text[] =
        "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"
        "1700000000000000000,TEST,ONE,bid,100.00,1,1\n"
        "1700000000000000000,TEST,ONE,ask,100.01,1,1\n"
        "1700000000000000000,TEST,TWO,bid,-37.63,1,1\n"
        "1700000000000000000,TEST,TWO,ask,-37.62,1,1\n";
    return text_file_write(text, sizeof text - 1);
}

static void start_quiet_gateway(gateway_process *gateway, text_file *tape)
{
    *tape = write_quiet_tape();
    const char *const play[] = {"--tape", tape->path, "--hold-until-subscribed", NULL};
    assert_true(gateway_process_start(gateway, TG_TEST_GATEWAY, play));
}

/* ---- what is shown --------------------------------------------------------------------------- */

static void start_manager(desktop *d)
{
    static const char *const argv[] = {"openbox", "--sm-disable", NULL};
    d->managed = true;
    d->surroundings = start_child(argv, NULL);
    /* It answers once it manages. */
    char said[64];
    const int64_t until_ns = deadline();
    while (!ask(said, sizeof said, "xdotool get_num_desktops 2>/dev/null")) {
        assert_false(passed(until_ns));
    }
}

/* In the compositor's window that is there already, or in one of its own. */
static void start_terminal_shown(desktop *d, const gateway_process *gateway,
                                 const char *const *more)
{
    static uint32_t empty[SCREEN_PIXELS];
    if (!d->wayland) {
        start_terminal(d, gateway, more);
        find_window(d, "^tickglass$");
        return;
    }
    find_window(d, ".*"); /* weston's has no name that xdotool looks at; the root comes first */
    x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, empty);
    (void)setenv("SDL_VIDEODRIVER", "wayland", 1);
    (void)setenv("WAYLAND_DISPLAY", "tickglass-test", 1);
    start_terminal(d, gateway, more);
    (void)setenv("SDL_VIDEODRIVER", "x11", 1);
    (void)unsetenv("WAYLAND_DISPLAY");
    await_change(empty, SCREEN_PIXELS / 2);
    xdotool("mousemove 1199 859");
}

static void type_click_pull(bool managed, const char *renderer)
{
    desktop d = {0};
    gateway_process gateway;
    text_file tape;
    start_quiet_gateway(&gateway, &tape);
    if (managed) {
        start_manager(&d);
    }
    const char *const more[] = {"--renderer", renderer, NULL};
    start_terminal(&d, &gateway, more);
    find_window(&d, "^tickglass$");
    expect_own_picture_on_screen(&d, WIDTH, HEIGHT);
    expect_key_changes_screen("F1", 5000);
    expect_own_picture_on_screen(&d, WIDTH, HEIGHT);
    expect_key_changes_screen("F1", 5000);
    expect_key_changes_screen("Down", 500);
    pull(&d, "mousemove --window", "200 70 click 1");
    expect_own_picture_on_screen(&d, WIDTH, HEIGHT);
    pull(&d, "windowsize --sync", "801 503");
    expect_own_picture_on_screen(&d, 801, 503);
    pull(&d, managed ? "windowminimize --sync" : "windowunmap --sync", "");
    pull(&d, managed ? "windowactivate --sync" : "windowmap --sync", "");
    pull(&d, "windowfocus --sync", "");
    expect_own_picture_on_screen(&d, 801, 503);
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

static void without_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    type_click_pull(false, "surface");
}

static void with_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    if (!has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    type_click_pull(true, "surface");
    type_click_pull(true, "gpu");
}

/* scale 2: half as many units, each of two pixels. */
static bool start_compositor(desktop *d, const char *shell, int scale)
{
    char socket[128];
    char shell_option[64];
    char size[3][32];
    (void)snprintf(shell_option, sizeof shell_option, "--shell=%s", shell);
    (void)snprintf(size[0], sizeof size[0], "--width=%d", COMPOSITOR_WIDTH / scale);
    (void)snprintf(size[1], sizeof size[1], "--height=%d", COMPOSITOR_HEIGHT / scale);
    (void)snprintf(size[2], sizeof size[2], "--scale=%d", scale);
    const char *const argv[] = {
        "weston", "--backend=x11-backend.so", "--use-pixman", size[0],         size[2],
        size[1],  "--socket=tickglass-test",  "--no-config",  "--idle-time=0", shell_option,
        NULL};
    (void)setenv("XDG_RUNTIME_DIR", runtime_folder, 1);
    d->wayland = true;
    d->surroundings = start_child(argv, NULL);
    (void)snprintf(socket, sizeof socket, "%s/tickglass-test", runtime_folder);
    const int64_t until_ns = deadline();
    while (access(socket, F_OK) != 0) {
        if (passed(until_ns) || waitpid(d->surroundings, NULL, WNOHANG) == d->surroundings) {
            d->surroundings = 0;
            return false;
        }
    }
    return true;
}

static void on_wayland_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    desktop d = {0};
    if (!has_program("weston")) {
        print_message("SKIP: weston is not installed\n");
        return;
    }
    assert_true(start_compositor(&d, "kiosk-shell.so", 1));
    gateway_process gateway;
    text_file tape;
    start_quiet_gateway(&gateway, &tape);
    start_terminal_shown(&d, &gateway, nothing_more);
    expect_own_picture_on_screen(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    expect_key_changes_screen("F1", 5000);
    expect_own_picture_on_screen(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

/* ---- full screen and back ---------------------------------------------------------------------
 */

/* By each of its keys, into it and out again. */
static void fill_and_come_back(desktop *d, const char *renderer, int width, int height)
{
    static const char *const names[] = {"F11", "alt+Return"};
    gateway_process gateway;
    text_file tape;
    start_quiet_gateway(&gateway, &tape);
    const char *const more[] = {"--renderer", renderer, NULL};
    start_terminal_shown(d, &gateway, more);
    expect_own_picture_on_screen(d, WIDTH, HEIGHT);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect_key_changes_screen(names[i], 5000);
        expect_own_picture_on_screen(d, width, height);
        /* What is drawn there is drawn for that size. */
        expect_key_changes_screen("F1", 5000);
        expect_own_picture_on_screen(d, width, height);
        expect_key_changes_screen("F1", 5000);
        expect_key_changes_screen(names[1 - i], 5000);
        expect_own_picture_on_screen(d, WIDTH, HEIGHT);
    }
    close_desktop(d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

static void with_a_manager_it_fills_the_screen_and_comes_back(void **state)
{
    (void)state;
    if (!has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    static const char *const renderers[] = {"surface", "gpu"};
    for (size_t i = 0; i < sizeof renderers / sizeof renderers[0]; i++) {
        desktop d = {0};
        start_manager(&d);
        fill_and_come_back(&d, renderers[i], SCREEN_WIDTH, SCREEN_HEIGHT);
    }
}

static void on_wayland_it_fills_the_screen_and_comes_back(void **state)
{
    (void)state;
    desktop d = {0};
    if (!has_program("weston")) {
        print_message("SKIP: weston is not installed\n");
        return;
    }
    assert_true(start_compositor(&d, "desktop-shell.so", 1));
    fill_and_come_back(&d, "surface", COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
}

/* ---- a row that is not current any more ------------------------------------------------------ */

/* Pixels of a colour. */
static size_t count_colour(const picture *own, uint32_t colour)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)own->width * (size_t)own->height; i++) {
        count += own->pixels[i] == colour ? 1 : 0;
    }
    return count;
}

/* The picture that the script takes, once it is there. */
static picture await_picture(const desktop *d, const char *name)
{
    char path[64];
    picture own = {0};
    (void)snprintf(path, sizeof path, "%s/%s", d->folder, name);
    const int64_t until_ns = deadline();
    while (!read_picture(path, &own)) {
        if (waitpid(d->terminal, NULL, WNOHANG) != 0 || passed(until_ns)) {
            fail_msg("the script did not come to %s", name);
        }
    }
    return own;
}

/* The lowest line of cells of that picture stands on the screen; how much of it is in the colour of
 * what is bad. */
static size_t bad_in_last_line_on_screen(const desktop *d, const char *name)
{
    static uint32_t screen[SCREEN_PIXELS];
    const picture own = await_picture(d, name);
    const int first = (own.height / CELL_HEIGHT - 1) * CELL_HEIGHT;
    const picture line = {own.pixels + (size_t)first * (size_t)own.width, own.width, CELL_HEIGHT};
    const int64_t until_ns = deadline();
    do {
        assert_false(passed(until_ns));
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, screen);
    } while (!stands_on(&line, screen));
    const size_t count = count_colour(&line, COLOUR_BAD);
    free(own.pixels);
    return count;
}

/*
 * One of two venues stops while the session goes on. The script reads the draw list, the screen is
 * looked at from outside: the alert stands in the last line, in the colour of what is bad, until
 * somebody confirms it; the rows of the other venue stay as they are.
 */
static void stop_a_venue(desktop *d)
{
    static const char rows[] =
        "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"
        "1700000000000000000,DEAD,ONE,bid,100.00,1,1\n"
        "1700000000000000000,DEAD,ONE,ask,100.01,1,1\n"
        "1700000000000000000,DEAD,TWO,bid,-37.63,1,1\n"
        "1700000000000000000,WELL,ONE,bid,5.25,1,1\n"
        "1700000000000000000,WELL,ONE,ask,5.50,1,1\n";
    static const char stops[] = "3000 freeze-venue DEAD\n";
    static const char steps[] = "wait rows 3\n"
                                "wait no-text STALE\n"
                                "screenshot current.shot\n"
                                "wait text DEAD:ONE is STALE, and 1 more are not current\n"
                                "wait text LIVE\n"
                                "check\n"
                                "screenshot stale.shot\n"
                                "wait no-text more are not current\n"
                                "wait text STALE\n"
                                "screenshot confirmed.shot\n";
    const text_file tape = text_file_write(rows, sizeof rows - 1);
    const text_file faults = text_file_write(stops, sizeof stops - 1);
    const text_file script = text_file_write(steps, sizeof steps - 1);
    char beside[80];
    (void)snprintf(beside, sizeof beside, "../%s", script.path);
    const char *const play[] = {"--tape",   tape.path,   "--hold-until-subscribed",
                                "--faults", faults.path, NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    const char *const more[] = {"--script", beside, NULL};
    start_terminal_shown(d, &gateway, more);
    assert_int_equal(bad_in_last_line_on_screen(d, "current.shot"), 0);
    assert_true(bad_in_last_line_on_screen(d, "stale.shot") > 100);
    xdotool("key Escape");
    assert_int_equal(bad_in_last_line_on_screen(d, "confirmed.shot"), 0);
    close_desktop(d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
    text_file_remove(&faults);
    text_file_remove(&script);
}

static void with_a_manager_a_venue_that_stops_is_told(void **state)
{
    (void)state;
    if (!has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    desktop d = {0};
    start_manager(&d);
    stop_a_venue(&d);
}

static void on_wayland_a_venue_that_stops_is_told(void **state)
{
    (void)state;
    desktop d = {0};
    if (!has_program("weston")) {
        print_message("SKIP: weston is not installed\n");
        return;
    }
    assert_true(start_compositor(&d, "kiosk-shell.so", 1));
    stop_a_venue(&d);
}

/* ---- what goes on meanwhile
 * ----------------------------------------------------------------------
 */

static unsigned count_records(const desktop *d, int64_t from_utc_ns, int64_t to_utc_ns,
                              const char *text)
{
    char said[32];
    assert_true(ask(said, sizeof said,
                    TG_TEST_LOG " cat --from %" PRId64 " --to %" PRId64
                                " --contains '%s' %s/" RECORD " | wc -l",
                    from_utc_ns, to_utc_ns, text, d->folder));
    return (unsigned)strtoul(said, NULL, 10);
}

static int64_t now_utc_ns(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_utc_ns(&clock);
}

/* Waits for so many records from a time on. */
static void await_records(const desktop *d, int64_t from_utc_ns, unsigned count, const char *text)
{
    const int64_t until_ns = deadline();
    while (count_records(d, from_utc_ns, INT64_MAX, text) < count) {
        assert_false(passed(until_ns));
    }
}

static void hide_and_show(bool managed)
{
    desktop d = {0};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    if (managed) {
        start_manager(&d);
    }
    const char *const more[] = {"--record", RECORD, NULL};
    start_terminal(&d, &gateway, more);
    find_window(&d, "^tickglass$");
    await_records(&d, 0, 50, "handed off ");
    pull(&d, managed ? "windowminimize --sync" : "windowunmap --sync", "");
    const int64_t hidden_ns = now_utc_ns();
    await_records(&d, hidden_ns, 50, "message ");
    const int64_t until_ns = now_utc_ns();
    pull(&d, managed ? "windowactivate --sync" : "windowmap --sync", "");
    await_records(&d, until_ns, 20, "handed off ");
    /* One pass may have been under way when the window went. */
    assert_in_range(count_records(&d, hidden_ns, until_ns, "handed off "), 0, 1);
    assert_true(count_records(&d, hidden_ns, until_ns, "message ") >= 50);
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
}

/* The manager has the mouse as long as the button is down. */
static void while_it_is_dragged_data_and_drawing_go_on(void **state)
{
    (void)state;
    if (!has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    desktop d = {0};
    gateway_process gateway;
    char before[128];
    char after[128];
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    start_manager(&d);
    const char *const more[] = {"--record", RECORD, NULL};
    start_terminal_shown(&d, &gateway, more);
    await_records(&d, 0, 50, "handed off ");
    assert_true(ask(before, sizeof before, "xdotool getwindowgeometry %s", d.window));
    pull(&d, "mousemove --sync --window", "200 -8 mousedown 1"); /* by its title bar */
    for (int i = 0; i < 8; i++) {
        xdotool("mousemove_relative -- -12 -9");
        const int64_t held_ns = now_utc_ns();
        await_records(&d, held_ns, 8, "message ");
        await_records(&d, held_ns, 4, "handed off ");
    }
    assert_true(ask(after, sizeof after, "xdotool getwindowgeometry %s", d.window));
    xdotool("mouseup 1");
    assert_string_not_equal(after, before); /* it was a drag */
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
}

/* ---- whatever the machine is set to ------------------------------------------------------------
 */

/* Two pixels for each unit of the display: letters have them, too. */
static void where_a_unit_has_two_pixels_letters_have_them(void **state)
{
    (void)state;
    desktop d = {0};
    if (!has_program("weston")) {
        print_message("SKIP: weston is not installed\n");
        return;
    }
    assert_true(start_compositor(&d, "kiosk-shell.so", 2));
    gateway_process gateway;
    text_file tape;
    start_quiet_gateway(&gateway, &tape);
    const char *const more[] = {"--record", RECORD, NULL};
    start_terminal_shown(&d, &gateway, more);
    expect_own_picture_on_screen(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    await_records(&d, 0, 1, "scale 200 ");
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

/* In the folder of the X server. */
static bool make_comma_locale(void)
{
    char said[8];
    return ask(said, sizeof said, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
               server.folder);
}

static void remove_comma_locale(void)
{
    char said[8];
    assert_true(ask(said, sizeof said, "rm -r %s/de_DE.UTF-8", server.folder));
}

static void expect_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", text, part);
    }
}

/* What SDL loads may set the locale of the process: a decimal comma is nowhere to be seen. */
static void with_decimal_commas_and_in_another_zone_the_same_is_shown(void **state)
{
    (void)state;
    static const char rows[] =
        "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"
        "1700000000000000000,TEST,BIG,bid,9999999997,1.25,1\n"
        "1700000000000000000,TEST,SMALL,bid,0.00000000001,1,1\n"
        "1700000000000000000,TEST,BELOW,bid,-37.63,1,1\n"
        "1700000000000000000,TEST,USUAL,trade,61813.25,1,1\n";
    static const char steps[] = "wait rows 4\n"
                                "wait text 9999999997\n"
                                "wait text 0.00000000001\n"
                                "wait text -37.63\n"
                                "wait text 61813.25\n"
                                "wait text UTC\n"
                                "key Ctrl-e\n"
                                "wait text .csv\n"
                                "screenshot exported.shot\n";
    desktop d = {0};
    char text[2048];
    if (!make_comma_locale()) {
        print_message("SKIP: no locale with decimal commas can be made here\n");
        return;
    }
    const text_file tape = text_file_write(rows, sizeof rows - 1);
    const text_file script = text_file_write(steps, sizeof steps - 1);
    char beside[80];
    (void)snprintf(beside, sizeof beside, "../%s", script.path);
    const char *const play[] = {"--tape", tape.path, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    (void)setenv("LOCPATH", server.folder, 1);
    (void)setenv("LC_ALL", "de_DE.UTF-8", 1);
    (void)setenv("TZ", "Australia/Lord_Howe", 1);
    const char *const more[] = {"--script", beside, NULL};
    start_terminal_shown(&d, &gateway, more);
    (void)unsetenv("LOCPATH");
    (void)unsetenv("LC_ALL");
    (void)unsetenv("TZ");
    const picture own = await_picture(&d, "exported.shot");
    free(own.pixels);
    assert_true(ask(text, sizeof text, "cat %s/tickglass-watchlist-*.csv", d.folder));
    expect_in(text, "\nTEST,BIG,1.25,9999999997,,,,");
    expect_in(text, "\nTEST,SMALL,1,0.00000000001,,,,");
    expect_in(text, "\nTEST,BELOW,1,-37.63,,,,");
    expect_in(text, "\nTEST,USUAL,,,,,61813.25,");
    expect_in(text, " UTC\n");
    close_desktop(&d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
    text_file_remove(&script);
    remove_comma_locale();
}

/* ---- hidden ------------------------------------------------------------------------------------
 */

static void unmapped_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    hide_and_show(false);
}

static void minimised_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    if (!has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    hide_and_show(true);
}

/* A compositor that was killed leaves its socket behind. */
static void remove_runtime_folder(void)
{
    static const char *const names[] = {"tickglass-test", "tickglass-test.lock"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[sizeof runtime_folder + 32];
        (void)snprintf(path, sizeof path, "%s/%s", runtime_folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(runtime_folder);
}

int main(void)
{
    if (!has_program("xdotool")) {
        print_message("SKIP: xdotool is not installed\n");
        return 77;
    }
    if (!x_server_start(&server, SCREEN_WIDTH, SCREEN_HEIGHT)) {
        x_server_stop(&server);
        print_message("SKIP: Xvfb is not installed\n");
        return 77;
    }
    (void)unsetenv("WAYLAND_DISPLAY");
    (void)snprintf(runtime_folder, sizeof runtime_folder, "%s/runtime", server.folder);
    assert_int_equal(mkdir(runtime_folder, 0700), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_manager_the_screen_shows_its_own_picture),
        cmocka_unit_test(with_a_manager_the_screen_shows_its_own_picture),
        cmocka_unit_test(on_wayland_the_screen_shows_its_own_picture),
        cmocka_unit_test(with_a_manager_it_fills_the_screen_and_comes_back),
        cmocka_unit_test(on_wayland_it_fills_the_screen_and_comes_back),
        cmocka_unit_test(with_a_manager_a_venue_that_stops_is_told),
        cmocka_unit_test(on_wayland_a_venue_that_stops_is_told),
        cmocka_unit_test(where_a_unit_has_two_pixels_letters_have_them),
        cmocka_unit_test(with_decimal_commas_and_in_another_zone_the_same_is_shown),
        cmocka_unit_test(while_it_is_dragged_data_and_drawing_go_on),
        cmocka_unit_test(unmapped_it_draws_nothing_and_still_takes_everything),
        cmocka_unit_test(minimised_it_draws_nothing_and_still_takes_everything),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_runtime_folder();
    x_server_stop(&server);
    return failed;
}

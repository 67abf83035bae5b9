#include "desktop.h"

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

#include "child_process.h"
#include "kept_folder.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_FAILURE_STRINGS
#include <stb/stb_image.h>

/* A compositor draws a pointer, which is put into the lower right corner: into the margin. */
#define POINTER_LINES  5
#define SAID           "said" /* the terminal's file in its folder */
#define CHILDREN_MAX   16     /* of one test */
#define DEADLINE_NS    INT64_C(60000000000)
#define PRESS_AGAIN_NS INT64_C(3000000000)
#define ARGUMENTS_MAX  32

x_server server;
static char runtime_folder[sizeof server.folder + 16];

static pid_t children[CHILDREN_MAX]; /* what a test has started, ended or not */
static size_t child_count;

int64_t desktop_deadline(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock) + DEADLINE_NS;
}

bool desktop_passed(int64_t deadline_ns)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock) > deadline_ns;
}

bool desktop_ask(char *said, size_t size, const char *format, ...)
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

bool desktop_has_program(const char *name)
{
    char said[8];
    return desktop_ask(said, sizeof said, "command -v %s >/dev/null", name);
}

void desktop_need(const char *program)
{
    if (!desktop_has_program(program)) {
        print_message("SKIP: %s is not installed\n", program);
        skip();
    }
}

void desktop_do(const char *what)
{
    char said[8];
    char command[256];
    (void)snprintf(command, sizeof command, "xdotool %s", what);
    if (!desktop_ask(said, sizeof said, "%s 2>&1", command)) {
        fail_msg("%s: %s", command, said);
    }
}

void desktop_pull(const desktop *d, const char *verb, const char *more)
{
    char what[128];
    (void)snprintf(what, sizeof what, "%s %s %s", verb, d->window, more);
    desktop_do(what);
}

static pid_t start_child(const char *const *argv, const char *folder)
{
    const pid_t parent = getpid();
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        if (folder == NULL || chdir(folder) == 0) {
            const int said = folder == NULL ? open("/dev/null", O_WRONLY)
                                            : open(SAID, O_WRONLY | O_CREAT | O_APPEND, 0600);
            (void)dup2(said, STDERR_FILENO);
            (void)dup2(said, STDOUT_FILENO);
            (void)execvp(argv[0], (char *const *)argv);
        }
        _exit(127);
    }
    assert_true(pid > 0);
    assert_true(child_count < CHILDREN_MAX);
    children[child_count++] = pid;
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

/* Why the terminal does not do what it is to do. */
static void fail_of_terminal(const desktop *d, const char *what)
{
    char path[64];
    char said[512] = "";
    int status = 0;
    const bool ended = d->terminal > 0 && waitpid(d->terminal, &status, WNOHANG) == d->terminal;
    (void)snprintf(path, sizeof path, "%s/" SAID, d->folder);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        said[fread(said, 1, sizeof said - 1, file)] = '\0';
        (void)fclose(file);
    }
    fail_msg("%s; the terminal %s (status %#x): %s", what, ended ? "has ended" : "runs",
             (unsigned)status, said);
}

static void start_terminal(desktop *d, const char *const *more)
{
    const gateway_process *gateway = &d->gateway;
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    (void)snprintf(d->folder, sizeof d->folder, "real_window_XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    kept_folder_made(d->folder);
    const char *argv[ARGUMENTS_MAX + 1] = {TG_TEST_TERMINAL, "--url",  gateway->url, "--token-file",
                                           token_file,       "--ca",   gateway->ca,  "--state",
                                           "state",          "--size", "1000x700"};
    size_t count = 11;
    for (size_t i = 0; more[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = more[i];
    }
    d->terminal = start_child(argv, d->folder);
}

/* The window of that name, once it is on the screen; it gets the keys. SDL makes a window anew when
 * it learns that OpenGL will draw in it: the one that was found may be gone by then. */
static void find_window(desktop *d, const char *name)
{
    const char *const focus = d->managed ? "windowactivate" : "windowfocus";
    char said[64] = "";
    const int64_t until_ns = desktop_deadline();
    while (!desktop_ask(
        said, sizeof said,
        "id=$(xdotool search --onlyvisible --name '%s' 2>/dev/null | tail -1 | grep .) "
        "&& xdotool %s --sync $id >/dev/null 2>&1 && echo $id",
        name, focus)) {
        if (desktop_passed(until_ns)) {
            fail_of_terminal(d, "no window is on the screen");
        }
    }
    (void)snprintf(d->window, sizeof d->window, "%.*s", (int)strcspn(said, "\n"), said);
}

void desktop_close(desktop *d)
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
    (void)gateway_process_stop(&d->gateway);
    if (d->tape.path[0] != '\0') {
        text_file_remove(&d->tape);
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* A PNG, which is removed once it is whole; the caller frees the pixels. False: it is not there, or
 * is still being written. */
bool picture_read(const char *path, picture *own)
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
    const int64_t until_ns = desktop_deadline();
    int64_t pressed_ns = INT64_MIN / 2;
    for (;;) {
        if (tg_clock_mono_ns(&clock) - pressed_ns > PRESS_AGAIN_NS) {
            pressed_ns = tg_clock_mono_ns(&clock);
            desktop_do("key F2");
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
        if (path[0] != '\0' && picture_read(path, &own)) {
            return own;
        }
        assert_false(desktop_passed(until_ns));
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
bool picture_stands_on(const picture *own, const uint32_t *screen)
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
void desktop_expect_picture(const desktop *d, int width, int height)
{
    static uint32_t before[SCREEN_PIXELS];
    static uint32_t after[SCREEN_PIXELS];
    const int64_t until_ns = desktop_deadline();
    bool same = false;
    while (!same) {
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, before);
        picture own = take_own_picture(d);
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, after);
        same = own.width == width && own.height == height;
        own.height -= d->wayland ? POINTER_LINES : 0;
        same = same && (picture_stands_on(&own, before) || picture_stands_on(&own, after));
        if (!same && desktop_passed(until_ns)) {
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
    const int64_t until_ns = desktop_deadline();
    while (count_changed(before) < pixels) {
        assert_false(desktop_passed(until_ns));
    }
}

/* A key that changes more than the clock does. */
void desktop_expect_key(const char *key, size_t pixels)
{
    static uint32_t before[SCREEN_PIXELS];
    char what[64];
    x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, before);
    (void)snprintf(what, sizeof what, "key %s", key);
    desktop_do(what);
    await_change(before, pixels);
}

/* ---- markets --------------------------------------------------------------------------------- */

void desktop_start_gateway(desktop *d, const char *const *play)
{
    assert_true(gateway_process_start(&d->gateway, TG_TEST_GATEWAY, play));
}

void desktop_play(desktop *d, const char *rows, const char *faults)
{
    static const char head[] =
        "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n";
    char text[1024];
    const int length = snprintf(text, sizeof text, "%s%s", head, rows);
    assert_true(length > 0 && (size_t)length < sizeof text);
    d->tape = text_file_write(text, (size_t)length);
    const char *const play[] = {
        "--tape", d->tape.path, "--hold-until-subscribed", faults != NULL ? "--faults" : NULL,
        faults,   NULL};
    desktop_start_gateway(d, play);
}

void desktop_play_quiet(desktop *d)
{
    desktop_play(d,
                 "1700000000000000000,TEST,ONE,bid,100.00,1,1\n"
                 "1700000000000000000,TEST,ONE,ask,100.01,1,1\n"
                 "1700000000000000000,TEST,TWO,bid,-37.63,1,1\n"
                 "1700000000000000000,TEST,TWO,ask,-37.62,1,1\n",
                 NULL);
}

unsigned desktop_count_records(const desktop *d, int64_t from_utc_ns, int64_t to_utc_ns,
                               const char *text)
{
    char said[32];
    assert_true(desktop_ask(said, sizeof said,
                            TG_TEST_LOG " cat --from %" PRId64 " --to %" PRId64
                                        " --contains '%s' %s/" RECORD " | wc -l",
                            from_utc_ns, to_utc_ns, text, d->folder));
    return (unsigned)strtoul(said, NULL, 10);
}

int64_t desktop_now_utc_ns(void)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_utc_ns(&clock);
}

/* Waits for so many records from a time on. */
void desktop_await_records(const desktop *d, int64_t from_utc_ns, unsigned count, const char *text)
{
    const int64_t until_ns = desktop_deadline();
    while (desktop_count_records(d, from_utc_ns, INT64_MAX, text) < count) {
        assert_false(desktop_passed(until_ns));
    }
}

/* ---- what is around it ----------------------------------------------------------------------- */

void desktop_start_manager(desktop *d)
{
    static const char *const argv[] = {"openbox", "--sm-disable", NULL};
    d->managed = true;
    d->surroundings = start_child(argv, NULL);
    /* It answers once it manages. */
    char said[64];
    const int64_t until_ns = desktop_deadline();
    while (!desktop_ask(said, sizeof said, "xdotool get_num_desktops 2>/dev/null")) {
        assert_false(desktop_passed(until_ns));
    }
}

/* In the compositor's window that is there already, or in one of its own. */
void desktop_start_terminal(desktop *d, const char *const *more)
{
    static uint32_t empty[SCREEN_PIXELS];
    if (!d->wayland) {
        start_terminal(d, more);
        find_window(d, "^tickglass$");
        return;
    }
    find_window(d, ".*"); /* weston's has no name that xdotool looks at; the root comes first */
    x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, empty);
    (void)setenv("SDL_VIDEODRIVER", "wayland", 1);
    (void)setenv("WAYLAND_DISPLAY", "tickglass-test", 1);
    start_terminal(d, more);
    (void)setenv("SDL_VIDEODRIVER", "x11", 1);
    (void)unsetenv("WAYLAND_DISPLAY");
    await_change(empty, SCREEN_PIXELS / 2);
    desktop_do("mousemove 1199 859");
}
/* scale 2: half as many units, each of two pixels. */
bool desktop_start_compositor(desktop *d, const char *shell, int scale)
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
    const int64_t until_ns = desktop_deadline();
    while (access(socket, F_OK) != 0) {
        if (desktop_passed(until_ns) ||
            waitpid(d->surroundings, NULL, WNOHANG) == d->surroundings) {
            d->surroundings = 0;
            return false;
        }
    }
    return true;
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

bool desktop_begin(void)
{
    static const char *const programs[] = {"Xvfb", "xdotool"};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (!desktop_has_program(programs[i])) {
            print_message("SKIP: %s is not installed\n", programs[i]);
            return false;
        }
    }
    return true;
}

int desktop_open(void **state)
{
    (void)state;
    assert_true(x_server_start(&server, SCREEN_WIDTH, SCREEN_HEIGHT));
    (void)unsetenv("WAYLAND_DISPLAY");
    (void)snprintf(runtime_folder, sizeof runtime_folder, "%s/runtime", server.folder);
    assert_int_equal(mkdir(runtime_folder, 0700), 0);
    return 0;
}

/* Also what a test that failed has left. */
int desktop_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < child_count; i++) {
        if (waitpid(children[i], NULL, WNOHANG) != 0) {
            children[i] = 0; /* it has ended */
        } else {
            (void)kill(children[i], SIGTERM);
        }
    }
    remove_runtime_folder();
    x_server_stop(&server); /* and whoever waits for it ends */
    while (child_count > 0) {
        end_child(&children[--child_count]);
    }
    return 0;
}

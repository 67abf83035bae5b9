#include "x_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.h"
#include "kept_folder.h"

#define START_LIMIT_MS 30000
#define HEADER_WORDS   25

static void screen_path(const x_server *server, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/Xvfb_screen0", server->folder);
}

static void run_child(const x_server *server, int number_pipe, const char *missing)
{
    char screen[32];
    (void)snprintf(screen, sizeof screen, "%dx%dx24", server->width, server->height);
    const int quiet = open("/dev/null", O_WRONLY);
    (void)dup2(quiet, STDERR_FILENO);
    (void)dup2(number_pipe, 3);
    (void)execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", screen, "-fbdir",
                 server->folder, "-nolisten", "tcp", "-noreset", "-nocursor",
                 missing != NULL ? "-extension" : (char *)NULL, missing, (char *)NULL);
    _exit(127);
}

/* Xvfb writes the number of its display and a line feed, once it accepts. */
static bool await_number(x_server *server, int number_pipe)
{
    char number[16] = "";
    size_t length = 0;
    struct pollfd ready = {number_pipe, POLLIN, 0};
    while (length + 1 < sizeof number && poll(&ready, 1, START_LIMIT_MS) == 1) {
        const ssize_t n = read(number_pipe, number + length, sizeof number - 1 - length);
        if (n <= 0) {
            return false;
        }
        length += (size_t)n;
        if (number[length - 1] == '\n') {
            number[length - 1] = '\0';
            (void)snprintf(server->display, sizeof server->display, ":%s", number);
            return true;
        }
    }
    return false;
}

/* Size of header, width, height, byte order (0: little), bits per pixel, bytes per line, colours of
 * 12 bytes: words 0, 4, 5, 7, 11, 12, 19 of XWDFile.h, big end first. */
static bool map_screen(x_server *server)
{
    char path[96];
    struct stat about;
    screen_path(server, path, sizeof path);
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0) {
        return false;
    }
    server->mapped_size = (size_t)about.st_size;
    server->mapped = mmap(NULL, server->mapped_size, PROT_READ, MAP_SHARED, file, 0);
    (void)close(file);
    if (server->mapped == MAP_FAILED) {
        server->mapped = NULL;
        return false;
    }
    const uint8_t *bytes = server->mapped;
    uint32_t word[HEADER_WORDS];
    for (size_t i = 0; i < HEADER_WORDS; i++) {
        const uint8_t *b = bytes + 4 * i;
        word[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    const size_t start = word[0] + (size_t)word[19] * 12;
    server->pixels = (const uint32_t *)(const void *)(bytes + start);
    server->stride = word[12] / sizeof(uint32_t);
    return word[4] == (uint32_t)server->width && word[5] == (uint32_t)server->height &&
           word[7] == 0 && word[11] == 32 && start % sizeof(uint32_t) == 0 &&
           start + server->stride * sizeof(uint32_t) * word[5] <= server->mapped_size;
}

bool x_server_start(x_server *server, int width, int height)
{
    return x_server_start_without(server, width, height, NULL);
}

bool x_server_start_without(x_server *server, int width, int height, const char *extension)
{
    *server = (x_server){.width = width, .height = height};
    /* The screen is no file for a disk to write. */
    const char *const base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    (void)snprintf(server->folder, sizeof server->folder, "%s/tickglass-x11-XXXXXX",
                   base != NULL && strlen(base) < 32 ? base : "/tmp");
    int number_pipe[2];
    if (mkdtemp(server->folder) == NULL) {
        server->folder[0] = '\0';
        return false;
    }
    kept_folder_made(server->folder);
    if (pipe(number_pipe) != 0) {
        return false;
    }
    (void)fflush(NULL);
    const pid_t parent = getpid();
    server->pid = fork();
    if (server->pid == 0) {
        child_ends_with_parent(parent);
        (void)close(number_pipe[0]);
        run_child(server, number_pipe[1], extension);
    }
    (void)close(number_pipe[1]);
    const bool good = server->pid > 0 && await_number(server, number_pipe[0]) && map_screen(server);
    (void)close(number_pipe[0]);
    if (good) {
        (void)setenv("DISPLAY", server->display, 1);
        (void)setenv("SDL_VIDEODRIVER", "x11", 1);
    }
    return good;
}

void x_server_stop(x_server *server)
{
    if (server->pid > 0) {
        (void)kill(server->pid, SIGTERM);
        (void)waitpid(server->pid, NULL, 0);
        server->pid = 0;
    }
    if (server->mapped != NULL) {
        (void)munmap(server->mapped, server->mapped_size);
        server->mapped = NULL;
        server->pixels = NULL;
    }
    if (server->folder[0] != '\0') {
        char path[96];
        screen_path(server, path, sizeof path);
        (void)unlink(path);
        (void)rmdir(server->folder);
        server->folder[0] = '\0';
    }
}

void x_server_read(const x_server *server, int x, int y, int width, int height, uint32_t *pixels)
{
    for (int line = 0; line < height; line++) {
        const uint32_t *from = server->pixels + (size_t)(y + line) * server->stride + x;
        for (int i = 0; i < width; i++) {
            *pixels++ = from[i] & UINT32_C(0xffffff);
        }
    }
}

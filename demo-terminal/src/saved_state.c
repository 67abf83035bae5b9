#include "saved_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setting_value.h"

/* The number grows when a reader of the one before would misunderstand. */
#define FIRST_WORDS "tickglass-terminal state "
#define VERSION     1
#define LAST_LINE   "end" /* a file without it was cut off */
#define LINE_SIZE   512
#define BROKEN_MAX  1000
#define MODE_FOLDER 0700
#define MODE_FILE   0600

tg_err saved_state_path(const char *profile, char path[USER_PATH_SIZE])
{
    char name[80];
    (void)snprintf(name, sizeof name, "terminal%s%s.state", profile != NULL ? "-" : "",
                   profile != NULL ? profile : "");
    return user_folder_path(name, path);
}

/* --- reading --- */

/* VENUE:SYMBOL; the venue ends at the first colon. */
static bool read_name(const char *value, saved_state *out)
{
    const char *colon = strchr(value, ':');
    if (colon == NULL || colon == value || (size_t)(colon - value) >= sizeof out->venue ||
        colon[1] == '\0' || strlen(colon + 1) >= sizeof out->symbol) {
        return false;
    }
    (void)snprintf(out->venue, sizeof out->venue, "%.*s", (int)(colon - value), value);
    (void)snprintf(out->symbol, sizeof out->symbol, "%s", colon + 1);
    return true;
}

static bool take(const char *key, const char *value, saved_state *out)
{
    char why[128];
    if (strcmp(key, "palette") == 0) {
        (void)snprintf(out->palette, sizeof out->palette, "%s", value);
        return setting_value_check(SETTING_KIND_PALETTE, value, why, sizeof why);
    }
    if (strcmp(key, "size") == 0) {
        return setting_read_size(value, &out->width_px, &out->height_px);
    }
    if (strcmp(key, "font_size") == 0) {
        return setting_read_font_size(value, &out->font_size_px);
    }
    return strcmp(key, "selected") == 0 && read_name(value, out);
}

static bool read_line(FILE *from, char line[LINE_SIZE])
{
    if (fgets(line, LINE_SIZE, from) == NULL) {
        return false;
    }
    const size_t size = strcspn(line, "\n");
    const bool whole = line[size] == '\n';
    line[size] = '\0';
    return whole;
}

static tg_err read_version(const char *line)
{
    int version = 0;
    if (strncmp(line, FIRST_WORDS, sizeof FIRST_WORDS - 1) != 0 ||
        !setting_read_number(line + sizeof FIRST_WORDS - 1, 1, 1000000, &version)) {
        return TG_ERR_SYNTAX;
    }
    return version == VERSION ? TG_OK : TG_ERR_UNSUPPORTED;
}

static tg_err read_all(FILE *from, saved_state *out, unsigned *number)
{
    char line[LINE_SIZE];
    *number = 1;
    if (!read_line(from, line)) {
        return TG_ERR_SYNTAX;
    }
    const tg_err err = read_version(line);
    if (err != TG_OK) {
        return err;
    }
    for (*number = 2; read_line(from, line); ++*number) {
        if (strcmp(line, LAST_LINE) == 0) {
            return fgetc(from) == EOF ? TG_OK : TG_ERR_SYNTAX;
        }
        char *equals = strstr(line, " = ");
        if (equals == NULL) {
            return TG_ERR_SYNTAX;
        }
        *equals = '\0';
        if (!take(line, equals + 3, out)) {
            return TG_ERR_SYNTAX;
        }
    }
    return TG_ERR_SYNTAX;
}

tg_err saved_state_read(const char *path, saved_state *out, char *why, size_t why_size)
{
    memset(out, 0, sizeof *out);
    FILE *from = fopen(path, "re");
    if (from == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        return TG_OK;
    }
    if (from == NULL) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    unsigned number = 0;
    errno = 0;
    tg_err err = read_all(from, out, &number);
    if (ferror(from)) {
        err = TG_ERR_IO;
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
    } else if (err == TG_ERR_UNSUPPORTED) {
        (void)snprintf(why, why_size, "%s: a later version wrote it", path);
    } else if (err != TG_OK) {
        (void)snprintf(why, why_size, "line %u is broken", number);
    }
    (void)fclose(from);
    if (err != TG_OK) {
        memset(out, 0, sizeof *out);
    }
    return err;
}

/* --- keeping and writing --- */

tg_err saved_state_set_aside(const char *path, char kept[USER_PATH_SIZE])
{
    for (int n = 1; n <= BROKEN_MAX; n++) {
        const int size = snprintf(kept, USER_PATH_SIZE, "%s.broken-%d", path, n);
        if (size < 0 || size >= USER_PATH_SIZE) {
            errno = ENAMETOOLONG;
            return TG_ERR_IO;
        }
        /* Unlike rename() it never replaces what was kept before. */
        if (link(path, kept) == 0) {
            return unlink(path) == 0 ? TG_OK : TG_ERR_IO;
        }
        if (errno != EEXIST) {
            return TG_ERR_IO;
        }
    }
    return TG_ERR_IO;
}

/* The folders above path. Not an error if they are there. */
static bool make_folders(const char *path)
{
    char folder[USER_PATH_SIZE];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, MODE_FOLDER) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    return true;
}

static void put(FILE *to, const saved_state *state)
{
    (void)fprintf(to, FIRST_WORDS "%d\n", VERSION);
    if (state->palette[0] != '\0') {
        (void)fprintf(to, "palette = %s\n", state->palette);
    }
    if (state->width_px > 0) {
        (void)fprintf(to, "size = %dx%d\n", state->width_px, state->height_px);
    }
    if (state->font_size_px > 0) {
        (void)fprintf(to, "font_size = %d\n", state->font_size_px);
    }
    if (state->venue[0] != '\0' && strpbrk(state->symbol, "\r\n") == NULL) {
        (void)fprintf(to, "selected = %s:%s\n", state->venue, state->symbol);
    }
    (void)fputs(LAST_LINE "\n", to);
}

static bool write_part(const char *part, const saved_state *state)
{
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MODE_FILE);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (to == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    put(to, state);
    /* The rename must not reach the disk before the bytes do. */
    const bool good = fflush(to) == 0 && ferror(to) == 0 && fsync(fd) == 0;
    return fclose(to) == 0 && good;
}

static bool sync_folder(const char *path)
{
    char folder[USER_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash + 1 - path) : 1,
                   slash != NULL ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    /* Some file systems cannot do it for folders; they say EINVAL. */
    const bool good = fsync(fd) == 0 || errno == EINVAL;
    (void)close(fd);
    return good;
}

tg_err saved_state_write(const char *path, const saved_state *state)
{
    char part[USER_PATH_SIZE];
    const int size = snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    if (size < 0 || (size_t)size >= sizeof part) {
        errno = ENAMETOOLONG;
        return TG_ERR_IO;
    }
    if (!make_folders(path)) {
        return TG_ERR_IO;
    }
    if (!write_part(part, state) || rename(part, path) != 0) {
        const int why = errno;
        (void)unlink(part);
        errno = why;
        return TG_ERR_IO;
    }
    return sync_folder(path) ? TG_OK : TG_ERR_IO;
}

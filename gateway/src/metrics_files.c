#include "metrics_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/hlog.h>

#include "log.h"
#include "write_all.h"

#define PATH_SIZE     1024
#define NAME_PATTERN  "stages-00000000T000000Z.hlog" /* 0: any digit */
#define SAME_SECOND   16 /* names that are tried one second after another */
#define NS_PER_SECOND INT64_C(1000000000)

const char *const tg__stage_names[TG__STAGE_COUNT] = {
    [TG__STAGE_HANDLER] = "exchange_to_handler", [TG__STAGE_SEQUENCING] = "sequencing",
    [TG__STAGE_CONFLATION] = "conflation",       [TG__STAGE_ENCODE] = "encode",
    [TG__STAGE_WRITE] = "socket_write",          [TG__STAGE_CLIENT_DECODE] = "client_decode",
    [TG__STAGE_CLIENT_COMMIT] = "client_commit",
};

struct tg__metrics_files {
    char folder[PATH_SIZE - 64];
    char path[PATH_SIZE]; /* of the file in hand */
    int fd;               /* -1: none */
    off_t size;
    int64_t begin_utc_ns; /* of the file */
    bool failing;         /* and that was told */
    tg__text_buffer text; /* kept: a steady stream of intervals takes no more memory */
};

tg_err tg__metrics_files_open(const char *folder, tg__metrics_files **out, tg__cause *cause)
{
    *out = NULL;
    tg__metrics_files *files = calloc(1, sizeof *files);
    if (files == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to write there", folder);
    }
    files->fd = -1;
    const int length = snprintf(files->folder, sizeof files->folder, "%s", folder);
    tg_err err = TG_OK;
    if (length <= 0 || (size_t)length >= sizeof files->folder) {
        err = tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "--metrics-dir is empty or too long");
    } else if ((mkdir(folder, 0755) != 0 && errno != EEXIST) ||
               access(folder, R_OK | W_OK | X_OK) != 0) {
        err = tg__cause_set(cause, TG_ERR_IO, "--metrics-dir %s: %s", folder, strerror(errno));
    }
    if (err != TG_OK) {
        tg__metrics_files_close(files);
        return err;
    }
    *out = files;
    return TG_OK;
}

static void close_file(tg__metrics_files *files)
{
    if (files->fd >= 0) {
        (void)close(files->fd);
        files->fd = -1;
    }
}

void tg__metrics_files_close(tg__metrics_files *files)
{
    if (files != NULL) {
        close_file(files);
        tg__text_buffer_deinit(&files->text);
        free(files);
    }
}

/* ---- how many files there are ---- */

static bool is_own_name(const char *name)
{
    static const char pattern[] = NAME_PATTERN;
    for (size_t i = 0; i < sizeof pattern; i++) {
        const bool good =
            pattern[i] == '0' ? name[i] >= '0' && name[i] <= '9' : name[i] == pattern[i];
        if (!good) {
            return false;
        }
    }
    return true;
}

/* How many files there are, and the name of the oldest: names are in order of time. */
static unsigned count_files(const char *folder, char oldest[sizeof NAME_PATTERN])
{
    unsigned count = 0;
    DIR *listing = opendir(folder);
    if (listing == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (!is_own_name(entry->d_name)) {
            continue;
        }
        if (count == 0 || strcmp(entry->d_name, oldest) < 0) {
            memcpy(oldest, entry->d_name, sizeof NAME_PATTERN);
        }
        count++;
    }
    (void)closedir(listing);
    return count;
}

static void remove_oldest(const tg__metrics_files *files)
{
    char oldest[sizeof NAME_PATTERN];
    char path[PATH_SIZE];
    while (count_files(files->folder, oldest) > TG__METRICS_FILES_MAX) {
        (void)snprintf(path, sizeof path, "%s/%s", files->folder, oldest);
        /* The file in hand is the oldest after the clock was set back. */
        if (strcmp(path, files->path) == 0 || unlink(path) != 0) {
            return;
        }
    }
}

/* ---- writing ---- */

/* False: errno says why. A name that is taken belongs to somebody: the next second's is tried. */
static bool open_file(tg__metrics_files *files, int64_t from_utc_ns)
{
    for (int64_t i = 0; i < SAME_SECOND && files->fd < 0; i++) {
        const time_t second = (time_t)(from_utc_ns / NS_PER_SECOND + i);
        struct tm utc;
        char name[64];
        if (gmtime_r(&second, &utc) == NULL ||
            strftime(name, sizeof name, "stages-%Y%m%dT%H%M%SZ.hlog", &utc) == 0) {
            errno = EINVAL;
            return false;
        }
        (void)snprintf(files->path, sizeof files->path, "%s/%s", files->folder, name);
        files->fd = open(files->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (files->fd < 0 && errno != EEXIST) {
            return false;
        }
    }
    files->size = 0;
    files->begin_utc_ns = from_utc_ns;
    return files->fd >= 0;
}

static bool append(tg__metrics_files *files)
{
    if (tg__write_all(files->fd, files->text.bytes, files->text.size)) {
        files->size += (off_t)files->text.size;
        return true;
    }
    const int why = errno;
    /* Half an interval would be a damaged line: the file ends before it. */
    if (ftruncate(files->fd, files->size) != 0) {
        close_file(files);
    }
    errno = why;
    return false;
}

static tg_err encode(tg__metrics_files *files, tg__stage stage, const tg_histogram *histogram,
                     int64_t from_utc_ns, int64_t to_utc_ns)
{
    files->text.size = 0;
    files->text.failed = false;
    if (files->size == 0) {
        tg__hlog_add_header(&files->text, from_utc_ns);
    }
    return tg__hlog_add_interval(&files->text, tg__stage_names[stage], from_utc_ns, to_utc_ns,
                                 histogram);
}

/* Stages of one interval stay together. */
static bool file_is_over(const tg__metrics_files *files, tg__stage stage, int64_t from_utc_ns)
{
    return files->fd >= 0 && stage == TG__STAGE_HANDLER &&
           (from_utc_ns - files->begin_utc_ns >= TG__METRICS_FILE_TIME_NS ||
            files->size >= (off_t)TG__METRICS_FILE_SIZE_MAX);
}

void tg__metrics_files_add(tg__metrics_files *files, tg__stage stage, const tg_histogram *histogram,
                           int64_t from_utc_ns, int64_t to_utc_ns)
{
    if (file_is_over(files, stage, from_utc_ns)) {
        close_file(files);
    }
    const bool begins = files->fd < 0;
    bool written = !begins || open_file(files, from_utc_ns);
    if (written && begins) {
        remove_oldest(files);
    }
    if (written && encode(files, stage, histogram, from_utc_ns, to_utc_ns) != TG_OK) {
        errno = ENOMEM;
        written = false;
    }
    written = written && append(files);
    if (!written && !files->failing) {
        tg__log("%s: stage histograms cannot be written: %s; they are left out until they can be",
                files->path, strerror(errno));
    } else if (written && files->failing) {
        tg__log("%s: stage histograms are written again", files->path);
    }
    files->failing = !written;
}

#include "watchlist_export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "row_text.h"

#define MODE_FILE 0644

struct watchlist_export {
    size_t capacity; /* bytes */
    size_t length;
    char text[];
};

tg_err watchlist_export_open(size_t row_count, watchlist_export **out)
{
    const size_t capacity = (row_count + 1) * ROW_TEXT_SIZE;
    *out = malloc(sizeof **out + capacity);
    if (*out == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    (*out)->capacity = capacity;
    (*out)->length = strlen(row_text_csv_names());
    memcpy((*out)->text, row_text_csv_names(), (*out)->length);
    return TG_OK;
}

void watchlist_export_close(watchlist_export *to)
{
    free(to);
}

void watchlist_export_add(watchlist_export *to, const watch_view *view, int64_t now_utc_ns)
{
    char line[ROW_TEXT_SIZE];
    row_text_csv(view, now_utc_ns, line);
    const size_t length = strlen(line);
    if (length <= to->capacity - to->length) {
        memcpy(to->text + to->length, line, length);
        to->length += length;
    }
}

void watchlist_export_path(int64_t now_utc_ns, char path[WATCHLIST_EXPORT_PATH_SIZE])
{
    (void)snprintf(path, WATCHLIST_EXPORT_PATH_SIZE, "tickglass-watchlist-%" PRId64 ".csv",
                   now_utc_ns / 1000000);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

tg_err watchlist_export_write(const watchlist_export *to, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE_FILE);
    if (fd < 0) {
        return TG_ERR_IO;
    }
    bool good = write_all(fd, to->text, to->length);
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (!good) {
        (void)unlink(path);
        errno = why;
        return TG_ERR_IO;
    }
    return TG_OK;
}

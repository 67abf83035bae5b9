#include "write_all.h"

#include <errno.h>
#include <unistd.h>

bool tg__write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        at += written;
        size -= (size_t)written;
    }
    return true;
}

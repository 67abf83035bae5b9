#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Through a pointer that the compiler cannot see through: a plain memset of memory that is not read
 * again would be left out. */
static void *(*_Atomic fill_memory)(void *, int, size_t) = memset;

void secret_wipe(void *secret, size_t size)
{
    (void)atomic_load_explicit(&fill_memory, memory_order_relaxed)(secret, 0, size);
}

size_t secret_trim(char *secret)
{
    const size_t before = strlen(secret);
    const char *start = secret + strspn(secret, " \t\r\n");
    size_t size = strlen(start);
    while (size > 0 && strchr(" \t\r\n", start[size - 1]) != NULL) {
        size--;
    }
    memmove(secret, start, size);
    /* No second copy of its end is left behind. */
    secret_wipe(secret + size, before - size);
    return size;
}

/* Not through stdio: no copy of the secret stays behind in its buffer. Negative: errno says why. */
static ssize_t read_beginning(const char *path, char secret[SECRET_SIZE])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    size_t used = 0;
    ssize_t n = 1;
    while (n != 0 && used < SECRET_SIZE - 1) {
        n = read(fd, secret + used, SECRET_SIZE - 1 - used);
        if (n < 0 && errno != EINTR) {
            break;
        }
        used += n > 0 ? (size_t)n : 0;
    }
    const int failure = errno;
    (void)close(fd);
    errno = failure;
    return n < 0 ? -1 : (ssize_t)used;
}

tg_err secret_read(const char *path, char secret[SECRET_SIZE], char *why, size_t why_size)
{
    memset(secret, 0, SECRET_SIZE);
    const ssize_t used = read_beginning(path, secret);
    if (used < 0) {
        char reason[128] = "";
        (void)strerror_r(errno, reason, sizeof reason);
        (void)snprintf(why, why_size, "%s: %s", path, reason);
        return TG_ERR_IO;
    }
    const size_t line = strcspn(secret, "\r\n");
    /* What stands behind the line is a secret as well, perhaps. */
    secret_wipe(secret + line, SECRET_SIZE - line);
    const size_t size = secret_trim(secret);
    if (size == 0 || size >= SECRET_SIZE - 1) {
        (void)snprintf(why, why_size,
                       size == 0 ? "%s: nothing stands in its first line"
                                 : "%s: its first line is too long",
                       path);
        secret_wipe(secret, SECRET_SIZE);
        return TG_ERR_SYNTAX;
    }
    return TG_OK;
}

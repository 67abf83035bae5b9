#include "entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DEVICE "/dev/urandom"

tg_err tg__entropy_get(void *out, size_t size, tg__cause *cause)
{
    const int fd = open(DEVICE, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, out, size);
    tg_err err = TG_OK;
    if (got < 0 || (size_t)got != size) {
        err = tg__cause_set(cause, TG_ERR_IO, DEVICE ": cannot be read: %s", strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return err;
}

#include "file_head.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#define HEAD_SIZE (TG__BLOCK_HEADER + TG__RINGS_PATH_SIZE + 64u)

tg_err tg__file_head_read(const char *path, tg__file_info *out)
{
    unsigned char bytes[HEAD_SIZE];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    TG_ENSURE(fd >= 0, TG_ERR_IO);
    ssize_t got = -1;
    do {
        got = pread(fd, bytes, sizeof bytes, 0);
    } while (got < 0 && errno == EINTR);
    const int failure = errno;
    (void)close(fd);
    errno = failure;
    TG_ENSURE(got >= 0, TG_ERR_IO);
    tg__block block;
    TG_ENSURE(tg__block_open(bytes, (size_t)got, &block) == TG_OK && block.kind == TG__BLOCK_FILE,
              TG_ERR_FORMAT);
    return tg__file_info_decode(&block, out);
}

#include "rings_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "dictionary.h"

#define PAGE_SIZE   4096u
#define THREADS_MAX 4096u

static bool is_sound(const tg__rings_image *image)
{
    const tg__rings_header *h = image->header;
    return h->magic == TG__RINGS_MAGIC && h->threads_max >= 1 && h->threads_max <= THREADS_MAX &&
           h->ring_size >= PAGE_SIZE && (h->ring_size & (h->ring_size - 1)) == 0 &&
           h->controls_offset == PAGE_SIZE + TG__DICTIONARY_BYTES &&
           h->data_offset <= image->size &&
           h->data_offset >=
               h->controls_offset + (uint64_t)h->threads_max * sizeof(tg__ring_control) &&
           (image->size - h->data_offset) / h->ring_size >= h->threads_max &&
           memchr(h->record_path, '\0', sizeof h->record_path) != NULL;
}

/* Whoever records holds a lock, which the system takes back when the process ends: a number of a
 * process may have become another one's. Where locks cannot be had, nothing is said to be over. */
static bool is_held(int fd)
{
    const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (!held) {
        (void)flock(fd, LOCK_UN);
    }
    return held;
}

static tg_err map(int fd, tg__rings_image *out)
{
    struct stat facts;
    TG_ENSURE(fstat(fd, &facts) == 0, TG_ERR_IO);
    TG_ENSURE(S_ISREG(facts.st_mode) && facts.st_size >= (off_t)(PAGE_SIZE + TG__DICTIONARY_BYTES),
              TG_ERR_FORMAT);
    void *base = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, fd, 0);
    TG_ENSURE(base != MAP_FAILED, TG_ERR_IO);
    out->base = base;
    out->size = (size_t)facts.st_size;
    out->header = (const tg__rings_header *)base;
    if (!is_sound(out)) {
        tg__rings_image_close(out);
        return TG_ERR_FORMAT;
    }
    out->controls =
        (const tg__ring_control *)(const void *)(out->base + out->header->controls_offset);
    out->running = is_held(fd);
    return TG_OK;
}

tg_err tg__rings_image_open(const char *path, tg__rings_image *out)
{
    memset(out, 0, sizeof *out);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    TG_ENSURE(fd >= 0, TG_ERR_IO);
    const tg_err err = map(fd, out);
    const int failure = errno;
    (void)close(fd);
    errno = failure;
    return err;
}

void tg__rings_image_close(tg__rings_image *image)
{
    if (image->base != NULL) {
        (void)munmap((void *)(uintptr_t)image->base, image->size);
    }
    memset(image, 0, sizeof *image);
}

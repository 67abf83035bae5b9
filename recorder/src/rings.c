#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "dictionary.h"

#define PAGE_SIZE   4096u
#define MEMORY_DIR  "/dev/shm"
#define RINGS_UMASK 0600 /* records may hold what only their owner should see */

static uint64_t round_to_page(uint64_t size)
{
    return (size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

static void read_boot_id(char *out, size_t size)
{
    memset(out, 0, size);
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return; /* empty: no anchor will be added later */
    }
    const ssize_t got = read(fd, out, size - 1);
    if (got <= 0) {
        out[0] = '\0';
    }
    (void)close(fd);
    out[strcspn(out, "\n")] = '\0';
}

/* -1 with errno, or the descriptor; path is where it is. */
static int create_in(const char *dir, uint64_t id, char *path)
{
    const int length =
        snprintf(path, TG__RINGS_PATH_SIZE, "%s/tickglass-%016" PRIx64 ".rings", dir, id);
    if (length < 0 || length >= TG__RINGS_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, RINGS_UMASK);
}

static int create_beside(const char *record_path, char *path)
{
    const int length = snprintf(path, TG__RINGS_PATH_SIZE, "%s.rings", record_path);
    if (length < 0 || length >= TG__RINGS_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, RINGS_UMASK);
}

static int create_file(const tg__rings_options *opt, char *path)
{
    if (opt->dir != NULL) {
        return create_in(opt->dir, opt->recorder_id, path);
    }
    const int fd = create_in(MEMORY_DIR, opt->recorder_id, path);
    return fd >= 0 ? fd : create_beside(opt->record_path, path);
}

/* For people who find the rings after a crash and look for the record. */
static void note_record_path(const char *path, char *out)
{
    char folder[TG__RINGS_PATH_SIZE] = "";
    const bool relative = path[0] != '/';
    if (relative && getcwd(folder, sizeof folder) == NULL) {
        return;
    }
    const int length =
        snprintf(out, TG__RINGS_PATH_SIZE, "%s%s%s", folder, relative ? "/" : "", path);
    if (length < 0 || length >= TG__RINGS_PATH_SIZE) {
        out[0] = '\0';
    }
}

/* Held until the descriptor is closed, by us or by the end of the process: tg__rings_image_open()
 * asks for it. Others hold it for a moment only. */
static void lock(int fd)
{
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
}

tg_err tg__rings_create(const tg__rings_options *opt, tg__rings *out)
{
    memset(out, 0, sizeof *out);
    const uint64_t controls_offset = PAGE_SIZE + TG__DICTIONARY_BYTES;
    const uint64_t data_offset =
        round_to_page(controls_offset + (uint64_t)opt->threads_max * sizeof(tg__ring_control));
    const uint64_t total = data_offset + (uint64_t)opt->threads_max * opt->ring_size;
    out->fd = create_file(opt, out->path);
    TG_ENSURE(out->fd >= 0, TG_ERR_IO);
    lock(out->fd);

    int failure = 0;
    if (ftruncate(out->fd, (off_t)total) != 0) {
        failure = errno;
        goto fail;
    }
    /* A hole in a mapping is a SIGBUS when the file system is full: reserve before touching. */
    failure = posix_fallocate(out->fd, 0, (off_t)data_offset);
    if (failure != 0) {
        goto fail;
    }
    void *base = mmap(NULL, (size_t)total, PROT_READ | PROT_WRITE, MAP_SHARED, out->fd, 0);
    if (base == MAP_FAILED) {
        failure = errno;
        goto fail;
    }
    out->base = base;
    out->size = (size_t)total;
    memset(out->base, 0, (size_t)data_offset); /* written pages do not fault later */
    out->header = (tg__rings_header *)base;
    out->dictionary = out->base + PAGE_SIZE;
    out->controls = (tg__ring_control *)(void *)(out->base + controls_offset);
    out->header->recorder_id = opt->recorder_id;
    out->header->controls_offset = controls_offset;
    out->header->data_offset = data_offset;
    out->header->total_size = total;
    out->header->threads_max = opt->threads_max;
    out->header->ring_size = opt->ring_size;
    out->header->pid = (uint32_t)getpid();
    read_boot_id(out->header->boot_id, sizeof out->header->boot_id);
    note_record_path(opt->record_path, out->header->record_path);
    out->header->magic = TG__RINGS_MAGIC;
    return TG_OK;

fail:
    tg__rings_close(out, 1);
    errno = failure;
    return TG_ERR_IO;
}

unsigned char *tg__rings_data(const tg__rings *rings, uint32_t ring)
{
    return rings->base + rings->header->data_offset + (uint64_t)ring * rings->header->ring_size;
}

tg_err tg__rings_touch(tg__rings *rings, uint32_t ring)
{
    const uint32_t size = rings->header->ring_size;
    const uint64_t offset = rings->header->data_offset + (uint64_t)ring * size;
    const int failure = posix_fallocate(rings->fd, (off_t)offset, (off_t)size);
    if (failure != 0) {
        errno = failure;
        return TG_ERR_IO;
    }
    memset(tg__rings_data(rings, ring), 0, size);
    return TG_OK;
}

void tg__rings_close(tg__rings *rings, int remove)
{
    if (rings->base != NULL) {
        (void)munmap(rings->base, rings->size);
        rings->base = NULL;
    }
    if (rings->fd >= 0) {
        (void)close(rings->fd);
        if (remove != 0) {
            (void)unlink(rings->path);
        }
        rings->fd = -1;
    }
}

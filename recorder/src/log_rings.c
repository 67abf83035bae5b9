#include "log_command.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tickglass/internal/text_buffer.h>

#include "log_siblings.h"
#include "rings_read.h"

#define MEMORY_DIR "/dev/shm"

static uint64_t unwritten_bytes(const tg__rings_image *image)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < image->header->threads_max; i++) {
        const tg__ring_control *control = &image->controls[i];
        /* Head first: a process that runs moves both, and never head past the tail read later. */
        const uint64_t head = atomic_load_explicit(&control->head, memory_order_acquire);
        const uint64_t tail = atomic_load_explicit(&control->tail, memory_order_acquire);
        sum += tail > head ? tail - head : 0;
    }
    return sum;
}

/* Any file of the recorder that is still where its first one was made. */
static void add_record(const tg__rings_header *header, tg__text_buffer *text)
{
    const char *path = header->record_path;
    tg__text_add_string(text, "    record: ");
    if (path[0] == '\0') {
        tg__text_add_string(text, "not known, its path is too long\n");
        return;
    }
    log_siblings siblings = {NULL, 0};
    const bool found =
        log_siblings_find(path, header->recorder_id, &siblings) == TG_OK && siblings.count != 0;
    path = found ? siblings.files[0].path : path;
    tg__text_add_plain(text, path, strlen(path));
    tg__text_add_string(text, found ? "\n" : ", which is not there\n");
    log_siblings_free(&siblings);
}

static void describe(const char *path, const tg__rings_image *image, tg__text_buffer *text)
{
    const tg__rings_header *header = image->header;
    tg__text_add_plain(text, path, strlen(path));
    tg__text_add_string(text, image->running ? ": process " : ": left behind by process ");
    tg__text_add_u64(text, header->pid);
    tg__text_add_string(text, image->running ? " records since " : ", begun ");
    tg__text_add_utc(text, header->first_anchor.utc_ns, NULL);
    tg__text_add_string(text, ", ");
    tg__text_add_u64(text, image->size);
    tg__text_add_string(text, " bytes, ");
    tg__text_add_u64(text, unwritten_bytes(image));
    tg__text_add_string(text, " of them not in a file\n");
    add_record(header, text);
}

static int show(const char *path)
{
    tg__rings_image image;
    const tg_err err = tg__rings_image_open(path, &image);
    if (err != TG_OK) {
        (void)log_fail(path, err);
        return err == TG_ERR_FORMAT ? LOG_DAMAGED : LOG_USAGE;
    }
    tg__text_buffer text = {NULL, 0, 0, false};
    describe(path, &image, &text);
    const bool written = !text.failed && fwrite(text.bytes, 1, text.size, stdout) == text.size;
    const int status =
        written ? LOG_OK : log_fail("standard output", text.failed ? TG_ERR_NO_MEMORY : TG_ERR_IO);
    tg__text_buffer_deinit(&text);
    tg__rings_image_close(&image);
    return status;
}

static int is_rings_name(const struct dirent *entry)
{
    static const char ending[] = ".rings";
    const size_t length = strlen(entry->d_name);
    return length > sizeof ending - 1 &&
           strcmp(entry->d_name + length - (sizeof ending - 1), ending) == 0;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int show_folder(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_rings_name, alphasort);
    if (count < 0) {
        return log_fail(folder, TG_ERR_IO);
    }
    int status = LOG_OK;
    for (int i = 0; i < count; i++) {
        const size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = malloc(size);
        if (path != NULL) {
            (void)snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
            status = worse(status, show(path));
        } else {
            status = worse(status, log_fail(folder, TG_ERR_NO_MEMORY));
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

int log_rings(const log_options *opt)
{
    int status = opt->path_count == 0 ? show_folder(MEMORY_DIR) : LOG_OK;
    for (int i = 0; i < opt->path_count; i++) {
        struct stat facts;
        const bool is_folder = stat(opt->paths[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        status = worse(status, is_folder ? show_folder(opt->paths[i]) : show(opt->paths[i]));
    }
    return status;
}

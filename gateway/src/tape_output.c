#include "tape_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "xz_writer.h"

#define TEMPORARY_SUFFIX ".part"

struct tg__tape_output {
    FILE *file;
    char *path;
    char *temporary; /* NULL: stdout, or moved to its place */
    tg__xz_writer *xz;
};

static tg_err write_fault(const tg__tape_output *output, tg_err err, tg__cause *cause)
{
    return tg__cause_set(cause, err, "%s: cannot be written: %s", output->path,
                         err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
}

static tg_err put(tg__tape_output *output, const char *text, size_t size, tg__cause *cause)
{
    tg_err err = TG_OK;
    if (output->xz != NULL) {
        err = tg__xz_writer_add(output->xz, text, size);
    } else if (fwrite(text, 1, size, output->file) != size) {
        err = TG_ERR_IO;
    }
    return err == TG_OK ? TG_OK : write_fault(output, err, cause);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static tg_err open_file(tg__tape_output *output, tg__cause *cause)
{
    if (strcmp(output->path, "-") == 0) {
        output->file = stdout;
        return TG_OK;
    }
    const size_t size = strlen(output->path) + sizeof TEMPORARY_SUFFIX;
    output->temporary = malloc(size);
    if (output->temporary == NULL) {
        return write_fault(output, TG_ERR_NO_MEMORY, cause);
    }
    (void)snprintf(output->temporary, size, "%s" TEMPORARY_SUFFIX, output->path);
    output->file = fopen(output->temporary, "wb");
    return output->file != NULL ? TG_OK : write_fault(output, TG_ERR_IO, cause);
}

tg_err tg__tape_output_open(const char *path, tg__tape_output **out, tg__cause *cause)
{
    static const char header[] = TG__TAPE_HEADER "\n";
    *out = NULL;
    tg__tape_output *output = calloc(1, sizeof *output);
    if (output == NULL || (output->path = strdup(path)) == NULL) {
        free(output);
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to write it", path);
    }
    tg_err err = open_file(output, cause);
    if (err == TG_OK && ends_with(path, ".xz")) {
        err = tg__xz_writer_open(output->file, &output->xz);
        if (err != TG_OK) {
            (void)write_fault(output, err, cause);
        }
    }
    if (err == TG_OK) {
        err = put(output, header, sizeof header - 1, cause);
    }
    if (err != TG_OK) {
        tg__tape_output_close(output);
        return err;
    }
    *out = output;
    return TG_OK;
}

tg_err tg__tape_output_add(tg__tape_output *output, const tg__tape_line *row, tg__cause *cause)
{
    char text[TG__TAPE_LINE_SIZE];
    size_t size = 0;
    TG_TRY(tg__tape_line_format(row, text, &size));
    return put(output, text, size, cause);
}

static tg_err finish_file(tg__tape_output *output)
{
    if (output->xz != NULL) {
        TG_TRY(tg__xz_writer_finish(output->xz));
    }
    TG_ENSURE(fflush(output->file) == 0, TG_ERR_IO);
    if (output->temporary != NULL) {
        TG_ENSURE(fsync(fileno(output->file)) == 0, TG_ERR_IO);
        TG_ENSURE(rename(output->temporary, output->path) == 0, TG_ERR_IO);
        free(output->temporary);
        output->temporary = NULL;
    }
    return TG_OK;
}

tg_err tg__tape_output_commit(tg__tape_output *output, tg__cause *cause)
{
    const tg_err err = finish_file(output);
    return err == TG_OK ? TG_OK : write_fault(output, err, cause);
}

void tg__tape_output_close(tg__tape_output *output)
{
    if (output == NULL) {
        return;
    }
    tg__xz_writer_close(output->xz);
    if (output->file != NULL && output->file != stdout) {
        (void)fclose(output->file); /* committed, or taken away by the next lines */
    }
    if (output->temporary != NULL) {
        (void)unlink(output->temporary);
    }
    free(output->temporary);
    free(output->path);
    free(output);
}

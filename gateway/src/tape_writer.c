#include "tape_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "tape_line.h"

struct tg__tape_writer {
    FILE *file;
    char *path;
    const tg__directory *directory;
};

static tg_err write_fault(const tg__tape_writer *w, tg__cause *cause)
{
    return tg__cause_set(cause, TG_ERR_IO, "%s: cannot be written: %s", w->path, strerror(errno));
}

tg_err tg__tape_writer_open(const char *path, const tg__directory *directory, tg__tape_writer **out,
                            tg__cause *cause)
{
    *out = NULL;
    tg__tape_writer *w = calloc(1, sizeof *w);
    if (w == NULL || (w->path = strdup(path)) == NULL) {
        free(w);
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to write it", path);
    }
    w->directory = directory;
    w->file = fopen(path, "wb");
    if (w->file == NULL || fputs(TG__TAPE_HEADER "\n", w->file) == EOF) {
        const tg_err err = write_fault(w, cause);
        tg__tape_writer_close(w);
        return err;
    }
    *out = w;
    return TG_OK;
}

tg_err tg__tape_writer_add(tg__tape_writer *writer, const tg__row *row, tg__cause *cause)
{
    const tg_instrument *instrument = &writer->directory->instruments[row->instrument];
    tg__tape_line line = {
        .ts_ns = row->ts_ns,
        .kind = row->kind,
        .price = {row->price, instrument->price_exponent},
        .quantity = {row->quantity, instrument->quantity_exponent},
        .has_id = row->has_id,
        .exchange_id = row->exchange_id,
    };
    char text[TG__TAPE_LINE_SIZE];
    size_t size = 0;
    memcpy(line.venue, writer->directory->venues[instrument->venue].name, sizeof line.venue);
    memcpy(line.symbol, instrument->symbol, sizeof line.symbol);
    TG_TRY(tg__tape_line_format(&line, text, &size));
    return fwrite(text, 1, size, writer->file) == size ? TG_OK : write_fault(writer, cause);
}

tg_err tg__tape_writer_flush(tg__tape_writer *writer, tg__cause *cause)
{
    return fflush(writer->file) == EOF ? write_fault(writer, cause) : TG_OK;
}

void tg__tape_writer_close(tg__tape_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    if (writer->file != NULL) {
        (void)fclose(writer->file); /* flushed by the owner, who reports what fails there */
    }
    free(writer->path);
    free(writer);
}

#include "tape_writer.h"

#include <errno.h>
#include <inttypes.h>
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
    static const char *const kinds[] = {"bid", "ask", "trade"};
    const tg_instrument *instrument = &writer->directory->instruments[row->instrument];
    const tg_decimal price = {row->price, instrument->price_exponent};
    const tg_decimal quantity = {row->quantity, instrument->quantity_exponent};
    char price_text[TG_DECIMAL_TEXT_SIZE];
    char quantity_text[TG_DECIMAL_TEXT_SIZE];
    TG_TRY(tg_decimal_format(price, price_text, sizeof price_text));
    TG_TRY(tg_decimal_format(quantity, quantity_text, sizeof quantity_text));
    char id_text[24] = "";
    if (row->has_id) {
        (void)snprintf(id_text, sizeof id_text, "%" PRIu64, row->exchange_id);
    }
    const int written =
        fprintf(writer->file, "%" PRId64 ",%s,%s,%s,%s,%s,%s\n", row->ts_ns,
                writer->directory->venues[instrument->venue].name, instrument->symbol,
                kinds[row->kind], price_text, quantity_text, id_text);
    return written < 0 ? write_fault(writer, cause) : TG_OK;
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

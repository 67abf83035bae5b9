/** A DBN file, record by record. */
#ifndef TG_GATEWAY_DBN_READER_H
#define TG_GATEWAY_DBN_READER_H

#include "byte_stream.h"
#include "dbn_record.h"

typedef struct tg__dbn_reader {
    const char *path; /* the caller's */
    tg__byte_stream *stream;
    tg__dbn_metadata metadata;
    uint64_t record;    /* numbered from 1 */
    uint64_t record_at; /* byte of the uncompressed file */
    uint64_t at;
    bool ended;
} tg__dbn_reader;

/* Reads the header. TG_ERR_IO, TG_ERR_TAPE, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__dbn_reader_init(tg__dbn_reader *reader, const char *path,
                                         tg__cause *cause);
void tg__dbn_reader_deinit(tg__dbn_reader *reader);

/* As tg__tape_input_next(). */
TG_MUST_CHECK tg_err tg__dbn_reader_next(tg__dbn_reader *reader, tg__market_capture *capture,
                                         tg__cause *cause);

#endif

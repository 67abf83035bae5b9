/** The lines of a raw capture, handed to the reader of its venue. */
#ifndef TG_GATEWAY_CAPTURE_READER_H
#define TG_GATEWAY_CAPTURE_READER_H

#include "line_reader.h"
#include "packed_frame.h"
#include "venue_format.h"

#define TG__CAPTURE_LINE_MAX (8u << 20) /* bytes */

typedef struct tg__capture_reader {
    tg__line_reader lines;
    tg__packed_frame packed;
    const tg__venue_format *format; /* NULL: told by the first line */
} tg__capture_reader;

/* TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__capture_reader_init(tg__capture_reader *reader, const char *path,
                                             const tg__venue_format *format, tg__cause *cause);
void tg__capture_reader_deinit(tg__capture_reader *reader);

/* As tg__tape_input_next(). TG_ERR_TAPE: no venue is known by the first line. */
TG_MUST_CHECK tg_err tg__capture_reader_next(tg__capture_reader *reader,
                                             tg__market_capture *capture, tg__cause *cause);

/* One line without a file: what a fuzzer or a test has. *what says what is wrong. */
TG_MUST_CHECK tg_err tg__capture_reader_take(tg__capture_reader *reader,
                                             tg__market_capture *capture, const char *line,
                                             size_t length, const char **what);

#endif

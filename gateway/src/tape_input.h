/** One file of recorded market data, read record by record into rows: a raw capture or DBN. */
#ifndef TG_GATEWAY_TAPE_INPUT_H
#define TG_GATEWAY_TAPE_INPUT_H

#include "market_capture.h"

typedef struct tg__tape_input tg__tape_input;

/* Names for --from, separated by commas, for help and messages. */
extern const char tg__tape_input_formats[];
bool tg__tape_input_knows(const char *format);

/*
 * format NULL: told by the content. TG_ERR_IO, TG_ERR_NO_MEMORY; TG_ERR_TAPE: not of a format that
 * is known, or its header is bad. *out is NULL then.
 */
TG_MUST_CHECK tg_err tg__tape_input_open(const char *path, const char *format, tg__tape_input **out,
                                         tg__cause *cause);
void tg__tape_input_close(tg__tape_input *input);

/*
 * The next record; its rows, often none, stand in tg__tape_input_state() until the next call.
 * TG_ERR_NOT_FOUND at the end. TG_ERR_SYNTAX: the record is bad (cause: file, record, why), the
 * rows before the fault are there, and reading can go on. Anything else ends the reading.
 */
TG_MUST_CHECK tg_err tg__tape_input_next(tg__tape_input *input, tg__cause *cause);

const tg__market_capture *tg__tape_input_state(const tg__tape_input *input);
const char *tg__tape_input_path(const tg__tape_input *input);
const char *tg__tape_input_format(const tg__tape_input *input);
/* "line 812" or "record 7 at byte 1200": the one read last. */
void tg__tape_input_place(const tg__tape_input *input, char *out, size_t size);
unsigned tg__tape_input_percent(const tg__tape_input *input);

#endif

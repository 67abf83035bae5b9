/**
 * A record as text: its format filled in. The format comes from a file and is never given to
 * printf: it is taken apart once per site, and each conversion is done here.
 */
#ifndef TICKGLASS_LOG_TEXT_H
#define TICKGLASS_LOG_TEXT_H

#include <tickglass/internal/text_buffer.h>

#include "log_merge.h"

typedef struct tg__format tg__format;

/** Formats taken apart, of one file. Zero-initialised. */
typedef struct tg__log_text {
    tg__format *formats[TG__SITES_MAX + 1];
    tg__text_buffer message; /**< of the record in hand */
    tg__utc_second second;   /**< of the record before */
} tg__log_text;

void tg__log_text_deinit(tg__log_text *text);

/** "ERROR", "WARN", "INFO", "DETAIL" */
const char *tg__log_level_name(uint8_t level);

/** The message alone. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__log_text_message(tg__log_text *text, const tg__log_record *record,
                                          tg__text_buffer *out);

/** "2026-11-30T18:51:28.123456789Z INFO  net orders.c:12 message\n" */
TG_MUST_CHECK tg_err tg__log_text_line(tg__log_text *text, const tg__log_record *record,
                                       tg__text_buffer *out);

/** One JSON object and a newline; the arguments stand in "args", blobs in hexadecimal. */
TG_MUST_CHECK tg_err tg__log_text_json(tg__log_text *text, const tg__log_record *record,
                                       tg__text_buffer *out);

/** Type, bits and text of one argument. */
typedef struct tg__log_argument {
    uint8_t type;
    uint64_t word;
    int8_t exponent;
    const char *bytes;
    uint32_t size;
} tg__log_argument;

/** The arguments of a record, as many as its site has. */
void tg__log_arguments(const tg__log_record *record, tg__log_argument *out);

#endif

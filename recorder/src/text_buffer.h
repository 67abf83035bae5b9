/** Text that grows; the first failed growth is kept, so that a caller checks once. */
#ifndef TICKGLASS_TEXT_BUFFER_H
#define TICKGLASS_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tg__text_buffer {
    char *bytes;
    size_t size;
    size_t capacity;
    bool failed; /**< memory ran out: bytes are missing */
} tg__text_buffer;

void tg__text_buffer_deinit(tg__text_buffer *text);

/** Room for size bytes behind the text, or NULL. Add what was used to text->size. */
char *tg__text_room(tg__text_buffer *text, size_t size);

void tg__text_add(tg__text_buffer *text, const char *bytes, size_t size);
void tg__text_add_string(tg__text_buffer *text, const char *string);
void tg__text_add_u64(tg__text_buffer *text, uint64_t value);
void tg__text_add_i64(tg__text_buffer *text, int64_t value);

/** Bytes for one line of text: control characters become \xNN, everything else stays. */
void tg__text_add_plain(tg__text_buffer *text, const char *bytes, size_t size);

/** A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void tg__text_add_json(tg__text_buffer *text, const char *bytes, size_t size);

/** 2026-11-30T18:51:28.123456789Z */
void tg__text_add_utc(tg__text_buffer *text, int64_t utc_ns);

#endif

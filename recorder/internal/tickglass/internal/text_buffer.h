/** Text that grows; the first failed growth is kept, so that a caller checks once. */
#ifndef TICKGLASS_TEXT_BUFFER_H
#define TICKGLASS_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tg__text_buffer {
    char *bytes;
    size_t size;
    size_t capacity;
    bool failed; /**< memory ran out: bytes are missing */
} tg__text_buffer;

void tg__text_buffer_deinit(tg__text_buffer *text);

/** The same as tg__text_room, when there is none yet. */
char *tg__text_grow(tg__text_buffer *text, size_t size);

/** Room for size bytes behind the text, or NULL. Add what was used to text->size. */
static inline char *tg__text_room(tg__text_buffer *text, size_t size)
{
    /* Before the first growth there is not even room for nothing: no offset to a null pointer. */
    return text->capacity - text->size >= size && text->bytes != NULL ? text->bytes + text->size
                                                                      : tg__text_grow(text, size);
}

static inline void tg__text_add(tg__text_buffer *text, const char *bytes, size_t size)
{
    char *at = tg__text_room(text, size);
    if (at != NULL && size != 0) {
        memcpy(at, bytes, size);
        text->size += size;
    }
}

void tg__text_add_string(tg__text_buffer *text, const char *string);
void tg__text_add_u64(tg__text_buffer *text, uint64_t value);
void tg__text_add_i64(tg__text_buffer *text, int64_t value);

/** Bytes for one line of text: control characters become \xNN, everything else stays. */
void tg__text_add_plain(tg__text_buffer *text, const char *bytes, size_t size);

/** A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void tg__text_add_json(tg__text_buffer *text, const char *bytes, size_t size);

/** A second and its text: records come in order, so the next one is often of the same. */
typedef struct tg__utc_second {
    int64_t seconds;
    bool known;
    char text[20]; /**< 2026-11-30T18:51:28. */
} tg__utc_second;

/** 2026-11-30T18:51:28.123456789Z; last may be NULL. */
void tg__text_add_utc(tg__text_buffer *text, int64_t utc_ns, tg__utc_second *last);

#endif

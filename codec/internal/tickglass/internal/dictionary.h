/** DICTIONARY and FOUND: what ids mean. PROTOCOL.md section 5. */
#ifndef TICKGLASS_INTERNAL_DICTIONARY_H
#define TICKGLASS_INTERNAL_DICTIONARY_H

#include <tickglass/internal/message.h>
#include <tickglass/market.h>

typedef enum tg__dictionary_op {
    TG__DICTIONARY_VENUE = 0x80,     /* names a venue id */
    TG__DICTIONARY_ADD = 0x81,       /* a new id, or the entry restated */
    TG__DICTIONARY_RENAME = 0x82,    /* the same id under another symbol */
    TG__DICTIONARY_TOMBSTONE = 0x83, /* the id is out of use for this generation */
    TG__DICTIONARY_SCALE = 0x84      /* new exponents or tick sizes from instrument.epoch on */
} tg__dictionary_op;

typedef struct tg__dictionary_entry {
    tg__dictionary_op op;
    union {
        tg_venue venue;           /* VENUE */
        tg_instrument instrument; /* ADD and SCALE: all; RENAME: id, symbol; TOMBSTONE: id */
    } as;
} tg__dictionary_entry;

typedef struct tg__dictionary_reader {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t left;    /* entries still to come, unknown optional ones included */
    uint32_t unknown; /* optional entries of unknown kind that were skipped */
} tg__dictionary_reader;

TG_MUST_CHECK tg_err tg__dictionary_encode(uint32_t generation, const tg__dictionary_entry *entries,
                                           size_t count, uint8_t *out, size_t capacity,
                                           size_t *size);

/* Validates the whole message; the reader then yields its entries. */
TG_MUST_CHECK tg_err tg__dictionary_decode(const uint8_t *message, size_t size,
                                           uint32_t *generation, tg__dictionary_reader *reader,
                                           tg__fault *fault);

bool tg__dictionary_next(tg__dictionary_reader *reader, tg__dictionary_entry *entry);

typedef struct tg__found {
    uint32_t request;
    uint32_t generation;
    bool more; /* ask again with the last entry's venue and symbol as cursor */
} tg__found;

/* One page of the directory; entries are VENUE and ADD. */
TG_MUST_CHECK tg_err tg__found_encode(const tg__found *found, const tg__dictionary_entry *entries,
                                      size_t count, uint8_t *out, size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__found_decode(const uint8_t *message, size_t size, tg__found *found,
                                      tg__dictionary_reader *reader, tg__fault *fault);

/* 1 to max_bytes bytes of well-formed UTF-8 without control characters. */
bool tg__text_is_valid(const char *text, size_t length, size_t max_bytes);

#endif

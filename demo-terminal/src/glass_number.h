/* Decimal text in one form, for the glass check: equal numbers are equal bytes, nothing rounded. */
#ifndef TG_TERMINAL_GLASS_NUMBER_H
#define TG_TERMINAL_GLASS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum glass_number_kind {
    GLASS_NUMBER_NULL,     /* nothing there: "" or an en dash */
    GLASS_NUMBER_POSITIVE, /* zero included */
    GLASS_NUMBER_NEGATIVE,
    GLASS_NUMBER_UNREADABLE /* "####", a fraction, over 64 bits: nothing can be said about it */
} glass_number_kind;

typedef struct glass_number {
    uint64_t digits; /* without trailing zeros after the point; 0 if there is no number */
    uint32_t scale;  /* digits after the point */
    uint32_t kind;   /* a glass_number_kind */
} glass_number;

/* "61813.00", "-0.5", "+2", "" … of length bytes. Thread: any. */
glass_number glass_number_read(const char *text, size_t length);

/* Both readable, or both null, and equal. Thread: any. */
bool glass_number_equal(glass_number a, glass_number b);

#endif

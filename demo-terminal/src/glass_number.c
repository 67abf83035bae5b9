#include "glass_number.h"

#include <string.h>

static const char en_dash[] = "\xE2\x80\x93";

static glass_number only_kind(glass_number_kind kind)
{
    const glass_number number = {0, 0, (uint32_t)kind};
    return number;
}

static size_t without_trailing_zeros(const char *text, size_t length)
{
    if (memchr(text, '.', length) == NULL) {
        return length;
    }
    while (length > 0 && text[length - 1] == '0') {
        length--;
    }
    return length;
}

glass_number glass_number_read(const char *text, size_t length)
{
    if (length == 0 || (length == sizeof en_dash - 1 && memcmp(text, en_dash, length) == 0)) {
        return only_kind(GLASS_NUMBER_NULL);
    }
    const bool negative = text[0] == '-';
    const size_t start = negative || text[0] == '+' ? 1 : 0;
    const size_t end = without_trailing_zeros(text, length);
    glass_number number = only_kind(GLASS_NUMBER_POSITIVE);
    bool point = false;
    for (size_t i = start; i < end; i++) {
        if (text[i] == '.' && !point && i > start) {
            point = true;
            continue;
        }
        const unsigned digit = (unsigned)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || number.digits > (UINT64_MAX - digit) / 10) {
            return only_kind(GLASS_NUMBER_UNREADABLE);
        }
        number.digits = number.digits * 10 + digit;
        number.scale += point ? 1 : 0;
    }
    if (end == start) {
        return only_kind(GLASS_NUMBER_UNREADABLE);
    }
    if (negative && number.digits != 0) {
        number.kind = GLASS_NUMBER_NEGATIVE;
    }
    return number;
}

bool glass_number_equal(glass_number a, glass_number b)
{
    return a.kind != GLASS_NUMBER_UNREADABLE && a.kind == b.kind && a.digits == b.digits &&
           a.scale == b.scale;
}

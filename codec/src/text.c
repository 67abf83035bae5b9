/* What counts as a text on the wire. PROTOCOL.md 2.5. */
#include <tickglass/internal/dictionary.h>

/* Bytes of the well-formed UTF-8 sequence at text (RFC 3629 section 4), 0 if there is none. */
static size_t sequence_size(const unsigned char *text, size_t left)
{
    const unsigned first = text[0];
    if (first < 0x80) {
        return 1;
    }
    const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < size) {
        return 0;
    }
    /* The second byte is narrower after some first ones: no overlong forms, surrogates, or planes
     * over 16. */
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if (text[i] < 0x80 || text[i] > 0xbf) {
            return 0;
        }
    }
    return size;
}

static bool is_control(const unsigned char *text, size_t size)
{
    return (size == 1 && (text[0] < 0x20 || text[0] == 0x7f)) ||
           (size == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

bool tg__text_is_valid(const char *text, size_t length, size_t max_bytes)
{
    if (length == 0 || length > max_bytes) {
        return false;
    }
    const unsigned char *at = (const unsigned char *)text;
    size_t left = length;
    while (left > 0) {
        const size_t size = sequence_size(at, left);
        if (size == 0 || is_control(at, size)) {
            return false;
        }
        at += size;
        left -= size;
    }
    return true;
}

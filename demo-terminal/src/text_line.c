#include "text_line.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the character at text, 0 if it is none that can stand in a line. */
static size_t character_size(const unsigned char *text, uint32_t *code)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = text[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc0 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
    if (size == 0 || first > 0xf4) {
        return 0;
    }
    *code = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0u) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    const bool control = *code < 0x20 || (*code >= 0x7f && *code < 0xa0);
    return *code < lowest[size] || *code > 0x10ffff || surrogate || control ? 0 : size;
}

bool text_line_add(text_line *line, const char *text)
{
    const size_t length = strlen(text);
    if (length >= TEXT_LINE_SIZE - line->length) {
        return false;
    }
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        const size_t size = character_size((const unsigned char *)text + at, &code);
        if (size == 0) {
            return false;
        }
        at += size;
    }
    memcpy(line->text + line->length, text, length + 1);
    line->length += length;
    return true;
}

/* Accents that are characters of their own, and what only chooses a variant of the one before. */
static bool is_written_onto(uint32_t code)
{
    return (code >= 0x300 && code <= 0x36f) || (code >= 0x1ab0 && code <= 0x1aff) ||
           (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) ||
           code == 0x200d;
}

bool text_line_rub_out(text_line *line)
{
    uint32_t code = 0;
    if (line->length == 0) {
        return false;
    }
    do {
        do {
            line->length--;
        } while (line->length > 0 && ((unsigned char)line->text[line->length] & 0xc0u) == 0x80);
        (void)character_size((const unsigned char *)line->text + line->length, &code);
    } while (line->length > 0 && is_written_onto(code));
    line->text[line->length] = '\0';
    return true;
}

void text_line_clear(text_line *line)
{
    memset(line, 0, sizeof *line);
}

#include "grapheme.h"

#include <string.h>

#include <utf8proc.h>

static const char replacement[] = "\xEF\xBF\xBD";

static size_t replace(char grapheme[TG_CELL_TEXT_SIZE], unsigned *columns, size_t taken)
{
    memset(grapheme, 0, TG_CELL_TEXT_SIZE);
    memcpy(grapheme, replacement, sizeof replacement - 1);
    *columns = 1;
    return taken;
}

static bool is_control(utf8proc_int32_t code)
{
    const utf8proc_category_t category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
           category == UTF8PROC_CATEGORY_CN || category == UTF8PROC_CATEGORY_CO ||
           category == UTF8PROC_CATEGORY_CS;
}

size_t tg__grapheme_next(const char *text, char grapheme[TG_CELL_TEXT_SIZE], unsigned *columns)
{
    if (tg__grapheme_is_ascii(text)) {
        memset(grapheme, 0, TG_CELL_TEXT_SIZE);
        grapheme[0] = text[0];
        *columns = 1;
        return 1;
    }
    const size_t length = strlen(text);
    if (length == 0) {
        *columns = 0;
        return 0;
    }
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t step = utf8proc_iterate(bytes, (utf8proc_ssize_t)length, &code);
    if (step <= 0) {
        return replace(grapheme, columns, 1);
    }
    size_t taken = (size_t)step;
    if (is_control(code)) {
        return replace(grapheme, columns, taken);
    }
    int width = utf8proc_charwidth(code);
    utf8proc_int32_t state = 0;
    utf8proc_int32_t before = code;
    while (taken < length) {
        step = utf8proc_iterate(bytes + taken, (utf8proc_ssize_t)(length - taken), &code);
        if (step <= 0 || utf8proc_grapheme_break_stateful(before, code, &state)) {
            break;
        }
        const int next_width = utf8proc_charwidth(code);
        width = next_width > width ? next_width : width;
        taken += (size_t)step;
        before = code;
    }
    if (taken >= TG_CELL_TEXT_SIZE) {
        return replace(grapheme, columns, taken);
    }
    memset(grapheme, 0, TG_CELL_TEXT_SIZE);
    memcpy(grapheme, text, taken);
    *columns = width == 2 ? 2 : 1;
    return taken;
}

#include "draw_pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>

#define FORM         1
#define SIZE_AT      2 /* of the bytes in all */
#define SIZE_MAX_U24 0xffffffu
#define HEADER_MAX   32 /* of everything before the runs */
#define RUN_MAX      24 /* of a run's place */
#define STRETCH_MAX  16
#define TEXT_MAX     20 /* of a cell's text, a repetition before it included */
#define STYLES       127
#define PLOT_FIRST   1 /* the bytes of a plot cell's text that are not always NUL */
#define PLOT_BYTES   12
#define MARKS                                                                                      \
    (TG_CELL_BOLD | TG_CELL_UNDERLINE | TG_CELL_WIDE_LEFT | TG_CELL_WIDE_RIGHT | TG_CELL_PLOT)

enum place_code {
    GAP_LONG = 14,
    GAP_ROW = 15,
    COUNT_LONG = 15
};

enum text_code {
    TEXT_BLANK = 10,
    TEXT_POINT = 11,
    TEXT_COMMA = 12,
    TEXT_AGAIN = 13,
    TEXT_ASCII = 14,
    TEXT_BYTES = 15
};

#define AGAIN_LONG 15 /* a byte follows */
#define AGAIN_MOST (AGAIN_LONG + 255 + 1)

/* ---- packing ----------------------------------------------------------------------------------
 */

typedef struct packer {
    unsigned char *at;   /* places and styles, forwards */
    unsigned char *back; /* texts, backwards: the byte before it is the next */
    bool half;           /* *back has its low half only */
    tg_style styles[STYLES];
    unsigned style_count;
    unsigned style_next;
} packer;

static bool has_room(const packer *to, size_t size)
{
    return (size_t)(to->back - to->at) >= size;
}

static void put_byte(packer *to, unsigned value)
{
    *to->at++ = (unsigned char)value;
}

static void put_varint(packer *to, uint32_t value)
{
    while (value >= 0x80) {
        put_byte(to, value | 0x80);
        value >>= 7;
    }
    put_byte(to, value);
}

static void put_u24(packer *to, uint32_t value)
{
    put_byte(to, value & 0xff);
    put_byte(to, value >> 8 & 0xff);
    put_byte(to, value >> 16);
}

static void put_nibble(packer *to, unsigned value)
{
    if (to->half) {
        *to->back = (unsigned char)(*to->back | value << 4);
    } else {
        *--to->back = (unsigned char)value;
    }
    to->half = !to->half;
}

static void put_text_byte(packer *to, unsigned char value)
{
    put_nibble(to, value & 0xfu);
    put_nibble(to, value >> 4);
}

static bool same_style(const tg_cell *cell, tg_style style)
{
    return cell->foreground == style.foreground && cell->background == style.background &&
           cell->marks == style.marks;
}

/* Its place from 1; 0: a new one, which has it from now on. */
static unsigned style_place(packer *to, tg_style style)
{
    for (unsigned i = 0; i < to->style_count; i++) {
        const tg_style *known = &to->styles[i];
        if (known->foreground == style.foreground && known->background == style.background &&
            known->marks == style.marks) {
            return i + 1;
        }
    }
    to->styles[to->style_next] = style;
    to->style_count += to->style_count < STYLES ? 1 : 0;
    to->style_next = (to->style_next + 1) % STYLES;
    return 0;
}

static tg_err put_styles(packer *to, const tg_cell *cells, uint16_t count)
{
    uint16_t from = 0;
    while (from < count) {
        const tg_style style = {cells[from].foreground, cells[from].background, cells[from].marks};
        uint16_t end = (uint16_t)(from + 1);
        while (end < count && same_style(&cells[end], style)) {
            end++;
        }
        if (!has_room(to, STRETCH_MAX)) {
            return TG_ERR_BUFFER_TOO_SMALL;
        }
        if (style.foreground > 0xffffff || style.background > 0xffffff || style.marks > MARKS) {
            return TG_ERR_INVALID_ARGUMENT;
        }
        const unsigned place = style_place(to, style);
        put_byte(to, place << 1 | (end == count ? 1 : 0));
        if (place == 0) {
            put_u24(to, style.foreground);
            put_u24(to, style.background);
            put_byte(to, style.marks);
        }
        if (end < count) {
            put_varint(to, (uint32_t)(end - from - 1));
        }
        from = end;
    }
    return TG_OK;
}

static void put_place(packer *to, const tg_draw_run *run, const tg_draw_run *before)
{
    const bool same_row = before != NULL && before->row == run->row;
    const uint32_t gap = same_row ? (uint32_t)(run->column - before->column - before->count) : 0;
    const unsigned high = !same_row ? GAP_ROW : gap < GAP_LONG ? gap : GAP_LONG;
    const unsigned low = run->count <= COUNT_LONG ? run->count - 1u : COUNT_LONG;
    put_byte(to, high << 4 | low);
    if (high == GAP_ROW) {
        put_varint(to, before == NULL ? run->row : (uint32_t)(run->row - before->row - 1));
        put_varint(to, run->column);
    } else if (high == GAP_LONG) {
        put_varint(to, gap - GAP_LONG);
    }
    if (low == COUNT_LONG) {
        put_varint(to, run->count - COUNT_LONG - 1u);
    }
}

static bool is_plot(const tg_cell *cell)
{
    return (cell->marks & TG_CELL_PLOT) != 0;
}

/* Nibbles that a text takes by itself. */
static unsigned text_cost(const tg_cell *cell)
{
    const unsigned char first = (unsigned char)cell->text[0];
    if (is_plot(cell)) {
        return 2 + 2 * PLOT_BYTES;
    }
    if (first == '\0' || (cell->text[1] == '\0' &&
                          ((first >= '0' && first <= '9') || first == '.' || first == ','))) {
        return 1;
    }
    return cell->text[1] == '\0' ? 3 : 2 + 2 * (unsigned)strlen(cell->text);
}

static void put_text(packer *to, const tg_cell *cell)
{
    const unsigned char first = (unsigned char)cell->text[0];
    if (is_plot(cell)) {
        put_nibble(to, TEXT_BYTES);
        put_nibble(to, 0);
        for (size_t i = 0; i < PLOT_BYTES; i++) {
            put_text_byte(to, (unsigned char)cell->text[PLOT_FIRST + i]);
        }
    } else if (first == '\0') {
        put_nibble(to, TEXT_BLANK);
    } else if (cell->text[1] == '\0' && first >= '0' && first <= '9') {
        put_nibble(to, (unsigned)(first - '0'));
    } else if (cell->text[1] == '\0' && (first == '.' || first == ',')) {
        put_nibble(to, first == '.' ? TEXT_POINT : TEXT_COMMA);
    } else if (cell->text[1] == '\0') {
        put_nibble(to, TEXT_ASCII);
        put_text_byte(to, first);
    } else {
        const size_t size = strlen(cell->text);
        put_nibble(to, TEXT_BYTES);
        put_nibble(to, (unsigned)size);
        for (size_t i = 0; i < size; i++) {
            put_text_byte(to, (unsigned char)cell->text[i]);
        }
    }
}

/* The text once more, so many times. */
static tg_err put_again(packer *to, const tg_cell *cell, size_t times)
{
    while (times > 0) {
        if (!has_room(to, TEXT_MAX)) {
            return TG_ERR_BUFFER_TOO_SMALL;
        }
        const size_t most = times < AGAIN_MOST ? times : AGAIN_MOST;
        if (most * text_cost(cell) <= 2) {
            put_text(to, cell);
            times--;
            continue;
        }
        put_nibble(to, TEXT_AGAIN);
        if (most <= AGAIN_LONG) {
            put_nibble(to, (unsigned)most - 1);
        } else {
            put_nibble(to, AGAIN_LONG);
            put_text_byte(to, (unsigned char)(most - 1 - AGAIN_LONG));
        }
        times -= most;
    }
    return TG_OK;
}

static bool same_text(const tg_cell *a, const tg_cell *b)
{
    return memcmp(a->text, b->text, sizeof a->text) == 0 && is_plot(a) == is_plot(b);
}

static tg_err put_texts(packer *to, const tg_draw_list *list)
{
    const tg_cell *before = NULL;
    size_t times = 0;
    tg_err err = TG_OK;
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_cell *cells = list->cells + list->runs[r].first;
        for (uint16_t i = 0; i < list->runs[r].count; i++) {
            if (before != NULL && same_text(before, &cells[i])) {
                times++;
                continue;
            }
            if (times > 0) {
                err = put_again(to, before, times);
            }
            if (err != TG_OK || !has_room(to, TEXT_MAX)) {
                return TG_ERR_BUFFER_TOO_SMALL;
            }
            if (cells[i].text[TG_CELL_TEXT_SIZE - 1] != '\0') {
                return TG_ERR_INVALID_ARGUMENT;
            }
            put_text(to, &cells[i]);
            before = &cells[i];
            times = 0;
        }
    }
    return times > 0 ? put_again(to, before, times) : TG_OK;
}

tg_err draw_pack(const tg_draw_list *list, unsigned char *out, size_t capacity, size_t *size)
{
    packer to = {.at = out, .back = out + capacity};
    const tg_draw_run *before = NULL;
    *size = 0;
    if (!has_room(&to, HEADER_MAX)) {
        return TG_ERR_BUFFER_TOO_SMALL;
    }
    if (list->background > 0xffffff) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    put_byte(&to, FORM);
    put_byte(&to, list->full ? 1 : 0);
    put_u24(&to, 0); /* their number, which is not known yet */
    put_varint(&to, list->columns);
    put_varint(&to, list->rows);
    put_u24(&to, list->background);
    put_varint(&to, (uint32_t)list->run_count);
    tg_err err = TG_OK;
    for (size_t r = 0; r < list->run_count && err == TG_OK; r++) {
        const tg_draw_run *run = &list->runs[r];
        if (run->count == 0) {
            return TG_ERR_INVALID_ARGUMENT;
        }
        if (!has_room(&to, RUN_MAX)) {
            return TG_ERR_BUFFER_TOO_SMALL;
        }
        put_place(&to, run, before);
        err = put_styles(&to, list->cells + run->first, run->count);
        before = run;
    }
    if (err == TG_OK) {
        err = put_texts(&to, list);
    }
    if (err == TG_OK) {
        const size_t texts = (size_t)(out + capacity - to.back);
        const size_t all = (size_t)(to.at - out) + texts;
        if (all > SIZE_MAX_U24) {
            return TG_ERR_BUFFER_TOO_SMALL;
        }
        memmove(to.at, to.back, texts);
        to.at = out + SIZE_AT;
        put_u24(&to, (uint32_t)all);
        *size = all;
    }
    return err;
}

/* ---- unpacking --------------------------------------------------------------------------------
 */

typedef struct unpacker {
    const unsigned char *bytes;
    size_t at;
    size_t back; /* texts are read from before it */
    bool half;   /* the high half of the byte at back is next */
    tg_style styles[STYLES];
    unsigned style_count;
    unsigned style_next;
    draw_fault *fault;
} unpacker;

static tg_err refuse_at(const unpacker *from, size_t offset, const char *what)
{
    *from->fault = (draw_fault){offset, what};
    return TG_ERR_CORRUPT;
}

static tg_err refuse(const unpacker *from, const char *what)
{
    return refuse_at(from, from->at, what);
}

static tg_err get_byte(unpacker *from, unsigned *value)
{
    if (from->at >= from->back) {
        return refuse(from, "the bytes end before the runs do");
    }
    *value = from->bytes[from->at++];
    return TG_OK;
}

/* At most limit; none of what is counted here takes more than three bytes. */
static tg_err get_varint(unpacker *from, uint32_t limit, uint32_t *value)
{
    const size_t start = from->at;
    uint32_t sum = 0;
    unsigned byte = 0x80;
    for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
        if (shift > 28) {
            return refuse_at(from, start, "a number of more than 32 bits");
        }
        const tg_err err = get_byte(from, &byte);
        if (err != TG_OK) {
            return err;
        }
        sum |= (uint32_t)(byte & 0x7f) << shift;
    }
    if (sum > limit || (from->at - start == 5 && byte > 0xf)) {
        return refuse_at(from, start, "a number that is out of range");
    }
    if (from->at - start > 1 && byte == 0) {
        return refuse_at(from, start, "a number that is longer than it needs to be");
    }
    *value = sum;
    return TG_OK;
}

static tg_err get_u24(unpacker *from, uint32_t *value)
{
    unsigned byte = 0;
    *value = 0;
    for (unsigned i = 0; i < 3; i++) {
        const tg_err err = get_byte(from, &byte);
        if (err != TG_OK) {
            return err;
        }
        *value |= (uint32_t)byte << 8 * i;
    }
    return TG_OK;
}

static tg_err get_style(unpacker *from, unsigned place, tg_style *style)
{
    unsigned marks = 0;
    if (place > from->style_count) {
        return refuse_at(from, from->at - 1, "a style that has not been given");
    }
    if (place > 0) {
        *style = from->styles[place - 1];
        return TG_OK;
    }
    tg_err err = get_u24(from, &style->foreground);
    if (err == TG_OK) {
        err = get_u24(from, &style->background);
    }
    if (err == TG_OK) {
        err = get_byte(from, &marks);
    }
    if (err == TG_OK && marks > MARKS) {
        return refuse_at(from, from->at - 1, "marks that do not exist");
    }
    style->marks = marks;
    from->styles[from->style_next] = *style;
    from->style_count += from->style_count < STYLES ? 1 : 0;
    from->style_next = (from->style_next + 1) % STYLES;
    return err;
}

static tg_err get_styles(unpacker *from, tg_cell *cells, uint32_t count)
{
    uint32_t done = 0;
    while (done < count) {
        unsigned byte = 0;
        uint32_t length = count - done;
        tg_style style = {0, 0, 0};
        tg_err err = get_byte(from, &byte);
        if (err == TG_OK) {
            err = get_style(from, byte >> 1, &style);
        }
        if (err == TG_OK && (byte & 1) == 0) {
            /* A stretch that goes to the end says so instead. */
            err = length > 1 ? get_varint(from, length - 2, &length)
                             : refuse(from, "a stretch behind the end of its run");
            length++;
        }
        if (err != TG_OK) {
            return err;
        }
        for (uint32_t i = 0; i < length; i++, done++) {
            cells[done] = (tg_cell){.foreground = style.foreground,
                                    .background = style.background,
                                    .marks = style.marks};
        }
    }
    return TG_OK;
}

/* Where the next run lies: behind the one before, within the grid. */
static tg_err get_place(unpacker *from, const tg_draw_list *list, const tg_draw_run *before,
                        tg_draw_run *run)
{
    const uint32_t first_row = before == NULL ? 0 : before->row + 1u;
    uint32_t row = before == NULL ? 0 : before->row;
    uint32_t column = before == NULL ? 0 : (uint32_t)before->column + before->count;
    uint32_t more = 0;
    unsigned byte = 0;
    tg_err err = get_byte(from, &byte);
    if (err != TG_OK) {
        return err;
    }
    const unsigned high = byte >> 4;
    if (high == GAP_ROW) {
        if (first_row >= list->rows) {
            return refuse(from, "a run below the last row");
        }
        err = get_varint(from, list->rows - first_row - 1, &more);
        row = first_row + more;
        if (err == TG_OK) {
            err = get_varint(from, list->columns - 1u, &column);
        }
    } else if (before == NULL) {
        return refuse(from, "the first run names no row");
    } else if (high == GAP_LONG) {
        err = get_varint(from, list->columns, &more);
        column += GAP_LONG + more;
    } else {
        column += high;
    }
    uint32_t count = (byte & 0xf) + 1;
    if (err == TG_OK && count == COUNT_LONG + 1) {
        err = get_varint(from, list->columns, &more);
        count += more;
    }
    if (err == TG_OK && (column >= list->columns || count > list->columns - column)) {
        err = refuse(from, "a run beyond the last column");
    }
    *run = (tg_draw_run){(uint16_t)row, (uint16_t)column, (uint16_t)count, 0};
    return err;
}

static tg_err reserve(void **items, size_t *capacity, size_t wanted, size_t item_size)
{
    if (wanted > *capacity) {
        const size_t room = wanted > *capacity * 2 ? wanted : *capacity * 2;
        void *larger = realloc(*items, room * item_size);
        if (larger == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        *items = larger;
        *capacity = room;
    }
    return TG_OK;
}

static tg_err get_runs(unpacker *from, draw_unpacked *out, uint32_t run_count)
{
    tg_draw_list *list = &out->list;
    void *items = out->runs;
    tg_err err = reserve(&items, &out->run_capacity, run_count, sizeof *out->runs);
    out->runs = items;
    for (uint32_t r = 0; r < run_count && err == TG_OK; r++) {
        tg_draw_run *run = &out->runs[r];
        err = get_place(from, list, r > 0 ? run - 1 : NULL, run);
        if (err == TG_OK) {
            items = out->cells;
            err = reserve(&items, &out->cell_capacity, list->cell_count + run->count,
                          sizeof *out->cells);
            out->cells = items;
        }
        if (err == TG_OK) {
            run->first = (uint32_t)list->cell_count;
            err = get_styles(from, out->cells + list->cell_count, run->count);
            list->cell_count += run->count;
            list->run_count++;
        }
    }
    return err;
}

static tg_err get_nibble(unpacker *from, unsigned *value)
{
    if (from->half) {
        *value = from->bytes[from->back] >> 4;
    } else if (from->back > from->at) {
        *value = from->bytes[--from->back] & 0xfu;
    } else {
        return refuse_at(from, from->back, "the bytes end before the texts do");
    }
    from->half = !from->half;
    return TG_OK;
}

static tg_err get_text_byte(unpacker *from, unsigned *value)
{
    unsigned high = 0;
    tg_err err = get_nibble(from, value);
    if (err == TG_OK) {
        err = get_nibble(from, &high);
    }
    *value |= high << 4;
    return err;
}

/* A character of UTF-8 at text, without control characters: its bytes, else 0. */
static size_t character_size(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char first = text[0];
    const size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? first : first & 0x3fu >> more;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fu);
    }
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return control || surrogate || code < least[more] || code > 0x10ffff ? 0 : more + 1;
}

/* Of TEXT_BYTES. text ends in a NUL. */
static tg_err get_bytes(unpacker *from, bool plot, char text[TG_CELL_TEXT_SIZE])
{
    unsigned size = 0;
    unsigned byte = 0;
    tg_err err = get_nibble(from, &size);
    const size_t start = from->back;
    if (err == TG_OK && (size == 0) != plot) {
        return refuse_at(from, start, plot ? "a text where bars are" : "bars where a text is");
    }
    const size_t first = plot ? PLOT_FIRST : 0;
    const size_t end = plot ? PLOT_FIRST + PLOT_BYTES : size;
    for (size_t i = first; i < end && err == TG_OK; i++) {
        err = get_text_byte(from, &byte);
        text[i] = (char)byte;
    }
    for (size_t i = 0; i < end && !plot && err == TG_OK;) {
        const size_t taken = character_size((const unsigned char *)text + i);
        err = taken > 0 ? TG_OK : refuse_at(from, start, "a text that is not UTF-8 to be shown");
        i += taken;
    }
    return err;
}

static tg_err get_text(unpacker *from, unsigned code, tg_cell *cell)
{
    const bool plot = is_plot(cell);
    unsigned byte = 0;
    tg_err err = TG_OK;
    if (plot && code != TEXT_BYTES) {
        return refuse_at(from, from->back, "a text where bars are");
    }
    if (code < TEXT_BLANK) {
        cell->text[0] = (char)('0' + code);
    } else if (code == TEXT_POINT || code == TEXT_COMMA) {
        cell->text[0] = code == TEXT_POINT ? '.' : ',';
    } else if (code == TEXT_ASCII) {
        err = get_text_byte(from, &byte);
        cell->text[0] = (char)byte;
        if (err == TG_OK && (byte < 0x20 || byte >= 0x7f)) {
            err = refuse_at(from, from->back, "a text that is not ASCII to be shown");
        }
    } else if (code == TEXT_BYTES) {
        err = get_bytes(from, plot, cell->text);
    }
    return err;
}

/* How many times more the text before stands there. */
static tg_err get_times(unpacker *from, size_t *times)
{
    unsigned value = 0;
    unsigned more = 0;
    tg_err err = get_nibble(from, &value);
    if (err == TG_OK && value == AGAIN_LONG) {
        err = get_text_byte(from, &more);
    }
    *times = value + more + 1;
    return err;
}

static tg_err get_texts(unpacker *from, draw_unpacked *out)
{
    tg_cell *cells = out->cells;
    size_t done = 0;
    while (done < out->list.cell_count) {
        unsigned code = 0;
        size_t times = 1;
        tg_err err = get_nibble(from, &code);
        if (err == TG_OK && code != TEXT_AGAIN) {
            err = get_text(from, code, &cells[done++]);
        } else if (err == TG_OK) {
            err = get_times(from, &times);
            if (err == TG_OK && (done == 0 || times > out->list.cell_count - done)) {
                err = refuse_at(from, from->back, "a repetition without a cell");
            }
            for (size_t i = 0; i < times && err == TG_OK; i++, done++) {
                if (is_plot(&cells[done]) != is_plot(&cells[done - 1])) {
                    err = refuse_at(from, from->back, "a repetition of another kind");
                }
                memcpy(cells[done].text, cells[done - 1].text, sizeof cells[done].text);
            }
        }
        if (err != TG_OK) {
            return err;
        }
    }
    if (from->back != from->at || (from->half && from->bytes[from->back] >> 4 != 0)) {
        return refuse(from, "bytes that belong to nothing");
    }
    return TG_OK;
}

static tg_err get_all(unpacker *from, draw_unpacked *out)
{
    unsigned full = 0;
    uint32_t size = 0;
    uint32_t columns = 0;
    uint32_t rows = 0;
    uint32_t runs = 0;
    tg_err err = get_byte(from, &full);
    if (err == TG_OK) {
        err = get_u24(from, &size);
    }
    if (err == TG_OK && size != from->back) {
        return refuse_at(from, SIZE_AT, "another number of bytes than there are");
    }
    if (err == TG_OK) {
        err = get_varint(from, TG_GRID_SIDE_MAX, &columns);
    }
    if (err == TG_OK) {
        err = get_varint(from, TG_GRID_SIDE_MAX, &rows);
    }
    if (err == TG_OK && (full > 1 || columns == 0 || rows == 0)) {
        return refuse(from, "a grid that cannot be");
    }
    if (err == TG_OK) {
        err = get_u24(from, &out->list.background);
    }
    if (err == TG_OK) {
        /* Each takes two bytes at least. */
        err = get_varint(from, (uint32_t)(from->back - from->at) / 2, &runs);
    }
    out->list.full = full == 1;
    out->list.columns = (uint16_t)columns;
    out->list.rows = (uint16_t)rows;
    if (err == TG_OK) {
        err = get_runs(from, out, runs);
    }
    return err == TG_OK ? get_texts(from, out) : err;
}

tg_err draw_unpack(const unsigned char *bytes, size_t size, draw_unpacked *out, draw_fault *fault)
{
    unpacker from = {.bytes = bytes, .back = size, .fault = fault};
    unsigned form = 0;
    *fault = (draw_fault){0, ""};
    out->list = (tg_draw_list){0};
    tg_err err = get_byte(&from, &form);
    if (err == TG_OK && form != FORM) {
        *fault = (draw_fault){0, "a form that this version does not know"};
        err = TG_ERR_UNSUPPORTED;
    }
    if (err == TG_OK) {
        err = get_all(&from, out);
    }
    if (err != TG_OK) {
        out->list = (tg_draw_list){0};
        return err;
    }
    out->list.runs = out->runs;
    out->list.cells = out->cells;
    return TG_OK;
}

void draw_unpacked_deinit(draw_unpacked *unpacked)
{
    free(unpacked->runs);
    free(unpacked->cells);
    *unpacked = (draw_unpacked){0};
}

/*
 * Lines of a raw capture from anywhere, the first byte chooses the venue: whatever they hold, books
 * stay in order and rows fit a tape.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture_reader.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_side(const tg__book *book, tg__book_side side)
{
    for (size_t rank = 0; tg__book_at(book, side, rank) != NULL; rank++) {
        const tg__book_level *level = tg__book_at(book, side, rank);
        const tg__book_level *next = tg__book_at(book, side, rank + 1);
        require(level->quantity.mantissa > 0);
        if (next != NULL) {
            const int order = tg__decimal_compare(level->price, next->price);
            require(side == TG__BOOK_BID ? order > 0 : order < 0);
        }
    }
}

static void check_row(const tg__tape_line *row)
{
    char text[TG__TAPE_LINE_SIZE];
    size_t size = 0;
    const char *what = NULL;
    tg__tape_line again;
    require(tg__tape_line_format(row, text, &size) == TG_OK);
    require(size < sizeof text && text[size - 1] == '\n');
    require(tg__tape_line_parse(text, size - 1, &again, &what) == TG_OK);
    require(again.price.mantissa == row->price.mantissa && again.kind == row->kind &&
            again.quantity.mantissa == row->quantity.mantissa && again.has_id == row->has_id);
}

static void check_all(const tg__market_capture *capture)
{
    for (size_t i = 0; i < capture->row_count; i++) {
        check_row(&capture->rows[i]);
    }
    for (uint32_t i = 0; i < capture->market_count; i++) {
        check_side(&capture->markets[i]->book, TG__BOOK_BID);
        check_side(&capture->markets[i]->book, TG__BOOK_ASK);
    }
    require(capture->different <= capture->compared && capture->kind_count <= TG__KINDS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg__capture_reader reader = {.format = NULL};
    tg__market_capture capture;
    size_t formats = 0;
    while (tg__venue_formats[formats] != NULL) {
        formats++;
    }
    if (size == 0) {
        return 0;
    }
    const size_t chosen = data[0] % (formats + 1); /* the last: told by the first line */
    reader.format = tg__venue_formats[chosen];
    require(tg__market_capture_init(&capture) == TG_OK);
    for (size_t at = 1; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - (data + at));
        const char *what = NULL;
        char *exact = malloc(length + 1); /* one more, so that a length of 0 gives a block, too */
        require(exact != NULL);
        memcpy(exact + 1, data + at, length);
        const tg_err err = tg__capture_reader_take(&reader, &capture, exact + 1, length, &what);
        require((err == TG_OK) == (what == NULL));
        check_all(&capture);
        free(exact);
        at += length + 1;
    }
    tg__capture_reader_deinit(&reader);
    tg__market_capture_deinit(&capture);
    return 0;
}

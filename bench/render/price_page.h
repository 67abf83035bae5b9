/* What every way of drawing is given: a page of 600 prices, some of which change in each pass. */
#ifndef BENCH_RENDER_PRICE_PAGE_H
#define BENCH_RENDER_PRICE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    page_columns = 12,
    page_rows = 50,
    page_fields = page_columns * page_rows,
    page_text_size = 24
};

typedef struct page_field {
    char text[page_text_size];
    uint32_t foreground; /* 0xRRGGBB */
    uint32_t background;
    bool changed; /* by the last page_change() */
} page_field;

typedef struct price_page {
    page_field fields[page_fields]; /* row by row */
    int64_t prices[page_fields];    /* in hundredths */
    uint64_t random_state;
} price_page;

/* The same seed gives the same pages. */
void page_init(price_page *page, uint64_t seed);

/* Other prices, and a flash for each, in count fields. */
void page_change(price_page *page, size_t count);

#endif

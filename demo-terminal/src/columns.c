#include "columns.h"

#include <string.h>

#define MARGIN  2
#define GAP     2
#define GAP_MAX 4

typedef struct column_row {
    const char *title;
    const char *name;
    uint16_t width_min;
    uint16_t width_max;
    bool number;
    bool arrow;
} column_row;

static const column_row column_rows[COLUMN_COUNT] = {
    [COLUMN_VENUE] = {"venue", "venue", 8, 24, false, false},
    [COLUMN_SYMBOL] = {"symbol", "symbol", 12, 40, false, false},
    [COLUMN_BID_SIZE] = {"bid size", "bid_size", 10, 28, true, false},
    [COLUMN_BID] = {"bid", "bid", 10, 28, true, true},
    [COLUMN_ASK] = {"ask", "ask", 10, 28, true, true},
    [COLUMN_ASK_SIZE] = {"ask size", "ask_size", 10, 28, true, false},
    [COLUMN_LAST] = {"last", "last", 10, 28, true, true},
    [COLUMN_CHANGE] = {"change", "change", 9, 28, true, false},
    [COLUMN_PERCENT] = {"%", "percent", 8, 28, true, false},
    [COLUMN_QUALITY] = {"quality", "quality", 12, 16, false, false},
    [COLUMN_AGE] = {"age", "age", 6, 12, true, false},
};

/* Left out from the first on when there is no room for all. */
static const column_id least_important[] = {COLUMN_CHANGE, COLUMN_ASK_SIZE, COLUMN_BID_SIZE,
                                            COLUMN_PERCENT, COLUMN_VENUE};

const char *column_title(column_id column)
{
    return column_rows[column].title;
}

const char *column_name(column_id column)
{
    return column_rows[column].name;
}

column_id column_find(const char *name, size_t length)
{
    int c = 0;
    while (c < COLUMN_COUNT && (strlen(column_rows[c].name) != length ||
                                memcmp(column_rows[c].name, name, length) != 0)) {
        c++;
    }
    return (column_id)c;
}

bool column_may_be_off(column_id column)
{
    return column != COLUMN_SYMBOL && column != COLUMN_QUALITY && column != COLUMN_AGE;
}

bool column_has_arrow(column_id column)
{
    return column_rows[column].arrow;
}

bool column_is_number(column_id column)
{
    return column_rows[column].number;
}

void columns_init(column_layout *layout)
{
    memset(layout, 0, sizeof *layout);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        layout->wanted[c] = column_rows[c].width_min;
        layout->width[c] = column_rows[c].width_min;
        layout->shown[c] = true;
    }
}

void columns_want(column_layout *layout, column_id column, uint16_t width)
{
    const uint16_t most = column_rows[column].width_max;
    const uint16_t wanted = width < most ? width : most;
    if (wanted > layout->wanted[column]) {
        layout->wanted[column] = wanted;
        layout->grew = true;
    }
}

static uint32_t cells_of(const column_layout *layout, int column)
{
    return layout->width[column] + (column_rows[column].arrow ? 1u : 0u);
}

/* Cells of all shown columns with the given gap between them; count says how many there are. */
static uint32_t needed(const column_layout *layout, uint32_t gap, uint32_t *count)
{
    uint32_t sum = 2 * MARGIN;
    *count = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout->shown[c]) {
            sum += cells_of(layout, c);
            (*count)++;
        }
    }
    return sum + gap * (*count - 1);
}

/* One cell less for the widest that can do with less; false: there is none. */
static bool make_narrower(column_layout *layout)
{
    static const column_id candidates[] = {COLUMN_SYMBOL, COLUMN_BID, COLUMN_ASK, COLUMN_LAST};
    int widest = -1;
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        const int c = (int)candidates[i];
        if (layout->width[c] > column_rows[c].width_min &&
            (widest < 0 || layout->width[c] > layout->width[widest])) {
            widest = c;
        }
    }
    if (widest >= 0) {
        layout->width[widest]--;
    }
    return widest >= 0;
}

void columns_fit(column_layout *layout, uint16_t total)
{
    layout->total = total;
    layout->grew = false;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        layout->shown[c] = !layout->off[c];
        layout->width[c] = layout->wanted[c];
    }
    uint32_t count = 0;
    uint32_t gap = GAP;
    if (needed(layout, gap, &count) > total) {
        gap = 1;
    }
    for (size_t i = 0; i < sizeof least_important / sizeof least_important[0]; i++) {
        if (needed(layout, gap, &count) <= total) {
            break;
        }
        layout->shown[least_important[i]] = false;
    }
    while (needed(layout, gap, &count) > total && make_narrower(layout)) {
    }
    while (gap < GAP_MAX && needed(layout, gap + 1, &count) <= total) {
        gap++;
    }
    uint32_t at = MARGIN;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout->shown[c]) {
            layout->start[c] = (uint16_t)(at < UINT16_MAX ? at : UINT16_MAX);
            at += cells_of(layout, c) + gap;
        }
    }
}

tg_span columns_span(const column_layout *layout, column_id column, uint16_t grid_row)
{
    const uint16_t start = layout->start[column];
    const uint16_t room = start < layout->total ? (uint16_t)(layout->total - start) : 0;
    const uint16_t width = layout->width[column] < room ? layout->width[column] : room;
    const tg_span span = {grid_row, start, width};
    return span;
}

column_id columns_at(const column_layout *layout, uint16_t cell)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout->shown[c] && cell >= layout->start[c] &&
            cell < layout->start[c] + cells_of(layout, c)) {
            return (column_id)c;
        }
    }
    return COLUMN_COUNT;
}

column_id columns_next(const column_layout *layout, column_id from, bool backwards)
{
    const int step = backwards ? COLUMN_COUNT - 1 : 1;
    int at = (int)from;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        at = (at + step) % COLUMN_COUNT;
        if (layout->shown[at]) {
            return (column_id)at;
        }
    }
    return from;
}

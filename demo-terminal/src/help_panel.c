#include "help_panel.h"

#include <stddef.h>

typedef struct help_line {
    const char *key; /* NULL: a heading */
    const char *text;
} help_line;

static const help_line keys[] = {
    {NULL,
     "Keys                                                                     F1: next page"},
    {"\xE2\x86\x91 \xE2\x86\x93 PgUp PgDn Home End",
     "move the selection; in ladder, trades and log what stands there"},
    {"Enter", "open the selected instrument in the panels"},
    {"Tab, Shift-Tab", "the focus to the next panel, to the one before: its title is bright"},
    {"Space", "put the market into the middle of the ladder"},
    {"Esc  Ctrl-Q", "back: from search, filter, alarm, panel to the watchlist; end"},
    {"F1  F2", "these pages; write a picture of the window into the current folder"},
    {"F3 quote  F4 ladder", "show the panel or take it away; so also F5 trades, F6 chart,"},
    {"", "F7 connection, F8 log, F10 latency; in a narrow window in the watchlist's place"},
    {"F9", "record messages, what was drawn and latencies into a file; again: end it"},
    {"F11, Alt-Enter", "the whole screen, and back"},
    {"Ctrl + \xE2\x88\x92 0, Ctrl-wheel",
     "larger letters, smaller ones, those that were asked for"},
    {"Ctrl-P", "the next palette"},
    {"", ""},
    {NULL, "In the watchlist"},
    {"type, Backspace, Esc", "only instruments with every word that was typed; all of them"},
    {"\xE2\x86\x90 \xE2\x86\x92", "the column that these keys act on: it is underlined"},
    {"Ctrl-S  Ctrl-R  Ctrl-L", "sort by it, again: the other way; sort anew; in the list's order"},
    {"Ctrl-H  Ctrl-A", "take the column away; show all"},
    {"Ctrl-F", "search in the gateway's directory: Enter adds, Del takes away"},
    {"Del", "take the instrument out of the watchlist"},
    {"Ctrl-B", "wait for a price: the row is marked \xE2\x97\x86 until Enter or Esc has seen it"},
    {"Ctrl-C  Ctrl-Shift-C", "copy the cell, the row"},
    {"Ctrl-E", "write what is listed as CSV into the current folder, a new file each time"},
    {"mouse", "a click selects, on a title sorts; a double click opens; the wheel moves"},
    {"", ""},
    {NULL, "In the latency panel, which takes no text for the filter"},
    {"\xE2\x86\x90 \xE2\x86\x92 PgUp PgDn Home End", "the span of time that is shown: when"},
    {"+ \xE2\x88\x92  \xE2\x86\x91 \xE2\x86\x93", "how long; the stage that the plots are of"},
    {"e", "write the histograms of that span into the current folder"},
    {"mouse", "a click chooses the stage, or the time on the line; the wheel: how long"},
};

static const help_line meanings[] = {
    {NULL, "What the quality says"},
    {"LIVE", "received or confirmed within the instrument's usual pace"},
    {"QUIET", "nothing for longer than usual, but link and channel are proved alive"},
    {"DELAYED", "live, of a feed that is delayed"},
    {"HALTED", "the venue says that it does not trade"},
    {"GAP, RESYNC", "a loss was noticed; repair is under way: the row is grey"},
    {"STALE", "the value may be old: grey, marked with !, with its age"},
    {"DISCONNECTED", "no session: grey, marked with !, with its age"},
    {"", ""},
    {NULL, "What the numbers mean"},
    {"\xE2\x96\xB2 \xE2\x96\xBC", "the price rose, fell; the colour says the same"},
    {"####", "the column is too narrow: a price is never shortened"},
    {"\xE2\x80\x93", "the market has not given this value"},
    {"skip +12", "that many ticks before this trade stood in no view: none of them is shown"},
    {"change, %", "last against previous close, or against the open where there is none"},
    {"age", "since the value was last received or confirmed"},
    {"received \xE2\x86\x92 handed off",
     "from the bytes' arrival to the hand-off to the window system"},
    {"exchange \xE2\x86\x92 handed off",
     "from the tick's own time; only as true as the clocks agree"},
    {"\xE2\x86\x91 \xE2\x86\x93 in a title",
     "rows stand in this order; \xE2\x87\xA1 \xE2\x87\xA3: they did when it was made"},
    {"a faint percentile", "fewer values than it takes for it to mean something"},
    {"drawn regressions", "older text drawn after newer, found by a separate check; must be 0"},
};

/* The first line of each page stays free. */
static size_t lines_of_page(uint16_t row_count)
{
    return row_count > 1 ? row_count - 1u : 1;
}

static unsigned pages_of(size_t line_count, uint16_t row_count)
{
    const size_t each = lines_of_page(row_count);
    return (unsigned)((line_count + each - 1) / each);
}

#define KEY_COUNT     (sizeof keys / sizeof keys[0])
#define MEANING_COUNT (sizeof meanings / sizeof meanings[0])

unsigned help_pages(uint16_t row_count)
{
    return pages_of(KEY_COUNT, row_count) + pages_of(MEANING_COUNT, row_count);
}

static void draw_line(tg_grid *grid, uint16_t row, const tg_palette *palette, const help_line *line)
{
    const tg_style blank = {palette->text, palette->background, 0};
    if (line->key == NULL) {
        const tg_style heading = {palette->text, palette->background, TG_CELL_BOLD};
        tg_grid_put(grid, row, 2, heading, line->text);
        return;
    }
    const tg_style key = {palette->up, palette->background, 0};
    tg_grid_put(grid, row, 4, key, line->key);
    tg_grid_put(grid, row, 28, blank, line->text);
}

void help_draw(tg_grid *grid, uint16_t first_row, uint16_t row_count, const tg_palette *palette,
               unsigned page)
{
    const tg_style blank = {palette->text, palette->background, 0};
    const unsigned key_pages = pages_of(KEY_COUNT, row_count);
    const help_line *lines = page < key_pages ? keys : meanings;
    const size_t line_count = page < key_pages ? KEY_COUNT : MEANING_COUNT;
    const size_t from = (page < key_pages ? page : page - key_pages) * lines_of_page(row_count);
    for (uint16_t i = 0; i < row_count; i++) {
        const uint16_t row = (uint16_t)(first_row + i);
        tg_grid_fill(grid, (tg_span){row, 0, tg_grid_columns(grid)}, blank);
        if (i > 0 && from + i - 1 < line_count) {
            draw_line(grid, row, palette, &lines[from + i - 1]);
        }
    }
}

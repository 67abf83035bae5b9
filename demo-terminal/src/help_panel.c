#include "help_panel.h"

#include <stddef.h>

typedef struct help_line {
    const char *key; /* NULL: a heading */
    const char *text;
} help_line;

static const help_line lines[] = {
    {NULL, "Keys"},
    {"\xE2\x86\x91 \xE2\x86\x93 PgUp PgDn Home End",
     "move the selection; in the ladder the prices, in trades and log the lines"},
    {"Enter", "open the selected instrument in the panels"},
    {"Tab, Shift-Tab", "the focus to the next panel, to the one before: its title is bright"},
    {"Space", "put the market into the middle of the ladder"},
    {"Esc  Ctrl-Q", "back to the watchlist; end"},
    {"F1  F2", "this page; write a picture of the window into the current folder"},
    {"F3 quote  F4 ladder", "show the panel or take it away; so also F5 trades, F6 chart,"},
    {"", "F7 connection, F8 log, F10 latency. In a narrow window they take the watchlist's place"},
    {"F9", "record messages, what was drawn and latencies into a file; again: end it"},
    {"in the latency panel",
     "\xE2\x86\x90 \xE2\x86\x92 PgUp PgDn Home End: when; + -: how long; \xE2\x86\x91 "
     "\xE2\x86\x93: stage; e: export"},
    {"", ""},
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
    {"a faint percentile", "fewer values than it takes for it to mean something"},
    {"drawn regressions", "older text drawn after newer, found by a separate check; must be 0"},
};

void help_draw(tg_grid *grid, uint16_t first_row, uint16_t row_count, const tg_palette *palette)
{
    const tg_style blank = {palette->text, palette->background, 0};
    const size_t line_count = sizeof lines / sizeof lines[0];
    for (uint16_t i = 0; i < row_count; i++) {
        const uint16_t row = (uint16_t)(first_row + i);
        tg_grid_fill(grid, (tg_span){row, 0, tg_grid_columns(grid)}, blank);
        if (i == 0 || i > line_count) {
            continue;
        }
        const help_line *line = &lines[i - 1];
        if (line->key == NULL) {
            const tg_style heading = {palette->text, palette->background, TG_CELL_BOLD};
            tg_grid_put(grid, row, 2, heading, line->text);
            continue;
        }
        const tg_style key = {palette->up, palette->background, 0};
        tg_grid_put(grid, row, 4, key, line->key);
        tg_grid_put(grid, row, 28, blank, line->text);
    }
}

#include "log_panel.h"

#include <inttypes.h>
#include <stdio.h>

#include "clock_text.h"

#define MARGIN    1
#define CLOCK     12
#define FIRST_ROW 1

size_t log_panel_rows(panel_area area)
{
    return cells_left(area.height, FIRST_ROW);
}

void log_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                    const event_log *log, size_t first)
{
    char note[64];
    (void)snprintf(note, sizeof note, "UTC, %zu events", log->count);
    if (log->dropped > 0) {
        (void)snprintf(note, sizeof note, "UTC, last %d of %" PRIu64 " events", EVENT_LOG_SIZE,
                       log->dropped + EVENT_LOG_SIZE);
    }
    const panel_title title = {"F8", "log", note, palette->faint, focused};
    const panel_pen pen = panel_begin(grid, palette, area, &title);
    for (size_t i = 0; i < log_panel_rows(area) && first + i < log->count; i++) {
        const event_line *line = event_log_line(log, first + i);
        const uint16_t row = (uint16_t)(FIRST_ROW + i);
        char clock[CLOCK_TEXT_SIZE];
        clock_text(line->utc_ns, false, clock);
        panel_label(&pen, panel_span(&pen, row, MARGIN, CLOCK - 3), palette->label, clock);
        panel_label(&pen, panel_span(&pen, row, CLOCK - 2, cells_left(area.width, CLOCK - 1)),
                    line->bad ? palette->bad : palette->text, line->text);
    }
}

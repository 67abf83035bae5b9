#include "latency_mouse.h"

#include "latency_panel.h"

static bool is_inside(panel_area area, uint16_t row, uint16_t column)
{
    return row >= area.row && row - area.row < area.height && column >= area.column &&
           column - area.column < area.width;
}

void latency_mouse_click(latency_span *span, panel_area area, const latency_view *view,
                         uint16_t row, uint16_t column)
{
    latency_stage stage;
    size_t index = 0;
    if (!is_inside(area, row, column)) {
        return;
    }
    if (latency_panel_stage_at(area, row, &stage)) {
        latency_span_choose_stage(span, stage);
    } else if (latency_panel_window_at(area, view, row, column, &index)) {
        latency_span_show(span, view->windows, index);
    }
}

bool latency_mouse_wheel(latency_span *span, panel_area area, const latency_view *view,
                         uint16_t row, uint16_t column, int rows_up)
{
    size_t index = 0;
    if (!is_inside(area, row, column)) {
        return false;
    }
    latency_span_move(span, view->windows, rows_up > 0 ? SPAN_NARROWER : SPAN_WIDER);
    if (latency_panel_window_at(area, view, row, column, &index)) {
        latency_span_show(span, view->windows, index);
    }
    return true;
}

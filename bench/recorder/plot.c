#include "plot.h"

#include <math.h>
#include <stdio.h>

enum {
    width = 760,
    height = 460,
    left = 70,
    right = 150,
    top = 50,
    bottom = 60,
    bar_left = 250,
    bar_height = 26,
    bar_step = 44
};

static const char *const colours[] = {"#1b6ca8", "#c8553d", "#4f772d",
                                      "#7b2d8b", "#b8860b", "#555555"};

static FILE *begin(const char *path, const char *title, int plot_height)
{
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        (void)fprintf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "font-family=\"sans-serif\" font-size=\"12\">\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                      "<text x=\"%d\" y=\"28\" font-size=\"15\">%s</text>\n",
                      width, plot_height, left, title);
    }
    return out;
}

static bool end(FILE *out)
{
    (void)fprintf(out, "</svg>\n");
    const bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed;
}

/* Whole decades around what is to be shown. */
typedef struct axis {
    double low;
    double high;
    double from; /* in pixels */
    double to;
} axis;

static double place(const axis *a, double value)
{
    return a->from + (log10(value) - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void take_in(axis *a, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double decade = log10(values[i]);
        a->low = fmin(a->low, floor(decade));
        a->high = fmax(a->high, ceil(decade));
    }
}

static void draw_axes(FILE *out, const axis *x, const axis *y, const char *x_label,
                      const char *y_label)
{
    for (double decade = x->low; decade <= x->high; decade++) {
        const double at = place(x, pow(10, decade));
        (void)fprintf(out,
                      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">1e%.0f</text>\n",
                      at, y->from, at, y->to, at, y->from + 18, decade);
    }
    for (double decade = y->low; decade <= y->high; decade++) {
        const double at = place(y, pow(10, decade));
        (void)fprintf(out,
                      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">1e%.0f</text>\n",
                      x->from, at, x->to, at, x->from - 6, at + 4, decade);
    }
    (void)fprintf(out,
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>"
                  "<text transform=\"translate(18 %.1f) rotate(-90)\" "
                  "text-anchor=\"middle\">%s</text>\n",
                  (x->from + x->to) / 2, y->from + 42, x_label, (y->from + y->to) / 2, y_label);
}

bool plot_lines(const char *path, const char *title, const char *x_label, const char *y_label,
                const plot_line *lines, size_t count)
{
    axis x = {INFINITY, -INFINITY, left, width - right};
    axis y = {INFINITY, -INFINITY, height - bottom, top};
    for (size_t i = 0; i < count; i++) {
        take_in(&x, lines[i].x, lines[i].count);
        take_in(&y, lines[i].y, lines[i].count);
    }
    FILE *out = begin(path, title, height);
    if (out == NULL) {
        return false;
    }
    draw_axes(out, &x, &y, x_label, y_label);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" points=\"",
                      colours[i]);
        for (size_t p = 0; p < lines[i].count; p++) {
            (void)fprintf(out, "%.1f,%.1f ", place(&x, lines[i].x[p]), place(&y, lines[i].y[p]));
        }
        (void)fprintf(out, "\"/>\n<text x=\"%d\" y=\"%zu\" fill=\"%s\">%s</text>\n",
                      width - right + 12, top + 12 + 18 * i, colours[i], lines[i].name);
    }
    return end(out);
}

bool plot_bars(const char *path, const char *title, const char *unit, const char *const *names,
               const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    FILE *out = begin(path, title, top + bar_step * (int)count + 20);
    if (out == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t y = top + bar_step * i;
        const double length = values[i] / most * (width - bar_left - 110);
        (void)fprintf(out,
                      "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text>"
                      "<rect x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                      "<text x=\"%.1f\" y=\"%zu\">%.1f %s</text>\n",
                      bar_left - 10, y + 18, names[i], bar_left, y, length, bar_height,
                      colours[i % 6], bar_left + length + 8, y + 18, values[i], unit);
    }
    return end(out);
}

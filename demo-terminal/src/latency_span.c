#include "latency_span.h"

#include <stdlib.h>
#include <string.h>

/* Lengths to choose from, in windows: 10 s to an hour. */
static const uint64_t widths[] = {1, 2, 4, 6, 12, 30, 60, 120, 180, 360};
#define WIDTH_COUNT   (sizeof widths / sizeof widths[0])
#define WIDTH_DEFAULT 3

struct latency_span {
    size_t width; /* of widths */
    bool follows;
    uint64_t end; /* number behind the last window, unless it follows */
    latency_stage stage;
    tg_histogram *histogram[LATENCY_STAGE_COUNT];
    uint64_t first; /* what is being added up, by number */
    uint64_t behind;
    uint64_t next; /* to be added */
    int finished;  /* stages whose sum has been looked at */
    bool ready;    /* all of them */
    span_sum sum;
    bool any;
    span_sum shown; /* the latest that was whole */
};

int64_t latency_bin_lowest_ns(size_t bin)
{
    if (bin == 0) {
        return 0;
    }
    const size_t octave = (bin - 1) / LATENCY_BINS_PER_OCTAVE;
    const int64_t low = (int64_t)LATENCY_BINS_FIRST_NS << octave;
    return low + (low / LATENCY_BINS_PER_OCTAVE) * (int64_t)((bin - 1) % LATENCY_BINS_PER_OCTAVE);
}

tg_err latency_span_open(latency_span **out)
{
    *out = NULL;
    latency_span *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->width = WIDTH_DEFAULT;
    self->follows = true;
    self->stage = LATENCY_RECEIVED_TO_HANDED;
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        const tg_err err = tg_histogram_open(NULL, &self->histogram[i]);
        if (err != TG_OK) {
            latency_span_close(self);
            return err;
        }
    }
    *out = self;
    return TG_OK;
}

void latency_span_close(latency_span *self)
{
    if (self == NULL) {
        return;
    }
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_close(self->histogram[i]);
    }
    free(self);
}

/* Numbers of what is kept: from … behind. */
typedef struct kept_numbers {
    uint64_t from;
    uint64_t behind;
} kept_numbers;

static kept_numbers kept(const stage_windows *windows)
{
    const size_t count = stage_windows_count(windows);
    if (count == 0) {
        return (kept_numbers){0, 0};
    }
    return (kept_numbers){stage_windows_at(windows, 0)->number,
                          stage_windows_at(windows, count - 1)->number + 1};
}

/* Where the span ends, inside of what is kept; 0: nothing is. */
static uint64_t end_of(const latency_span *self, kept_numbers all)
{
    if (all.from == all.behind) {
        return 0;
    }
    uint64_t end = self->follows || self->end > all.behind ? all.behind : self->end;
    /* As long as it can be: a span that was wider than what is left of it moves along. */
    const uint64_t earliest =
        all.behind - all.from < widths[self->width] ? all.behind : all.from + widths[self->width];
    end = end < earliest ? earliest : end;
    return end;
}

span_choice latency_span_choice(const latency_span *self, const stage_windows *windows)
{
    const kept_numbers all = kept(windows);
    const uint64_t end = end_of(self, all);
    span_choice choice = {
        .wanted = (size_t)widths[self->width], .follows = self->follows, .stage = self->stage};
    if (end == 0) {
        return choice;
    }
    const uint64_t length =
        end - all.from < widths[self->width] ? end - all.from : widths[self->width];
    choice.first = (size_t)(end - length - all.from);
    choice.count = (size_t)length;
    return choice;
}

static void move_to(latency_span *self, kept_numbers all, uint64_t end)
{
    self->follows = end >= all.behind;
    self->end = end;
    self->end = end_of(self, all);
}

static void move_stage(latency_span *self, int step)
{
    const int stage = ((int)self->stage + step + LATENCY_STAGE_COUNT) % LATENCY_STAGE_COUNT;
    self->stage = (latency_stage)stage;
}

void latency_span_move(latency_span *self, const stage_windows *windows, span_move move)
{
    const kept_numbers all = kept(windows);
    const uint64_t end = end_of(self, all);
    const uint64_t page = widths[self->width];
    switch (move) {
    case SPAN_EARLIER:
        move_to(self, all, end > 0 ? end - 1 : 0);
        break;
    case SPAN_LATER:
        move_to(self, all, end + 1);
        break;
    case SPAN_PAGE_EARLIER:
        move_to(self, all, end > page ? end - page : 0);
        break;
    case SPAN_PAGE_LATER:
        move_to(self, all, end + page);
        break;
    case SPAN_OLDEST:
        move_to(self, all, 0);
        break;
    case SPAN_NEWEST:
        self->follows = true;
        break;
    case SPAN_WIDER:
        self->width += self->width + 1 < WIDTH_COUNT ? 1 : 0;
        break;
    case SPAN_NARROWER:
        self->width -= self->width > 0 ? 1 : 0;
        break;
    case SPAN_STAGE_BEFORE:
        move_stage(self, -1);
        break;
    case SPAN_STAGE_AFTER:
        move_stage(self, 1);
        break;
    }
}

void latency_span_show(latency_span *self, const stage_windows *windows, size_t index)
{
    const kept_numbers all = kept(windows);
    move_to(self, all, all.from + index + 1 + widths[self->width] / 2);
}

void latency_span_choose_stage(latency_span *self, latency_stage stage)
{
    self->stage = stage;
}

static void begin(latency_span *self, uint64_t first, uint64_t behind)
{
    self->first = first;
    self->behind = behind;
    self->next = first;
    self->finished = 0;
    self->ready = false;
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_reset(self->histogram[i]);
    }
    memset(&self->sum, 0, sizeof self->sum);
}

static void add_window(latency_span *self, const stage_windows *windows, size_t index)
{
    const stage_window *window = stage_windows_at(windows, index);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        /* Ours are of one shape: it cannot fail. */
        (void)!stage_windows_add(windows, index, (latency_stage)i, self->histogram[i]);
    }
    span_sum *sum = &self->sum;
    stall_tally_add(&sum->stalls, &window->stalls);
    if (window->number == self->first) {
        sum->from_mono_ns = window->from_mono_ns;
        sum->from_utc_ns = window->to_utc_ns - (window->to_mono_ns - window->from_mono_ns);
    }
    sum->to_mono_ns = window->to_mono_ns;
    sum->to_utc_ns = window->to_utc_ns;
}

static void finish_stage(latency_span *self)
{
    const int stage = self->finished++;
    const tg_histogram *histogram = self->histogram[stage];
    self->sum.of[stage] = stage_figures_of(histogram);
    for (size_t bin = 0; bin < LATENCY_BINS; bin++) {
        const int64_t behind = bin + 1 < LATENCY_BINS ? latency_bin_lowest_ns(bin + 1) : INT64_MAX;
        self->sum.bin[stage][bin] =
            tg_histogram_count_between(histogram, latency_bin_lowest_ns(bin), behind - 1);
    }
    if (self->finished == LATENCY_STAGE_COUNT) {
        self->ready = true;
        self->any = true;
        self->shown = self->sum;
    }
}

/* What stands in the sum is the choice, as far as it is added up. */
static bool is_of(const latency_span *self, const stage_windows *windows, const span_choice *choice)
{
    if (choice->count == 0) {
        return false;
    }
    const uint64_t first = stage_windows_at(windows, choice->first)->number;
    return self->behind != 0 && self->first == first && self->behind == first + choice->count;
}

bool latency_span_step(latency_span *self, const stage_windows *windows, size_t window_count)
{
    const span_choice choice = latency_span_choice(self, windows);
    if (choice.count == 0) {
        return false;
    }
    const uint64_t first = stage_windows_at(windows, choice.first)->number;
    if (!is_of(self, windows, &choice)) {
        begin(self, first, first + choice.count);
    }
    if (self->ready) {
        return false;
    }
    if (self->next == self->behind) {
        finish_stage(self);
        return !self->ready;
    }
    for (size_t i = 0; i < window_count && self->next < self->behind; i++, self->next++) {
        add_window(self, windows, choice.first + (size_t)(self->next - first));
    }
    return true;
}

const span_sum *latency_span_sum(const latency_span *self)
{
    return self->any ? &self->shown : NULL;
}

bool latency_span_is_current(const latency_span *self, const stage_windows *windows)
{
    const span_choice choice = latency_span_choice(self, windows);
    return choice.count == 0 || (self->ready && is_of(self, windows, &choice));
}

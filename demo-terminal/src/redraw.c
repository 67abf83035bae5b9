#include "redraw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/record_reader.h>
#include <tickglass/window.h>

#include "moment.h"
#include "picture_chain.h"
#include "picture_replay.h"
#include "terminal.h"

#define NS_PER_S  INT64_C(1000000000)
#define CLOCKS_NS INT64_C(1000000)
#define WHY_SIZE  700
/* A whole picture lies so far back at most, while there was something to draw all the time; where
 * there was not, it is looked for so many times further back. */
#define BACK_NS     (PICTURE_CHAIN_WHOLE_NS + 2 * NS_PER_S)
#define BACK_FACTOR 8

typedef enum redraw_by {
    BY_END, /* the last pass of all */
    BY_TIME,
    BY_PASS
} redraw_by;

typedef struct redraw {
    const terminal_options *options;
    FILE *to;
    FILE *wrong_to;
    redraw_by by;
    int64_t at_utc_ns;
    uint64_t pass;
    moment_span span;
    tg_record_reader *reader;
    picture_replay *replay;
    bool has_next; /* the picture after the one that was looked for */
    picture_head next;
} redraw;

static int refuse(const redraw *self, const char *what)
{
    (void)fprintf(self->wrong_to, "tickglass-terminal: %s: %s\n", self->options->redraw, what);
    return TERMINAL_USAGE;
}

/* ---- finding ----------------------------------------------------------------------------------
 */

static bool is_beyond(const redraw *self, const picture_head *head)
{
    return (self->by == BY_TIME && head->handed_utc_ns > self->at_utc_ns) ||
           (self->by == BY_PASS && head->pass > self->pass);
}

/* Takes records from there on, up to the picture that is looked for. */
static tg_err replay_from(redraw *self, int64_t from_utc_ns)
{
    tg_record_entry entry;
    self->has_next = false;
    picture_replay_begin(self->replay);
    tg_err err = tg_record_reader_seek(self->reader, from_utc_ns);
    while (err == TG_OK) {
        err = tg_record_reader_next(self->reader, &entry);
        if (err == TG_OK && picture_head_of(&entry, &self->next) && is_beyond(self, &self->next)) {
            self->has_next = true;
            return TG_OK;
        }
        if (err == TG_OK) {
            err = picture_replay_take(self->replay, &entry);
        }
    }
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

/* From not too far back, or further, or from the start. */
static tg_err replay_to_picture(redraw *self)
{
    if (self->by == BY_PASS) {
        return replay_from(self, INT64_MIN);
    }
    const int64_t to_ns = self->by == BY_TIME ? self->at_utc_ns : self->span.last_utc_ns;
    /* Without a sign: a damaged file may have any times. */
    const uint64_t most_ns = (uint64_t)to_ns - (uint64_t)self->span.first_utc_ns;
    for (uint64_t back_ns = BACK_NS; back_ns < most_ns && back_ns < UINT64_MAX / BACK_FACTOR;
         back_ns *= BACK_FACTOR) {
        const tg_err err = replay_from(self, (int64_t)((uint64_t)to_ns - back_ns));
        if (err != TG_OK || picture_replay_get(self->replay).state != REPLAY_NOTHING) {
            return err;
        }
    }
    return replay_from(self, INT64_MIN);
}

/* What is wrong with the file, without being in the way of what is whole. */
static void tell_problems(const redraw *self)
{
    tg_record_problem problem;
    for (size_t i = 0; tg_record_reader_problem(self->reader, i, &problem) == TG_OK; i++) {
        (void)fprintf(self->wrong_to,
                      "tickglass-terminal: %s: offset %" PRIu64 ": %s, %" PRIu64 " bytes\n",
                      problem.path, problem.offset, problem.text, problem.size);
    }
    if (!tg_record_reader_ended(self->reader, 0)) {
        (void)fprintf(self->wrong_to,
                      "tickglass-terminal: %s: not closed in order: after a crash, "
                      "\"tickglass-log recover\" adds what is not in the file\n",
                      self->options->redraw);
    }
}

/* Passes bear the wall clock as it was read; the record's own times are worked out from anchors,
 * and may be microseconds off. */
static void widen(moment_span *span)
{
    span->first_utc_ns -= span->first_utc_ns > INT64_MIN + CLOCKS_NS ? CLOCKS_NS : 0;
    span->last_utc_ns += span->last_utc_ns < INT64_MAX - CLOCKS_NS ? CLOCKS_NS : 0;
}

static int open_record(redraw *self)
{
    char why[WHY_SIZE];
    const char *const path = self->options->redraw;
    tg_err err = tg_record_reader_open(&path, 1, &self->reader, why, sizeof why);
    if (err != TG_OK) {
        (void)fprintf(self->wrong_to, "tickglass-terminal: %s\n", why);
        return TERMINAL_USAGE;
    }
    tell_problems(self);
    err = tg_record_reader_span(self->reader, &self->span.first_utc_ns, &self->span.last_utc_ns);
    if (err == TG_ERR_NOT_FOUND) {
        return refuse(self, "there is nothing in this record");
    }
    widen(&self->span);
    if (err == TG_OK) {
        err = picture_replay_open(&self->replay);
    }
    return err == TG_OK ? TERMINAL_FINE : refuse(self, tg_err_text(err));
}

static int read_request(redraw *self)
{
    char why[WHY_SIZE];
    char line[WHY_SIZE + 100];
    if (self->options->at != NULL) {
        self->by = BY_TIME;
        if (moment_read(self->options->at, self->span, &self->at_utc_ns, why, sizeof why) !=
            TG_OK) {
            (void)snprintf(line, sizeof line, "--at %.60s: %s", self->options->at, why);
            return refuse(self, line);
        }
    } else if (self->options->pass != NULL) {
        self->by = BY_PASS;
        self->pass = strtoull(self->options->pass, NULL, 10);
    }
    return TERMINAL_FINE;
}

static void name_next(const redraw *self, char *text, size_t size)
{
    char when[MOMENT_TEXT_SIZE];
    if (self->has_next) {
        moment_text(self->next.handed_utc_ns, when);
        (void)snprintf(text, size, "; the next is pass %" PRIu64 ", handed over %s",
                       self->next.pass, when);
    } else {
        (void)snprintf(text, size, "%s", "");
    }
}

/* Nobody is shown a picture that may be another one. */
static int judge(const redraw *self, const replayed_picture *picture)
{
    char next[120];
    char line[WHY_SIZE];
    name_next(self, next, sizeof next);
    if (picture->state == REPLAY_NOTHING) {
        (void)snprintf(line, sizeof line, "%s%s",
                       self->has_next ? "no picture was drawn until then"
                                      : "no pictures are in this record: an older terminal's, "
                                        "or nothing was drawn",
                       next);
        return refuse(self, line);
    }
    if (self->by == BY_PASS && picture->head.pass != self->pass) {
        (void)snprintf(line, sizeof line,
                       "it has no pass %" PRIu64 ": the one before is pass %" PRIu64 "%s",
                       self->pass, picture->head.pass, next);
        return refuse(self, line);
    }
    if (picture->state == REPLAY_LOST) {
        (void)snprintf(line, sizeof line, "pass %" PRIu64 " cannot be drawn again: %s%s",
                       picture->head.pass, picture->why, next);
        return refuse(self, line);
    }
    if (self->by == BY_TIME && self->has_next && self->next.number != picture->head.number + 1) {
        (void)snprintf(line, sizeof line,
                       "what stood there then is not known: the record misses what was drawn after "
                       "pass %" PRIu64 "%s",
                       picture->head.pass, next);
        return refuse(self, line);
    }
    return TERMINAL_FINE;
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static double stood_ms(const redraw *self, const picture_head *head)
{
    return ((double)self->next.handed_mono_ns - (double)head->handed_mono_ns) / 1e6;
}

static void tell_picture(const redraw *self, const replayed_picture *picture)
{
    char when[MOMENT_TEXT_SIZE];
    const picture_head *head = &picture->head;
    moment_text(head->handed_utc_ns, when);
    (void)fprintf(self->to, "pass         %" PRIu64 "\n", head->pass);
    (void)fprintf(self->to, "handed over  %s, monotonic %" PRId64 " ns\n", when,
                  head->handed_mono_ns);
    if (self->has_next && self->next.number == head->number + 1) {
        (void)fprintf(self->to, "stood        %.3f ms, until pass %" PRIu64 "\n",
                      stood_ms(self, head), self->next.pass);
    } else if (self->has_next) {
        (void)fprintf(self->to,
                      "stood        until a pass that is missing from the record, "
                      "%.3f ms at most\n",
                      stood_ms(self, head));
    } else {
        moment_text(self->span.last_utc_ns - CLOCKS_NS, when);
        (void)fprintf(self->to, "stood        until the record ended or longer: %s\n", when);
    }
    (void)fprintf(self->to, "picture      %dx%d px, %ux%u cells, letters %d px\n",
                  picture->form.width_px, picture->form.height_px, picture->list->columns,
                  picture->list->rows, picture->form.letter_px);
}

static void tell_text(const redraw *self, const tg_draw_list *list)
{
    (void)fputc('\n', self->to);
    for (uint16_t row = 0; row < list->rows; row++) {
        const tg_cell *cells = list->cells + (size_t)row * list->columns;
        uint16_t end = list->columns;
        while (end > 0 && cells[end - 1].text[0] == '\0') {
            end--; /* blanks, and bars, which have no text */
        }
        for (uint16_t column = 0; column < end; column++) {
            const tg_cell *cell = &cells[column];
            if ((cell->marks & TG_CELL_WIDE_RIGHT) == 0) {
                (void)fputs(cell->text[0] == '\0' ? " " : cell->text, self->to);
            }
        }
        (void)fputc('\n', self->to);
    }
}

/* ---- drawing ----------------------------------------------------------------------------------
 */

/* Letters that only look alike are no proof. */
static int judge_fonts(const redraw *self, const replayed_picture *picture, const tg_window *window)
{
    char fonts[TG_FONTS_TEXT_SIZE];
    char line[2 * TG_FONTS_TEXT_SIZE + 160];
    char drawing[160];
    if (tg_window_fonts(window, fonts, sizeof fonts) != TG_OK) {
        return refuse(self, "a font cannot be read");
    }
    if (picture->fonts[0] == '\0' || strcmp(fonts, picture->fonts) != 0) {
        (void)snprintf(line, sizeof line,
                       "it was drawn in other fonts (%s) than there are here (%s): --font FILE "
                       "names the one to take",
                       picture->fonts[0] != '\0' ? picture->fonts : "not known", fonts);
        return refuse(self, line);
    }
    /* Versions of what makes pixels of them: from "SDL_ttf" to " video". */
    tg_window_describe(window, drawing, sizeof drawing);
    const char *was = strstr(picture->drawn_by, "SDL_ttf");
    const char *is = strstr(drawing, "SDL_ttf");
    const char *end = is != NULL ? strstr(is, " video") : NULL;
    if (was == NULL || end == NULL || strncmp(was, is, (size_t)(end - is)) != 0) {
        (void)fprintf(self->wrong_to,
                      "tickglass-terminal: drawn by %s, and here by %s: pixels at the edges of "
                      "letters may differ\n",
                      picture->drawn_by, drawing);
    }
    return TERMINAL_FINE;
}

/* The window makes the same pixels of the same cells. */
static int judge_window(const redraw *self, const replayed_picture *picture,
                        const tg_window *window)
{
    const tg_draw_list *list = picture->list;
    const tg_picture_form form = tg_window_picture_form(window);
    if (form.width_px != picture->form.width_px || form.height_px != picture->form.height_px ||
        form.letter_px != picture->form.letter_px || tg_window_columns(window) < list->columns ||
        tg_window_rows(window) < list->rows) {
        return refuse(self, "a picture of that size cannot be drawn here");
    }
    return judge_fonts(self, picture, window);
}

static int write_picture(const redraw *self, const replayed_picture *picture)
{
    const char *path = self->options->screenshot;
    char why[WHY_SIZE] = "";
    tg_window *window = NULL;
    tg_window_options options;
    tg_window_options_init(&options);
    options.headless = true;
    options.font_file = self->options->font;
    options.width_px = picture->form.width_px;
    options.height_px = picture->form.height_px;
    options.font_size_px = picture->form.letter_px;
    options.scale_percent = 100;
    if (picture->form.width_px <= 0 || picture->form.height_px <= 0 ||
        picture->form.letter_px <= 0) {
        return refuse(self, "it does not say how large the picture was");
    }
    tg_err err = tg_window_open(&options, &window, why, sizeof why);
    if (err != TG_OK) {
        return refuse(self, why[0] != '\0' ? why : tg_err_text(err));
    }
    int code = judge_window(self, picture, window);
    if (code == TERMINAL_FINE) {
        err = tg_window_draw(window, picture->list);
        err = err == TG_OK ? tg_window_screenshot(window, path) : err;
        if (err != TG_OK) {
            (void)fprintf(self->wrong_to, "tickglass-terminal: --screenshot %s: %s\n", path,
                          err == TG_ERR_IMAGE ? strerror(errno) : tg_err_text(err));
            code = TERMINAL_WRITE;
        }
    }
    tg_window_close(window);
    if (code == TERMINAL_FINE) {
        (void)fprintf(self->to, "written      %s\n", path);
    }
    return code;
}

static int find_and_tell(redraw *self)
{
    int code = open_record(self);
    if (code == TERMINAL_FINE) {
        code = read_request(self);
    }
    if (code != TERMINAL_FINE) {
        return code;
    }
    const tg_err err = replay_to_picture(self);
    if (err != TG_OK) {
        return refuse(self, tg_err_text(err));
    }
    const replayed_picture picture = picture_replay_get(self->replay);
    code = judge(self, &picture);
    if (code != TERMINAL_FINE) {
        return code;
    }
    tell_picture(self, &picture);
    if (self->options->screenshot != NULL) {
        code = write_picture(self, &picture);
    }
    if (self->options->text) {
        tell_text(self, picture.list);
    }
    return code;
}

int redraw_run(const terminal_options *options, FILE *to, FILE *wrong_to)
{
    redraw self = {.options = options, .to = to, .wrong_to = wrong_to};
    const int code = find_and_tell(&self);
    picture_replay_close(self.replay);
    tg_record_reader_close(self.reader);
    return code;
}

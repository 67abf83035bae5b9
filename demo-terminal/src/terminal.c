#include "terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickglass/clock.h>
#include <tickglass/window.h>

#include "endpoint.h"
#include "feed.h"
#include "latency.h"
#include "latency_export.h"
#include "latency_keys.h"
#include "list_keys.h"
#include "pass_pace.h"
#include "report.h"
#include "screen.h"
#include "script_play.h"
#include "session_record.h"
#include "snapshot.h"
#include "stop_signal.h"
#include "token_command.h"

#define NS_PER_S INT64_C(1000000000)
/* Nobody looks: data still comes in, but the owner sleeps long. */
#define HIDDEN_NS NS_PER_S
/* From SIGTERM to an end by force: report and files are written in a fraction of a second, the end
 * of a record takes 10 s at most. */
#define STOP_LIMIT_MS 30000
#define WHY_SIZE      400

typedef struct terminal {
    const terminal_options *options;
    const settings *settings;
    const state_keeper *keeper;
    tg_clock clock;
    tg_window *window;
    session_record *record;
    feed *feed;
    glass_tape *tape;
    glass_check *check;
    glass_times *times;
    latency *latency;
    latency_export *exports;
    screen *screen;
    stop_signal *stop;
    snapshot *snapshot;
    script_play play;
    bool script_failed;
    char endpoint[ENDPOINT_URL_SIZE];
    uint64_t endpoint_index;
    bool selection_is_due; /* the saved one waits for its row */
    bool notice_is_due;    /* the keeper's stands until somebody has pressed a key */
    int64_t start_mono_ns;
    int64_t end_mono_ns; /* of the loop */
    int64_t cpu_start_ns;
    int64_t cpu_end_ns;
    pass_pace pace;
    bool over;
    bool wrote_all;
} terminal;

static void complain(const char *why)
{
    (void)fprintf(stderr, "tickglass-terminal: %s\n", why);
}

static terminal_exit fail(const char *what, tg_err err, terminal_exit code)
{
    char line[WHY_SIZE];
    (void)snprintf(line, sizeof line, "%s: %s", what, tg_err_text(err));
    complain(line);
    return code;
}

/* The one that the client is or was at last connected to. */
static void name_endpoint(terminal *self)
{
    char url[ENDPOINT_URL_SIZE] = "";
    (void)settings_endpoint(self->settings, (size_t)self->endpoint_index, url, sizeof url);
    endpoint_show(url, self->endpoint, sizeof self->endpoint);
}

static void follow_endpoint(terminal *self)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    if (tg_client_counters_get(feed_client(self->feed), &counters) == TG_OK &&
        counters.endpoint != self->endpoint_index) {
        self->endpoint_index = counters.endpoint;
        name_endpoint(self);
    }
}

static void restore_selection(terminal *self)
{
    size_t index = 0;
    if (self->selection_is_due && state_keeper_find_row(self->keeper, self->feed, &index)) {
        screen_select_row(self->screen, index);
        self->selection_is_due = false;
    }
}

/* "live" comes right after it and would take its place before anybody has read it. */
static void insist_on_notice(terminal *self)
{
    if (self->notice_is_due && !feed_notice_is_bad(self->feed)) {
        screen_notice(self->screen, self->keeper->notice, true);
    }
}

static void wake(void *ctx)
{
    tg_window_wake(((terminal *)ctx)->window);
}

static terminal_exit open_window(terminal *self, const tg_palette **palette)
{
    const terminal_options *options = self->options;
    char why[WHY_SIZE] = "";
    tg_window_options window;
    tg_window_options_init(&window);
    window.title = "tickglass";
    window.font_file = settings_text(self->settings, SETTING_FONT);
    window.font_size_px = settings_font_size(self->settings);
    settings_size(self->settings, &window.width_px, &window.height_px);
    window.headless = options->headless;
    window.scale_percent = options->scale_percent;
    window.backend = settings_wants_gpu(self->settings) ? TG_BACKEND_GPU : TG_BACKEND_SURFACE;
    tg_err err = tg_palette_find(settings_text(self->settings, SETTING_PALETTE), palette);
    if (err != TG_OK) {
        return fail("palette", err, TERMINAL_USAGE);
    }
    err = tg_window_open(&window, &self->window, why, sizeof why);
    if (err != TG_OK) {
        complain(why[0] != '\0' ? why : tg_err_text(err));
        if (err == TG_ERR_WINDOW) {
            complain("--headless draws without a display");
        }
        return TERMINAL_USAGE;
    }
    return TERMINAL_FINE;
}

/* What is read once, from files that may be pipes to which nobody writes. */
static terminal_exit read_files(terminal *self)
{
    const terminal_options *options = self->options;
    char why[WHY_SIZE] = "";
    if (options->check_tape != NULL &&
        glass_tape_open(options->check_tape, &self->tape, why, sizeof why) != TG_OK) {
        complain(why);
        return TERMINAL_USAGE;
    }
    if (options->script != NULL) {
        self->play.path = options->script;
        if (script_file_open(options->script, &self->play.script, why, sizeof why) != TG_OK) {
            complain(why);
            return TERMINAL_USAGE;
        }
    }
    return TERMINAL_FINE;
}

static terminal_exit begin_record(terminal *self)
{
    const terminal_options *options = self->options;
    tg_err err = session_record_open(FEED_ROWS_MAX, wake, self, &self->record);
    if (err != TG_OK) {
        return fail("start", err, TERMINAL_USAGE);
    }
    self->play.record = self->record;
    if (options->record != NULL) {
        err = session_record_start_now(self->record, options->record);
        if (err != TG_OK) {
            char why[WHY_SIZE];
            (void)snprintf(why, sizeof why, "--record %s: %s", options->record,
                           err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
            complain(why);
            return TERMINAL_WRITE;
        }
    }
    return TERMINAL_FINE;
}

/* The record as far as it has come, where the rest of the start may hang. */
static void end_record(void *ctx)
{
    terminal *self = ctx;
    char why[WHY_SIZE] = "";
    if (session_record_close(self->record, why, sizeof why) != TG_OK) {
        complain(why);
    }
}

/* A window system may not answer, and what the client reads may be a pipe, too. */
static terminal_exit open_window_and_feed(terminal *self, const tg_palette **palette)
{
    char why[WHY_SIZE] = "";
    const terminal_exit code = open_window(self, palette);
    if (code == TERMINAL_FINE && feed_open(self->settings, self->window, self->record, &self->feed,
                                           why, sizeof why) != TG_OK) {
        complain(why);
        return TERMINAL_USAGE;
    }
    return code;
}

static terminal_exit open_outside(terminal *self, const tg_palette **palette)
{
    stop_signal_away(self->stop, NULL, NULL);
    terminal_exit code = read_files(self);
    stop_signal_back(self->stop);
    if (code == TERMINAL_FINE) {
        code = begin_record(self);
    }
    if (code == TERMINAL_FINE) {
        stop_signal_away(self->stop, end_record, self);
        code = open_window_and_feed(self, palette);
        stop_signal_back(self->stop);
    }
    return code;
}

static terminal_exit open_parts(terminal *self)
{
    const tg_palette *palette = NULL;
    const terminal_exit code = open_outside(self, &palette);
    if (code != TERMINAL_FINE) {
        return code;
    }
    session_record_set_window(self->record, self->window);
    tg_err err = glass_check_open(self->tape, FEED_ROWS_MAX, &self->check);
    if (err == TG_OK) {
        err = glass_times_open(&self->times);
    }
    if (err == TG_OK) {
        err = latency_open(tg_clock_mono_ns(&self->clock), &self->latency);
    }
    if (err == TG_OK) {
        err = latency_export_open(wake, self, &self->exports);
    }
    if (err == TG_OK) {
        const screen_parts parts = {
            .window = self->window,
            .feed = self->feed,
            .record = self->record,
            .check = self->check,
            .times = self->times,
            .latency = self->latency,
            .palette = palette,
            .endpoint = self->endpoint,
            .has_tape = self->tape != NULL,
        };
        err = screen_open(&parts, &self->screen);
    }
    if (err == TG_OK) {
        screen_restore(self->screen, &self->keeper->before);
    }
    if (err == TG_OK && self->keeper->notice[0] != '\0') {
        self->notice_is_due = true;
        complain(self->keeper->notice);
    }
    if (err == TG_OK) {
        err = snapshot_open(&self->snapshot);
    }
    if (err == TG_OK) {
        stop_signal_tell(self->stop, wake, self);
        err = feed_start(self->feed);
    }
    return err == TG_OK ? TERMINAL_FINE : fail("start", err, TERMINAL_USAGE);
}

/* F2: the picture goes into the current folder under the present time. */
static void take_screenshot(terminal *self)
{
    char path[SNAPSHOT_PATH_SIZE];
    (void)snprintf(path, sizeof path, "tickglass-%" PRId64 ".png",
                   tg_clock_utc_ns(&self->clock) / 1000000);
    const tg_err err = snapshot_start(self->snapshot, self->window, path);
    if (err == TG_ERR_FULL) {
        screen_notice(self->screen, "the picture before is still being written", false);
    } else if (err != TG_OK) {
        screen_notice(self->screen, tg_err_text(err), true);
    } else {
        session_record_screenshot(self->record, screen_counts_get(self->screen).passes, path);
    }
}

/* F9: a file begins in the current folder under the present time, or the one there is ends. */
static void toggle_recording(terminal *self)
{
    tg_err err = TG_OK;
    if (session_record_path(self->record) != NULL) {
        latency_end_window(self->latency, feed_client(self->feed), self->record, &self->clock);
        err = session_record_stop(self->record);
    } else {
        char path[64];
        (void)snprintf(path, sizeof path, "tickglass-%" PRId64 ".tgrec",
                       tg_clock_utc_ns(&self->clock) / 1000000);
        err = session_record_start(self->record, path);
    }
    if (err == TG_ERR_FULL) {
        screen_notice(self->screen, "the recording before is still being ended", false);
    } else if (err != TG_OK) {
        screen_notice(self->screen, tg_err_text(err), true);
    }
}

/* The chosen windows go into the current folder under the present time. */
static void export_latencies(terminal *self)
{
    char name[LATENCY_EXPORT_NAME_SIZE];
    (void)snprintf(name, sizeof name, "tickglass-latency-%" PRId64,
                   tg_clock_utc_ns(&self->clock) / 1000000);
    const stage_windows *windows = latency_windows(self->latency);
    const span_choice choice = latency_span_choice(latency_chosen(self->latency), windows);
    const tg_err err =
        latency_export_start(self->exports, windows, choice.first, choice.count, name);
    if (err == TG_ERR_FULL) {
        screen_notice(self->screen, "the files before are still being written", false);
    } else if (err == TG_ERR_NOT_FOUND) {
        screen_notice(self->screen, "no window of latencies is over yet", false);
    } else if (err != TG_OK) {
        screen_notice(self->screen, tg_err_text(err), true);
    }
}

/* True: it was one of the latency panel's. */
static bool take_latency_key(terminal *self, const tg_input *input)
{
    span_move move;
    if (latency_key_is_export(input)) {
        export_latencies(self);
        return true;
    }
    if (latency_key_move(input, &move)) {
        latency_span_move(latency_chosen(self->latency), latency_windows(self->latency), move);
        return true;
    }
    return false;
}

/* What was written beside the loop. */
static void tell_of_files(terminal *self)
{
    char text[SESSION_RECORD_PATH_SIZE + 256];
    bool bad = false;
    if (snapshot_take_result(self->snapshot, text, sizeof text, &bad) ||
        session_record_take_result(self->record, text, sizeof text, &bad) ||
        latency_export_take_result(self->exports, text, sizeof text, &bad)) {
        screen_notice(self->screen, text, bad);
        pass_pace_ask(&self->pace, PASS_FOR_ROWS);
    }
}

/* Letters of another size: cells, and with them everything, are fitted anew. */
static tg_err zoom(terminal *self, int size_px)
{
    char text[48];
    const tg_err err = tg_window_set_font_size(self->window, size_px);
    if (err != TG_OK) {
        screen_notice(self->screen, "letters have 6 to 96 pixels", false);
        return TG_OK;
    }
    (void)snprintf(text, sizeof text, "letters of %d pixels", size_px);
    screen_notice(self->screen, text, false);
    return screen_refit(self->screen);
}

static void toggle_full_screen(terminal *self)
{
    if (tg_window_full_screen(self->window, !tg_window_is_full_screen(self->window)) != TG_OK) {
        screen_notice(self->screen, "the window system refuses the full screen", true);
    }
}

static void next_palette(terminal *self)
{
    static const char *const names[] = {"blue-orange", "green-red", "red-up"};
    enum {
        COUNT = sizeof names / sizeof names[0]
    };
    const tg_palette *palette = NULL;
    size_t at = 0;
    while (at < COUNT && strcmp(names[at], screen_palette(self->screen)->name) != 0) {
        at++;
    }
    if (tg_palette_find(names[(at + 1) % COUNT], &palette) == TG_OK) {
        screen_set_palette(self->screen, palette);
        screen_notice(self->screen, palette->name, false);
    }
}

/* Keys that belong to no panel. False: it is none of them. */
static bool take_window_key(terminal *self, const tg_input *input, tg_err *err)
{
    const uint32_t letter = input->key == TG_KEY_CHARACTER && input->ctrl ? input->character : 0;
    const int size_px = tg_window_font_size(self->window);
    if (letter == '+' || letter == '=') {
        *err = zoom(self, size_px + 1);
    } else if (letter == '-') {
        *err = zoom(self, size_px - 1);
    } else if (letter == '0') {
        *err = zoom(self, settings_font_size(self->settings));
    } else if (letter == 'p') {
        next_palette(self);
    } else if (letter == 'q') {
        self->over = true;
    } else if (input->key == TG_KEY_F11 || (input->key == TG_KEY_ENTER && input->alt)) {
        toggle_full_screen(self);
    } else {
        return false;
    }
    return true;
}

/* A key that moves in what has the focus. */
static bool find_move(const tg_input *input, screen_move *move)
{
    static const struct {
        tg_key key;
        screen_move move;
    } moves[] = {{TG_KEY_UP, MOVE_UP},           {TG_KEY_DOWN, MOVE_DOWN},
                 {TG_KEY_PAGE_UP, MOVE_PAGE_UP}, {TG_KEY_PAGE_DOWN, MOVE_PAGE_DOWN},
                 {TG_KEY_HOME, MOVE_FIRST},      {TG_KEY_END, MOVE_LAST}};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (input->kind == TG_INPUT_KEY && input->key == moves[i].key) {
            *move = moves[i].move;
            return true;
        }
    }
    return false;
}

static tg_err take_key(terminal *self, const tg_input *input)
{
    list_action action = LIST_SORT;
    tg_err err = TG_OK;
    if (screen_latency_has_focus(self->screen) && take_latency_key(self, input)) {
        return TG_OK;
    }
    screen_move move;
    if (find_move(input, &move)) {
        screen_move_in_focus(self->screen, move);
    }
    if (take_window_key(self, input, &err)) {
        return err;
    }
    if (list_keys_find(input, &action)) {
        screen_list(self->screen, action);
    } else if (input->key >= TG_KEY_F3 && input->key <= TG_KEY_F8) {
        screen_toggle_panel(self->screen, (panel_id)(input->key - TG_KEY_F3));
    } else if (input->key == TG_KEY_F9) {
        toggle_recording(self);
    } else if (input->key == TG_KEY_F10) {
        screen_toggle_panel(self->screen, PANEL_LATENCY);
    } else if (input->key == TG_KEY_TAB) {
        screen_focus_next(self->screen, input->shift);
    } else if (input->key == TG_KEY_ENTER) {
        screen_open_selected(self->screen);
    } else if (input->key == TG_KEY_BACKSPACE) {
        screen_rub_out(self->screen);
    } else if (input->key == TG_KEY_SPACE && !screen_is_typing(self->screen)) {
        screen_recentre(self->screen);
    } else if (input->key == TG_KEY_F1) {
        screen_toggle_help(self->screen);
    } else if (input->key == TG_KEY_F2) {
        take_screenshot(self);
    } else if (input->key == TG_KEY_ESCAPE) {
        if (!screen_go_back(self->screen)) {
            /* A key that is pressed without thinking must not close what somebody trades by. */
            screen_notice(self->screen, "Ctrl-Q ends", false);
        }
    }
    return TG_OK;
}

static tg_err take_wheel(terminal *self, const tg_input *input)
{
    if (input->ctrl) {
        return zoom(self, tg_window_font_size(self->window) + (input->wheel_rows > 0 ? 1 : -1));
    }
    screen_wheel(self->screen, input->row, input->column, input->wheel_rows);
    return TG_OK;
}

static tg_err take_input(terminal *self, const tg_input *input)
{
    screen_move move;
    /* Who only moves is answered sooner: nothing changes its place. */
    if (input->kind != TG_INPUT_WAKE && !find_move(input, &move)) {
        screen_write_anew(self->screen);
    }
    switch (input->kind) {
    case TG_INPUT_WAKE:
        return TG_OK; /* whoever woke is asked for his news */
    case TG_INPUT_KEY:
        pass_pace_ask(&self->pace, PASS_FOR_ANSWER);
        self->selection_is_due = false; /* whoever types has chosen by himself */
        self->notice_is_due = false;
        return take_key(self, input);
    case TG_INPUT_TEXT:
        pass_pace_ask(&self->pace, PASS_FOR_ANSWER);
        self->selection_is_due = false;
        screen_type(self->screen, input->text);
        return TG_OK;
    case TG_INPUT_CLICK:
        pass_pace_ask(&self->pace, PASS_FOR_ANSWER);
        self->selection_is_due = false;
        self->notice_is_due = false;
        screen_click(self->screen, input->row, input->column, input->clicks);
        return TG_OK;
    case TG_INPUT_WHEEL:
        pass_pace_ask(&self->pace, PASS_FOR_ANSWER);
        return take_wheel(self, input);
    case TG_INPUT_RESIZED:
    case TG_INPUT_EXPOSED:
        pass_pace_ask(&self->pace, PASS_FOR_ROWS);
        return screen_refit(self->screen);
    case TG_INPUT_QUIT:
        self->over = true;
        return TG_OK;
    }
    return TG_OK;
}

static int64_t deadline_mono_ns(const terminal *self)
{
    return self->options->seconds > 0 ? self->start_mono_ns + self->options->seconds * NS_PER_S
                                      : INT64_MAX;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the next pass is due; PASS_PACE_NEVER while nobody looks. */
static int64_t next_pass_mono_ns(const terminal *self)
{
    return tg_window_visible(self->window)
               ? pass_pace_next_mono_ns(&self->pace, screen_next_change_mono_ns(self->screen))
               : PASS_PACE_NEVER;
}

/* Only what can be drawn as it comes is worth waking for. */
static unsigned awaited_news(const terminal *self, int64_t now_mono_ns)
{
    if (!tg_window_visible(self->window)) {
        return 0;
    }
    return now_mono_ns < pass_pace_turn_mono_ns(&self->pace, PASS_FOR_PRIORITY)
               ? NEWS_OF_ROWS
               : NEWS_OF_ROWS | NEWS_OF_PRIORITY;
}

/* How long there is nothing to do unless something arrives. News that nobody is woken for are
 * looked for when their turn has come. */
static int64_t sleep_ns(const terminal *self, unsigned awaited, int64_t now_mono_ns)
{
    int64_t until = earlier(next_pass_mono_ns(self), deadline_mono_ns(self));
    until = earlier(until, now_mono_ns + HIDDEN_NS);
    if (awaited == NEWS_OF_ROWS) {
        until = earlier(until, pass_pace_turn_mono_ns(&self->pace, PASS_FOR_PRIORITY));
    }
    return until > now_mono_ns ? until - now_mono_ns : 0;
}

static tg_err draw_if_due(terminal *self, int64_t now_mono_ns)
{
    pass_extent extent =
        pass_pace_due(&self->pace, screen_next_change_mono_ns(self->screen), now_mono_ns);
    if (extent == PASS_NOT_DUE || !tg_window_visible(self->window)) {
        return TG_OK;
    }
    const uint64_t drawn_before = screen_counts_get(self->screen).passes;
    const tg_err err = screen_pass(self->screen, &extent);
    pass_pace_took(&self->pace, extent, screen_counts_get(self->screen).passes != drawn_before,
                   now_mono_ns);
    return err;
}

/* Processor time of the whole process. */
static int64_t cpu_ns(void)
{
    struct timespec spent;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) {
        return 0;
    }
    return (int64_t)spent.tv_sec * NS_PER_S + spent.tv_nsec;
}

static tg_err take_all_input(terminal *self, int64_t wait_ns)
{
    tg_input input;
    while (tg_window_wait(self->window, wait_ns, &input) == TG_OK) {
        const tg_err err = take_input(self, &input);
        if (err != TG_OK) {
            return err;
        }
        wait_ns = 0;
    }
    return TG_OK;
}

/* The next step of the script, once the pass before it is drawn. */
static tg_err play_script(terminal *self, int64_t now_mono_ns)
{
    tg_input input;
    char why[WHY_SIZE] = "";
    if (self->options->script == NULL || self->over || pass_pace_is_asked(&self->pace)) {
        return TG_OK;
    }
    switch (script_play_step(&self->play, self->window, self->screen, now_mono_ns, &input, why,
                             sizeof why)) {
    case SCRIPT_HAS_INPUT:
        return take_input(self, &input);
    case SCRIPT_DID_SOMETHING:
        pass_pace_ask(&self->pace, PASS_FOR_ROWS);
        break;
    case SCRIPT_QUITS:
        self->over = true;
        break;
    case SCRIPT_FAILED:
        complain(why);
        self->script_failed = true;
        self->over = true;
        break;
    case SCRIPT_IS_WAITING:
    case SCRIPT_HAS_ENDED:
        break;
    }
    return TG_OK;
}

static void take_news(terminal *self, int64_t now_mono_ns)
{
    const unsigned news = news_gate_take(feed_news(self->feed));
    const bool told = feed_poll(self->feed, now_mono_ns);
    if (told) {
        follow_endpoint(self);
        restore_selection(self);
        insist_on_notice(self);
    }
    if ((news & NEWS_OF_ROWS) != 0 || told) {
        pass_pace_ask(&self->pace, PASS_FOR_ROWS);
    }
    if ((news & NEWS_OF_PRIORITY) != 0) {
        pass_pace_ask(&self->pace, PASS_FOR_PRIORITY);
    }
    tell_of_files(self);
}

static tg_err loop(terminal *self)
{
    tg_err err = TG_OK;
    self->start_mono_ns = tg_clock_mono_ns(&self->clock);
    self->cpu_start_ns = cpu_ns();
    pass_pace_ask(&self->pace, PASS_FOR_ROWS);
    while (!self->over && err == TG_OK) {
        const int64_t asleep_mono_ns = tg_clock_mono_ns(&self->clock);
        const unsigned awaited = awaited_news(self, asleep_mono_ns);
        const bool is_there = news_gate_await(feed_news(self->feed), awaited);
        const int64_t wait_ns = is_there ? 0 : sleep_ns(self, awaited, asleep_mono_ns);
        err = take_all_input(self, wait_ns);
        const int64_t now_mono_ns = tg_clock_mono_ns(&self->clock);
        process_stalls_wake(latency_stalls(self->latency), asleep_mono_ns + wait_ns, now_mono_ns);
        take_news(self, now_mono_ns);
        if (err == TG_OK) {
            err = draw_if_due(self, now_mono_ns);
        }
        /* After the pass: to end a window takes longer than to draw. */
        if (latency_poll(self->latency, feed_client(self->feed), self->record, &self->clock)) {
            pass_pace_ask(&self->pace, PASS_FOR_ROWS);
        }
        if (err == TG_OK) {
            err = play_script(self, now_mono_ns);
        }
        if (stop_signal_came(self->stop) || now_mono_ns >= deadline_mono_ns(self) ||
            (self->options->headless && feed_is_hopeless(self->feed))) {
            self->over = true;
        }
    }
    self->end_mono_ns = tg_clock_mono_ns(&self->clock);
    self->cpu_end_ns = cpu_ns();
    return err;
}

static void write_picture(terminal *self)
{
    const char *path = self->options->screenshot;
    if (path == NULL) {
        return;
    }
    if (tg_window_screenshot(self->window, path) != TG_OK) {
        char line[WHY_SIZE];
        (void)snprintf(line, sizeof line, "--screenshot %s: %s", path, strerror(errno));
        complain(line);
        self->wrote_all = false;
        return;
    }
    session_record_screenshot(self->record, screen_counts_get(self->screen).passes, path);
}

static void write_report(terminal *self, const tg_histogram *decode, const tg_histogram *commit)
{
    char build[256];
    char drawing[160];
    tg_window_describe(self->window, drawing, sizeof drawing);
    (void)snprintf(build, sizeof build, "%s %s", tg_build_info(), drawing);
    const screen_counts counts = screen_counts_get(self->screen);
    tg_client *client = feed_client(self->feed);
    terminal_report report = {
        .client.struct_size = sizeof report.client,
        .store.struct_size = sizeof report.store,
        .glass = glass_check_counts(self->check),
        .times = self->times,
        .decode = decode,
        .commit = commit,
        .passes = counts.passes,
        .cells_drawn = counts.cells_drawn,
        .rows = feed_listed_count(self->feed),
        .elapsed_ns = self->end_mono_ns - self->start_mono_ns,
        .cpu_ns = self->cpu_end_ns - self->cpu_start_ns,
        .build = build,
    };
    tg_err err = tg_client_counters_get(client, &report.client);
    if (err == TG_OK) {
        err = tg_store_counters_get(tg_client_store(client), &report.store);
    }
    if (err == TG_OK) {
        err = report_write(&report, self->options->report);
    }
    if (err != TG_OK) {
        char line[WHY_SIZE];
        (void)snprintf(line, sizeof line, "--report %s: %s", self->options->report,
                       err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
        complain(line);
        self->wrote_all = false;
    }
}

static void write_latencies(terminal *self)
{
    const char *path = self->options->export_hlog;
    if (path == NULL) {
        return;
    }
    const tg_err err = latency_export_write_log(latency_windows(self->latency), path);
    if (err != TG_OK) {
        char line[WHY_SIZE];
        (void)snprintf(line, sizeof line, "--export-hlog %s: %s", path,
                       err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
        complain(line);
        self->wrote_all = false;
    }
}

/* Copies of the client's own stages, then the report. */
static void report_run(terminal *self)
{
    if (self->options->report == NULL) {
        return;
    }
    tg_histogram *stages[TG_STAGE_COUNT] = {NULL};
    tg_err err = TG_OK;
    for (int i = 0; i < TG_STAGE_COUNT && err == TG_OK; i++) {
        err = tg_histogram_open(NULL, &stages[i]);
        if (err == TG_OK) {
            err = tg_client_stage(feed_client(self->feed), (tg_stage)i, stages[i]);
        }
    }
    if (err == TG_OK) {
        write_report(self, stages[TG_STAGE_DECODE], stages[TG_STAGE_COMMIT]);
    } else {
        (void)fail("--report", err, TERMINAL_WRITE);
        self->wrote_all = false;
    }
    for (int i = 0; i < TG_STAGE_COUNT; i++) {
        tg_histogram_close(stages[i]);
    }
}

static void save_state(terminal *self)
{
    const size_t selected = screen_selected_row(self->screen);
    saved_state now = {.font_size_px = tg_window_font_size(self->window)};
    char why[USER_PATH_SIZE + WHY_SIZE] = "";
    (void)snprintf(now.palette, sizeof now.palette, "%s", screen_palette(self->screen)->name);
    screen_save(self->screen, &now);
    tg_window_size_px(self->window, &now.width_px, &now.height_px);
    if (self->selection_is_due) {
        /* Its row did not come in this run; it may in the next. */
        (void)snprintf(now.venue, sizeof now.venue, "%s", self->keeper->before.venue);
        (void)snprintf(now.symbol, sizeof now.symbol, "%s", self->keeper->before.symbol);
    } else if (selected < feed_row_count(self->feed)) {
        const watch_row *row = feed_row(self->feed, selected);
        (void)snprintf(now.venue, sizeof now.venue, "%s", row->venue);
        (void)snprintf(now.symbol, sizeof now.symbol, "%s", row->symbol);
    }
    if (state_keeper_save(self->keeper, &now, why, sizeof why) != TG_OK) {
        complain(why);
        self->wrote_all = false;
    }
}

/* Nothing came: says why. */
static terminal_exit judge_data(terminal *self)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    if (tg_client_counters_get(feed_client(self->feed), &counters) == TG_OK &&
        counters.connects > 0 && screen_counts_get(self->screen).rows_with_data > 0) {
        return TERMINAL_FINE;
    }
    if (!self->options->headless) {
        return TERMINAL_FINE; /* whoever sat in front of it saw it */
    }
    char why[WHY_SIZE] = "";
    tg_client_last_error(feed_client(self->feed), why, sizeof why);
    if (why[0] == '\0') {
        (void)snprintf(why, sizeof why, "%s",
                       counters.connects > 0 ? "connected, but no data came in the time given"
                                             : "not connected in the time given");
    }
    complain(why);
    if (feed_token_trouble(self->feed)[0] != '\0') {
        complain(feed_token_trouble(self->feed));
    }
    return TERMINAL_NO_DATA;
}

static terminal_exit finish(terminal *self, tg_err loop_err)
{
    terminal_exit code = TERMINAL_FINE;
    if (loop_err != TG_OK) {
        code = fail("drawing", loop_err, TERMINAL_NO_DATA);
    }
    write_picture(self);
    save_state(self);
    if (code == TERMINAL_FINE) {
        code = judge_data(self);
    }
    report_run(self);
    latency_end_window(self->latency, feed_client(self->feed), self->record, &self->clock);
    write_latencies(self);
    if (code == TERMINAL_FINE && !self->wrote_all) {
        code = TERMINAL_WRITE;
    }
    char why[WHY_SIZE] = "";
    if (!self->script_failed && self->play.script.count > 0 &&
        script_play_is_cut_off(&self->play, why, sizeof why)) {
        complain(why);
        self->script_failed = true;
    }
    return code == TERMINAL_FINE && self->script_failed ? TERMINAL_SCRIPT : code;
}

/* In the order that the parts need: no callback runs once the feed is closed. */
static terminal_exit close_parts(terminal *self, terminal_exit code)
{
    snapshot_close(self->snapshot);
    latency_export_close(self->exports);
    screen_close(self->screen);
    feed_close(self->feed);
    char why[WHY_SIZE] = "";
    if (session_record_close(self->record, why, sizeof why) != TG_OK) {
        complain(why);
        code = code == TERMINAL_FINE ? TERMINAL_WRITE : code;
    }
    glass_check_close(self->check);
    glass_times_close(self->times);
    latency_close(self->latency);
    glass_tape_close(self->tape);
    script_file_close(&self->play.script);
    /* All is written; what is left may wait for a window system that does not answer. */
    stop_signal_close(self->stop);
    stop_signal_unblock();
    tg_window_close(self->window);
    return code;
}

terminal_exit terminal_run(const terminal_options *options, const settings *from,
                           const state_keeper *keeper)
{
    terminal self = {.options = options,
                     .settings = from,
                     .keeper = keeper,
                     .clock = tg_clock_system(),
                     .selection_is_due = keeper->before.venue[0] != '\0',
                     .wrote_all = true};
    name_endpoint(&self);
    stop_signal_block();
    const tg_err err = stop_signal_open(STOP_LIMIT_MS, token_command_abandon, &self.stop);
    if (err != TG_OK) {
        return fail("start", err, TERMINAL_USAGE);
    }
    terminal_exit code = open_parts(&self);
    if (code == TERMINAL_FINE) {
        code = finish(&self, loop(&self));
    }
    return close_parts(&self, code);
}

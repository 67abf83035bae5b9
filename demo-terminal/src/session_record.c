#include "session_record.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/recorder.h>

#include "picture_chain.h"
#include "text_line.h"

#define RING_SIZE (UINT32_C(4) << 20)
/* Rings hold seconds of a busy market: each look at them that finds little costs more than what it
 * finds. */
#define IDLE_US        50000
#define FLUSH_MS       10000
#define MESSAGE_PIECE  (UINT32_C(64) << 10)
#define LIST_SLOTS_MAX 2048
#define TEXT_SIZE      700

/* What the file says of a slot so far. */
typedef struct slot_memory {
    bool named;
    bool shown;
    tg_version version;
} slot_memory;

/* Makes or ends a file while the owner goes on. */
typedef struct record_job {
    bool running; /* the owner's: a thread was started and not joined */
    bool ends;    /* a file, or begins one */
    pthread_t thread;
    tg_recorder *recorder;
    tg_err err;
    char why[400];
    _Atomic bool over; /* written by the thread after all of the above */
} record_job;

struct session_record {
    /* Written by the owner, read by the network thread. */
    _Atomic(tg_recorder *) recorder;
    /* Written by the network thread: it may have a recorder in hand. */
    _Atomic bool network_inside;
    const tg_recorder *prepared; /* the network thread's: that one knows its name */
    int64_t received_mono_ns;    /* likewise: of the latest message that was recorded */
    void (*woken)(void *ctx);
    void *ctx;
    record_job job;
    char path[SESSION_RECORD_PATH_SIZE];
    tg_err histogram_err; /* the first that was refused */
    uint64_t errors_told; /* write errors and lost records of which the owner knows */
    uint64_t lost_told;
    ui_state ui;
    char palette[32]; /* and the other texts of ui */
    char sort[32];
    char filter[TEXT_LINE_SIZE];
    char typed[TEXT_LINE_SIZE];
    bool has_ui;
    uint16_t list[LIST_SLOTS_MAX];
    size_t list_count;
    bool has_list;
    picture_chain *pictures;
    const tg_window *window;        /* NULL: not said yet */
    char fonts[TG_FONTS_TEXT_SIZE]; /* "": not known; a thread that begins a file may write it */
    char drawn_by[160];
    size_t slot_count;
    slot_memory *slots;
};

tg_err session_record_open(size_t slots, void (*woken)(void *ctx), void *ctx, session_record **out)
{
    *out = NULL;
    session_record *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->slots = calloc(slots, sizeof *self->slots);
    if (self->slots == NULL || picture_chain_open(&self->pictures) != TG_OK) {
        free(self->slots);
        free(self);
        return TG_ERR_NO_MEMORY;
    }
    self->slot_count = slots;
    self->woken = woken;
    self->ctx = ctx;
    *out = self;
    return TG_OK;
}

static tg_recorder *recorder_of(const session_record *self)
{
    /* Relaxed: the owner reads what it wrote itself. */
    return self != NULL ? atomic_load_explicit((_Atomic(tg_recorder *) *)&self->recorder,
                                               memory_order_relaxed)
                        : NULL;
}

/* ---- beginning and ending ----------------------------------------------------------------- */

static tg_err begin_file(const char *path, tg_recorder **out)
{
    tg_recorder_options options;
    tg_recorder_options_init(&options);
    options.path = path;
    options.ring_size = RING_SIZE;
    options.threads_max = 8;
    options.idle_us = IDLE_US;
    return tg_recorder_open(&options, out);
}

/* What the recorder says of a refused write, with the system's words for its number. */
static void tell_error(const tg_recorder *recorder, char *text, size_t size)
{
    static const char mark[] = "errno ";
    tg_recorder_last_error(recorder, text, size);
    char *number = strstr(text, mark);
    if (number != NULL) {
        const long why = strtol(number + sizeof mark - 1, NULL, 10);
        (void)snprintf(number, size - (size_t)(number - text), "%s", strerror((int)why));
    }
}

static tg_err end_file(tg_recorder *recorder, char *why, size_t why_size)
{
    tg_err err = tg_recorder_flush(recorder, FLUSH_MS);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    const tg_err counted = tg_recorder_counters_get(recorder, &counters);
    err = err != TG_OK ? err : counted;
    char lost[80] = "";
    char detail[400] = "";
    if (counters.dropped > 0) {
        (void)snprintf(lost, sizeof lost, "%" PRIu64 " records found no room", counters.dropped);
        err = TG_ERR_IO;
    }
    if (err != TG_OK) {
        tell_error(recorder, detail, sizeof detail);
        if (detail[0] == '\0' && lost[0] == '\0') {
            (void)snprintf(detail, sizeof detail, "%s", tg_err_text(err));
        }
        err = TG_ERR_IO;
    }
    (void)snprintf(why, why_size, "%s%s%s", lost, lost[0] != '\0' && detail[0] != '\0' ? ": " : "",
                   detail);
    tg_recorder_close(recorder);
    return err;
}

/* A file that has just begun says nothing yet. */
static void forget(session_record *self)
{
    memset(self->slots, 0, self->slot_count * sizeof *self->slots);
    self->has_ui = false;
    self->has_list = false;
    picture_chain_begin(self->pictures);
    self->histogram_err = TG_OK;
    self->errors_told = 0;
    self->lost_told = 0;
}

static void publish(session_record *self, tg_recorder *recorder)
{
    forget(self);
    /* Its ring is made now, not by the first record of a pass. Without one, that one tries again.
     */
    (void)!tg_recorder_prepare_thread(recorder, "glass");
    /* Release: the network thread sees the recorder as it was opened. */
    atomic_store_explicit(&self->recorder, recorder, memory_order_release);
}

/* From here on nobody records; the recorder is the caller's. */
static tg_recorder *withdraw(session_record *self)
{
    /* Sequentially consistent, as the two accesses of the network thread are: either it sees that
     * there is no recorder, or its mark is seen by who waits in leave_alone(). */
    return atomic_exchange_explicit(&self->recorder, NULL, memory_order_seq_cst);
}

static void leave_alone(session_record *self)
{
    /* Acquire in it: what the network thread recorded is complete. It never waits in there. */
    while (atomic_load_explicit(&self->network_inside, memory_order_seq_cst)) {
        (void)sched_yield();
    }
}

/* Fonts that cannot be read any more stay unknown: the record goes on, and says of none. */
static void find_fonts(session_record *self)
{
    if (self->window != NULL && self->fonts[0] == '\0') {
        (void)!tg_window_fonts(self->window, self->fonts, sizeof self->fonts);
    }
}

static void *work(void *arg)
{
    session_record *self = arg;
    record_job *job = &self->job;
    if (job->ends) {
        leave_alone(self);
        job->err = end_file(job->recorder, job->why, sizeof job->why);
        job->recorder = NULL;
    } else {
        find_fonts(self);
        job->err = begin_file(self->path, &job->recorder);
        (void)snprintf(job->why, sizeof job->why, "%s",
                       job->err == TG_ERR_IO ? strerror(errno) : tg_err_text(job->err));
    }
    /* Release: pairs with the acquire in session_record_take_result. */
    atomic_store_explicit(&job->over, true, memory_order_release);
    self->woken(self->ctx);
    return NULL;
}

static tg_err start_job(session_record *self, bool ends, tg_recorder *recorder)
{
    record_job *job = &self->job;
    job->ends = ends;
    job->recorder = recorder;
    job->why[0] = '\0';
    atomic_store_explicit(&job->over, false, memory_order_relaxed);
    job->running = pthread_create(&job->thread, NULL, work, self) == 0;
    return job->running ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_err set_path(session_record *self, const char *path)
{
    if (strlen(path) >= sizeof self->path) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    (void)strcpy(self->path, path);
    return TG_OK;
}

tg_err session_record_start_now(session_record *self, const char *path)
{
    tg_recorder *recorder = NULL;
    tg_err err = set_path(self, path);
    if (err == TG_OK) {
        err = begin_file(path, &recorder);
    }
    if (err == TG_OK) {
        publish(self, recorder);
    }
    return err;
}

void session_record_set_window(session_record *self, const tg_window *window)
{
    self->window = window;
    tg_window_describe(window, self->drawn_by, sizeof self->drawn_by);
    if (recorder_of(self) != NULL) {
        find_fonts(self);
    }
}

tg_err session_record_start(session_record *self, const char *path)
{
    if (self->job.running) {
        return TG_ERR_FULL;
    }
    if (recorder_of(self) != NULL) {
        return TG_ERR_STATE;
    }
    const tg_err err = set_path(self, path);
    return err == TG_OK ? start_job(self, false, NULL) : err;
}

tg_err session_record_stop(session_record *self)
{
    if (self->job.running) {
        return TG_ERR_FULL;
    }
    if (recorder_of(self) == NULL) {
        return TG_ERR_STATE;
    }
    tg_recorder *recorder = withdraw(self);
    const tg_err err = start_job(self, true, recorder);
    if (err != TG_OK) {
        publish(self, recorder); /* it goes on */
    }
    return err;
}

/* Takes the thread's result: true if there was one. */
static bool end_job(session_record *self)
{
    record_job *job = &self->job;
    if (!job->running) {
        return false;
    }
    (void)pthread_join(job->thread, NULL);
    job->running = false;
    if (!job->ends && job->err == TG_OK) {
        publish(self, job->recorder);
    }
    return true;
}

/* What has gone wrong since it was asked for last. */
static bool tell_trouble(session_record *self, char *text, size_t size)
{
    const tg_recorder *recorder = recorder_of(self);
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    if (recorder == NULL || tg_recorder_counters_get(recorder, &counters) != TG_OK) {
        return false;
    }
    const bool first = counters.write_errors > 0 && self->errors_told == 0;
    const bool loses = counters.dropped > self->lost_told;
    self->errors_told = counters.write_errors;
    self->lost_told = counters.dropped;
    if (!first && !loses) {
        return false;
    }
    char detail[400] = "";
    tell_error(recorder, detail, sizeof detail);
    (void)snprintf(text, size, "recording: %" PRIu64 " records lost%s%s", counters.dropped,
                   detail[0] != '\0' ? ": " : "", detail);
    return true;
}

bool session_record_take_result(session_record *self, char *text, size_t size, bool *bad)
{
    record_job *job = &self->job;
    *bad = true;
    /* Acquire: pairs with the release in work(). */
    if (!job->running || !atomic_load_explicit(&job->over, memory_order_acquire)) {
        return tell_trouble(self, text, size);
    }
    (void)end_job(self);
    *bad = job->err != TG_OK;
    (void)snprintf(text, size, "%s: %s%s%s", job->ends ? "recorded" : "recording", self->path,
                   *bad ? ": " : "", *bad ? job->why : "");
    return true;
}

tg_err session_record_close(session_record *self, char *why, size_t why_size)
{
    if (self == NULL) {
        return TG_OK;
    }
    tg_err err = TG_OK;
    (void)snprintf(why, why_size, "%s", "");
    if (end_job(self) && self->job.ends && self->job.err != TG_OK) {
        err = self->job.err;
        (void)snprintf(why, why_size, "%s: %s", self->path, self->job.why);
    }
    tg_recorder *recorder = withdraw(self);
    if (recorder != NULL) {
        char detail[400];
        leave_alone(self);
        err = end_file(recorder, detail, sizeof detail);
        if (err == TG_OK && self->histogram_err != TG_OK) {
            err = TG_ERR_IO;
            (void)snprintf(detail, sizeof detail, "a histogram found no room");
        }
        if (err != TG_OK) {
            (void)snprintf(why, why_size, "%s: %s", self->path, detail);
        }
    }
    picture_chain_close(self->pictures);
    free(self->slots);
    free(self);
    return err;
}

const char *session_record_path(const session_record *self)
{
    return recorder_of(self) != NULL ? self->path : NULL;
}

/* ---- records --------------------------------------------------------------------------------- */

static void record_message(tg_recorder *recorder, const unsigned char *bytes, size_t size,
                           int64_t received_mono_ns)
{
    if (size <= MESSAGE_PIECE) {
        TG_RECORD_AT(recorder, TG_RECORD_INFO, received_mono_ns, "message %p",
                     tg_blob_of(bytes, size));
        return;
    }
    for (size_t at = 0; at < size; at += MESSAGE_PIECE) {
        const size_t piece = size - at < MESSAGE_PIECE ? size - at : MESSAGE_PIECE;
        TG_RECORD_AT(recorder, TG_RECORD_INFO, received_mono_ns, "message of %zu, from %zu %p",
                     size, at, tg_blob_of(bytes + at, piece));
    }
}

/* The network thread's recorder, or NULL: there is none. Otherwise it is to be left again. */
static tg_recorder *enter(session_record *self)
{
    /* Relaxed: whether there is one at all; a late answer is a message earlier or later. */
    if (self == NULL || atomic_load_explicit(&self->recorder, memory_order_relaxed) == NULL) {
        return NULL;
    }
    /* Sequentially consistent, both: see withdraw(). */
    atomic_store_explicit(&self->network_inside, true, memory_order_seq_cst);
    tg_recorder *recorder = atomic_load_explicit(&self->recorder, memory_order_seq_cst);
    if (recorder == NULL) {
        atomic_store_explicit(&self->network_inside, false, memory_order_release);
    } else if (recorder != self->prepared) {
        self->prepared = recorder;
        self->received_mono_ns = 0;
        (void)!tg_recorder_prepare_thread(recorder, "network");
    }
    return recorder;
}

static void leave(session_record *self)
{
    atomic_store_explicit(&self->network_inside, false, memory_order_release);
}

void session_record_message(session_record *self, const void *bytes, size_t size,
                            int64_t received_mono_ns)
{
    tg_recorder *recorder = enter(self);
    if (recorder != NULL) {
        self->received_mono_ns = received_mono_ns;
        record_message(recorder, bytes, size, received_mono_ns);
        leave(self);
    }
}

void session_record_echo(session_record *self, const echo_times *times)
{
    tg_recorder *recorder = enter(self);
    if (recorder != NULL) {
        TG_RECORD_AT(recorder, TG_RECORD_INFO, times->received_mono_ns,
                     "echo %" PRIu64 " sent_mono_ns %" PRId64 " received_mono_ns %" PRId64,
                     times->cookie, times->sent_mono_ns, times->received_mono_ns);
        leave(self);
    }
}

void session_record_published(session_record *self, uint64_t view_number, const tg_clock *clock)
{
    tg_recorder *recorder = enter(self);
    if (recorder != NULL) {
        const int64_t visible_mono_ns = tg_clock_mono_ns(clock);
        if (self->received_mono_ns != 0) {
            TG_RECORD_AT(recorder, TG_RECORD_INFO, visible_mono_ns,
                         "view %" PRIu64 " received_mono_ns %" PRId64 " visible_mono_ns %" PRId64,
                         view_number, self->received_mono_ns, visible_mono_ns);
            self->received_mono_ns = 0; /* what is published later was not brought by it */
        }
        leave(self);
    }
}

static bool same_list(const session_record *self, const list_choice *list)
{
    const list_choice *before = &self->ui.list;
    return before->first_row == list->first_row && before->selected == list->selected &&
           before->descending == list->descending && before->order_is_old == list->order_is_old &&
           before->columns == list->columns && before->column == list->column &&
           before->mode == list->mode && strcmp(self->sort, list->sort) == 0 &&
           strcmp(self->filter, list->filter) == 0 && strcmp(self->typed, list->typed) == 0;
}

static bool same_window(const session_record *self, const ui_state *state)
{
    const ui_state *before = &self->ui;
    return before->columns == state->columns && before->rows == state->rows &&
           before->width_px == state->width_px && before->height_px == state->height_px &&
           before->font_size_px == state->font_size_px &&
           before->scale_percent == state->scale_percent &&
           strcmp(self->palette, state->palette) == 0;
}

static bool same_ui(const session_record *self, const ui_state *state)
{
    const ui_state *before = &self->ui;
    return self->has_ui && before->opened == state->opened && before->panels == state->panels &&
           before->focus == state->focus && before->help == state->help &&
           same_window(self, state) && same_list(self, &state->list);
}

static void remember_ui(session_record *self, const ui_state *state)
{
    self->ui = *state;
    self->has_ui = true;
    (void)snprintf(self->palette, sizeof self->palette, "%s", state->palette);
    (void)snprintf(self->sort, sizeof self->sort, "%s", state->list.sort);
    (void)snprintf(self->filter, sizeof self->filter, "%s", state->list.filter);
    (void)snprintf(self->typed, sizeof self->typed, "%s", state->list.typed);
}

void session_record_ui(session_record *self, const ui_state *state)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder == NULL || same_ui(self, state)) {
        return;
    }
    remember_ui(self, state);
    const list_choice *list = &state->list;
    TG_RECORD(recorder, TG_RECORD_INFO,
              "window %" PRIu32 "x%" PRIu32 " px %" PRIu32 "x%" PRIu32 " cells letters %" PRIu32
              " px scale %" PRIu32 " palette %s",
              state->width_px, state->height_px, state->columns, state->rows, state->font_size_px,
              state->scale_percent, state->palette);
    TG_RECORD(recorder, TG_RECORD_INFO,
              "list from %" PRIu32 " selected %" PRIu32 " opened %" PRIu32 " panels %" PRIu32
              " focus %" PRIu32 " help %" PRIu32,
              list->first_row, list->selected, state->opened, state->panels, state->focus,
              state->help);
    TG_RECORD(recorder, TG_RECORD_INFO,
              "list sorted by %s descending %" PRIu32 " old %" PRIu32 " columns %" PRIu32
              " column %" PRIu32 " mode %" PRIu32 " filter %s typed %s",
              list->sort, list->descending, list->order_is_old, list->columns, list->column,
              list->mode, list->filter, list->typed);
}

void session_record_list(session_record *self, const uint16_t *slots, size_t count)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder == NULL || count > LIST_SLOTS_MAX ||
        (self->has_list && self->list_count == count &&
         memcmp(self->list, slots, count * sizeof *slots) == 0)) {
        return;
    }
    memcpy(self->list, slots, count * sizeof *slots);
    self->list_count = count;
    self->has_list = true;
    TG_RECORD(recorder, TG_RECORD_INFO, "list shows slots %p",
              tg_blob_of(self->list, count * sizeof *slots));
}

void session_record_row(session_record *self, uint64_t pass, const shown_version *shown)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder == NULL || shown->slot >= self->slot_count) {
        return;
    }
    slot_memory *memory = &self->slots[shown->slot];
    if (!memory->named) {
        memory->named = true;
        TG_RECORD(recorder, TG_RECORD_INFO, "slot %zu is %s:%s", shown->slot, shown->venue,
                  shown->symbol);
    }
    if (memory->shown && tg_version_compare(memory->version, shown->version) == 0) {
        return;
    }
    memory->shown = true;
    memory->version = shown->version;
    TG_RECORD(recorder, TG_RECORD_INFO,
              "pass %" PRIu64 " shows slot %zu epoch %" PRIu32 " seq %" PRIu64
              " received_mono_ns %" PRId64 " committed_mono_ns %" PRId64
              " exchange_utc_ns %" PRId64,
              pass, shown->slot, shown->version.epoch, shown->version.seq, shown->received_mono_ns,
              shown->committed_mono_ns, shown->ts_exchange_ns);
}

void session_record_glass(session_record *self, uint64_t pass, size_t slot, tg_version version,
                          int verdict)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder != NULL) {
        TG_RECORD(recorder, TG_RECORD_INFO,
                  "pass %" PRIu64 " checked slot %zu epoch %" PRIu32 " seq %" PRIu64 " verdict %d",
                  pass, slot, version.epoch, version.seq, verdict);
    }
}

void session_record_depth(session_record *self, uint64_t pass, size_t slot, tg_version version,
                          int verdict)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder != NULL) {
        TG_RECORD(recorder, TG_RECORD_INFO,
                  "pass %" PRIu64 " checked depth of slot %zu epoch %" PRIu32 " seq %" PRIu64
                  " verdict %d",
                  pass, slot, version.epoch, version.seq, verdict);
    }
}

static void record_picture(tg_recorder *recorder, uint64_t pass, const chained_picture *picture,
                           const pass_stamps *stamps)
{
    const uint32_t size = (uint32_t)picture->size;
    for (uint32_t at = 0; at < size; at += MESSAGE_PIECE) {
        const uint32_t piece = size - at < MESSAGE_PIECE ? size - at : MESSAGE_PIECE;
        TG_RECORD_AT(recorder, TG_RECORD_INFO, stamps->handed_mono_ns, SESSION_RECORD_DREW, pass,
                     picture->number, (uint32_t)picture->whole, stamps->handed_utc_ns, at, size,
                     tg_blob_of(picture->bytes + at, piece));
    }
}

void session_record_drew(session_record *self, const drawn_pass *pass, const pass_stamps *stamps)
{
    tg_recorder *recorder = recorder_of(self);
    chained_picture picture;
    if (recorder == NULL) {
        return;
    }
    const tg_err err = picture_chain_next(self->pictures, pass->list, pass->grid,
                                          stamps->handed_mono_ns, &picture);
    if (err != TG_OK) {
        TG_RECORD_AT(recorder, TG_RECORD_WARNING, stamps->handed_mono_ns,
                     "pass %" PRIu64 " drew %zu cells that cannot be recorded: %s", pass->number,
                     pass->list->cell_count, tg_err_text(err));
        return;
    }
    if (picture.whole) {
        TG_RECORD_AT(recorder, TG_RECORD_INFO, stamps->handed_mono_ns, SESSION_RECORD_FORM,
                     pass->number, (int32_t)pass->form.width_px, (int32_t)pass->form.height_px,
                     (int32_t)pass->form.letter_px, self->fonts, self->drawn_by);
    }
    record_picture(recorder, pass->number, &picture, stamps);
}

void session_record_screenshot(session_record *self, uint64_t pass, const char *path)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder != NULL) {
        TG_RECORD(recorder, TG_RECORD_INFO, "pass %" PRIu64 " stands in the picture %s", pass,
                  path);
    }
}

void session_record_pass(session_record *self, uint64_t pass, uint64_t view_number,
                         size_t cell_count, const pass_stamps *stamps)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder != NULL) {
        TG_RECORD_AT(recorder, TG_RECORD_INFO, stamps->handed_mono_ns,
                     "pass %" PRIu64 " handed off view %" PRIu64
                     " cells %zu pinned_mono_ns %" PRId64 " drawn_mono_ns %" PRId64
                     " handed_mono_ns %" PRId64 " handed_utc_ns %" PRId64,
                     pass, view_number, cell_count, stamps->pinned_mono_ns, stamps->drawn_mono_ns,
                     stamps->handed_mono_ns, stamps->handed_utc_ns);
    }
}

void session_record_window(session_record *self, const char *name, const tg_histogram *histogram,
                           int64_t from_mono_ns, int64_t to_mono_ns)
{
    tg_recorder *recorder = recorder_of(self);
    if (recorder == NULL) {
        return;
    }
    const tg_err err = tg_recorder_histogram(recorder, name, histogram, from_mono_ns, to_mono_ns);
    if (err != TG_OK && self->histogram_err == TG_OK) {
        self->histogram_err = err;
    }
}

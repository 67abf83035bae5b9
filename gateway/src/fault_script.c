#include "fault_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "feed.h"
#include "line_reader.h"
#include "sequencer.h"

#define LINE_SIZE_MAX 1024u
#define NS_PER_MS     INT64_C(1000000)
#define AT_MS_MAX     INT64_C(604800000) /* a week */
#define WORDS_MAX     (2 + TG__FAULT_ARGUMENTS_MAX)
#define DIGITS_MAX    12u
#define FIRST_ACTIONS 64u

struct tg__fault_script {
    tg__fault_action *actions; /* in order of their times */
    size_t count;
    size_t capacity;
    size_t next;
};

typedef struct word {
    const char *text;
    size_t size;
} word;

/* ---- one line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* At most max + 1 words, so that the caller sees that there are too many. */
static size_t split(const char *line, size_t length, word *words, size_t max)
{
    size_t count = 0;
    size_t at = 0;
    while (count <= max) {
        while (at < length && is_blank(line[at])) {
            at++;
        }
        if (at == length || line[at] == '#') {
            break;
        }
        const size_t begin = at;
        while (at < length && !is_blank(line[at])) {
            at++;
        }
        words[count].text = line + begin;
        words[count].size = at - begin;
        count++;
    }
    return count;
}

static bool is_text(word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0;
}

static bool read_number(word w, int64_t min, int64_t max, int64_t *out)
{
    const bool negative = w.size > 0 && w.text[0] == '-';
    int64_t value = 0;
    if (w.size <= negative || w.size - negative > DIGITS_MAX) {
        return false;
    }
    for (size_t i = negative; i < w.size; i++) {
        if (w.text[i] < '0' || w.text[i] > '9') {
            return false;
        }
        value = value * 10 + (w.text[i] - '0');
    }
    *out = negative ? -value : value;
    return *out >= min && *out <= max;
}

/* One of two texts, as 0 or 1. */
static bool read_choice(word w, const char *zero, const char *one, int64_t *out)
{
    *out = is_text(w, one);
    return *out == 1 || is_text(w, zero);
}

static bool read_venue(const tg__directory *directory, word w, int64_t *out)
{
    if (is_text(w, "*")) {
        *out = TG__FAULT_ALL_VENUES;
        return true;
    }
    for (uint32_t venue = 0; venue < directory->venue_count; venue++) {
        if (is_text(w, directory->venues[venue].name)) {
            *out = venue;
            return true;
        }
    }
    return false;
}

/* NULL: the value is good; otherwise what was expected. */
static const char *read_argument(const tg__directory *directory, tg__fault_argument kind, word w,
                                 int64_t *out)
{
    static const struct {
        int64_t min;
        int64_t max;
        const char *expected;
    } ranges[] = {
        [TG__FAULT_MS] = {0, 3600000, "milliseconds, 0 to 3600000"},
        [TG__FAULT_PPM] = {0, 1000000, "parts per million, 0 to 1000000"},
        [TG__FAULT_COPIES] = {0, TG__FEED_COPIES_MAX, "a number of copies, 0 to 16"},
        [TG__FAULT_COUNT] = {1, 1000000, "a number from 1 to 1000000"},
        [TG__FAULT_LANE] = {0, TG__LANE_COUNT - 1, "a lane's number"},
        [TG__FAULT_BY] = {-1000000, 1000000, "a number from -1000000 to 1000000, not 0"},
        [TG__FAULT_STEP_MS] = {-86400000, 86400000, "milliseconds, -86400000 to 86400000"},
        [TG__FAULT_CLOSE_CODE] = {1000, 4999, "a close code, 1000 to 4999"},
    };
    switch (kind) {
    case TG__FAULT_VENUE:
        return read_venue(directory, w, out) ? NULL : "a venue's name or *";
    case TG__FAULT_HANDLER:
        return read_choice(w, "A", "B", out) ? NULL : "A or B";
    case TG__FAULT_SWITCH:
        return read_choice(w, "off", "on", out) ? NULL : "on or off";
    case TG__FAULT_MS:
    case TG__FAULT_PPM:
    case TG__FAULT_COPIES:
    case TG__FAULT_COUNT:
    case TG__FAULT_LANE:
    case TG__FAULT_BY:
    case TG__FAULT_STEP_MS:
    case TG__FAULT_CLOSE_CODE:
        return read_number(w, ranges[kind].min, ranges[kind].max, out) &&
                       (kind != TG__FAULT_BY || *out != 0)
                   ? NULL
                   : ranges[kind].expected;
    case TG__FAULT_NONE:
        break;
    }
    return "nothing";
}

static const tg__fault_verb *find_verb(const tg__fault_grammar *grammar, word w)
{
    for (size_t i = 0; i < grammar->verb_count; i++) {
        if (is_text(w, grammar->verbs[i].name)) {
            return &grammar->verbs[i];
        }
    }
    return NULL;
}

static size_t argument_count(const tg__fault_verb *verb)
{
    size_t count = 0;
    while (count < TG__FAULT_ARGUMENTS_MAX && verb->arguments[count] != TG__FAULT_NONE) {
        count++;
    }
    return count;
}

/* Verb and arguments with one blank between them; cut when too long. */
static void keep_text(const word *words, size_t count, char out[TG__FAULT_TEXT_SIZE])
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < words[i].size && size + 2 < TG__FAULT_TEXT_SIZE; k++) {
            out[size++] = words[i].text[k];
        }
        out[size++] = ' ';
        size = size < TG__FAULT_TEXT_SIZE ? size : TG__FAULT_TEXT_SIZE - 1;
    }
    out[size - 1] = '\0';
}

tg_err tg__fault_line_parse(const tg__fault_grammar *grammar, const char *line, size_t length,
                            tg__fault_action *action, tg__cause *cause)
{
    word words[WORDS_MAX + 1];
    int64_t at_ms = 0;
    memset(action, 0, sizeof *action);
    const size_t count = split(line, length, words, WORDS_MAX);
    if (count == 0) {
        return TG_ERR_NOT_FOUND;
    }
    if (!read_number(words[0], 0, AT_MS_MAX, &at_ms)) {
        return tg__cause_set(cause, TG_ERR_SYNTAX, "%.*s: expected milliseconds, 0 to %" PRId64,
                             (int)words[0].size, words[0].text, AT_MS_MAX);
    }
    if (count == 1) {
        return tg__cause_set(cause, TG_ERR_SYNTAX, "an action is missing");
    }
    action->verb = find_verb(grammar, words[1]);
    if (action->verb == NULL) {
        return tg__cause_set(cause, TG_ERR_SYNTAX, "%.*s: there is no such action",
                             (int)words[1].size, words[1].text);
    }
    const size_t wanted = argument_count(action->verb);
    if (count != 2 + wanted) {
        return tg__cause_set(cause, TG_ERR_SYNTAX, "%s: expected %zu arguments", action->verb->name,
                             wanted);
    }
    for (size_t i = 0; i < wanted; i++) {
        const word w = words[2 + i];
        const char *expected =
            read_argument(grammar->directory, action->verb->arguments[i], w, &action->values[i]);
        if (expected != NULL) {
            return tg__cause_set(cause, TG_ERR_SYNTAX, "%s: %.*s: expected %s", action->verb->name,
                                 (int)w.size, w.text, expected);
        }
    }
    action->at_ns = at_ms * NS_PER_MS;
    keep_text(words + 1, count - 1, action->text);
    return TG_OK;
}

/* ---- the file ---- */

static tg_err add(tg__fault_script *script, const tg__fault_action *action)
{
    TG_ENSURE(script->count < TG__FAULT_ACTIONS_MAX, TG_ERR_FULL);
    if (script->count == script->capacity) {
        const size_t capacity = script->capacity == 0 ? FIRST_ACTIONS : script->capacity * 2;
        tg__fault_action *grown = realloc(script->actions, capacity * sizeof *grown);
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        script->actions = grown;
        script->capacity = capacity;
    }
    script->actions[script->count++] = *action;
    return TG_OK;
}

static int by_time(const void *a, const void *b)
{
    const tg__fault_action *left = a;
    const tg__fault_action *right = b;
    if (left->at_ns != right->at_ns) {
        return left->at_ns < right->at_ns ? -1 : 1;
    }
    return left->line < right->line ? -1 : left->line > right->line;
}

static tg_err read_lines(tg__fault_script *script, tg__line_reader *reader,
                         const tg__fault_grammar *grammar, void (*complain)(const char *text),
                         tg__cause *cause)
{
    uint64_t bad = 0;
    for (;;) {
        const char *line = NULL;
        size_t length = 0;
        tg__fault_action action;
        tg__cause why;
        tg_err err = tg__line_reader_next(reader, &line, &length, cause);
        if (err == TG_ERR_NOT_FOUND) {
            break;
        }
        TG_TRY(err);
        err = tg__fault_line_parse(grammar, line, length, &action, &why);
        if (err == TG_ERR_SYNTAX) {
            bad++;
            (void)tg__cause_set(cause, err, "%s:%" PRIu64 ": %s", reader->path, reader->line_number,
                                why.text);
            complain(cause->text);
        } else if (err == TG_OK) {
            action.line = reader->line_number;
            err = add(script, &action);
            if (err != TG_OK) {
                return tg__cause_set(cause, err, "%s:%" PRIu64 ": %s", reader->path,
                                     reader->line_number, tg_err_text(err));
            }
        }
    }
    return bad == 0 ? TG_OK
                    : tg__cause_set(cause, TG_ERR_SYNTAX, "%s: %" PRIu64 " bad lines", reader->path,
                                    bad);
}

tg_err tg__fault_script_open(const char *path, const tg__fault_grammar *grammar,
                             void (*complain)(const char *text), tg__fault_script **out,
                             tg__cause *cause)
{
    *out = NULL;
    tg__fault_script *script = calloc(1, sizeof *script);
    tg__line_reader *reader = calloc(1, sizeof *reader);
    tg_err err = script != NULL && reader != NULL
                     ? TG_OK
                     : tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
    if (err == TG_OK) {
        err = tg__line_reader_init(reader, path, LINE_SIZE_MAX, cause);
    }
    if (err == TG_OK) {
        err = read_lines(script, reader, grammar, complain, cause);
        tg__line_reader_deinit(reader);
    }
    free(reader);
    if (err != TG_OK) {
        tg__fault_script_close(script);
        return err;
    }
    if (script->count > 0) {
        qsort(script->actions, script->count, sizeof *script->actions, by_time);
    }
    *out = script;
    return TG_OK;
}

const tg__fault_action *tg__fault_script_take(tg__fault_script *script, int64_t elapsed_ns)
{
    if (script->next == script->count || script->actions[script->next].at_ns > elapsed_ns) {
        return NULL;
    }
    return &script->actions[script->next++];
}

size_t tg__fault_script_size(const tg__fault_script *script)
{
    return script->count;
}

void tg__fault_script_close(tg__fault_script *script)
{
    if (script != NULL) {
        free(script->actions);
        free(script);
    }
}

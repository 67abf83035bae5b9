#include "script_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setting_value.h"
#include "text_line.h"

#define LINE_SIZE 512

typedef struct key_name {
    const char *name;
    tg_key key;
} key_name;

static const key_name key_names[] = {
    {"Up", TG_KEY_UP},         {"Down", TG_KEY_DOWN},
    {"Left", TG_KEY_LEFT},     {"Right", TG_KEY_RIGHT},
    {"PgUp", TG_KEY_PAGE_UP},  {"PgDn", TG_KEY_PAGE_DOWN},
    {"Home", TG_KEY_HOME},     {"End", TG_KEY_END},
    {"Enter", TG_KEY_ENTER},   {"Tab", TG_KEY_TAB},
    {"Esc", TG_KEY_ESCAPE},    {"Space", TG_KEY_SPACE},
    {"Delete", TG_KEY_DELETE}, {"Backspace", TG_KEY_BACKSPACE},
};

/* Takes "Ctrl-" and the like from the front. */
static const char *take_modifiers(const char *name, tg_input *input)
{
    for (;;) {
        if (strncmp(name, "Ctrl-", 5) == 0 && name[5] != '\0') {
            input->ctrl = true;
            name += 5;
        } else if (strncmp(name, "Shift-", 6) == 0 && name[6] != '\0') {
            input->shift = true;
            name += 6;
        } else if (strncmp(name, "Alt-", 4) == 0 && name[4] != '\0') {
            input->alt = true;
            name += 4;
        } else {
            return name;
        }
    }
}

static bool read_key(const char *name, tg_input *input)
{
    int number = 0;
    input->kind = TG_INPUT_KEY;
    name = take_modifiers(name, input);
    for (size_t i = 0; i < sizeof key_names / sizeof key_names[0]; i++) {
        if (strcmp(name, key_names[i].name) == 0) {
            input->key = key_names[i].key;
            return true;
        }
    }
    if (name[0] == 'F' && name[1] != '\0') {
        const bool good = setting_read_number(name + 1, 1, 12, &number);
        input->key = (tg_key)((int)TG_KEY_F1 + number - 1);
        return good;
    }
    input->key = TG_KEY_CHARACTER;
    input->character = (uint32_t)(unsigned char)name[0];
    /* A window gives the key's own sign, in lower case. */
    return name[0] > ' ' && name[0] < 0x7f && name[1] == '\0' &&
           !(name[0] >= 'A' && name[0] <= 'Z');
}

static bool read_numbers(const char *text, int *out, size_t count, int lowest)
{
    char word[16];
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, " ");
        const bool negative = i == 2 && text[0] == '-' && lowest < 0;
        const size_t from = negative ? 1 : 0;
        if (length <= from || length - from >= sizeof word) {
            return false;
        }
        memcpy(word, text + from, length - from);
        word[length - from] = '\0';
        if (!setting_read_number(word, 0, 100000, &out[i])) {
            return false;
        }
        out[i] = negative ? -out[i] : out[i];
        text += length;
        if (i + 1 < count) {
            if (*text != ' ') {
                return false;
            }
            text++;
        }
    }
    return *text == '\0';
}

static bool read_cell(const char *rest, script_step *step, size_t count)
{
    int number[3] = {0, 0, 0};
    if (!read_numbers(rest, number, count, -1) || number[0] > UINT16_MAX ||
        number[1] > UINT16_MAX) {
        return false;
    }
    step->input.row = (uint16_t)number[0];
    step->input.column = (uint16_t)number[1];
    step->input.wheel_rows = number[2];
    return true;
}

static bool take_text(const char *rest, script_step *step)
{
    text_line line = {.length = 0};
    const bool good = rest[0] != '\0' && text_line_add(&line, rest);
    (void)snprintf(step->text, sizeof step->text, "%s", line.text);
    return good;
}

static bool read_wait(const char *rest, script_step *step)
{
    if (strncmp(rest, "rows ", 5) == 0) {
        step->kind = SCRIPT_WAIT_ROWS;
        return read_numbers(rest + 5, step->number, 1, 0);
    }
    if (strncmp(rest, "text ", 5) == 0) {
        step->kind = SCRIPT_WAIT_TEXT;
        return take_text(rest + 5, step);
    }
    step->kind = SCRIPT_WAIT_NO_TEXT;
    return strncmp(rest, "no-text ", 8) == 0 && take_text(rest + 8, step);
}

/* NULL: fine; else what is expected. A text that is typed becomes one input for each piece that
 * fits, so that *count may grow by more than one. */
static const char *read_step(const char *word, const char *rest, script_step *step)
{
    if (strcmp(word, "key") == 0) {
        step->kind = SCRIPT_INPUT;
        return read_key(rest, &step->input) ? NULL : "there is no such key";
    }
    if (strcmp(word, "type") == 0) {
        step->kind = SCRIPT_INPUT;
        step->input.kind = TG_INPUT_TEXT;
        text_line line = {.length = 0};
        const bool fits =
            rest[0] != '\0' && strlen(rest) < sizeof step->input.text && text_line_add(&line, rest);
        (void)snprintf(step->input.text, sizeof step->input.text, "%.*s",
                       (int)sizeof step->input.text - 1, line.text);
        return fits ? NULL : "1 to 31 bytes of text are expected";
    }
    if (strcmp(word, "click") == 0 || strcmp(word, "double") == 0) {
        step->kind = SCRIPT_INPUT;
        step->input.kind = TG_INPUT_CLICK;
        step->input.clicks = word[0] == 'd' ? 2 : 1;
        return read_cell(rest, step, 2) ? NULL : "ROW COLUMN are expected";
    }
    if (strcmp(word, "wheel") == 0) {
        step->kind = SCRIPT_INPUT;
        step->input.kind = TG_INPUT_WHEEL;
        return read_cell(rest, step, 3) ? NULL : "ROW COLUMN ROWS are expected";
    }
    if (strcmp(word, "resize") == 0) {
        step->kind = SCRIPT_RESIZE;
        return setting_read_size(rest, &step->number[0], &step->number[1])
                   ? NULL
                   : "WIDTHxHEIGHT is expected";
    }
    if (strcmp(word, "wait") == 0) {
        return read_wait(rest, step) ? NULL : "rows N, text TEXT or no-text TEXT is expected";
    }
    if (strcmp(word, "screenshot") == 0) {
        step->kind = SCRIPT_SCREENSHOT;
        (void)snprintf(step->text, sizeof step->text, "%s", rest);
        return rest[0] != '\0' && strlen(rest) < sizeof step->text ? NULL : "a file is expected";
    }
    if (strcmp(word, "quit") == 0 || strcmp(word, "check") == 0) {
        step->kind = word[0] == 'q' ? SCRIPT_QUIT : SCRIPT_CHECK;
        return rest[0] == '\0' ? NULL : "nothing follows it";
    }
    return "there is no such step";
}

/* "word rest", without blanks at the end; an empty word for lines that say nothing. */
static void split(char *line, const char **word, const char **rest)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL) {
        line[--length] = '\0';
    }
    line += strspn(line, " \t");
    *word = line[0] == '#' ? "" : line;
    *rest = "";
    char *blank = strpbrk(line, " \t");
    if (blank != NULL) {
        *blank = '\0';
        *rest = blank + 1 + strspn(blank + 1, " \t");
    }
    if (line[0] == '#') {
        *rest = "";
    }
}

static tg_err read_all(FILE *from, const char *path, script_file *out, char *why, size_t why_size)
{
    char line[LINE_SIZE];
    for (unsigned number = 1; fgets(line, sizeof line, from) != NULL; number++) {
        const char *word = NULL;
        const char *rest = NULL;
        const char *wrong = NULL;
        const bool whole = strchr(line, '\n') != NULL || feof(from);
        split(line, &word, &rest);
        if (word[0] == '\0' && whole) {
            continue;
        }
        if (!whole) {
            wrong = "the line is too long";
        } else if (out->count == SCRIPT_STEPS_MAX) {
            wrong = "there are more than 4,096 steps";
        } else {
            script_step *step = &out->step[out->count++];
            step->line = number;
            wrong = read_step(word, rest, step);
        }
        if (wrong != NULL) {
            (void)snprintf(why, why_size, "%s:%u: %s: %s", path, number, word, wrong);
            return TG_ERR_SYNTAX;
        }
    }
    if (ferror(from)) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    return TG_OK;
}

tg_err script_file_open(const char *path, script_file *out, char *why, size_t why_size)
{
    *out = (script_file){0, NULL};
    FILE *from = fopen(path, "re");
    if (from == NULL) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    out->step = calloc(SCRIPT_STEPS_MAX, sizeof *out->step);
    tg_err err = TG_ERR_NO_MEMORY;
    if (out->step != NULL) {
        err = read_all(from, path, out, why, why_size);
    } else {
        (void)snprintf(why, why_size, "%s: %s", path, tg_err_text(err));
    }
    (void)fclose(from);
    if (err != TG_OK) {
        script_file_close(out);
    }
    return err;
}

void script_file_close(script_file *script)
{
    free(script->step);
    *script = (script_file){0, NULL};
}

#include "saved_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setting_value.h"

/* The number grows when a reader of the one before would misunderstand. */
#define FIRST_WORDS "tickglass-terminal state "
#define VERSION     3
#define VERSION_MIN 1     /* had less, and nothing that means something else today */
#define LAST_LINE   "end" /* a file without it was cut off */
#define LINE_SIZE   512
#define BROKEN_MAX  1000
#define MODE_FOLDER 0700
#define MODE_FILE   0600

tg_err saved_state_path(const char *profile, char path[USER_PATH_SIZE])
{
    char name[80];
    (void)snprintf(name, sizeof name, "terminal%s%s.state", profile != NULL ? "-" : "",
                   profile != NULL ? profile : "");
    return user_folder_path(name, path);
}

bool saved_names_add(saved_names *names, const char *venue, const char *symbol)
{
    if (names->count == SAVED_NAMES_MAX) {
        return false;
    }
    saved_name *name = &names->name[names->count++];
    (void)snprintf(name->venue, sizeof name->venue, "%s", venue);
    (void)snprintf(name->symbol, sizeof name->symbol, "%s", symbol);
    return true;
}

/* --- reading --- */

/* VENUE:SYMBOL; the venue ends at the first colon. */
static bool read_name(const char *value, size_t length, saved_name *out)
{
    const char *colon = memchr(value, ':', length);
    const size_t venue = colon != NULL ? (size_t)(colon - value) : 0;
    if (venue == 0 || venue >= sizeof out->venue || venue + 1 == length ||
        length - venue - 1 >= sizeof out->symbol) {
        return false;
    }
    (void)snprintf(out->venue, sizeof out->venue, "%.*s", (int)venue, value);
    (void)snprintf(out->symbol, sizeof out->symbol, "%.*s", (int)(length - venue - 1), colon + 1);
    return true;
}

static const char *take_palette(const char *value, saved_state *out)
{
    char why[128];
    (void)snprintf(out->palette, sizeof out->palette, "%s", value);
    return setting_value_check(SETTING_KIND_PALETTE, value, why, sizeof why)
               ? NULL
               : "there is no such palette";
}

static const char *take_size(const char *value, saved_state *out)
{
    return setting_read_size(value, &out->width_px, &out->height_px) ? NULL
                                                                     : "WIDTHxHEIGHT is expected";
}

static const char *take_font_size(const char *value, saved_state *out)
{
    return setting_read_font_size(value, &out->font_size_px) ? NULL : "6 to 96 is expected";
}

/* Their names, or none. */
static const char *take_panels(const char *value, saved_state *out)
{
    const char *item = NULL;
    size_t size = 0;
    out->has_panels = true;
    memset(out->panel, 0, sizeof out->panel);
    if (strcmp(value, "none") == 0) {
        return NULL;
    }
    while (setting_next_item(&value, &item, &size)) {
        const panel_id panel = panel_find(item, size);
        if (panel == PANEL_COUNT) {
            return "there is no such panel";
        }
        out->panel[panel] = true;
    }
    return NULL;
}

static const char name_is_expected[] = "VENUE:SYMBOL is expected";
static const char too_many[] = "there are more than 256 of them";

static const char *take_selected(const char *value, saved_state *out)
{
    saved_name name;
    if (!read_name(value, strlen(value), &name)) {
        return name_is_expected;
    }
    memcpy(out->venue, name.venue, sizeof out->venue);
    memcpy(out->symbol, name.symbol, sizeof out->symbol);
    return NULL;
}

/* COLUMN up or COLUMN down. */
static const char *take_sort(const char *value, saved_state *out)
{
    const size_t length = strcspn(value, " ");
    const column_id column = column_find(value, length);
    out->descending = strcmp(value + length, " down") == 0;
    if (column == COLUMN_COUNT) {
        return "there is no such column";
    }
    (void)snprintf(out->sort, sizeof out->sort, "%s", column_name(column));
    return out->descending || strcmp(value + length, " up") == 0 ? NULL : "up or down is expected";
}

static const char *take_columns_off(const char *value, saved_state *out)
{
    const char *item = NULL;
    size_t size = 0;
    while (setting_next_item(&value, &item, &size)) {
        const column_id column = column_find(item, size);
        if (column == COLUMN_COUNT) {
            return "there is no such column";
        }
        if (!column_may_be_off(column)) {
            return "symbol, quality and age are always shown";
        }
        out->column_off[column] = true;
    }
    return NULL;
}

static const char *take_filter(const char *value, saved_state *out)
{
    text_line line = {.length = 0};
    if (!text_line_add(&line, value)) {
        return "it is too long, or not UTF-8";
    }
    memcpy(out->filter, line.text, sizeof out->filter);
    return NULL;
}

static const char *take_name(const char *value, size_t length, saved_names *names)
{
    saved_name name;
    if (!read_name(value, length, &name)) {
        return name_is_expected;
    }
    return saved_names_add(names, name.venue, name.symbol) ? NULL : too_many;
}

static const char *take_added(const char *value, saved_state *out)
{
    return take_name(value, strlen(value), &out->added);
}

static const char *take_removed(const char *value, saved_state *out)
{
    return take_name(value, strlen(value), &out->removed);
}

/* VENUE:SYMBOL PRICE: what follows the last blank, as symbols may have some. */
static const char *take_alert(const char *value, saved_state *out)
{
    const char *blank = strrchr(value, ' ');
    tg_decimal price;
    if (blank == NULL || tg_decimal_parse(blank + 1, strlen(blank + 1), &price) != TG_OK) {
        return "VENUE:SYMBOL and a price are expected";
    }
    const char *wrong = take_name(value, (size_t)(blank - value), &out->alert_of);
    if (wrong == NULL) {
        out->alert_price[out->alert_of.count - 1] = price;
    }
    return wrong;
}

/* NULL: it is fine; else what is wrong with it. */
static const char *take(const char *key, const char *value, saved_state *out)
{
    static const struct {
        const char *key;
        const char *(*take)(const char *value, saved_state *out);
    } keys[] = {
        {"palette", take_palette},   {"size", take_size},     {"font_size", take_font_size},
        {"selected", take_selected}, {"sort", take_sort},     {"columns_off", take_columns_off},
        {"filter", take_filter},     {"added", take_added},   {"removed", take_removed},
        {"alert", take_alert},       {"panels", take_panels},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].key) == 0) {
            return keys[i].take(value, out);
        }
    }
    return "there is no such key";
}

static bool read_line(FILE *from, char line[LINE_SIZE])
{
    if (fgets(line, LINE_SIZE, from) == NULL) {
        return false;
    }
    const size_t size = strcspn(line, "\n");
    const bool whole = line[size] == '\n';
    line[size] = '\0';
    return whole;
}

static tg_err read_version(const char *line)
{
    int version = 0;
    if (strncmp(line, FIRST_WORDS, sizeof FIRST_WORDS - 1) != 0 ||
        !setting_read_number(line + sizeof FIRST_WORDS - 1, 1, 1000000, &version)) {
        return TG_ERR_SYNTAX;
    }
    return version >= VERSION_MIN && version <= VERSION ? TG_OK : TG_ERR_UNSUPPORTED;
}

/* detail: what is wrong in that line, where more is known than that it is. */
static tg_err read_all(FILE *from, saved_state *out, unsigned *number, char *detail, size_t size)
{
    char line[LINE_SIZE];
    *number = 1;
    if (!read_line(from, line)) {
        return TG_ERR_SYNTAX;
    }
    const tg_err err = read_version(line);
    if (err != TG_OK) {
        return err;
    }
    for (*number = 2; read_line(from, line); ++*number) {
        if (strcmp(line, LAST_LINE) == 0) {
            return fgetc(from) == EOF ? TG_OK : TG_ERR_SYNTAX;
        }
        char *equals = strstr(line, " = ");
        if (equals == NULL) {
            return TG_ERR_SYNTAX;
        }
        *equals = '\0';
        const char *wrong = take(line, equals + 3, out);
        if (wrong != NULL) {
            (void)snprintf(detail, size, ": %.64s: %s", line, wrong);
            return TG_ERR_SYNTAX;
        }
    }
    return TG_ERR_SYNTAX;
}

tg_err saved_state_read(const char *path, saved_state *out, char *why, size_t why_size)
{
    memset(out, 0, sizeof *out);
    FILE *from = fopen(path, "re");
    if (from == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        return TG_OK;
    }
    if (from == NULL) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    unsigned number = 0;
    char detail[256] = "";
    errno = 0;
    tg_err err = read_all(from, out, &number, detail, sizeof detail);
    if (ferror(from)) {
        err = TG_ERR_IO;
        (void)snprintf(why, why_size, "%s: %s", path, strerror(errno));
    } else if (err == TG_ERR_UNSUPPORTED) {
        (void)snprintf(why, why_size, "%s: a later version wrote it", path);
    } else if (err != TG_OK) {
        (void)snprintf(why, why_size, "line %u is broken%s", number, detail);
    }
    (void)fclose(from);
    if (err != TG_OK) {
        memset(out, 0, sizeof *out);
    }
    return err;
}

/* --- keeping and writing --- */

tg_err saved_state_set_aside(const char *path, char kept[USER_PATH_SIZE])
{
    for (int n = 1; n <= BROKEN_MAX; n++) {
        const int size = snprintf(kept, USER_PATH_SIZE, "%s.broken-%d", path, n);
        if (size < 0 || size >= USER_PATH_SIZE) {
            errno = ENAMETOOLONG;
            return TG_ERR_IO;
        }
        /* Unlike rename() it never replaces what was kept before. */
        if (link(path, kept) == 0) {
            return unlink(path) == 0 ? TG_OK : TG_ERR_IO;
        }
        if (errno != EEXIST) {
            return TG_ERR_IO;
        }
    }
    return TG_ERR_IO;
}

/* The folders above path. Not an error if they are there. */
static bool make_folders(const char *path)
{
    char folder[USER_PATH_SIZE];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, MODE_FOLDER) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    return true;
}

/* A name that would break the line it stands in is left out. */
static bool is_one_line(const char *text)
{
    return strpbrk(text, "\r\n") == NULL;
}

static void put_names(FILE *to, const char *key, const saved_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (is_one_line(names->name[i].symbol)) {
            (void)fprintf(to, "%s = %s:%s\n", key, names->name[i].venue, names->name[i].symbol);
        }
    }
}

static void put_alerts(FILE *to, const saved_state *state)
{
    char price[TG_DECIMAL_TEXT_SIZE];
    for (size_t i = 0; i < state->alert_of.count; i++) {
        const saved_name *name = &state->alert_of.name[i];
        if (is_one_line(name->symbol) &&
            tg_decimal_format(state->alert_price[i], price, sizeof price) == TG_OK) {
            (void)fprintf(to, "alert = %s:%s %s\n", name->venue, name->symbol, price);
        }
    }
}

static void put_panels(FILE *to, const saved_state *state)
{
    const char *before = "panels = ";
    for (int i = 0; i < PANEL_COUNT; i++) {
        if (state->panel[i]) {
            (void)fprintf(to, "%s%s", before, panel_name((panel_id)i));
            before = ", ";
        }
    }
    (void)fputs(before[0] == ',' ? "\n" : "panels = none\n", to);
}

static void put_list(FILE *to, const saved_state *state)
{
    const char *before = "columns_off = ";
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (state->column_off[c]) {
            (void)fprintf(to, "%s%s", before, column_name((column_id)c));
            before = ", ";
        }
    }
    if (before[0] == ',') {
        (void)fputc('\n', to);
    }
    if (state->sort[0] != '\0') {
        (void)fprintf(to, "sort = %s %s\n", state->sort, state->descending ? "down" : "up");
    }
    if (state->filter[0] != '\0') {
        (void)fprintf(to, "filter = %s\n", state->filter);
    }
    put_names(to, "added", &state->added);
    put_names(to, "removed", &state->removed);
    put_alerts(to, state);
}

static void put(FILE *to, const saved_state *state)
{
    (void)fprintf(to, FIRST_WORDS "%d\n", VERSION);
    if (state->palette[0] != '\0') {
        (void)fprintf(to, "palette = %s\n", state->palette);
    }
    if (state->width_px > 0) {
        (void)fprintf(to, "size = %dx%d\n", state->width_px, state->height_px);
    }
    if (state->font_size_px > 0) {
        (void)fprintf(to, "font_size = %d\n", state->font_size_px);
    }
    if (state->venue[0] != '\0' && is_one_line(state->symbol)) {
        (void)fprintf(to, "selected = %s:%s\n", state->venue, state->symbol);
    }
    if (state->has_panels) {
        put_panels(to, state);
    }
    put_list(to, state);
    (void)fputs(LAST_LINE "\n", to);
}

static bool write_part(const char *part, const saved_state *state)
{
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MODE_FILE);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (to == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    put(to, state);
    /* The rename must not reach the disk before the bytes do. */
    const bool good = fflush(to) == 0 && ferror(to) == 0 && fsync(fd) == 0;
    return fclose(to) == 0 && good;
}

static bool sync_folder(const char *path)
{
    char folder[USER_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash + 1 - path) : 1,
                   slash != NULL ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    /* Some file systems cannot do it for folders; they say EINVAL. */
    const bool good = fsync(fd) == 0 || errno == EINVAL;
    (void)close(fd);
    return good;
}

tg_err saved_state_write(const char *path, const saved_state *state)
{
    char part[USER_PATH_SIZE];
    const int size = snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    if (size < 0 || (size_t)size >= sizeof part) {
        errno = ENAMETOOLONG;
        return TG_ERR_IO;
    }
    if (!make_folders(path)) {
        return TG_ERR_IO;
    }
    if (!write_part(part, state) || rename(part, path) != 0) {
        const int why = errno;
        (void)unlink(part);
        errno = why;
        return TG_ERR_IO;
    }
    return sync_folder(path) ? TG_OK : TG_ERR_IO;
}

#include <tickglass/watchlist.h>

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>
#include <tickglass/market.h>

#define LINE_SIZE 1024

typedef struct name {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} name;

struct tg_watchlist {
    bool everything;
    size_t count;
    size_t capacity;
    name *names;
    uint32_t *index; /* open addressing: place + 1; twice as many as capacity */
};

/* Where an error is told, and what stands before it. */
typedef struct report {
    char *why;
    size_t size;
    char place[160];
} report;

static tg_err complain(const report *to, tg_err err, const char *format, ...) TG_PRINTF(3, 4);

static tg_err complain(const report *to, tg_err err, const char *format, ...)
{
    if (to->why == NULL || to->size == 0) {
        return err;
    }
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)snprintf(to->why, to->size, "%s%s", to->place, text);
    return err;
}

static uint32_t hash_of(const name *n)
{
    /* FNV-1a, 32 bits; both arrays are padded with zeros. */
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < sizeof n->venue; i++) {
        hash = (hash ^ (uint8_t)n->venue[i]) * UINT32_C(16777619);
    }
    for (size_t i = 0; i < sizeof n->symbol; i++) {
        hash = (hash ^ (uint8_t)n->symbol[i]) * UINT32_C(16777619);
    }
    return hash;
}

/* The place of an equal name or of none. */
static uint32_t *find_place(tg_watchlist *list, const name *n)
{
    size_t at = hash_of(n) % (2 * list->capacity);
    while (list->index[at] != 0 && memcmp(&list->names[list->index[at] - 1], n, sizeof *n) != 0) {
        at = (at + 1) % (2 * list->capacity);
    }
    return &list->index[at];
}

static tg_err grow(tg_watchlist *list)
{
    const size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
    name *names = realloc(list->names, capacity * sizeof *names);
    TG_ENSURE(names != NULL, TG_ERR_NO_MEMORY);
    list->names = names;
    uint32_t *index = calloc(2 * capacity, sizeof *index);
    TG_ENSURE(index != NULL, TG_ERR_NO_MEMORY);
    free(list->index);
    list->index = index;
    list->capacity = capacity;
    for (size_t i = 0; i < list->count; i++) {
        *find_place(list, &list->names[i]) = (uint32_t)(i + 1);
    }
    return TG_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_blank(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_blank((*text)[*length - 1])) {
        (*length)--;
    }
}

static tg_err add(tg_watchlist *list, const char *text, size_t length, const report *to)
{
    const int shown = (int)(length < 80 ? length : 80);
    const char *colon = memchr(text, ':', length);
    if (colon == NULL) {
        return complain(to, TG_ERR_SYNTAX, "\"%.*s\" is not VENUE:SYMBOL", shown, text);
    }
    const char *symbol = colon + 1;
    size_t venue_length = (size_t)(colon - text);
    size_t symbol_length = length - venue_length - 1;
    trim(&text, &venue_length);
    trim(&symbol, &symbol_length);
    if (!tg__text_is_valid(text, venue_length, TG_VENUE_NAME_SIZE - 1)) {
        return complain(to, TG_ERR_SYNTAX, "the venue of \"%.*s\" is not 1 to %d bytes of UTF-8",
                        shown, text, TG_VENUE_NAME_SIZE - 1);
    }
    if (!tg__text_is_valid(symbol, symbol_length, TG_SYMBOL_SIZE - 1)) {
        return complain(to, TG_ERR_SYNTAX, "the symbol of \"%.*s\" is not 1 to %d bytes of UTF-8",
                        shown, text, TG_SYMBOL_SIZE - 1);
    }
    name n;
    memset(&n, 0, sizeof n);
    memcpy(n.venue, text, venue_length);
    memcpy(n.symbol, symbol, symbol_length);
    if (list->count == list->capacity) {
        TG_TRY(grow(list));
    }
    uint32_t *place = find_place(list, &n);
    if (*place != 0) {
        return TG_OK;
    }
    if (list->count == TG_WATCHLIST_MAX) {
        return complain(to, TG_ERR_FULL, "more than %d names", TG_WATCHLIST_MAX);
    }
    list->names[list->count++] = n;
    *place = (uint32_t)list->count;
    return TG_OK;
}

static tg_err read_items(tg_watchlist *list, const char *text, report *to)
{
    const char *at = text;
    for (unsigned item = 1;; item++) {
        const char *end = at + strcspn(at, ",");
        const char *start = at;
        size_t length = (size_t)(end - at);
        trim(&start, &length);
        (void)snprintf(to->place, sizeof to->place, "item %u (position %zu): ", item,
                       (size_t)(start - text) + 1);
        if (length == 0) {
            return complain(to, TG_ERR_SYNTAX, "empty");
        }
        TG_TRY(add(list, start, length, to));
        if (*end == '\0') {
            return TG_OK;
        }
        at = end + 1;
    }
}

static tg_err read_line(tg_watchlist *list, const char *line, const report *to)
{
    const char *start = line;
    size_t length = strcspn(line, "#");
    trim(&start, &length);
    if (length == 0) {
        return TG_OK;
    }
    if (length == 1 && *start == '*') {
        list->everything = true;
        return TG_OK;
    }
    return add(list, start, length, to);
}

static tg_err read_lines(tg_watchlist *list, FILE *file, const char *path, report *to)
{
    char line[LINE_SIZE];
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        (void)snprintf(to->place, sizeof to->place, "%.120s:%u: ", path, number);
        if (strchr(line, '\n') == NULL && !feof(file)) {
            return complain(to, TG_ERR_SYNTAX, "the line is longer than %d bytes", LINE_SIZE - 2);
        }
        TG_TRY(read_line(list, line, to));
    }
    to->place[0] = '\0';
    if (ferror(file)) {
        return complain(to, TG_ERR_IO, "%s: cannot be read", path);
    }
    if (list->count == 0 && !list->everything) {
        return complain(to, TG_ERR_SYNTAX, "%s: names no instrument", path);
    }
    return TG_OK;
}

static tg_err read_file(tg_watchlist *list, const char *path, report *to)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        char reason[128] = "";
        (void)strerror_r(errno, reason, sizeof reason);
        return complain(to, TG_ERR_IO, "%s: %s", path, reason);
    }
    const tg_err err = read_lines(list, file, path, to);
    (void)fclose(file);
    return err;
}

tg_err tg_watchlist_open(const char *text, tg_watchlist **out, char *why, size_t why_size)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    tg_watchlist *list = calloc(1, sizeof *list);
    TG_ENSURE(list != NULL, TG_ERR_NO_MEMORY);
    report to = {why, why_size, ""};
    tg_err err = TG_OK;
    if (strcmp(text, "*") == 0) {
        list->everything = true;
    } else if (text[0] == '@') {
        err = read_file(list, text + 1, &to);
    } else {
        err = read_items(list, text, &to);
    }
    if (err != TG_OK) {
        tg_watchlist_close(list);
        return err;
    }
    *out = list;
    return TG_OK;
}

void tg_watchlist_close(tg_watchlist *list)
{
    if (list != NULL) {
        free(list->names);
        free(list->index);
        free(list);
    }
}

bool tg_watchlist_is_everything(const tg_watchlist *list)
{
    return list->everything;
}

size_t tg_watchlist_count(const tg_watchlist *list)
{
    return list->count;
}

const char *tg_watchlist_venue(const tg_watchlist *list, size_t index)
{
    return list->names[index].venue;
}

const char *tg_watchlist_symbol(const tg_watchlist *list, size_t index)
{
    return list->names[index].symbol;
}

#include "config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "secret.h"

#define PROFILES_MAX 64

struct config_file {
    config_entry *entries;
    size_t count;
    size_t capacity;
    char profiles[PROFILES_MAX][CONFIG_PROFILE_SIZE];
    unsigned profile_lines[PROFILES_MAX];
    size_t profile_count;
};

/* Where the reading stands. */
typedef struct position {
    const char *path;
    unsigned line;
    const char *profile; /* the one that keys belong to; NULL: none, or one that was refused */
    bool refused;        /* its keys are passed over: one mistake is told once */
    const char *const *keys;
    complaints *wrong;
} position;

bool config_profile_name_is_valid(const char *name)
{
    const size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-_");
    return size > 0 && size < CONFIG_PROFILE_SIZE && name[size] == '\0';
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL) {
        size--;
    }
    text[size] = '\0';
    return text;
}

static bool is_known(const char *const *keys, const char *key)
{
    while (*keys != NULL && strcmp(*keys, key) != 0) {
        keys++;
    }
    return *keys != NULL;
}

/* A line that is none of ours may be a token, '=' at its end: only what looks like a key with a
 * value is told. */
static bool is_tellable(const char *key, const char *value)
{
    const size_t size = strlen(key);
    return size <= 32 && strspn(key, "abcdefghijklmnopqrstuvwxyz_") == size && *value != '\0' &&
           *value != '=';
}

static void take_unknown(const position *at, const char *key, const char *value)
{
    if (is_tellable(key, value)) {
        complaints_add(at->wrong, "%s:%u: %s: there is no such key", at->path, at->line, key);
    } else {
        complaints_add(at->wrong, "%s:%u: neither [profile NAME] nor a key that exists", at->path,
                       at->line);
    }
}

static void take_profile(config_file *file, position *at, char *text)
{
    at->profile = NULL;
    at->refused = true;
    const size_t size = strlen(text);
    char *name = NULL;
    if (text[size - 1] == ']' && strncmp(text, "[profile ", 9) == 0) {
        text[size - 1] = '\0';
        name = trim(text + 9);
    }
    if (name == NULL || !config_profile_name_is_valid(name)) {
        complaints_add(at->wrong,
                       "%s:%u: a section is [profile NAME], the name 1 to 32 letters, digits, - "
                       "and _",
                       at->path, at->line);
        return;
    }
    for (size_t i = 0; i < file->profile_count; i++) {
        if (strcmp(file->profiles[i], name) == 0) {
            complaints_add(at->wrong, "%s:%u: profile %s stands in line %u already", at->path,
                           at->line, name, file->profile_lines[i]);
            return;
        }
    }
    if (file->profile_count == PROFILES_MAX) {
        complaints_add(at->wrong, "%s:%u: more than %d profiles", at->path, at->line, PROFILES_MAX);
        return;
    }
    char *place = file->profiles[file->profile_count];
    (void)snprintf(place, CONFIG_PROFILE_SIZE, "%s", name);
    file->profile_lines[file->profile_count++] = at->line;
    at->profile = place;
    at->refused = false;
}

static const config_entry *find_entry(const config_file *file, const char *profile, const char *key)
{
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->entries[i].profile, profile) == 0 &&
            strcmp(file->entries[i].key, key) == 0) {
            return &file->entries[i];
        }
    }
    return NULL;
}

static tg_err append(config_file *file, const position *at, const char *key, const char *value)
{
    if (file->count == file->capacity) {
        const size_t capacity = file->capacity == 0 ? 16 : 2 * file->capacity;
        config_entry *entries = realloc(file->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        file->entries = entries;
        file->capacity = capacity;
    }
    config_entry *entry = &file->entries[file->count];
    *entry = (config_entry){.key = strdup(key), .value = strdup(value), .line = at->line};
    (void)snprintf(entry->profile, sizeof entry->profile, "%s", at->profile);
    file->count++;
    return entry->key != NULL && entry->value != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_err take_key(config_file *file, const position *at, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        /* Not repeated here: it may be a token or a password that stands in the wrong place. */
        complaints_add(at->wrong, "%s:%u: neither [profile NAME] nor key = value", at->path,
                       at->line);
        return TG_OK;
    }
    *equals = '\0';
    const char *key = trim(text);
    const char *value = trim(equals + 1);
    if (!is_known(at->keys, key)) {
        take_unknown(at, key, value);
        return TG_OK;
    }
    if (at->profile == NULL) {
        complaints_add(at->wrong, "%s:%u: %s: stands before the first [profile NAME]", at->path,
                       at->line, key);
        return TG_OK;
    }
    const config_entry *before = find_entry(file, at->profile, key);
    if (before != NULL) {
        complaints_add(at->wrong, "%s:%u: %s: stands in line %u already", at->path, at->line, key,
                       before->line);
        return TG_OK;
    }
    if (*value == '\0') {
        complaints_add(at->wrong, "%s:%u: %s: has no value; leave the line out for the default",
                       at->path, at->line, key);
        return TG_OK;
    }
    return append(file, at, key, value);
}

static bool has_control_character(const char *text)
{
    for (; *text != '\0'; text++) {
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

static tg_err take_line(config_file *file, position *at, char *line, size_t size)
{
    if (strlen(line) != size || size > CONFIG_LINE_MAX) {
        complaints_add(at->wrong, "%s:%u: %s", at->path, at->line,
                       size > CONFIG_LINE_MAX ? "the line is too long" : "a zero byte");
        return TG_OK;
    }
    char *text = trim(line);
    if (*text == '\0' || *text == '#' || *text == ';') {
        return TG_OK;
    }
    if (has_control_character(text)) {
        complaints_add(at->wrong, "%s:%u: a control character", at->path, at->line);
        return TG_OK;
    }
    if (*text == '[') {
        take_profile(file, at, text);
        return TG_OK;
    }
    return at->refused ? TG_OK : take_key(file, at, text);
}

static tg_err read_lines(config_file *file, FILE *from, position *at)
{
    char *line = NULL;
    size_t capacity = 0;
    tg_err err = TG_OK;
    ssize_t size = 0;
    errno = 0;
    while (err == TG_OK && (size = getline(&line, &capacity, from)) >= 0) {
        at->line++;
        err = take_line(file, at, line, (size_t)size);
        errno = 0;
    }
    if (err == TG_OK && ferror(from)) {
        complaints_add(at->wrong, "%s: %s", at->path, strerror(errno));
        err = TG_ERR_IO;
    }
    if (line != NULL) {
        secret_wipe(line, capacity);
    }
    free(line);
    return err;
}

tg_err config_file_open(const char *path, const char *const *keys, config_file **out,
                        complaints *wrong)
{
    *out = NULL;
    FILE *from = fopen(path, "re");
    if (from == NULL) {
        complaints_add(wrong, "%s: %s", path, strerror(errno));
        return TG_ERR_IO;
    }
    config_file *file = calloc(1, sizeof *file);
    position at = {.path = path, .keys = keys, .wrong = wrong};
    const size_t before = wrong->count;
    const tg_err err = file != NULL ? read_lines(file, from, &at) : TG_ERR_NO_MEMORY;
    (void)fclose(from);
    if (err != TG_OK) {
        config_file_close(file);
        return err;
    }
    *out = file;
    return wrong->count > before ? TG_ERR_SYNTAX : TG_OK;
}

void config_file_close(config_file *file)
{
    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < file->count; i++) {
        if (file->entries[i].value != NULL) {
            secret_wipe(file->entries[i].value, strlen(file->entries[i].value)); /* of a proxy */
        }
        free(file->entries[i].key);
        free(file->entries[i].value);
    }
    free(file->entries);
    free(file);
}

size_t config_file_count(const config_file *file)
{
    return file->count;
}

const config_entry *config_file_entry(const config_file *file, size_t index)
{
    return &file->entries[index];
}

bool config_file_has_profile(const config_file *file, const char *name)
{
    for (size_t i = 0; i < file->profile_count; i++) {
        if (strcmp(file->profiles[i], name) == 0) {
            return true;
        }
    }
    return false;
}

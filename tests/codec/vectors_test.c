/*
 * The golden vectors and session transcripts of tests/vectors through our codec. Arguments: files;
 * without any, every *.json of the kit. Of a transcript the codec's part is checked: messages, the
 * channel, close reasons; what a client knows by them is its sdk's part.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vector_message.h"

#include <tickglass/internal/control.h>

#ifndef VECTORS_FOLDER
#error "VECTORS_FOLDER names the folder with the vector files"
#endif

typedef struct tally {
    uint32_t vectors;
    uint32_t steps;
    uint32_t failures;
    bool file_failed; /* could not be read, or is no file of vectors */
} tally;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        text = malloc((size_t)size + 1);
    }
    if (text != NULL) {
        text[fread(text, 1, (size_t)size, file)] = '\0';
    }
    fclose(file);
    return text;
}

static void report(const char *path, const char *name, const char *what, const cJSON *json)
{
    char *text = json == NULL ? NULL : cJSON_PrintUnformatted(json);
    printf("%s: %s: %s%s\n", path, name, what, text == NULL ? "" : text);
    cJSON_free(text);
}

/* A message of an exact-size heap block, so that a read behind its end is seen by the sanitizers.
 */
static cJSON *outcome_of(vector_channel *channel, const cJSON *vector)
{
    const char *hex = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(vector, "bytes"));
    const char *from = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(vector, "from"));
    if (hex == NULL || from == NULL) {
        return NULL;
    }
    const size_t capacity = strlen(hex) / 2;
    uint8_t *bytes = malloc(capacity + (capacity == 0));
    const size_t size = bytes == NULL ? SIZE_MAX : vector_bytes(hex, bytes, capacity);
    cJSON *told = size == SIZE_MAX
                      ? NULL
                      : vector_outcome(channel, strcmp(from, "gateway") == 0, bytes, size);
    free(bytes);
    return told;
}

static bool run_vector(const char *path, const cJSON *vector)
{
    static vector_channel channel;
    static vector_channel before;
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(vector, "name"));
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(vector, "expect");
    if (name == NULL || expect == NULL ||
        !vector_channel_load(&channel, cJSON_GetObjectItemCaseSensitive(vector, "channel"))) {
        report(path, name == NULL ? "?" : name, "is no vector", NULL);
        return false;
    }
    memcpy(&before, &channel, sizeof before);
    cJSON *told = outcome_of(&channel, vector);
    bool good = cJSON_Compare(told, expect, true) != 0;
    if (!good) {
        report(path, name, "expected ", expect);
        report(path, name, "    came ", told);
    } else if (cJSON_HasObjectItem(told, "error") &&
               memcmp(&before, &channel, sizeof before) != 0) {
        report(path, name, "a refused message changed the channel", NULL);
        good = false;
    }
    cJSON_Delete(told);
    return good;
}

/* What a WELCOME opens: the empty set at its boundary, with its resolution. */
static bool open_session(vector_channel *channel, const cJSON *welcome)
{
    uint64_t resolution_ns = 0;
    const bool good = vector_channel_load(channel, NULL) &&
                      vector_get_u64(welcome, "time_resolution_ns", &resolution_ns) &&
                      vector_get_u64(welcome, "boundary", &channel->channel.boundary);
    channel->channel.time_resolution_ns = (uint32_t)resolution_ns;
    return good;
}

static bool run_close(const char *path, const cJSON *step, const char *note)
{
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, "reason"));
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(step, "expect"), "reconnect_after_ms");
    uint32_t ms = 0;
    if (reason == NULL || expect == NULL) {
        report(path, note, "is no step", NULL);
        return false;
    }
    const tg_err err = tg__close_reason_decode(reason, strlen(reason), &ms);
    const bool good =
        cJSON_IsNull(expect) ? err != TG_OK : err == TG_OK && expect->valuedouble == (double)ms;
    if (!good) {
        printf("%s: %s: %s gives %s, %lu ms\n", path, note, reason, tg_err_name(err),
               (unsigned long)ms);
    }
    return good;
}

static bool run_step(const char *path, const cJSON *step, vector_channel *channel)
{
    const char *note = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, "note"));
    note = note == NULL ? "?" : note;
    if (cJSON_HasObjectItem(step, "event")) {
        return true;
    }
    if (cJSON_HasObjectItem(step, "close")) {
        return run_close(path, step, note);
    }
    cJSON *expect = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(step, "expect"), true);
    cJSON_DeleteItemFromObjectCaseSensitive(expect, "effects");
    cJSON_DeleteItemFromObjectCaseSensitive(expect, "view");
    cJSON *told = outcome_of(channel, step);
    bool good = cJSON_Compare(told, expect, true) != 0;
    if (!good) {
        report(path, note, "expected ", expect);
        report(path, note, "    came ", told);
    }
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(told, "message");
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "kind"));
    if (kind != NULL && strcmp(kind, "WELCOME") == 0) {
        good = open_session(channel, message) && good;
    }
    cJSON_Delete(told);
    cJSON_Delete(expect);
    return good;
}

static void run_file(const char *path, tally *all)
{
    static vector_channel channel;
    char *text = read_file(path);
    cJSON *json = text == NULL ? NULL : cJSON_Parse(text);
    const cJSON *vectors = cJSON_GetObjectItemCaseSensitive(json, "vectors");
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(json, "steps");
    if (cJSON_GetArraySize(vectors) + cJSON_GetArraySize(steps) == 0 ||
        !vector_channel_load(&channel, NULL)) {
        report(path, "-", "has neither vectors nor steps", NULL);
        all->file_failed = true;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, vectors)
    {
        all->vectors++;
        all->failures += run_vector(path, item) ? 0 : 1;
    }
    cJSON_ArrayForEach(item, steps)
    {
        all->steps++;
        all->failures += run_step(path, item, &channel) ? 0 : 1;
    }
    cJSON_Delete(json);
    free(text);
}

static int names_json(const struct dirent *entry)
{
    const size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0 &&
           strcmp(entry->d_name, "other_proofs.json") != 0;
}

static void run_folder(const char *folder, tally *all)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, names_json, alphasort);
    if (count <= 0) {
        printf("%s: %s\n", folder, count < 0 ? strerror(errno) : "no vector file");
        all->file_failed = true;
    }
    for (int n = 0; n < count; n++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[n]->d_name);
        run_file(path, all);
        free(entries[n]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    tally all = {0, 0, 0, false};
    if (argc == 1) {
        run_folder(VECTORS_FOLDER, &all);
        run_folder(VECTORS_FOLDER "/transcripts", &all);
    }
    for (int n = 1; n < argc; n++) {
        run_file(argv[n], &all);
    }
    printf("%u vectors, %u transcript steps, %u failures\n", all.vectors, all.steps, all.failures);
    return all.failures != 0 || all.file_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#include "distribution.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 2048u

/* Digits only; 0 is no answer here. */
static uint32_t read_count(const char **at, uint32_t max)
{
    uint32_t value = 0;
    for (; **at >= '0' && **at <= '9' && value <= max; (*at)++) {
        value = value * 10 + (uint32_t)(**at - '0');
    }
    return value <= max ? value : 0;
}

static bool parse_items(const char *text, distribution *out, why *reason)
{
    uint32_t sum = 0;
    const char *at = text;
    memset(out, 0, sizeof *out);
    for (unsigned item = 1;; item++) {
        if (out->count == DISTRIBUTION_STEPS_MAX) {
            return why_say(reason, "more than %u sizes", DISTRIBUTION_STEPS_MAX);
        }
        const uint32_t size = read_count(&at, DISTRIBUTION_SIZE_MAX);
        if (size == 0 || *at != ':') {
            return why_say(reason, "item %u: expected a size of 1 to %u and a colon", item,
                           DISTRIBUTION_SIZE_MAX);
        }
        at++;
        const uint32_t percent = read_count(&at, 100);
        if (percent == 0 || (*at != ',' && *at != '\0')) {
            return why_say(reason, "item %u: expected 1 to 100 per cent", item);
        }
        out->size[out->count] = size;
        out->percent[out->count++] = percent;
        sum += percent;
        if (*at++ == '\0') {
            break;
        }
    }
    return sum == 100 || why_say(reason, "the shares make %u per cent, not 100", sum);
}

static bool read_file(FILE *file, char *text, size_t size)
{
    char line[256];
    size_t length = 0;
    text[0] = '\0';
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\r\n \t")] = '\0';
        if (line[0] == '\0') {
            continue;
        }
        const int written =
            snprintf(text + length, size - length, "%s%s", length > 0 ? "," : "", line);
        if (written < 0 || (size_t)written >= size - length) {
            return false;
        }
        length += (size_t)written;
    }
    return !ferror(file);
}

bool distribution_parse(const char *text, distribution *out, why *reason)
{
    why what;
    if (text[strspn(text, "0123456789:,")] == '\0') {
        return parse_items(text, out, &what) || why_say(reason, "\"%s\": %s", text, what.text);
    }
    FILE *const file = fopen(text, "r");
    if (file == NULL) {
        return why_say(reason, "%s: %s", text, strerror(errno));
    }
    char items[TEXT_SIZE];
    const bool good = read_file(file, items, sizeof items);
    (void)fclose(file);
    if (!good) {
        return why_say(reason, "%s: cannot be read, or is too long", text);
    }
    return parse_items(items, out, &what) || why_say(reason, "%s: %s", text, what.text);
}

uint32_t distribution_draw(const distribution *d, splitmix *random)
{
    uint32_t left = splitmix_below(random, 100);
    size_t i = 0;
    while (left >= d->percent[i]) {
        left -= d->percent[i++];
    }
    return d->size[i];
}

uint32_t distribution_largest(const distribution *d)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < d->count; i++) {
        largest = d->size[i] > largest ? d->size[i] : largest;
    }
    return largest;
}

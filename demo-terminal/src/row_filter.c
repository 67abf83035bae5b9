#include "row_filter.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/market.h>

/* Not tolower(): what it does depends on the locale. */
static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool holds(const char *name, const char *word, size_t size)
{
    const size_t length = strlen(name);
    for (size_t at = 0; at + size <= length; at++) {
        size_t same = 0;
        while (same < size && folded(name[at + same]) == folded(word[same])) {
            same++;
        }
        if (same == size) {
            return true;
        }
    }
    return false;
}

bool row_filter_fits(const char *filter, const char *venue, const char *symbol)
{
    char name[TG_VENUE_NAME_SIZE + TG_SYMBOL_SIZE];
    (void)snprintf(name, sizeof name, "%s:%s", venue, symbol);
    const char *word = filter;
    while (*word != '\0') {
        const size_t size = strcspn(word, " ");
        if (size > 0 && !holds(name, word, size)) {
            return false;
        }
        word += size;
        word += *word == ' ' ? 1 : 0;
    }
    return true;
}

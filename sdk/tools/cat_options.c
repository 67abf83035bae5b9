#include "cat_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cat_usage[] =
    "usage: tickglass-cat --url URL --symbols LIST [options]\n"
    "\n"
    "Prints every changed row of a gateway's instruments, one line each.\n"
    "\n"
    "  --url URL          wss://host[:port][/path]; ws:// only to this machine\n"
    "  --symbols LIST     VENUE:SYMBOL,VENUE:SYMBOL or @FILE or * for everything\n"
    "  --ca FILE          PEM of the authority that signed the gateway's certificate;\n"
    "                     without it the system's trust store\n"
    "  --token-file FILE  the bearer token\n"
    "  --seconds N        end after N seconds\n"
    "  --count N          end after N rows\n"
    "  --json             one JSON object a line; numbers as text, so that none is rounded\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 done; 2 usage; 3 a file or the URL cannot be used; 4 the gateway refused,\n"
    "or its certificate was; 5 the time ended without a row.\n"
    "Rows go to standard output, everything else to standard error.\n";

static bool read_number(const char *text, uint64_t max, uint64_t *number)
{
    if (*text < '0' || *text > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *number = value;
    return errno == 0 && *end == '\0' && value > 0 && value <= max;
}

static bool take_value(const char *name, const char *value, cat_options *options, char *why,
                       unsigned why_size)
{
    uint64_t number = 0;
    if (strcmp(name, "--url") == 0) {
        options->url = value;
    } else if (strcmp(name, "--ca") == 0) {
        options->ca_file = value;
    } else if (strcmp(name, "--token-file") == 0) {
        options->token_file = value;
    } else if (strcmp(name, "--symbols") == 0) {
        options->symbols = value;
    } else if (strcmp(name, "--seconds") == 0 && read_number(value, 1000000000, &number)) {
        options->seconds = (uint32_t)number;
    } else if (strcmp(name, "--count") == 0 && read_number(value, UINT64_MAX, &number)) {
        options->count = number;
    } else if (strcmp(name, "--seconds") == 0 || strcmp(name, "--count") == 0) {
        (void)snprintf(why, why_size, "%s wants a whole number over 0, not \"%s\"", name, value);
        return false;
    } else {
        (void)snprintf(why, why_size, "%s is not an option", name);
        return false;
    }
    return true;
}

bool cat_options_parse(int argc, char *const *argv, cat_options *options, char *why,
                       unsigned why_size)
{
    memset(options, 0, sizeof *options);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            options->json = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options->help = true;
            return true;
        } else if (strcmp(argv[i], "--version") == 0) {
            options->version = true;
            return true;
        } else if (i + 1 == argc) {
            (void)snprintf(why, why_size, "%s is not an option, or lacks its value", argv[i]);
            return false;
        } else if (!take_value(argv[i], argv[i + 1], options, why, why_size)) {
            return false;
        } else {
            i++;
        }
    }
    if (options->url == NULL || options->symbols == NULL) {
        (void)snprintf(why, why_size, "%s is missing",
                       options->url == NULL ? "--url" : "--symbols");
        return false;
    }
    return true;
}

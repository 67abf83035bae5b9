/* The command line of tickglass-cat. */
#ifndef CAT_OPTIONS_H
#define CAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cat_options {
    const char *url;
    const char *ca_file;
    const char *token_file;
    const char *symbols;
    uint32_t seconds; /* 0: no end */
    uint64_t count;   /* rows; 0: no end */
    bool json;
    bool help;
    bool version;
} cat_options;

/* False: why says what is wrong. The texts point into argv. */
bool cat_options_parse(int argc, char *const *argv, cat_options *options, char *why,
                       unsigned why_size);

extern const char cat_usage[];

#endif

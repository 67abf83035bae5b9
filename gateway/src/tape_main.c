/* tickglass-tape: recorded market data into tapes, and a check of what it holds. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <tickglass/version.h>

#include "tape_convert.h"

enum {
    EXIT_TROUBLE = 1,
    EXIT_USAGE = 2
};

static int run(const tg__tape_options *options)
{
    tg__cause cause = {""};
    uint64_t different = 0;
    const tg_err err = options->command == TG__TAPE_CONVERT
                           ? tg__tape_convert(options, stderr, &cause)
                           : tg__tape_check(options, stdout, stderr, &different, &cause);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-tape: %s (%s)\n", cause.text, tg_err_name(err));
        return EXIT_TROUBLE;
    }
    return different == 0 ? 0 : EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    tg__cause cause = {""};
    tg__tape_options options;
    if (tg__tape_options_parse(&options, argc, argv, &cause) != TG_OK) {
        (void)fprintf(stderr, "tickglass-tape: %s\n", cause.text);
        return EXIT_USAGE;
    }
    if (options.command == TG__TAPE_HELP || options.command == TG__TAPE_VERSION) {
        (void)fputs(options.command == TG__TAPE_HELP ? tg__tape_options_help
                                                     : "tickglass-tape " TG_VERSION_STRING "\n",
                    stdout);
        return 0;
    }
    options.progress = options.progress || isatty(STDERR_FILENO) == 1;
    return run(&options);
}

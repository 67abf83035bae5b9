#include "tape_options.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "tape_input.h"

#define ERRORS_MAX 100u

const char tg__tape_options_help[] =
    "tickglass-tape - recorded market data into tapes for tickglass-gateway --tape\n"
    "\n"
    "  tickglass-tape convert [options] IN... --out OUT.csv[.xz]\n"
    "  tickglass-tape check [options] IN...\n"
    "\n"
    "convert writes best bid, best ask and trades of all inputs, in the order of time. check\n"
    "rebuilds order books and compares them with what the venue says itself: its best bid and ask\n"
    "at equal ids, its checksums. Inputs may be plain, gzip, xz or zstd.\n"
    "\n"
    "  --from FORMAT   binance, bitmex, bybit, coinbase, dbn, deribit, kraken, kraken_futures,\n"
    "                  okex; default: told by the content\n"
    "  --out FILE      the tape; compressed if it ends with .xz; -: stdout\n"
    "  --errors-max N  bad records that are named and skipped (default 100)\n"
    "  --strict        the same as --errors-max 0: the first bad record ends the run\n"
    "  --progress      percent read, on stderr; default: if that is a terminal\n"
    "  --help, --version\n"
    "\n"
    "Exit code: 0; 1: an input or the output cannot be used, or a book differs; 2: wrong usage.\n";

static tg_err bad(tg__cause *cause, const char *option, const char *expected)
{
    return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s: expected %s", option, expected);
}

static bool read_count(const char *text, uint64_t *out)
{
    *out = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || *out > UINT64_MAX / 100) {
            return false;
        }
        *out = *out * 10 + (uint64_t)(*at - '0');
    }
    return *text != '\0';
}

static tg_err take_value(tg__tape_options *options, const char *option, const char *value,
                         tg__cause *cause)
{
    if (strcmp(option, "--from") == 0) {
        options->from = value;
        return tg__tape_input_knows(value) ? TG_OK : bad(cause, option, tg__tape_input_formats);
    }
    if (strcmp(option, "--out") == 0) {
        options->out = value;
        return *value != '\0' ? TG_OK : bad(cause, option, "a file name or -");
    }
    return read_count(value, &options->errors_max) ? TG_OK : bad(cause, option, "a number");
}

static bool has_value(const char *option)
{
    return strcmp(option, "--from") == 0 || strcmp(option, "--out") == 0 ||
           strcmp(option, "--errors-max") == 0;
}

/* Options without a value, inputs. */
static tg_err take_word(tg__tape_options *options, const char *word, tg__cause *cause)
{
    if (strcmp(word, "--strict") == 0) {
        options->errors_max = 0;
    } else if (strcmp(word, "--progress") == 0) {
        options->progress = true;
    } else if (strcmp(word, "--help") == 0) {
        options->command = TG__TAPE_HELP;
    } else if (strcmp(word, "--version") == 0) {
        options->command = TG__TAPE_VERSION;
    } else if (word[0] == '-') {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s: there is no such option", word);
    } else if (options->input_count == TG__TAPE_INPUTS_MAX) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "more than %u inputs",
                             TG__TAPE_INPUTS_MAX);
    } else {
        options->inputs[options->input_count++] = word;
    }
    return TG_OK;
}

static tg_err check_whole(const tg__tape_options *options, tg__cause *cause)
{
    if (options->command == TG__TAPE_HELP || options->command == TG__TAPE_VERSION) {
        return TG_OK;
    }
    if (options->input_count == 0) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "no input is named");
    }
    if (options->command == TG__TAPE_CONVERT && options->out == NULL) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "convert needs --out");
    }
    if (options->command == TG__TAPE_CHECK && options->out != NULL) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "check writes no tape: no --out");
    }
    return TG_OK;
}

tg_err tg__tape_options_parse(tg__tape_options *options, int argc, char **argv, tg__cause *cause)
{
    *options = (tg__tape_options){.errors_max = ERRORS_MAX};
    if (argc < 2) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "expected convert, check or --help");
    }
    int at = 2;
    if (strcmp(argv[1], "check") == 0) {
        options->command = TG__TAPE_CHECK;
    } else if (strncmp(argv[1], "--", 2) == 0) {
        at = 1;
    } else if (strcmp(argv[1], "convert") != 0) {
        return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "%s: expected convert or check",
                             argv[1]);
    }
    for (; at < argc; at++) {
        if (!has_value(argv[at])) {
            TG_TRY(take_word(options, argv[at], cause));
        } else if (at + 1 == argc) {
            return bad(cause, argv[at], "a value behind it");
        } else {
            TG_TRY(take_value(options, argv[at], argv[at + 1], cause));
            at++;
        }
    }
    return check_whole(options, cause);
}

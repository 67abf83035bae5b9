/* tickglass-log: reads what TG_RECORD wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/record_inline.h>
#include <tickglass/version.h>

#include "log_command.h"

static const char usage[] =
    "usage: tickglass-log COMMAND [OPTION]... FILE...\n"
    "\n"
    "commands\n"
    "  cat      print the records of all files, merged by time\n"
    "  tail     the same for one file, and go on while it and those after it are written; -f is\n"
    "           understood\n"
    "  export   records for other programs: --csv (one call site) or --trace (Chrome, Perfetto)\n"
    "  stats    per call site: number, and range and percentiles of each argument\n"
    "  hist     recorded histograms, all windows of a name added up; reads .hlog files too\n"
    "  glass    GATEWAY_FILE TERMINAL_FILE: tick to glass, stage by stage, over both machines\n"
    "  verify   check every block and every record\n"
    "  recover  after a crash: join the files of a recorder with the rings that its process left\n"
    "  rings    [FILE|FOLDER]...: the rings in memory (default /dev/shm): whose they are, how much "
    "of\n"
    "           them is in no file yet; what a crash has left can be removed after recover\n"
    "\n"
    "options\n"
    "  --json            one JSON object per line (cat, tail, stats, hist, glass)\n"
    "  --level LEVEL     error, warn, info or detail, and what is graver\n"
    "  --thread NAME     a thread's name or number\n"
    "  --site FILE:LINE  a call site; FILE may be the end of the path\n"
    "  --where N=VALUE   records whose argument N (from 1) is it; also N<VALUE and N>VALUE\n"
    "  --argument N      that argument of each call only (stats)\n"
    "  --contains TEXT   lines that contain it (cat, tail)\n"
    "  --from TIME       2026-11-30T18:51:28Z, with or without fraction, or UTC nanoseconds\n"
    "  --to TIME         histograms (hist): windows that begin from --from on and before --to\n"
    "  --name NAME       one histogram (hist)\n"
    "  --hlog            each window as a line of a HdrHistogram log (hist)\n"
    "  --output FILE     recover: default FILE.recovered\n"
    "  --rings FILE      recover: default is what the record names\n"
    "  --version, --help\n"
    "\n"
    "exit status: 0, 1 if something in a file is damaged, 2 if a file cannot be used\n";

/* Days from 1970-01-01 of a date, proleptic Gregorian, years counted from 1 March. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool parse_time(const char *text, int64_t *out)
{
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int used = 0;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
               &used) == 6) {
        int64_t ns = 0;
        const char *at = text + used;
        if (*at == '.') {
            int64_t unit = 100000000;
            for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10) {
                ns += (*at - '0') * unit;
            }
        }
        if (strcmp(at, "Z") != 0 || year < 1678 || year > 2261 || month < 1 || month > 12) {
            return false;
        }
        const int64_t seconds =
            days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
        *out = seconds * 1000000000 + ns;
        return true;
    }
    char *end = NULL;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static bool parse_level(const char *text, uint8_t *out)
{
    static const char *const names[] = {"error", "warn", "info", "detail"};
    for (uint8_t i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (uint8_t)(i + 1);
            return true;
        }
    }
    return false;
}

/* False: the option is unknown or its value is not right. */
static bool take_option(log_options *opt, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **place;
    } texts[] = {{"--thread", &opt->thread}, {"--site", &opt->site},
                 {"--name", &opt->name},     {"--output", &opt->output},
                 {"--rings", &opt->rings},   {"--contains", &opt->contains}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].place = value;
            return true;
        }
    }
    if (strcmp(name, "--where") == 0) {
        const size_t digits = strspn(value, "0123456789");
        opt->where = value;
        return digits != 0 && value[digits] != '\0' && strchr("=<>", value[digits]) != NULL;
    }
    if (strcmp(name, "--argument") == 0) {
        const unsigned long number = strtoul(value, NULL, 10);
        opt->argument = number <= TG_RECORD_ARGUMENTS_MAX ? (uint8_t)number : 0;
        return opt->argument != 0;
    }
    if (strcmp(name, "--level") == 0) {
        return parse_level(value, &opt->level_most);
    }
    if (strcmp(name, "--from") == 0) {
        return parse_time(value, &opt->from_utc_ns);
    }
    return strcmp(name, "--to") == 0 && parse_time(value, &opt->to_utc_ns);
}

static int run(const char *command, const log_options *opt)
{
    const struct {
        const char *name;
        int (*run)(const log_options *opt);
    } commands[] = {{"cat", log_cat},         {"tail", log_tail},   {"export", log_export},
                    {"stats", log_stats},     {"hist", log_hist},   {"verify", log_verify},
                    {"recover", log_recover}, {"glass", log_glass}, {"rings", log_rings}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            return commands[i].run(opt);
        }
    }
    (void)fprintf(stderr, "tickglass-log: unknown command %s; --help lists them\n", command);
    return LOG_USAGE;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, stdout);
        return LOG_OK;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        (void)puts("tickglass-log " TG_VERSION_STRING);
        return LOG_OK;
    }
    if (argc < 2) {
        (void)fputs(usage, stderr);
        return LOG_USAGE;
    }
    log_options opt;
    memset(&opt, 0, sizeof opt);
    opt.from_utc_ns = INT64_MIN;
    opt.to_utc_ns = INT64_MAX;
    char **paths = calloc((size_t)argc, sizeof *paths);
    if (paths == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    opt.paths = paths;
    int status = LOG_OK;
    for (int i = 2; i < argc && status == LOG_OK; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            opt.json = true;
        } else if (strcmp(argv[i], "--csv") == 0) {
            opt.csv = true;
        } else if (strcmp(argv[i], "--trace") == 0) {
            opt.trace = true;
        } else if (strcmp(argv[i], "--hlog") == 0) {
            opt.hlog = true;
        } else if (strcmp(argv[i], "-f") == 0 && strcmp(argv[1], "tail") == 0) {
            continue; /* it follows in any case */
        } else if (argv[i][0] != '-' || argv[i][1] == '\0') {
            paths[opt.path_count++] = argv[i];
        } else if (i + 1 < argc && take_option(&opt, argv[i], argv[i + 1])) {
            i++;
        } else {
            (void)fprintf(stderr, "tickglass-log: %s is unknown or its value is not right\n",
                          argv[i]);
            status = LOG_USAGE;
        }
    }
    if (status == LOG_OK && opt.path_count == 0 && strcmp(argv[1], "rings") != 0) {
        (void)fprintf(stderr, "tickglass-log: no file is given\n");
        status = LOG_USAGE;
    }
    if (status == LOG_OK) {
        status = run(argv[1], &opt);
    }
    free(paths);
    return status;
}

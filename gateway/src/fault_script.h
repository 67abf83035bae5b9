/**
 * Faults on request: a file of actions with their times, one a line:
 *
 *   <at_ms> <verb> <arguments>      # the rest of a line from a word that begins with #
 *
 * Times count from the start of the market and may stand in any order; actions of equal time happen
 * in the order of their lines. Which verbs there are is the caller's table: a verb that does
 * nothing is not accepted.
 */
#ifndef TG_GATEWAY_FAULT_SCRIPT_H
#define TG_GATEWAY_FAULT_SCRIPT_H

#include "cause.h"
#include "directory.h"

#define TG__FAULT_ARGUMENTS_MAX 3u
#define TG__FAULT_ACTIONS_MAX   10000u
#define TG__FAULT_TEXT_SIZE     128u
#define TG__FAULT_ALL_VENUES    (-1)

typedef enum tg__fault_argument {
    TG__FAULT_NONE = 0,
    TG__FAULT_VENUE = 1,   /* its name, or * for TG__FAULT_ALL_VENUES; names with blanks: only * */
    TG__FAULT_HANDLER = 2, /* A or B: 0 or 1 */
    TG__FAULT_MS = 3,      /* 0 to an hour */
    TG__FAULT_PPM = 4,     /* 0 to 1,000,000 */
    TG__FAULT_COUNT = 5,   /* 1 to 1,000,000 */
    TG__FAULT_LANE = 6,    /* 0 to TG__LANE_COUNT - 1 */
    TG__FAULT_BY = 7,      /* -1,000,000 to 1,000,000 */
    TG__FAULT_STEP_MS = 8, /* a day back to a day on */
    TG__FAULT_SWITCH = 9,  /* on or off: 1 or 0 */
    TG__FAULT_CLOSE_CODE = 10, /* 1000 to 4999 */
    TG__FAULT_COPIES = 11      /* 0 to TG__FEED_COPIES_MAX */
} tg__fault_argument;

struct tg__fault_targets;

/* An action that fails ends the gateway: a test must not go on without its fault. */
typedef tg_err (*tg__fault_function)(struct tg__fault_targets *targets,
                                     const int64_t values[TG__FAULT_ARGUMENTS_MAX],
                                     tg__cause *cause);

typedef struct tg__fault_verb {
    const char *name;
    tg__fault_argument arguments[TG__FAULT_ARGUMENTS_MAX]; /* TG__FAULT_NONE after the last */
    tg__fault_function function;
} tg__fault_verb;

typedef struct tg__fault_grammar {
    const tg__fault_verb *verbs;
    size_t verb_count;
    const tg__directory *directory; /* whose venues may be named */
} tg__fault_grammar;

typedef struct tg__fault_action {
    int64_t at_ns;
    uint64_t line; /* number in the file */
    const tg__fault_verb *verb;
    int64_t values[TG__FAULT_ARGUMENTS_MAX];
    char text[TG__FAULT_TEXT_SIZE]; /* verb and arguments, for the log */
} tg__fault_action;

/*
 * One line without its end. TG_ERR_NOT_FOUND: nothing stands in it. TG_ERR_SYNTAX: cause says what
 * is wrong, without file and line.
 */
TG_MUST_CHECK tg_err tg__fault_line_parse(const tg__fault_grammar *grammar, const char *line,
                                          size_t length, tg__fault_action *action,
                                          tg__cause *cause);

typedef struct tg__fault_script tg__fault_script;

/*
 * Reads the whole file; grammar's tables outlive the script. complain is called for every bad line
 * with "file:line: cause"; TG_ERR_SYNTAX then, and cause says how many there are. TG_ERR_IO,
 * TG_ERR_FULL (more than TG__FAULT_ACTIONS_MAX), TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__fault_script_open(const char *path, const tg__fault_grammar *grammar,
                                           void (*complain)(const char *text),
                                           tg__fault_script **out, tg__cause *cause);

/* The next action that is due at elapsed_ns from the start of the market, each once; NULL: none. */
const tg__fault_action *tg__fault_script_take(tg__fault_script *script, int64_t elapsed_ns);

size_t tg__fault_script_size(const tg__fault_script *script);
void tg__fault_script_close(tg__fault_script *script); /* NULL is allowed */

#endif

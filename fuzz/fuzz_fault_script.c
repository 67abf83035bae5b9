/* Lines of a fault script from anywhere: what is accepted is within its limits, and its text, which
 * the log repeats, reads as the same action again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_script.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static tg_err do_nothing(struct tg__fault_targets *targets, const int64_t *values, tg__cause *cause)
{
    (void)targets;
    (void)values;
    (void)cause;
    return TG_OK;
}

/* One of each kind of argument, and of each count. */
static const tg__fault_verb verbs[] = {
    {"nothing", {TG__FAULT_NONE}, do_nothing},
    {"lane", {TG__FAULT_LANE}, do_nothing},
    {"switch", {TG__FAULT_SWITCH}, do_nothing},
    {"close", {TG__FAULT_CLOSE_CODE}, do_nothing},
    {"kill", {TG__FAULT_VENUE, TG__FAULT_HANDLER}, do_nothing},
    {"lose", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_PPM}, do_nothing},
    {"delay", {TG__FAULT_VENUE, TG__FAULT_HANDLER, TG__FAULT_MS}, do_nothing},
    {"many", {TG__FAULT_COUNT, TG__FAULT_BY, TG__FAULT_STEP_MS}, do_nothing},
};

static void check_line(const tg__fault_grammar *grammar, const char *line, size_t length)
{
    tg__fault_action action;
    tg__fault_action again;
    tg__cause cause = {""};
    const tg_err err = tg__fault_line_parse(grammar, line, length, &action, &cause);
    require(err == TG_OK || err == TG_ERR_SYNTAX || err == TG_ERR_NOT_FOUND);
    require((err == TG_ERR_SYNTAX) == (cause.text[0] != '\0'));
    if (err != TG_OK) {
        return;
    }
    char repeated[TG__FAULT_TEXT_SIZE + 32];
    const int size = snprintf(repeated, sizeof repeated, "%lld %s",
                              (long long)(action.at_ns / 1000000), action.text);
    require(tg__fault_line_parse(grammar, repeated, (size_t)size, &again, &cause) == TG_OK);
    require(again.verb == action.verb && again.at_ns == action.at_ns);
    require(memcmp(again.values, action.values, sizeof action.values) == 0);
    require(strcmp(again.text, action.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg__directory directory;
    tg_venue_id id = 0;
    tg__directory_init(&directory);
    require(tg__directory_venue(&directory, "ORION", &id) == TG_OK &&
            tg__directory_venue(&directory, "A#B", &id) == TG_OK);
    const tg__fault_grammar grammar = {verbs, sizeof verbs / sizeof verbs[0], &directory};
    size_t begin = 0;
    while (begin < size) {
        const uint8_t *end = memchr(data + begin, '\n', size - begin);
        const size_t length = (end != NULL ? (size_t)(end - data) : size) - begin;
        char *exact = malloc(length + 1); /* one more, so that a size of 0 gives a block, too */
        require(exact != NULL);
        memcpy(exact + 1, data + begin, length);
        check_line(&grammar, exact + 1, length);
        free(exact);
        begin += length + 1;
    }
    tg__directory_deinit(&directory);
    return 0;
}

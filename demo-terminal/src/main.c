#include <stdio.h>

#include <tickglass/client.h>

#include "diagnose.h"
#include "effective_config.h"
#include "options.h"
#include "redraw.h"
#include "settings.h"
#include "state_keeper.h"
#include "stop_signal.h"
#include "terminal.h"
#include "token_command.h"

static int complain(const complaints *wrong)
{
    for (size_t i = 0; i < wrong->count; i++) {
        (void)fprintf(stderr, "tickglass-terminal: %s\n", wrong->line[i]);
    }
    if (wrong->dropped > 0) {
        (void)fprintf(stderr, "tickglass-terminal: and %zu more errors\n", wrong->dropped);
    }
    return TERMINAL_USAGE;
}

static int check_config(const settings *from, const state_keeper *keeper, complaints *wrong)
{
    /* What is wrong with values is known; files are read for those that are right. */
    if (wrong->count == 0) {
        effective_config_check(from, wrong);
    }
    effective_config_print(from, stdout);
    if (keeper->notice[0] != '\0') {
        (void)printf("# %s\n", keeper->notice);
    }
    return wrong->count > 0 ? complain(wrong) : TERMINAL_FINE;
}

/* It may wait for names, the network and a command; a signal ends it, and the command with it. */
static int diagnose(const terminal_options *options, const settings *from)
{
    stop_signal *stop = NULL;
    stop_signal_block();
    const tg_err err = stop_signal_open(0, token_command_abandon, &stop);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-terminal: start: %s\n", tg_err_text(err));
        return TERMINAL_USAGE;
    }
    stop_signal_away(stop, NULL, NULL);
    const int code = diagnose_run(from, options->seconds, stdout, stderr);
    stop_signal_back(stop);
    stop_signal_close(stop);
    return code;
}

static int run(const terminal_options *options, settings *from, complaints *wrong)
{
    state_keeper keeper;
    if (wrong->count > 0 && !options->check_config) {
        return complain(wrong);
    }
    if (options->diagnose) {
        return diagnose(options, from);
    }
    const tg_err err = state_keeper_open(
        &keeper, options, from, options->check_config ? STATE_KEEPER_LOOK_AT : STATE_KEEPER_RUN);
    if (err != TG_OK) {
        complaints_add(wrong, "saved state: %s", tg_err_text(err));
        return complain(wrong);
    }
    return options->check_config ? check_config(from, &keeper, wrong)
                                 : (int)terminal_run(options, from, &keeper);
}

static int set_up(const terminal_options *options)
{
    complaints wrong = {.count = 0};
    settings *from = NULL;
    const tg_err err = settings_open(options, &from, &wrong);
    if (from == NULL) {
        complaints_add(&wrong, "%s", tg_err_text(err));
        return complain(&wrong);
    }
    const int code = run(options, from, &wrong);
    settings_close(from);
    return code;
}

int main(int argc, char *argv[])
{
    terminal_options options;
    char why[256];
    if (terminal_options_read(argc, argv, &options, why, sizeof why) != TG_OK) {
        (void)fprintf(stderr, "tickglass-terminal: %s\n", why);
        return TERMINAL_USAGE;
    }
    if (options.help) {
        (void)fputs(terminal_options_help(), stdout);
        return TERMINAL_FINE;
    }
    if (options.version) {
        (void)printf("%s\n", tg_build_info());
        return TERMINAL_FINE;
    }
    return options.redraw != NULL ? redraw_run(&options, stdout, stderr) : set_up(&options);
}

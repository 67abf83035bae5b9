#include <stdio.h>

#include <tickglass/client.h>

#include "options.h"
#include "terminal.h"

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
    return (int)terminal_run(&options);
}

#include "drain_command.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "running_gateway.h"

const char tg__drain_command_help[] =
    "tickglass-gateway drain - asks the gateway that has a state directory to drain\n"
    "\n"
    "  --state-dir DIR  whose gateway; default $XDG_STATE_HOME/tickglass-gateway\n"
    "  --wait           until it has ended\n"
    "  --help\n"
    "\n"
    "As the first SIGTERM does; asking again changes nothing. Exit codes: 0; 1 trouble, as when\n"
    "there is no gateway; 2 usage. How the drain went is in the gateway's own exit code and log.\n";

tg_err tg__drain_command_parse(tg__drain_command *command, int count, char *const *arguments,
                               tg__cause *cause)
{
    memset(command, 0, sizeof *command);
    for (int i = 0; i < count; i++) {
        const char *name = arguments[i];
        if (strcmp(name, "--wait") == 0) {
            command->wait = true;
        } else if (strcmp(name, "--help") == 0) {
            command->help = true;
        } else if (strcmp(name, "--state-dir") != 0) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                                 "drain %s: there is no such option; drain --help lists them",
                                 name);
        } else if (i + 1 == count) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT,
                                 "drain --state-dir: its value is missing");
        } else {
            command->state_dir = arguments[++i];
        }
    }
    return TG_OK;
}

static tg_err ask(const tg__running_gateway *gateway, bool wait, tg__cause *cause)
{
    TG_TRY(tg__running_gateway_drain(gateway, cause));
    (void)printf("process %ld drains\n", (long)gateway->pid);
    (void)fflush(stdout); /* before the wait, which may be long */
    if (wait) {
        TG_TRY(tg__running_gateway_await_end(gateway, cause));
        (void)printf("process %ld has ended\n", (long)gateway->pid);
    }
    return TG_OK;
}

tg_err tg__drain_command_run(const tg__drain_command *command, tg__cause *cause)
{
    tg__state_dir dir;
    tg__running_gateway gateway;
    TG_TRY(tg__state_dir_locate(&dir, command->state_dir, cause));
    tg_err err = tg__running_gateway_find(&gateway, &dir, cause);
    if (err == TG_OK) {
        err = ask(&gateway, command->wait, cause);
    }
    tg__running_gateway_close(&gateway);
    return err;
}

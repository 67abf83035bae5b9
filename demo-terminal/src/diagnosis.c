#include "diagnosis.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>

#define FIRST_CODE 10

static const struct {
    const char *name;
    const char *advice;
} rows[STAGE_COUNT] = {
    [STAGE_DNS] = {"DNS", "the name's spelling, /etc/resolv.conf, /etc/hosts, a VPN that is down; "
                          "behind a proxy only the proxy's name has to resolve here"},
    [STAGE_PROXY] = {"proxy", "proxy in the profile, https_proxy and no_proxy; whether the proxy "
                              "runs and lets this machine through to that port"},
    [STAGE_TCP] = {"TCP", "host and port of the endpoint, whether the gateway runs, firewalls in "
                          "between; a network that wants a proxy and was given none"},
    [STAGE_TOKEN] = {"token", "token_file: is it there and readable; token_command: run it by "
                              "hand, it must print the token and end with 0"},
    [STAGE_TLS] = {"TLS", "for another host: the endpoint's name; not signed: ca_file, or "
                          "something in between that opens TLS; expired or not valid yet: both "
                          "clocks, then whoever runs the gateway; pins: spki_pins"},
    [STAGE_UPGRADE] = {"upgrade", "the endpoint's path, and whether a gateway is what answers "
                                  "there; it may be draining or limit attempts for now"},
    [STAGE_WELCOME] = {"WELCOME",
                       "the gateway's log: it took the connection and ended it; versions "
                       "on both sides; whether the token has expired"},
    [STAGE_FIRST_TICK] = {"first tick", "symbols against the gateway's directory, the token's "
                                        "rights, whether the gateway has a market now"},
};

static void set(stage_result *result, stage_outcome outcome, int64_t took_ns, const char *format,
                va_list arguments) TG_PRINTF(4, 0);

static void set(stage_result *result, stage_outcome outcome, int64_t took_ns, const char *format,
                va_list arguments)
{
    result->outcome = outcome;
    result->took_ns = took_ns;
    (void)vsnprintf(result->text, sizeof result->text, format, arguments);
}

void diagnosis_pass(diagnosis *found, diagnosis_stage stage, int64_t took_ns, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(&found->stages[stage], STAGE_PASSED, took_ns, format, arguments);
    va_end(arguments);
}

void diagnosis_skip(diagnosis *found, diagnosis_stage stage, const char *text)
{
    stage_result *result = &found->stages[stage];
    result->outcome = STAGE_NOT_USED;
    result->took_ns = DIAGNOSIS_NO_TIME;
    (void)snprintf(result->text, sizeof result->text, "%s", text);
}

void diagnosis_fail(diagnosis *found, diagnosis_stage stage, int64_t took_ns, const char *advice,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(&found->stages[stage], STAGE_FAILED, took_ns, format, arguments);
    va_end(arguments);
    found->stages[stage].advice = advice != NULL ? advice : rows[stage].advice;
}

static const char *word_of(stage_outcome outcome)
{
    switch (outcome) {
    case STAGE_PASSED:
        return "ok";
    case STAGE_FAILED:
        return "FAILED";
    case STAGE_NOT_USED:
        return "not used";
    case STAGE_NOT_REACHED:
        break;
    }
    return "not reached";
}

void diagnosis_print(const diagnosis *found, FILE *to)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        const stage_result *result = &found->stages[i];
        if (result->outcome == STAGE_NOT_REACHED) {
            (void)fprintf(to, "  %-10s  %s\n", rows[i].name, word_of(result->outcome));
            continue;
        }
        char time[32] = "";
        if (result->took_ns >= 0) {
            (void)snprintf(time, sizeof time, "%" PRId64 ".%" PRId64 " ms",
                           result->took_ns / 1000000, result->took_ns / 100000 % 10);
        }
        (void)fprintf(to, "  %-10s  %-8s  %11s  %s\n", rows[i].name, word_of(result->outcome), time,
                      result->text);
        if (result->outcome == STAGE_FAILED) {
            (void)fprintf(to, "              look at: %s\n", result->advice);
        }
    }
}

int diagnosis_exit_code(const diagnosis *found)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (found->stages[i].outcome == STAGE_FAILED) {
            return FIRST_CODE + i;
        }
    }
    return 0;
}

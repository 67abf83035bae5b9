/* The command line of tickglass-swarm. */
#ifndef BENCH_GATEWAY_SWARM_PROGRAM_OPTIONS_H
#define BENCH_GATEWAY_SWARM_PROGRAM_OPTIONS_H

#include <stdint.h>

#include "distribution.h"
#include "scenario.h"

typedef struct swarm_program_options {
    const char *url;
    const char *ca_file;
    const char *token_file;
    const char *instruments; /* NULL: the gateway's directory */
    const char *trace_file;  /* NULL: generated from scenario */
    const char *write_trace; /* NULL: not written */
    const char *tick_log;    /* NULL: latency of the newest tick only */
    distribution sizes;
    scenario scenario;
    uint32_t lists;
    uint32_t seconds;
    bool stepped;
    bool uniform;
    bool json;
    bool help;
} swarm_program_options;

extern const char swarm_program_help[];

bool swarm_program_options_parse(swarm_program_options *out, int argc, char *const *argv,
                                 why *reason);

#endif

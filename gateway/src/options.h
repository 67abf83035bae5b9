/** The command line of tickglass-gateway. */
#ifndef TG_GATEWAY_OPTIONS_H
#define TG_GATEWAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cause.h"
#include "sim_pace.h"

#define TG__HOST_SIZE 256

typedef struct tg__options {
    const char *tape; /* NULL: the simulated market */
    uint64_t seed;
    tg__sim_options sim;
    uint32_t speed_milli; /* 0: as fast as possible */
    bool loop;
    bool merge_feeds;
    uint32_t feeds;
    int64_t skew_min_ns;
    int64_t skew_max_ns;
    char listen_host[TG__HOST_SIZE];
    uint16_t listen_port; /* 0: any */
    const char *port_file;
    const char *bus;      /* NULL: no other nodes; the path of the socket where they are told */
    const char *from_bus; /* NULL: plays by itself; else follows the node that listens there */
    const char *state_dir;
    const char *token_file;
    const char *ticket_key_file;
    const char *jwt_keys; /* NULL: only the gateway's own token is taken */
    const char *jwt_issuer;
    const char *jwt_audience;
    uint32_t upgrades_per_second;
    uint32_t upgrade_burst;
    uint32_t handshakes_max;
    const char *write_tape;
    const char *tick_log;
    const char *record; /* of when ticks passed the stages */
    const char *faults;
    const char *metrics_dir;
    char metrics_host[TG__HOST_SIZE]; /* empty: no endpoint */
    uint16_t metrics_port;
    uint32_t frames_per_digest;
    uint32_t drain_percent;
    uint32_t drain_interval_ms;
    uint32_t hang_up_after_s;
    bool keep_times;
    bool hold_until_subscribed;
    bool help;
    bool version;
} tg__options;

/* Texts of argv are kept by pointer. TG_ERR_INVALID_ARGUMENT: cause names the option. */
TG_MUST_CHECK tg_err tg__options_parse(tg__options *options, int argc, char *const *argv,
                                       tg__cause *cause);

extern const char tg__options_help[];

#endif

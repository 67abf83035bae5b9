/*
 * bench_session [--json] [receive|idle]: what a session costs outside codec, store and
 * libwebsockets, and what a client costs while nothing happens. With --json only lines of JSON go
 * to standard output. Exit code 1: a target is missed or something could not be measured.
 */
#include <stdio.h>
#include <string.h>

#include "idle.h"
#include "receive.h"

#define RECEIVE_MAX_NS   1000.0
#define IDLE_MAX_PERCENT 0.1
#define IDLE_SECONDS     20u

static bool run_receive(bool json)
{
    receive_result r;
    receive_measure(&r);
    if (json) {
        (void)printf("{\"bench\":\"session.receive\",\"ns_per_frame\":%.0f,"
                     "\"codec_and_store_ns\":%.0f,\"bytes_per_frame\":%.0f,"
                     "\"rows_per_frame\":%.1f}\n",
                     r.ns_per_frame, r.codec_and_store_ns, r.bytes_per_frame, r.rows_per_frame);
    } else {
        (void)printf("session.receive  %.0f ns a frame of %.0f bytes and %.1f rows (target %.0f); "
                     "codec and store %.0f ns\n",
                     r.ns_per_frame, r.bytes_per_frame, r.rows_per_frame, RECEIVE_MAX_NS,
                     r.codec_and_store_ns);
    }
    return r.ns_per_frame <= RECEIVE_MAX_NS;
}

static bool run_idle(bool json)
{
    idle_result r;
    if (!idle_measure(IDLE_SECONDS, &r)) {
        return false;
    }
    if (json) {
        (void)printf("{\"bench\":\"session.idle\",\"cpu_percent\":%.4f,\"bytes\":%.0f}\n",
                     r.cpu_percent, r.bytes);
    } else {
        (void)printf("session.idle     %.4f %% of a core a client (target %.1f), %.0f bytes\n",
                     r.cpu_percent, IDLE_MAX_PERCENT, r.bytes);
    }
    return r.cpu_percent <= IDLE_MAX_PERCENT;
}

int main(int argc, char **argv)
{
    bool json = false;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "receive") == 0 || strcmp(argv[i], "idle") == 0) {
            only = argv[i];
        } else {
            (void)fputs("usage: bench_session [--json] [receive|idle]\n", stderr);
            return 2;
        }
    }
    bool good = true;
    /* First: large blocks that were freed make malloc touch what it otherwise only reserves. */
    if (only == NULL || strcmp(only, "idle") == 0) {
        good = run_idle(json);
    }
    if (only == NULL || strcmp(only, "receive") == 0) {
        good = run_receive(json) && good;
    }
    return good ? 0 : 1;
}

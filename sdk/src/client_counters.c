/* What a client has counted: as a struct, and as the text that Prometheus reads. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "client_state.h"

#define NAME_PREFIX "tickglass_client_"
#define NS_PER_S    INT64_C(1000000000)

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

tg_err tg_client_counters_get(const tg_client *client, tg_client_counters *out)
{
    TG_ENSURE(client != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(!tg__client_is_forked(client), TG_ERR_FORKED);
    const size_t size = out->struct_size;
    TG_ENSURE(size > sizeof out->struct_size, TG_ERR_INVALID_ARGUMENT);
    const tg__engine_counters *c = tg__engine_counters_of(client->engine);
    const uint64_t connects = read_count(&c->connects);
    const tg_client_counters now = {
        .struct_size = size,
        .bytes = read_count(&c->bytes),
        .messages = read_count(&c->messages),
        .frames = read_count(&c->frames),
        .frames_rejected = read_count(&c->frames_rejected),
        .frames_unfit = read_count(&c->frames_unfit),
        .unknown_messages = read_count(&c->unknown_messages),
        .gaps = read_count(&c->gaps),
        .resyncs = read_count(&c->resyncs),
        .connects = connects,
        .attempts = read_count(&c->attempts),
        .reconnects = connects > 0 ? connects - 1 : 0,
        .events_dropped = read_count(&client->events.dropped),
        .rtt_ns = atomic_load_explicit(&c->rtt_ns, memory_order_relaxed),
        .rtt_mono_ns = atomic_load_explicit(&c->rtt_mono_ns, memory_order_relaxed),
        .ts_gateway_ns = atomic_load_explicit(&c->ts_gateway_ns, memory_order_relaxed),
        .token_requests = read_count(&c->token_requests),
        .tokens_renewed = read_count(&c->tokens_renewed),
        .tokens_refused = read_count(&c->tokens_refused),
        .priority_rows = read_count(&c->priority_rows),
        .priority_held = read_count(&c->priority_held),
        .books_refused = read_count(&c->books_refused),
        .unknown_rows = read_count(&c->unknown_rows),
        .late_inputs = read_count(&c->late_inputs),
        .state_errors = read_count(&c->state_errors),
        .set_mismatches = read_count(&c->set_mismatches),
        .endpoint = read_count(&c->endpoint),
        .failovers = read_count(&c->failovers),
        .sleeps = read_count(&c->sleeps),
        .clock_steps = read_count(&c->clock_steps),
        .frames_late = read_count(&c->frames_late),
        .lateness_ns = atomic_load_explicit(&c->lateness_ns, memory_order_relaxed),
        .audits = read_count(&c->audits),
        .audits_failed = read_count(&c->audits_failed) + read_count(&client->slot_audits_failed),
        .reports_sent = read_count(&c->reports_sent),
        .reports_failed = read_count(&c->reports_failed),
        .ended_resolve = read_count(&c->ended[TG__CAUSE_RESOLVE]),
        .ended_connect = read_count(&c->ended[TG__CAUSE_CONNECT]),
        .ended_tls = read_count(&c->ended[TG__CAUSE_TLS]),
        .ended_certificate = read_count(&c->ended[TG__CAUSE_CERTIFICATE]),
        .ended_http = read_count(&c->ended[TG__CAUSE_HTTP_STATUS]),
        .ended_upgrade = read_count(&c->ended[TG__CAUSE_UPGRADE]),
        .ended_proxy = read_count(&c->ended[TG__CAUSE_PROXY]),
        .ended_token = read_count(&c->ended[TG__CAUSE_TOKEN]),
        .ended_close = read_count(&c->ended[TG__CAUSE_CLOSE_CODE]),
        .ended_lost = read_count(&c->ended[TG__CAUSE_LOST]),
        .ended_timeout = read_count(&c->ended[TG__CAUSE_TIMEOUT]),
        .ended_fault = read_count(&c->ended[TG__CAUSE_PEER_FAULT]),
        .link_timeouts = read_count(&c->link_timeouts),
        .data_timeouts = read_count(&c->data_timeouts),
        .delays_told = read_count(&c->delays_told),
        .stops = read_count(&c->stops),
        .wanted = read_count(&c->wanted),
        .held = read_count(&c->held),
        .reconnect_spread_ms = read_count(&c->reconnect_spread_ms),
        .dialled_mono_ns = atomic_load_explicit(&client->dialled_ns, memory_order_relaxed),
        .requested_mono_ns = atomic_load_explicit(&client->requested_ns, memory_order_relaxed),
    };
    memset(out, 0, size);
    memcpy(out, &now, size < sizeof now ? size : sizeof now);
    return TG_OK;
}

typedef enum sample_kind {
    SAMPLE_COUNTER,
    SAMPLE_GAUGE,
    SAMPLE_SECONDS /* a gauge kept in nanoseconds; below zero: there is none */
} sample_kind;

typedef struct sample_row {
    size_t offset;
    sample_kind kind;
    const char *name;
    const char *help;
} sample_row;

#define AT(member) offsetof(tg_client_counters, member)

/* clang-format off */
static const sample_row sample_rows[] = {
    {AT(bytes),            SAMPLE_COUNTER, "received_bytes_total",     "Bytes of received messages."},
    {AT(messages),         SAMPLE_COUNTER, "messages_total",           "Received messages."},
    {AT(frames),           SAMPLE_COUNTER, "frames_total",             "Deltas and snapshots applied."},
    {AT(frames_rejected),  SAMPLE_COUNTER, "frames_rejected_total",    "Messages that were not valid."},
    {AT(frames_unfit),     SAMPLE_COUNTER, "frames_unfit_total",       "Frames based on another boundary or set."},
    {AT(unknown_messages), SAMPLE_COUNTER, "unknown_messages_total",   "Messages of a kind that is not known."},
    {AT(gaps),             SAMPLE_COUNTER, "gaps_total",               "Losses that were seen."},
    {AT(resyncs),          SAMPLE_COUNTER, "resyncs_total",            "Images that were asked for."},
    {AT(connects),         SAMPLE_COUNTER, "connects_total",           "Sessions that were joined."},
    {AT(attempts),         SAMPLE_COUNTER, "attempts_total",           "Attempts to connect."},
    {AT(reconnects),       SAMPLE_COUNTER, "reconnects_total",         "Sessions after the first."},
    {AT(events_dropped),   SAMPLE_COUNTER, "events_dropped_total",     "Events that found the queue full."},
    {AT(rtt_ns),           SAMPLE_SECONDS, "rtt_seconds",              "Round trip of the latest echo."},
    {AT(rtt_mono_ns),      SAMPLE_SECONDS, "rtt_measured_seconds",     "When it was measured, on the monotonic clock."},
    {AT(ts_gateway_ns),    SAMPLE_SECONDS, "newest_frame_seconds",     "The gateway's time of the newest frame, since 1970."},
    {AT(token_requests),   SAMPLE_COUNTER, "token_requests_total",     "Tokens that the provider was asked for."},
    {AT(tokens_renewed),   SAMPLE_COUNTER, "tokens_renewed_total",     "Tokens renewed in session."},
    {AT(tokens_refused),   SAMPLE_COUNTER, "tokens_refused_total",     "Tokens that the gateway did not take."},
    {AT(priority_rows),    SAMPLE_COUNTER, "priority_rows_total",      "Rows of the priority channel."},
    {AT(priority_held),    SAMPLE_GAUGE,   "priority_instruments",     "Instruments on the priority channel."},
    {AT(books_refused),    SAMPLE_COUNTER, "books_refused_total",      "Depth without a place in the store."},
    {AT(unknown_rows),     SAMPLE_COUNTER, "unknown_rows_total",       "Rows of an id without an entry."},
    {AT(late_inputs),      SAMPLE_COUNTER, "late_inputs_total",        "What came of a connection that was over."},
    {AT(state_errors),     SAMPLE_COUNTER, "state_errors_total",       "Inputs that the state table refuses: mistakes of ours."},
    {AT(set_mismatches),   SAMPLE_COUNTER, "set_mismatches_total",     "Sets that the gateway knew otherwise."},
    {AT(endpoint),         SAMPLE_GAUGE,   "endpoint",                 "The gateway of the latest attempt; 0 is the most preferred one."},
    {AT(failovers),        SAMPLE_COUNTER, "failovers_total",          "Attempts at another gateway than the one before."},
    {AT(sleeps),           SAMPLE_COUNTER, "sleeps_total",             "Sleeps of the machine."},
    {AT(clock_steps),      SAMPLE_COUNTER, "clock_steps_total",        "Times that its wall clock was set."},
    {AT(frames_late),      SAMPLE_COUNTER, "frames_late_total",        "Deltas, snapshots and ticks over 1 s late."},
    {AT(lateness_ns),      SAMPLE_SECONDS, "lateness_seconds",         "Lateness of the latest frame or ticks, at least."},
    {AT(audits),           SAMPLE_COUNTER, "audits_total",             "Looks at the account of subscriptions."},
    {AT(audits_failed),    SAMPLE_COUNTER, "audits_failed_total",      "Contradictions in it: mistakes of ours."},
    {AT(reports_sent),     SAMPLE_COUNTER, "reports_sent_total",       "Reports of stages to the gateway."},
    {AT(reports_failed),   SAMPLE_COUNTER, "reports_failed_total",     "Reports that could not be made."},
    {AT(ended_resolve),    SAMPLE_COUNTER, "ended_resolve_total",      "Attempts that ended at a name without an address."},
    {AT(ended_connect),    SAMPLE_COUNTER, "ended_connect_total",      "Attempts that were refused or not answered."},
    {AT(ended_tls),        SAMPLE_COUNTER, "ended_tls_total",          "Attempts without a TLS session, but not for the certificate."},
    {AT(ended_certificate), SAMPLE_COUNTER, "ended_certificate_total",  "Attempts whose certificate was refused."},
    {AT(ended_http),       SAMPLE_COUNTER, "ended_http_total",         "Attempts refused with an HTTP status."},
    {AT(ended_upgrade),    SAMPLE_COUNTER, "ended_upgrade_total",      "Attempts that met no gateway."},
    {AT(ended_proxy),      SAMPLE_COUNTER, "ended_proxy_total",        "Attempts that the proxy led nowhere."},
    {AT(ended_token),      SAMPLE_COUNTER, "ended_token_total",        "Attempts for which there was no token."},
    {AT(ended_close),      SAMPLE_COUNTER, "ended_close_total",        "Connections that the gateway ended with a close code."},
    {AT(ended_lost),       SAMPLE_COUNTER, "ended_lost_total",         "Connections that ended without one."},
    {AT(ended_timeout),    SAMPLE_COUNTER, "ended_timeout_total",      "Connections and attempts that a deadline ended."},
    {AT(ended_fault),      SAMPLE_COUNTER, "ended_fault_total",        "Connections in which the gateway broke the protocol."},
    {AT(link_timeouts),    SAMPLE_COUNTER, "link_timeouts_total",      "Links that were silent for too long."},
    {AT(data_timeouts),    SAMPLE_COUNTER, "data_timeouts_total",      "Times that a living link brought no frame."},
    {AT(delays_told),      SAMPLE_COUNTER, "delays_told_total",        "Waits for as long as the gateway said."},
    {AT(stops),            SAMPLE_COUNTER, "stops_total",              "Ends after which trying again cannot help."},
    {AT(wanted),           SAMPLE_GAUGE,   "wanted_instruments",       "Instruments that subscriptions want."},
    {AT(held),             SAMPLE_GAUGE,   "held_instruments",         "Instruments that the gateway sends."},
    {AT(reconnect_spread_ms), SAMPLE_GAUGE, "reconnect_spread_milliseconds", "In what time the gateway can take back all that it serves; 0: not told."},
    {AT(dialled_mono_ns),  SAMPLE_SECONDS, "dialled_seconds",          "When the latest attempt had its connection, on the monotonic clock."},
    {AT(requested_mono_ns), SAMPLE_SECONDS, "requested_seconds",       "When the latest attempt asked for its upgrade, TLS being there."},
};
/* clang-format on */

/* Every field is a row: one that is added to the struct has to be added here. */
_Static_assert(sizeof(tg_client_counters) ==
                   sizeof(size_t) + sizeof sample_rows / sizeof sample_rows[0] * sizeof(uint64_t),
               "a counter has no row");

/* Where text goes; what finds no room is counted all the same. */
typedef struct text_out {
    char *buf;
    size_t size;
    size_t used;
} text_out;

static void add(text_out *out, const char *format, ...) TG_PRINTF(2, 3);

static void add(text_out *out, const char *format, ...)
{
    const size_t room = out->used < out->size ? out->size - out->used : 0;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(room > 0 ? out->buf + out->used : NULL, room, format, arguments);
    va_end(arguments);
    out->used += length > 0 ? (size_t)length : 0;
}

static void add_sample(text_out *out, const sample_row *row, const char *labels,
                       const tg_client_counters *counters)
{
    uint64_t count = 0;
    memcpy(&count, (const char *)counters + row->offset, sizeof count);
    const int64_t ns = (int64_t)count;
    if (row->kind == SAMPLE_SECONDS && ns < 0) {
        return;
    }
    add(out, "# HELP " NAME_PREFIX "%s %s\n# TYPE " NAME_PREFIX "%s %s\n" NAME_PREFIX "%s",
        row->name, row->help, row->name, row->kind == SAMPLE_COUNTER ? "counter" : "gauge",
        row->name);
    if (labels != NULL && labels[0] != '\0') {
        add(out, "{%s}", labels);
    }
    if (row->kind == SAMPLE_SECONDS) {
        add(out, " %" PRId64 ".%09" PRId64 "\n", ns / NS_PER_S, ns % NS_PER_S);
    } else {
        add(out, " %" PRIu64 "\n", count);
    }
}

tg_err tg_client_counters_text(const tg_client_counters *counters, const char *labels, char *buf,
                               size_t size, size_t *needed)
{
    TG_ENSURE(counters != NULL && needed != NULL && (buf != NULL || size == 0),
              TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(labels == NULL || strpbrk(labels, "{}\r\n") == NULL, TG_ERR_INVALID_ARGUMENT);
    text_out out = {buf, size, 0};
    if (size > 0) {
        buf[0] = '\0';
    }
    for (size_t i = 0; i < sizeof sample_rows / sizeof sample_rows[0]; i++) {
        /* An older host's struct ends earlier. */
        if (sample_rows[i].offset + sizeof(uint64_t) <= counters->struct_size) {
            add_sample(&out, &sample_rows[i], labels, counters);
        }
    }
    *needed = out.used + 1;
    return *needed <= size ? TG_OK : TG_ERR_BUFFER_TOO_SMALL;
}

#include <tickglass/internal/control.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"

/* Fixed control messages may be longer than what is known here: the rest is a later version's. */

/* ---- WELCOME and LIMITS, PROTOCOL.md 4.1 and 4.2 ---- */

static tg_err put_limits(tg__sink *out, const tg__limits *limits)
{
    TG_TRY(tg__put_u32(out, limits->instruments_max));
    TG_TRY(tg__put_u32(out, limits->priority_max));
    TG_TRY(tg__put_u32(out, limits->message_size_max));
    TG_TRY(tg__put_u32(out, limits->subscribe_per_second));
    return limits->reconnect_spread_ms != 0 ? tg__put_u32(out, limits->reconnect_spread_ms) : TG_OK;
}

static tg_err get_u32_within(tg__cursor *in, uint32_t least, uint32_t most, uint32_t *out)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_u32(in, out));
    return *out >= least && *out <= most ? TG_OK : tg__refuse(in, start, TG_ERR_VALUE_RANGE);
}

static tg_err get_limits(tg__cursor *in, tg__limits *limits)
{
    TG_TRY(get_u32_within(in, 0, TG__SET_MAX, &limits->instruments_max));
    TG_TRY(get_u32_within(in, 0, TG__SET_MAX, &limits->priority_max));
    TG_TRY(get_u32_within(in, 0, TG__MESSAGE_SIZE_MAX, &limits->message_size_max));
    TG_TRY(get_u32_within(in, 1, UINT32_MAX, &limits->subscribe_per_second));
    /* It came later: who does not tell it ends here, or with a rest that is none. */
    limits->reconnect_spread_ms = 0;
    return tg__cursor_left(in) < sizeof(uint32_t) ? TG_OK
                                                  : tg__get_u32(in, &limits->reconnect_spread_ms);
}

tg_err tg__welcome_encode(const tg__welcome *welcome, uint8_t *buffer, size_t capacity,
                          size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_WELCOME));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__put_u64(&out, welcome->instance));
    TG_TRY(tg__put_u64(&out, welcome->lineage));
    TG_TRY(tg__put_u64(&out, welcome->boundary));
    TG_TRY(tg__put_u64(&out, welcome->features));
    TG_TRY(tg__put_u64(&out, (uint64_t)welcome->ts_gateway_ns));
    TG_TRY(tg__put_u32(&out, welcome->dictionary_generation));
    TG_TRY(tg__put_u32(&out, welcome->dictionary_size));
    TG_TRY(tg__put_u32(&out, welcome->frame_interval_ms));
    TG_TRY(tg__put_u32(&out, welcome->heartbeat_interval_ms));
    TG_TRY(tg__put_u32(&out, welcome->time_resolution_ns));
    TG_TRY(tg__put_u32(&out, welcome->token_lifetime_s));
    TG_TRY(put_limits(&out, &welcome->limits));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_intervals(tg__cursor *in, tg__welcome *welcome)
{
    TG_TRY(get_u32_within(in, 1, UINT32_MAX, &welcome->frame_interval_ms));
    TG_TRY(get_u32_within(in, 1, UINT32_MAX, &welcome->heartbeat_interval_ms));
    return get_u32_within(in, 1, 1000000000, &welcome->time_resolution_ns);
}

static tg_err get_welcome(tg__cursor *in, tg__welcome *welcome)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_WELCOME));
    TG_TRY(tg__expect_no_flags(in));
    TG_TRY(tg__get_u64(in, &welcome->instance));
    TG_TRY(tg__get_u64(in, &welcome->lineage));
    TG_TRY(tg__get_u64(in, &welcome->boundary));
    TG_TRY(tg__get_u64(in, &welcome->features));
    TG_TRY(tg__get_i64(in, &welcome->ts_gateway_ns));
    TG_TRY(tg__get_u32(in, &welcome->dictionary_generation));
    TG_TRY(tg__get_u32(in, &welcome->dictionary_size));
    TG_TRY(get_intervals(in, welcome));
    TG_TRY(tg__get_u32(in, &welcome->token_lifetime_s));
    return get_limits(in, &welcome->limits);
}

tg_err tg__welcome_decode(const uint8_t *message, size_t size, tg__welcome *welcome,
                          tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_welcome(&in, welcome), &in, TG__NO_ROW, fault);
}

tg_err tg__limits_encode(const tg__limits *limits, uint8_t *buffer, size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_LIMITS));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(put_limits(&out, limits));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_limits_message(tg__cursor *in, tg__limits *limits)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_LIMITS));
    TG_TRY(tg__expect_no_flags(in));
    return get_limits(in, limits);
}

tg_err tg__limits_decode(const uint8_t *message, size_t size, tg__limits *limits, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_limits_message(&in, limits), &in, TG__NO_ROW, fault);
}

/* ---- VENUE_STATE, PROTOCOL.md 4.3 ---- */

tg_err tg__venue_state_encode(const tg__venue_state *state, uint8_t *buffer, size_t capacity,
                              size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_VENUE_STATE));
    TG_TRY(tg__put_u8(&out, state->venue));
    TG_TRY(tg__put_u8(&out, (uint8_t)state->condition));
    TG_TRY(tg__put_u64(&out, state->boundary));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_venue_state(tg__cursor *in, tg__venue_state *state)
{
    uint8_t condition = 0;
    TG_TRY(tg__expect_kind(in, TG__KIND_VENUE_STATE));
    TG_TRY(tg__get_u8(in, &state->venue));
    TG_TRY(tg__get_u8(in, &condition));
    /* A condition that is not known is not proved to be live. */
    state->condition = condition == TG__VENUE_LIVE ? TG__VENUE_LIVE : TG__VENUE_STALE;
    return tg__get_u64(in, &state->boundary);
}

tg_err tg__venue_state_decode(const uint8_t *message, size_t size, tg__venue_state *state,
                              tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_venue_state(&in, state), &in, TG__NO_ROW, fault);
}

/* ---- TOKEN and TOKEN_ANSWER, PROTOCOL.md 4.4 ---- */

static bool is_visible(const uint8_t *text, size_t size, size_t size_max)
{
    if (size < 1 || size > size_max) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (text[i] <= 0x20 || text[i] >= 0x7f) {
            return false;
        }
    }
    return true;
}

tg_err tg__token_encode(const char *token, size_t token_size, uint8_t *buffer, size_t capacity,
                        size_t *size)
{
    TG_ENSURE(is_visible((const uint8_t *)token, token_size, TG__TOKEN_SIZE_MAX),
              TG_ERR_INVALID_ARGUMENT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_TOKEN));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__put_bytes(&out, token, token_size));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_token(tg__cursor *in, const char **token, size_t *token_size)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_TOKEN));
    TG_TRY(tg__expect_no_flags(in));
    TG_ENSURE(is_visible(in->at, tg__cursor_left(in), TG__TOKEN_SIZE_MAX), TG_ERR_STRING);
    *token = (const char *)in->at;
    *token_size = tg__cursor_left(in);
    return TG_OK;
}

tg_err tg__token_decode(const uint8_t *message, size_t size, const char **token, size_t *token_size,
                        tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_token(&in, token, token_size), &in, TG__NO_ROW, fault);
}

tg_err tg__token_answer_encode(const tg__token_answer *answer, uint8_t *buffer, size_t capacity,
                               size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_TOKEN_ANSWER));
    TG_TRY(tg__put_u8(&out, answer->accepted ? 1 : 0));
    TG_TRY(tg__put_u32(&out, answer->lifetime_s));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_token_answer(tg__cursor *in, tg__token_answer *answer)
{
    uint8_t accepted = 0;
    TG_TRY(tg__expect_kind(in, TG__KIND_TOKEN_ANSWER));
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(*in->at <= 1, TG_ERR_VALUE_RANGE);
    TG_TRY(tg__get_u8(in, &accepted));
    answer->accepted = accepted == 1;
    return tg__get_u32(in, &answer->lifetime_s);
}

tg_err tg__token_answer_decode(const uint8_t *message, size_t size, tg__token_answer *answer,
                               tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_token_answer(&in, answer), &in, TG__NO_ROW, fault);
}

/* ---- ECHO and ECHO_REPLY, PROTOCOL.md 4.5 ---- */

tg_err tg__echo_encode(uint64_t cookie, uint8_t *buffer, size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_ECHO));
    TG_TRY(tg__put_u64(&out, cookie));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_echo(tg__cursor *in, uint64_t *cookie)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_ECHO));
    return tg__get_u64(in, cookie);
}

tg_err tg__echo_decode(const uint8_t *message, size_t size, uint64_t *cookie, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_echo(&in, cookie), &in, TG__NO_ROW, fault);
}

tg_err tg__echo_reply_encode(const tg__echo_reply *reply, uint8_t *buffer, size_t capacity,
                             size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_ECHO_REPLY));
    TG_TRY(tg__put_u64(&out, reply->cookie));
    TG_TRY(tg__put_u64(&out, (uint64_t)reply->ts_gateway_ns));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_echo_reply(tg__cursor *in, tg__echo_reply *reply)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_ECHO_REPLY));
    TG_TRY(tg__get_u64(in, &reply->cookie));
    return tg__get_i64(in, &reply->ts_gateway_ns);
}

tg_err tg__echo_reply_decode(const uint8_t *message, size_t size, tg__echo_reply *reply,
                             tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_echo_reply(&in, reply), &in, TG__NO_ROW, fault);
}

/* ---- REPORT, PROTOCOL.md 4.7 ---- */

tg_err tg__report_encode(const tg__report *report, uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_ENSURE(report->interval_ms >= 1 &&
                  is_visible((const uint8_t *)report->text, report->text_size, TG__REPORT_TEXT_MAX),
              TG_ERR_INVALID_ARGUMENT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_REPORT));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__put_u8(&out, report->stage));
    TG_TRY(tg__put_u32(&out, report->interval_ms));
    TG_TRY(tg__put_bytes(&out, report->text, report->text_size));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_report(tg__cursor *in, tg__report *report)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_REPORT));
    TG_TRY(tg__expect_no_flags(in));
    TG_TRY(tg__get_u8(in, &report->stage));
    TG_TRY(get_u32_within(in, 1, UINT32_MAX, &report->interval_ms));
    TG_ENSURE(is_visible(in->at, tg__cursor_left(in), TG__REPORT_TEXT_MAX), TG_ERR_STRING);
    report->text = (const char *)in->at;
    report->text_size = tg__cursor_left(in);
    return TG_OK;
}

tg_err tg__report_decode(const uint8_t *message, size_t size, tg__report *report, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    return tg__fault_at(get_report(&in, report), &in, TG__NO_ROW, fault);
}

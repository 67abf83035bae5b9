/* SUBSCRIBE, UNSUBSCRIBE, RESYNC, ANSWER and FIND. PROTOCOL.md section 11. */
#include <tickglass/internal/control.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"

enum {
    NAME_BY_ID = 0,
    NAME_BY_TEXT = 1
};

static tg_err get_channel(tg__cursor *in, tg__channel_kind *channel)
{
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(*in->at <= TG__CHANNEL_PRIORITY, TG_ERR_VALUE_RANGE);
    *channel = (tg__channel_kind)*in->at++;
    return TG_OK;
}

/* ---- requests ---- */

static bool is_request(unsigned kind)
{
    return kind == TG__KIND_SUBSCRIBE || kind == TG__KIND_UNSUBSCRIBE || kind == TG__KIND_RESYNC;
}

static tg_err put_name(tg__sink *out, const tg__name *name)
{
    if (name->id != TG_INSTRUMENT_NONE) {
        TG_TRY(tg__put_u8(out, NAME_BY_ID));
        return tg__put_u16(out, name->id);
    }
    TG_TRY(tg__put_u8(out, NAME_BY_TEXT));
    TG_TRY(tg__put_text(out, false, name->venue, sizeof name->venue));
    return tg__put_text(out, false, name->symbol, sizeof name->symbol);
}

tg_err tg__request_encode(const tg__request *request, const tg__name *names, size_t count,
                          uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_ENSURE(is_request((unsigned)request->kind), TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(count <= TG__ITEM_MAX, TG_ERR_COUNT_LIMIT);
    TG_ENSURE(count > 0 || request->kind == TG__KIND_RESYNC, TG_ERR_INVALID_ARGUMENT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, (uint8_t)request->kind));
    TG_TRY(tg__put_u8(&out, (uint8_t)request->channel));
    TG_TRY(tg__put_u32(&out, request->request));
    TG_TRY(tg__put_varint(&out, count));
    for (size_t i = 0; i < count; i++) {
        TG_TRY(put_name(&out, &names[i]));
    }
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_name(tg__cursor *in, tg__name *name)
{
    uint8_t form = 0;
    const uint8_t *const start = in->at;
    memset(name, 0, sizeof *name);
    name->id = TG_INSTRUMENT_NONE;
    TG_TRY(tg__get_u8(in, &form));
    if (form == NAME_BY_ID) {
        const uint8_t *const id_at = in->at;
        TG_TRY(tg__get_u16(in, &name->id));
        if (name->id == TG_INSTRUMENT_NONE) {
            in->at = id_at;
            return TG_ERR_VALUE_RANGE;
        }
        return TG_OK;
    }
    if (form != NAME_BY_TEXT) {
        in->at = start;
        return TG_ERR_VALUE_RANGE;
    }
    TG_TRY(tg__get_text(in, false, name->venue, sizeof name->venue));
    return tg__get_text(in, false, name->symbol, sizeof name->symbol);
}

static tg_err get_request_header(tg__cursor *in, tg__request *request, uint32_t *count)
{
    uint8_t kind = 0;
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(is_request(*in->at), TG_ERR_MESSAGE_KIND);
    TG_TRY(tg__get_u8(in, &kind));
    request->kind = (tg__kind)kind;
    TG_TRY(get_channel(in, &request->channel));
    TG_TRY(tg__get_u32(in, &request->request));
    const uint8_t *const count_at = in->at;
    TG_TRY(tg__get_varint_u32(in, count));
    if (*count > TG__ITEM_MAX || (*count == 0 && request->kind != TG__KIND_RESYNC)) {
        in->at = count_at;
        return TG_ERR_COUNT_LIMIT;
    }
    return TG_OK;
}

tg_err tg__request_decode(const uint8_t *message, size_t size, tg__request *request,
                          tg__name_reader *reader, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    uint32_t count = 0;
    tg_err err = get_request_header(&in, request, &count);
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    const tg__name_reader first = {in.at, in.end, count};
    for (uint32_t i = 0; i < count; i++) {
        tg__name name;
        err = get_name(&in, &name);
        TG_TRY(tg__fault_at(err, &in, i, fault));
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    *reader = first;
    return TG_OK;
}

bool tg__name_next(tg__name_reader *reader, tg__name *name)
{
    if (reader->left == 0) {
        return false;
    }
    tg__cursor in = {reader->at, reader->at, reader->end};
    if (get_name(&in, name) != TG_OK) {
        return false; /* only if the message was changed after it was validated */
    }
    reader->at = in.at;
    reader->left--;
    return true;
}

/* ---- answers ---- */

tg_err tg__answer_encode(const tg__answer *answer, const tg__result *results, uint8_t *buffer,
                         size_t capacity, size_t *size)
{
    TG_ENSURE(answer->count <= TG__ITEM_MAX, TG_ERR_COUNT_LIMIT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_ANSWER));
    TG_TRY(tg__put_u8(&out, (uint8_t)answer->channel));
    TG_TRY(tg__put_u32(&out, answer->request));
    TG_TRY(tg__put_varint(&out, answer->set_count));
    TG_TRY(tg__put_u32(&out, answer->set_digest));
    TG_TRY(tg__put_varint(&out, answer->count));
    for (uint32_t i = 0; i < answer->count; i++) {
        TG_TRY(tg__put_u8(&out, (uint8_t)results[i].code));
        TG_TRY(tg__put_u16(&out, results[i].id));
    }
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_answer_header(tg__cursor *in, tg__answer *answer)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_ANSWER));
    TG_TRY(get_channel(in, &answer->channel));
    TG_TRY(tg__get_u32(in, &answer->request));
    const uint8_t *start = in->at;
    TG_TRY(tg__get_varint_u32(in, &answer->set_count));
    if (answer->set_count > TG__SET_MAX) {
        in->at = start;
        return TG_ERR_COUNT_LIMIT;
    }
    TG_TRY(tg__get_u32(in, &answer->set_digest));
    start = in->at;
    TG_TRY(tg__get_varint_u32(in, &answer->count));
    if (answer->count > TG__ITEM_MAX) {
        in->at = start;
        return TG_ERR_COUNT_LIMIT;
    }
    return TG_OK;
}

static tg_err get_result(tg__cursor *in, tg__result *result)
{
    uint8_t code = 0;
    TG_TRY(tg__get_u8(in, &code));
    /* A refusal that is not known is still a refusal. */
    result->code = code <= TG__ANSWER_TOO_FAST ? (tg__answer_code)code : TG__ANSWER_UNKNOWN;
    const uint8_t *const id_at = in->at;
    TG_TRY(tg__get_u16(in, &result->id));
    if (result->code == TG__ANSWER_OK && result->id == TG_INSTRUMENT_NONE) {
        in->at = id_at;
        return TG_ERR_VALUE_RANGE;
    }
    return TG_OK;
}

tg_err tg__answer_decode(const uint8_t *message, size_t size, tg__answer *answer,
                         tg__result *results, size_t result_capacity, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    tg_err err = get_answer_header(&in, answer);
    if (err == TG_OK && answer->count > result_capacity) {
        err = TG_ERR_BUFFER_TOO_SMALL;
    }
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    for (uint32_t i = 0; i < answer->count; i++) {
        err = get_result(&in, &results[i]);
        TG_TRY(tg__fault_at(err, &in, i, fault));
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    return tg__fault_at(err, &in, TG__NO_ROW, fault);
}

/* ---- directory search ---- */

tg_err tg__find_encode(const tg__find *find, uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_ENSURE(find->limit >= 1 && find->limit <= TG__ITEM_MAX, TG_ERR_INVALID_ARGUMENT);
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_FIND));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__put_u32(&out, find->request));
    TG_TRY(tg__put_u32(&out, find->limit));
    TG_TRY(tg__put_text(&out, true, find->prefix, sizeof find->prefix));
    TG_TRY(tg__put_text(&out, true, find->venue, sizeof find->venue));
    TG_TRY(tg__put_text(&out, true, find->after_venue, sizeof find->after_venue));
    TG_TRY(tg__put_text(&out, true, find->after_symbol, sizeof find->after_symbol));
    *size = tg__sink_size(&out);
    return TG_OK;
}

static tg_err get_find(tg__cursor *in, tg__find *find)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_FIND));
    TG_TRY(tg__expect_no_flags(in));
    TG_TRY(tg__get_u32(in, &find->request));
    const uint8_t *const limit_at = in->at;
    TG_TRY(tg__get_u32(in, &find->limit));
    if (find->limit < 1 || find->limit > TG__ITEM_MAX) {
        in->at = limit_at;
        return TG_ERR_COUNT_LIMIT;
    }
    TG_TRY(tg__get_text(in, true, find->prefix, sizeof find->prefix));
    TG_TRY(tg__get_text(in, true, find->venue, sizeof find->venue));
    TG_TRY(tg__get_text(in, true, find->after_venue, sizeof find->after_venue));
    TG_TRY(tg__get_text(in, true, find->after_symbol, sizeof find->after_symbol));
    return tg__cursor_left(in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
}

tg_err tg__find_decode(const uint8_t *message, size_t size, tg__find *find, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    memset(find, 0, sizeof *find);
    return tg__fault_at(get_find(&in, find), &in, TG__NO_ROW, fault);
}

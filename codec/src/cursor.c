#include "cursor.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include <tickglass/internal/dictionary.h>

#include "varint.h"

tg_err tg__get_i8(tg__cursor *in, int8_t *out)
{
    uint8_t value = 0;
    TG_TRY(tg__get_u8(in, &value));
    *out = (int8_t)(value < 128 ? value : value - 256);
    return TG_OK;
}

tg_err tg__get_i64(tg__cursor *in, int64_t *out)
{
    uint64_t value = 0;
    TG_TRY(tg__get_le(in, 8, &value));
    *out = value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
    return TG_OK;
}

tg_err tg__get_piece(tg__cursor *in, tg__cursor *piece)
{
    const uint8_t *const start = in->at;
    uint64_t size = 0;
    TG_TRY(tg__get_varint(in, &size));
    if (size > tg__cursor_left(in)) {
        in->at = start;
        return TG_ERR_TRUNCATED;
    }
    piece->begin = in->begin;
    piece->at = in->at;
    piece->end = in->at + size;
    in->at = piece->end;
    return TG_OK;
}

tg_err tg__get_text(tg__cursor *in, bool empty_allowed, char *out, size_t size)
{
    const uint8_t *const start = in->at;
    uint8_t length = 0;
    const uint8_t *bytes = NULL;
    TG_TRY(tg__get_u8(in, &length));
    tg_err err = tg__get_bytes(in, length, &bytes);
    if (err == TG_OK) {
        memcpy(out, bytes, length < size ? length : 0);
        if (!(length == 0 && empty_allowed) && !tg__text_is_valid(out, length, size - 1)) {
            err = TG_ERR_STRING;
        }
    }
    if (err != TG_OK) {
        in->at = start;
        out[0] = '\0';
        return err;
    }
    out[length] = '\0';
    return TG_OK;
}

tg_err tg__expect_kind(tg__cursor *in, tg__kind kind)
{
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(*in->at == (uint8_t)kind, TG_ERR_MESSAGE_KIND);
    in->at++;
    return TG_OK;
}

tg_err tg__expect_no_flags(tg__cursor *in)
{
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE(*in->at == 0, TG_ERR_FLAGS);
    in->at++;
    return TG_OK;
}

tg_err tg__message_kind(const uint8_t *message, size_t size, uint8_t *kind)
{
    TG_ENSURE(size >= 1, TG_ERR_TRUNCATED);
    *kind = message[0];
    return TG_OK;
}

tg_err tg__put_text(tg__sink *out, bool empty_allowed, const char *text, size_t size)
{
    const char *const terminator = memchr(text, '\0', size);
    TG_ENSURE(terminator != NULL, TG_ERR_STRING);
    const size_t length = (size_t)(terminator - text);
    if (length == 0) {
        TG_ENSURE(empty_allowed, TG_ERR_STRING);
    } else {
        TG_ENSURE(tg__text_is_valid(text, length, size - 1), TG_ERR_STRING);
    }
    TG_TRY(tg__put_u8(out, (uint8_t)length));
    return tg__put_bytes(out, text, length);
}

tg_err tg__put_length_before(tg__sink *out, size_t start)
{
    const size_t size = tg__sink_size(out) - start;
    uint8_t prefix[TG__VARINT_SIZE_MAX];
    const size_t prefix_size = tg__varint_write(prefix, size);
    TG_ENSURE(tg__sink_left(out) >= prefix_size, TG_ERR_BUFFER_TOO_SMALL);
    memmove(out->begin + start + prefix_size, out->begin + start, size);
    memcpy(out->begin + start, prefix, prefix_size);
    out->at += prefix_size;
    return TG_OK;
}

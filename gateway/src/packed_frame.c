#include "packed_frame.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <tickglass/internal/control_flow.h>

void tg__packed_frame_deinit(tg__packed_frame *frame)
{
    free(frame->packed);
    free(frame->text);
    *frame = (tg__packed_frame){NULL, 0, NULL, 0};
}

bool tg__is_bytes_literal(tg__span text)
{
    return text.length >= 3 && text.at[0] == 'b' && (text.at[1] == '\'' || text.at[1] == '"') &&
           text.at[text.length - 1] == text.at[1];
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Bytes that the escape at text takes up, 0: not one. */
static size_t read_escape(const char *text, size_t length, uint8_t *out)
{
    static const char names[] = "\\'\"nrt";
    static const char values[] = "\\'\"\n\r\t";
    if (length < 2 || text[1] == '\0') {
        return 0;
    }
    const char *name = strchr(names, text[1]);
    if (name != NULL) {
        *out = (uint8_t)values[name - names];
        return 2;
    }
    if (text[1] != 'x' || length < 4 || hex_value(text[2]) < 0 || hex_value(text[3]) < 0) {
        return 0;
    }
    *out = (uint8_t)(hex_value(text[2]) * 16 + hex_value(text[3]));
    return 4;
}

static tg_err unescape(tg__packed_frame *frame, tg__span body, size_t *size)
{
    size_t at = 0;
    *size = 0;
    while (at < body.length) {
        size_t taken = 1;
        uint8_t byte = (uint8_t)body.at[at];
        if (byte == '\\') {
            taken = read_escape(body.at + at, body.length - at, &byte);
            TG_ENSURE(taken > 0, TG_ERR_SYNTAX);
        }
        frame->packed[(*size)++] = byte;
        at += taken;
    }
    return TG_OK;
}

static tg_err reserve(tg__packed_frame *frame, size_t packed, size_t text)
{
    if (packed > frame->packed_capacity) {
        uint8_t *grown = realloc(frame->packed, packed);
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        frame->packed = grown;
        frame->packed_capacity = packed;
    }
    if (text > frame->text_capacity) {
        char *grown = realloc(frame->text, text);
        TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
        frame->text = grown;
        frame->text_capacity = text;
    }
    return TG_OK;
}

/* Once more with twice the room while the text does not fit. */
static tg_err inflate_all(tg__packed_frame *frame, size_t packed_size, size_t *size,
                          const char **what)
{
    for (;;) {
        z_stream stream = {
            .next_in = frame->packed,
            .avail_in = (uInt)packed_size,
            .next_out = (Bytef *)frame->text,
            .avail_out = (uInt)frame->text_capacity,
        };
        TG_ENSURE(inflateInit2(&stream, -MAX_WBITS) == Z_OK, TG_ERR_NO_MEMORY);
        const int code = inflate(&stream, Z_SYNC_FLUSH);
        const uInt unread = stream.avail_in;
        const uInt room = stream.avail_out;
        (void)inflateEnd(&stream);
        *size = frame->text_capacity - room;
        /* Senders that flush instead of finishing leave the stream open: all read is enough. */
        if ((code == Z_STREAM_END || code == Z_OK || code == Z_BUF_ERROR) && unread == 0 &&
            room > 0) {
            return TG_OK;
        }
        *what = "the frame's compressed bytes are damaged";
        TG_ENSURE(room == 0, TG_ERR_SYNTAX);
        *what = "the frame is longer than 4 MiB";
        TG_ENSURE(frame->text_capacity < TG__UNPACKED_SIZE_MAX, TG_ERR_SYNTAX);
        TG_TRY(reserve(frame, 0, frame->text_capacity * 2));
    }
}

tg_err tg__packed_frame_unpack(tg__packed_frame *frame, tg__span literal, tg__span *out,
                               const char **what)
{
    *what = "the frame is not a bytes literal";
    TG_ENSURE(tg__is_bytes_literal(literal), TG_ERR_SYNTAX);
    const tg__span body = {literal.at + 2, literal.length - 3};
    TG_ENSURE(body.length <= UINT_MAX, TG_ERR_SYNTAX);
    *what = "there is no memory for the frame";
    TG_TRY(reserve(frame, body.length + 1, 1u << 16));
    size_t packed_size = 0;
    size_t size = 0;
    *what = "the bytes literal has an unknown escape";
    TG_TRY(unescape(frame, body, &packed_size));
    TG_TRY(inflate_all(frame, packed_size, &size, what));
    *what = NULL;
    *out = (tg__span){frame->text, size};
    return TG_OK;
}

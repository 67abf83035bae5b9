#include "capture_reader.h"

#include <inttypes.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "capture_line.h"

tg_err tg__capture_reader_init(tg__capture_reader *reader, const char *path,
                               const tg__venue_format *format, tg__cause *cause)
{
    *reader = (tg__capture_reader){.format = format};
    return tg__line_reader_init(&reader->lines, path, TG__CAPTURE_LINE_MAX, cause);
}

void tg__capture_reader_deinit(tg__capture_reader *reader)
{
    tg__line_reader_deinit(&reader->lines);
    tg__packed_frame_deinit(&reader->packed);
}

static void count(tg__market_capture *capture, const char *kind)
{
    tg__market_capture_count(capture, (tg__span){kind, strlen(kind)}, TG__KIND_UNUSED);
}

/* A line without an address and with nanoseconds is how Binance's streams are recorded. */
static const tg__venue_format *format_of(const tg__capture_line *line)
{
    if (line->url.at != NULL) {
        return tg__venue_format_of_url(line->url);
    }
    return line->kind == TG__CAPTURE_FRAME && line->frame.length > 0 && line->frame.at[0] == '{'
               ? &tg__binance_format
               : NULL;
}

static tg_err take_frame(tg__capture_reader *reader, tg__market_capture *capture, tg__span frame)
{
    if (tg__is_bytes_literal(frame)) {
        TG_TRY(tg__packed_frame_unpack(&reader->packed, frame, &frame, &capture->what));
    }
    const tg_err err = tg__json_parse(capture->json, frame.at, frame.length);
    if (err == TG_ERR_NO_MEMORY) {
        capture->what = "there is no memory for the frame";
        return err;
    }
    if (err != TG_OK) {
        return tg__frame_fault(capture, err == TG_ERR_FULL ? "the frame has too many values"
                                                           : "the frame is not JSON");
    }
    return reader->format->frame(capture, frame);
}

static tg_err take_line(tg__capture_reader *reader, tg__market_capture *capture,
                        const tg__capture_line *line)
{
    switch (line->kind) {
    case TG__CAPTURE_EMPTY:
        break;
    case TG__CAPTURE_OPENED:
        count(capture, "socket opened");
        break;
    case TG__CAPTURE_SENT:
        count(capture, "sent by the client");
        break;
    case TG__CAPTURE_REST:
        count(capture, "REST answer");
        break;
    case TG__CAPTURE_FRAME:
        capture->ts_ns = line->ts_ns;
        return take_frame(reader, capture, line->frame);
    }
    return TG_OK;
}

tg_err tg__capture_reader_take(tg__capture_reader *reader, tg__market_capture *capture,
                               const char *line, size_t length, const char **what)
{
    tg__capture_line parsed;
    capture->row_count = 0;
    capture->difference[0] = '\0';
    TG_TRY(tg__capture_line_parse(line, length, &parsed, what));
    if (reader->format == NULL && parsed.kind != TG__CAPTURE_EMPTY) {
        reader->format = format_of(&parsed);
        *what = "no venue is known by this line: say --from";
        TG_ENSURE(reader->format != NULL, TG_ERR_TAPE);
    }
    const tg_err err = take_line(reader, capture, &parsed);
    *what = err == TG_OK ? NULL : capture->what;
    return err == TG_ERR_FULL ? TG_ERR_SYNTAX : err; /* of this record only */
}

tg_err tg__capture_reader_next(tg__capture_reader *reader, tg__market_capture *capture,
                               tg__cause *cause)
{
    const char *line = NULL;
    const char *what = NULL;
    size_t length = 0;
    capture->row_count = 0;
    TG_TRY(tg__line_reader_next(&reader->lines, &line, &length, cause));
    const tg_err err = tg__capture_reader_take(reader, capture, line, length, &what);
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "%s:%" PRIu64 ": %s", reader->lines.path,
                             reader->lines.line_number, what);
    }
    return TG_OK;
}

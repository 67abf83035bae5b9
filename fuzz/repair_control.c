/* Repairing messages with items in them: DICTIONARY, FOUND, requests, ANSWER, FIND; and REPORT. */
#include "repairing_mutator.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>

#define ITEMS_SIZE (1u << 15)

static tg_err copy_rest(loose *in, tg__sink *out)
{
    while (in->at < in->end) {
        TG_TRY(tg__put_u8(out, loose_u8(in)));
    }
    return TG_OK;
}

/* A text that fits; what is not UTF-8 becomes letters. */
static tg_err repair_text(loose *in, bool empty_allowed, size_t size, tg__sink *out)
{
    char text[256] = "A";
    size_t length = loose_u8(in) % size;
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)loose_u8(in);
    }
    if (length == 0 && !empty_allowed) {
        length = 1;
    }
    for (size_t i = 0; length > 0 && !tg__text_is_valid(text, length, size - 1) && i < length;
         i++) {
        text[i] = (char)('A' + (text[i] & 15));
    }
    TG_TRY(tg__put_u8(out, (uint8_t)length));
    return tg__put_bytes(out, text, length);
}

static tg_err repair_exponent(loose *in, tg__sink *out)
{
    const uint8_t byte = loose_u8(in);
    return tg__put_u8(out, byte <= 18 || byte >= 238 ? byte : byte % 19u);
}

static tg_err repair_bands(loose *in, tg__sink *out)
{
    const uint8_t count = (uint8_t)((loose_u8(in) - 1u) % TG_TICK_BAND_MAX + 1u);
    int64_t previous = 0;
    TG_TRY(tg__put_u8(out, count));
    for (unsigned i = 0; i < count; i++) {
        int64_t from = tg__zigzag_decode(loose_varint(in));
        if (i > 0 && from <= previous && previous < INT64_MAX) {
            from = previous + 1;
        }
        previous = from;
        const int64_t tick = tg__zigzag_decode(loose_varint(in));
        TG_TRY(tg__put_zigzag(out, from));
        TG_TRY(tg__put_zigzag(out, tick >= 1 ? tick : 1));
    }
    return TG_OK;
}

static tg_err repair_id(loose *in, tg__sink *out)
{
    const uint16_t id = (uint16_t)loose_le(in, 2);
    return tg__put_u16(out, id < TG_INSTRUMENT_NONE ? id : 0);
}

static tg_err repair_instrument(loose *in, tg__sink *out)
{
    TG_TRY(repair_id(in, out));
    TG_TRY(tg__put_u8(out, loose_u8(in) % TG_VENUE_MAX));
    TG_TRY(tg__put_u8(out, loose_u8(in)));
    TG_TRY(tg__put_u8(out, loose_u8(in)));
    TG_TRY(repair_exponent(in, out));
    TG_TRY(repair_exponent(in, out));
    TG_TRY(tg__put_u8(out, loose_u8(in)));
    TG_TRY(tg__put_varint(out, loose_varint(in) & UINT32_MAX));
    TG_TRY(tg__put_varint(out, loose_varint(in) & UINT32_MAX));
    TG_TRY(tg__put_varint(out, loose_varint(in)));
    TG_TRY(repair_exponent(in, out));
    TG_TRY(repair_bands(in, out));
    TG_TRY(repair_text(in, false, TG_SYMBOL_SIZE, out));
    return repair_text(in, true, TG_CURRENCY_SIZE, out);
}

static tg_err repair_entry(loose *in, tg__sink *out)
{
    uint8_t op = loose_u8(in);
    op = op > TG__DICTIONARY_SCALE ? (uint8_t)(TG__DICTIONARY_VENUE + op % 5u) : op;
    loose body = loose_piece(in);
    TG_TRY(tg__put_u8(out, op));
    const size_t start = tg__sink_size(out);
    switch (op) {
    case TG__DICTIONARY_VENUE:
        TG_TRY(tg__put_u8(out, loose_u8(&body) % TG_VENUE_MAX));
        TG_TRY(repair_text(&body, false, TG_VENUE_NAME_SIZE, out));
        break;
    case TG__DICTIONARY_ADD:
    case TG__DICTIONARY_SCALE:
        TG_TRY(repair_instrument(&body, out));
        break;
    case TG__DICTIONARY_RENAME:
        TG_TRY(repair_id(&body, out));
        TG_TRY(repair_text(&body, false, TG_SYMBOL_SIZE, out));
        break;
    case TG__DICTIONARY_TOMBSTONE:
        TG_TRY(repair_id(&body, out));
        break;
    default:
        break;
    }
    TG_TRY(copy_rest(&body, out));
    return tg__put_length_before(out, start);
}

static tg_err repair_name(loose *in, tg__sink *out)
{
    const uint8_t form = loose_u8(in) & 1u;
    TG_TRY(tg__put_u8(out, form));
    if (form == 0) {
        return repair_id(in, out);
    }
    TG_TRY(repair_text(in, false, TG_VENUE_NAME_SIZE, out));
    return repair_text(in, false, TG_SYMBOL_SIZE, out);
}

static tg_err repair_result(loose *in, tg__sink *out)
{
    TG_TRY(tg__put_u8(out, loose_u8(in)));
    return repair_id(in, out);
}

/* As many items as were announced or are there, and their count before them. */
static tg_err repair_items(loose *in, tg_err (*repair_item)(loose *, tg__sink *), tg__sink *out)
{
    static uint8_t bytes[ITEMS_SIZE];
    tg__sink items = tg__sink_of(bytes, sizeof bytes);
    const uint32_t wanted = (uint32_t)(loose_varint(in) % (TG__ITEM_MAX + 1u));
    uint32_t count = 0;
    for (; count < wanted && in->at < in->end; count++) {
        TG_TRY(repair_item(in, &items));
    }
    TG_TRY(tg__put_varint(out, count));
    return tg__put_bytes(out, bytes, tg__sink_size(&items));
}

static tg_err repair_answer(loose *in, tg__sink *out)
{
    TG_TRY(tg__put_u8(out, loose_u8(in) & 1u));
    TG_TRY(tg__put_u32(out, (uint32_t)loose_le(in, 4)));
    TG_TRY(tg__put_varint(out, loose_varint(in) % (TG__SET_MAX + 1u)));
    TG_TRY(tg__put_u32(out, (uint32_t)loose_le(in, 4)));
    return repair_items(in, repair_result, out);
}

static tg_err repair_find(loose *in, tg__sink *out)
{
    TG_TRY(tg__put_u8(out, 0));
    (void)loose_u8(in);
    TG_TRY(tg__put_u32(out, (uint32_t)loose_le(in, 4)));
    TG_TRY(tg__put_u32(out, (uint32_t)((loose_le(in, 4) - 1u) % TG__ITEM_MAX + 1u)));
    TG_TRY(repair_text(in, true, TG_SYMBOL_SIZE, out));
    TG_TRY(repair_text(in, true, TG_VENUE_NAME_SIZE, out));
    TG_TRY(repair_text(in, true, TG_VENUE_NAME_SIZE, out));
    return repair_text(in, true, TG_SYMBOL_SIZE, out);
}

static tg_err repair_report(loose *in, tg__sink *out)
{
    (void)loose_u8(in);
    TG_TRY(tg__put_u8(out, 0));
    TG_TRY(tg__put_u8(out, loose_u8(in)));
    const uint32_t interval = (uint32_t)loose_le(in, 4);
    TG_TRY(tg__put_u32(out, interval != 0 ? interval : 1));
    do {
        TG_TRY(tg__put_u8(out, (uint8_t)('!' + loose_u8(in) % 94u)));
    } while (in->at < in->end);
    return TG_OK;
}

tg_err repair_control(loose *in, uint8_t kind, tg__sink *out)
{
    TG_TRY(tg__put_u8(out, kind));
    switch (kind) {
    case TG__KIND_DICTIONARY:
        (void)loose_u8(in);
        TG_TRY(tg__put_u8(out, 0));
        TG_TRY(tg__put_u32(out, (uint32_t)loose_le(in, 4)));
        return repair_items(in, repair_entry, out);
    case TG__KIND_FOUND:
        TG_TRY(tg__put_u8(out, loose_u8(in)));
        TG_TRY(tg__put_u64(out, loose_le(in, 8)));
        return repair_items(in, repair_entry, out);
    case TG__KIND_SUBSCRIBE:
    case TG__KIND_UNSUBSCRIBE:
    case TG__KIND_RESYNC:
        TG_TRY(tg__put_u8(out, loose_u8(in) & 1u));
        TG_TRY(tg__put_u32(out, (uint32_t)loose_le(in, 4)));
        return repair_items(in, repair_name, out);
    case TG__KIND_ANSWER:
        return repair_answer(in, out);
    case TG__KIND_FIND:
        return repair_find(in, out);
    case TG__KIND_REPORT:
        return repair_report(in, out);
    default:
        return copy_rest(in, out);
    }
}

#include <tickglass/internal/dictionary.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"

#define INSTRUMENT_DELAYED 1u
#define FOUND_MORE         1u

/* ---- encoding ---- */

static tg_err put_instrument(tg__sink *out, const tg_instrument *instrument)
{
    TG_ENSURE(instrument->id != TG_INSTRUMENT_NONE && instrument->band_count >= 1 &&
                  instrument->band_count <= TG_TICK_BAND_MAX,
              TG_ERR_INVALID_ARGUMENT);
    TG_TRY(tg__put_u16(out, instrument->id));
    TG_TRY(tg__put_u8(out, instrument->venue));
    TG_TRY(tg__put_u8(out, (uint8_t)instrument->asset_class));
    TG_TRY(tg__put_u8(out, (uint8_t)instrument->price_format));
    TG_TRY(tg__put_u8(out, (uint8_t)instrument->price_exponent));
    TG_TRY(tg__put_u8(out, (uint8_t)instrument->quantity_exponent));
    TG_TRY(tg__put_u8(out, instrument->delayed ? INSTRUMENT_DELAYED : 0));
    TG_TRY(tg__put_varint(out, instrument->epoch));
    TG_TRY(tg__put_varint(out, instrument->cadence_ms));
    TG_TRY(tg__put_zigzag(out, instrument->multiplier.mantissa));
    TG_TRY(tg__put_u8(out, (uint8_t)instrument->multiplier.exponent));
    TG_TRY(tg__put_u8(out, instrument->band_count));
    for (unsigned i = 0; i < instrument->band_count; i++) {
        TG_TRY(tg__put_zigzag(out, instrument->band[i].from_price));
        TG_TRY(tg__put_zigzag(out, instrument->band[i].tick_size));
    }
    TG_TRY(tg__put_text(out, false, instrument->symbol, sizeof instrument->symbol));
    return tg__put_text(out, true, instrument->currency, sizeof instrument->currency);
}

static tg_err put_entry(tg__sink *out, const tg__dictionary_entry *entry)
{
    TG_TRY(tg__put_u8(out, (uint8_t)entry->op));
    const size_t start = tg__sink_size(out);
    const tg_instrument *const instrument = &entry->as.instrument;
    switch (entry->op) {
    case TG__DICTIONARY_VENUE:
        TG_TRY(tg__put_u8(out, entry->as.venue.id));
        TG_TRY(tg__put_text(out, false, entry->as.venue.name, sizeof entry->as.venue.name));
        break;
    case TG__DICTIONARY_ADD:
    case TG__DICTIONARY_SCALE:
        TG_TRY(put_instrument(out, instrument));
        break;
    case TG__DICTIONARY_RENAME:
        TG_TRY(tg__put_u16(out, instrument->id));
        TG_TRY(tg__put_text(out, false, instrument->symbol, sizeof instrument->symbol));
        break;
    case TG__DICTIONARY_TOMBSTONE:
        TG_TRY(tg__put_u16(out, instrument->id));
        break;
    }
    return tg__put_length_before(out, start);
}

static tg_err put_entries(tg__sink *out, const tg__dictionary_entry *entries, size_t count)
{
    TG_ENSURE(count <= TG__ITEM_MAX, TG_ERR_COUNT_LIMIT);
    TG_TRY(tg__put_varint(out, count));
    for (size_t i = 0; i < count; i++) {
        TG_TRY(put_entry(out, &entries[i]));
    }
    return TG_OK;
}

tg_err tg__dictionary_encode(uint32_t generation, const tg__dictionary_entry *entries, size_t count,
                             uint8_t *buffer, size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_DICTIONARY));
    TG_TRY(tg__put_u8(&out, 0));
    TG_TRY(tg__put_u32(&out, generation));
    TG_TRY(put_entries(&out, entries, count));
    *size = tg__sink_size(&out);
    return TG_OK;
}

tg_err tg__found_encode(const tg__found *found, const tg__dictionary_entry *entries, size_t count,
                        uint8_t *buffer, size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_FOUND));
    TG_TRY(tg__put_u8(&out, found->more ? FOUND_MORE : 0));
    TG_TRY(tg__put_u32(&out, found->request));
    TG_TRY(tg__put_u32(&out, found->generation));
    TG_TRY(put_entries(&out, entries, count));
    *size = tg__sink_size(&out);
    return TG_OK;
}

/* ---- decoding ---- */

static tg_err get_exponent(tg__cursor *in, int8_t *exponent)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_i8(in, exponent));
    if (*exponent < TG_DECIMAL_EXPONENT_MIN || *exponent > TG_DECIMAL_EXPONENT_MAX) {
        in->at = start;
        return TG_ERR_VALUE_RANGE;
    }
    return TG_OK;
}

static tg_err get_bands(tg__cursor *in, tg_instrument *instrument)
{
    const uint8_t *start = in->at;
    TG_TRY(tg__get_u8(in, &instrument->band_count));
    if (instrument->band_count < 1 || instrument->band_count > TG_TICK_BAND_MAX) {
        in->at = start;
        return TG_ERR_COUNT_LIMIT;
    }
    for (unsigned i = 0; i < instrument->band_count; i++) {
        tg_tick_band *const band = &instrument->band[i];
        start = in->at;
        TG_TRY(tg__get_zigzag(in, &band->from_price));
        if (i > 0 && band->from_price <= instrument->band[i - 1].from_price) {
            return tg__refuse(in, start, TG_ERR_VALUE_RANGE);
        }
        start = in->at;
        TG_TRY(tg__get_zigzag(in, &band->tick_size));
        if (band->tick_size < 1) {
            return tg__refuse(in, start, TG_ERR_VALUE_RANGE);
        }
    }
    return TG_OK;
}

static tg_err get_id(tg__cursor *in, tg_instrument *instrument)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_u16(in, &instrument->id));
    if (instrument->id == TG_INSTRUMENT_NONE) {
        in->at = start;
        return TG_ERR_VALUE_RANGE;
    }
    return TG_OK;
}

static tg_err get_venue_id(tg__cursor *in, tg_venue_id *id)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_u8(in, id));
    if (*id >= TG_VENUE_MAX) {
        in->at = start;
        return TG_ERR_VALUE_RANGE;
    }
    return TG_OK;
}

static tg_err get_instrument(tg__cursor *in, tg_instrument *instrument)
{
    uint8_t asset_class = 0;
    uint8_t price_format = 0;
    uint8_t flags = 0;
    TG_TRY(get_id(in, instrument));
    TG_TRY(get_venue_id(in, &instrument->venue));
    TG_TRY(tg__get_u8(in, &asset_class));
    TG_TRY(tg__get_u8(in, &price_format));
    /* Numbers from a later version of the protocol read as the most general ones. */
    instrument->asset_class =
        asset_class <= TG_ASSET_BOND ? (tg_asset_class)asset_class : TG_ASSET_OTHER;
    instrument->price_format =
        price_format <= TG_PRICE_FRACTION_64 ? (tg_price_format)price_format : TG_PRICE_DECIMAL;
    TG_TRY(get_exponent(in, &instrument->price_exponent));
    TG_TRY(get_exponent(in, &instrument->quantity_exponent));
    TG_TRY(tg__get_u8(in, &flags));
    instrument->delayed = (flags & INSTRUMENT_DELAYED) != 0;
    TG_TRY(tg__get_varint_u32(in, &instrument->epoch));
    TG_TRY(tg__get_varint_u32(in, &instrument->cadence_ms));
    TG_TRY(tg__get_zigzag(in, &instrument->multiplier.mantissa));
    TG_TRY(get_exponent(in, &instrument->multiplier.exponent));
    TG_TRY(get_bands(in, instrument));
    TG_TRY(tg__get_text(in, false, instrument->symbol, sizeof instrument->symbol));
    return tg__get_text(in, true, instrument->currency, sizeof instrument->currency);
}

/* in is the entry's own piece; bytes behind the known items belong to a later version. */
static tg_err get_body(tg__cursor *in, tg__dictionary_entry *entry)
{
    tg_instrument *const instrument = &entry->as.instrument;
    switch (entry->op) {
    case TG__DICTIONARY_VENUE:
        TG_TRY(get_venue_id(in, &entry->as.venue.id));
        return tg__get_text(in, false, entry->as.venue.name, sizeof entry->as.venue.name);
    case TG__DICTIONARY_ADD:
    case TG__DICTIONARY_SCALE:
        return get_instrument(in, instrument);
    case TG__DICTIONARY_RENAME:
        TG_TRY(get_id(in, instrument));
        return tg__get_text(in, false, instrument->symbol, sizeof instrument->symbol);
    case TG__DICTIONARY_TOMBSTONE:
        return get_id(in, instrument);
    }
    return TG_OK;
}

static bool op_is_known(uint8_t op)
{
    return op >= TG__DICTIONARY_VENUE && op <= TG__DICTIONARY_SCALE;
}

/* *known is false for an optional entry of unknown kind, which was skipped. */
static tg_err get_entry(tg__cursor *in, tg__dictionary_entry *entry, bool *known)
{
    const uint8_t *const start = in->at;
    uint8_t op = 0;
    tg__cursor piece;
    memset(entry, 0, sizeof *entry);
    TG_TRY(tg__get_u8(in, &op));
    *known = op_is_known(op);
    if (!*known && op >= 0x80) {
        in->at = start;
        return TG_ERR_MANDATORY_UNKNOWN;
    }
    TG_TRY(tg__get_piece(in, &piece));
    if (!*known) {
        return TG_OK;
    }
    entry->op = (tg__dictionary_op)op;
    const tg_err err = get_body(&piece, entry);
    if (err != TG_OK) {
        in->at = piece.at;
    }
    return err;
}

static tg_err get_entries(tg__cursor *in, tg__dictionary_reader *reader, tg__fault *fault)
{
    uint32_t count = 0;
    const uint8_t *const count_at = in->at;
    tg_err err = tg__get_varint_u32(in, &count);
    if (err == TG_OK && count > TG__ITEM_MAX) {
        in->at = count_at;
        err = TG_ERR_COUNT_LIMIT;
    }
    TG_TRY(tg__fault_at(err, in, TG__NO_ROW, fault));
    const tg__dictionary_reader first = {in->at, in->end, count, 0};
    for (uint32_t i = 0; i < count; i++) {
        tg__dictionary_entry entry;
        bool known = false;
        err = get_entry(in, &entry, &known);
        TG_TRY(tg__fault_at(err, in, i, fault));
    }
    err = tg__cursor_left(in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    TG_TRY(tg__fault_at(err, in, TG__NO_ROW, fault));
    *reader = first;
    return TG_OK;
}

static tg_err get_dictionary_header(tg__cursor *in, uint32_t *generation)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_DICTIONARY));
    TG_TRY(tg__expect_no_flags(in));
    return tg__get_u32(in, generation);
}

tg_err tg__dictionary_decode(const uint8_t *message, size_t size, uint32_t *generation,
                             tg__dictionary_reader *reader, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    TG_TRY(tg__fault_at(get_dictionary_header(&in, generation), &in, TG__NO_ROW, fault));
    return get_entries(&in, reader, fault);
}

static tg_err get_found_header(tg__cursor *in, tg__found *found)
{
    uint8_t flags = 0;
    TG_TRY(tg__expect_kind(in, TG__KIND_FOUND));
    TG_TRY(tg__get_u8(in, &flags));
    found->more = (flags & FOUND_MORE) != 0;
    TG_TRY(tg__get_u32(in, &found->request));
    return tg__get_u32(in, &found->generation);
}

tg_err tg__found_decode(const uint8_t *message, size_t size, tg__found *found,
                        tg__dictionary_reader *reader, tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    TG_TRY(tg__fault_at(get_found_header(&in, found), &in, TG__NO_ROW, fault));
    return get_entries(&in, reader, fault);
}

bool tg__dictionary_next(tg__dictionary_reader *reader, tg__dictionary_entry *entry)
{
    while (reader->left > 0) {
        tg__cursor in = {reader->at, reader->at, reader->end};
        bool known = false;
        if (get_entry(&in, entry, &known) != TG_OK) {
            return false; /* only if the message was changed after it was validated */
        }
        reader->at = in.at;
        reader->left--;
        if (known) {
            return true;
        }
        reader->unknown++;
    }
    return false;
}

#include "oracle_control.h"

#include <string.h>

/* ---- what messages are made of ---- */

/* RFC 3629: the sequence at text is a character that a text may have; its size, else 0. */
static size_t character_size(const uint8_t *text, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint32_t first = text[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc0 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
    if (size == 0 || size > left || first >= 0xf8) {
        return 0;
    }
    uint32_t point = size == 1 ? first : first % (UINT32_C(1) << (7 - size));
    for (size_t i = 1; i < size; i++) {
        if (text[i] / 64 != 2) {
            return 0;
        }
        point = point * 64 + text[i] % 64;
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    const bool control = point <= 0x1f || (point >= 0x7f && point <= 0x9f);
    return point < least[size] || point > 0x10ffff || surrogate || control ? 0 : size;
}

bool oracle_text(oracle *in, bool empty_allowed, char *out, size_t size)
{
    const size_t start = in->at;
    if (in->end == start || in->end - start - 1 < in->bytes[start]) {
        return oracle_fail(in, TG_ERR_TRUNCATED, start);
    }
    const size_t length = in->bytes[start];
    size_t at = 0;
    while (at < length) {
        const size_t character = character_size(in->bytes + start + 1 + at, length - at);
        if (character == 0) {
            return oracle_fail(in, TG_ERR_STRING, start);
        }
        at += character;
    }
    if (length > size - 1 || (length == 0 && !empty_allowed)) {
        return oracle_fail(in, TG_ERR_STRING, start);
    }
    memcpy(out, in->bytes + start + 1, length);
    in->at = start + 1 + length;
    return true;
}

/* An unsigned number of `count` bytes from least to most; else err at its place. */
static bool read_number(oracle *in, unsigned count, uint64_t least, uint64_t most, tg_err err,
                        uint64_t *out)
{
    const size_t at = in->at;
    if (!oracle_bytes_le(in, count, out)) {
        return false;
    }
    return (*out >= least && *out <= most) || oracle_fail(in, err, at);
}

static bool skip(oracle *in, unsigned count)
{
    uint64_t ignored = 0;
    return oracle_bytes_le(in, count, &ignored);
}

static bool read_kind(oracle *in, unsigned kind)
{
    uint64_t ignored = 0;
    return read_number(in, 1, kind, kind, TG_ERR_MESSAGE_KIND, &ignored);
}

static bool read_no_flags(oracle *in)
{
    uint64_t ignored = 0;
    return read_number(in, 1, 0, 0, TG_ERR_FLAGS, &ignored);
}

static bool read_count(oracle *in, uint32_t least, uint32_t most, uint32_t *count)
{
    const size_t at = in->at;
    if (!oracle_varint32(in, count)) {
        return false;
    }
    return (*count >= least && *count <= most) || oracle_fail(in, TG_ERR_COUNT_LIMIT, at);
}

static bool read_end(oracle *in)
{
    in->fault.row = TG__NO_ROW;
    return in->at == in->end || oracle_fail(in, TG_ERR_TRAILING_BYTES, in->at);
}

static tg_err verdict(const oracle *in, tg__fault *fault)
{
    *fault = in->fault;
    return in->err;
}

/* ---- 5.2 ---- */

static bool read_id(oracle *in, tg_instrument *instrument)
{
    uint64_t number = 0;
    const bool good = read_number(in, 2, 0, 65534, TG_ERR_VALUE_RANGE, &number);
    instrument->id = (tg_instrument_id)number;
    return good;
}

static bool read_exponent(oracle *in, int8_t *exponent)
{
    const size_t at = in->at;
    uint64_t byte = 0;
    if (!oracle_bytes_le(in, 1, &byte)) {
        return false;
    }
    const int value = byte < 128 ? (int)byte : (int)byte - 256;
    *exponent = (int8_t)value;
    return (value >= -18 && value <= 18) || oracle_fail(in, TG_ERR_VALUE_RANGE, at);
}

static bool read_bands(oracle *in, tg_instrument *instrument)
{
    uint64_t count = 0;
    if (!read_number(in, 1, 1, 8, TG_ERR_COUNT_LIMIT, &count)) {
        return false;
    }
    instrument->band_count = (uint8_t)count;
    wide previous = (wide)INT64_MIN - 1;
    for (unsigned i = 0; i < count; i++) {
        const size_t from_at = in->at;
        wide from = 0;
        wide tick = 0;
        if (!oracle_zigzag(in, &from)) {
            return false;
        }
        if (from <= previous) {
            return oracle_fail(in, TG_ERR_VALUE_RANGE, from_at);
        }
        const size_t tick_at = in->at;
        if (!oracle_zigzag(in, &tick)) {
            return false;
        }
        if (tick <= 0) {
            return oracle_fail(in, TG_ERR_VALUE_RANGE, tick_at);
        }
        instrument->band[i].from_price = (int64_t)from;
        instrument->band[i].tick_size = (int64_t)tick;
        previous = from;
    }
    return true;
}

static bool read_instrument(oracle *in, tg_instrument *instrument)
{
    uint64_t number = 0;
    wide mantissa = 0;
    if (!read_id(in, instrument) || !read_number(in, 1, 0, 254, TG_ERR_VALUE_RANGE, &number)) {
        return false;
    }
    instrument->venue = (tg_venue_id)number;
    if (!oracle_bytes_le(in, 1, &number)) {
        return false;
    }
    instrument->asset_class = number > 7 ? TG_ASSET_OTHER : (tg_asset_class)number;
    if (!oracle_bytes_le(in, 1, &number)) {
        return false;
    }
    instrument->price_format = number > 4 ? TG_PRICE_DECIMAL : (tg_price_format)number;
    if (!read_exponent(in, &instrument->price_exponent) ||
        !read_exponent(in, &instrument->quantity_exponent) || !oracle_bytes_le(in, 1, &number)) {
        return false;
    }
    instrument->delayed = number % 2 == 1;
    if (!oracle_varint32(in, &instrument->epoch) || !oracle_varint32(in, &instrument->cadence_ms) ||
        !oracle_zigzag(in, &mantissa) || !read_exponent(in, &instrument->multiplier.exponent)) {
        return false;
    }
    instrument->multiplier.mantissa = (int64_t)mantissa;
    return read_bands(in, instrument) &&
           oracle_text(in, false, instrument->symbol, TG_SYMBOL_SIZE) &&
           oracle_text(in, true, instrument->currency, TG_CURRENCY_SIZE);
}

static bool read_body(oracle *in, tg__dictionary_entry *entry)
{
    uint64_t number = 0;
    switch ((unsigned)entry->op) {
    case 0x80:
        if (!read_number(in, 1, 0, 254, TG_ERR_VALUE_RANGE, &number)) {
            return false;
        }
        entry->as.venue.id = (tg_venue_id)number;
        return oracle_text(in, false, entry->as.venue.name, TG_VENUE_NAME_SIZE);
    case 0x82:
        return read_id(in, &entry->as.instrument) &&
               oracle_text(in, false, entry->as.instrument.symbol, TG_SYMBOL_SIZE);
    case 0x83:
        return read_id(in, &entry->as.instrument);
    default:
        return read_instrument(in, &entry->as.instrument);
    }
}

static bool read_entries(oracle *in, oracle_dictionary *out)
{
    const size_t message_end = in->end;
    out->known = 0;
    if (!read_count(in, 0, 4096, &out->count)) {
        return false;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const size_t entry_at = in->at;
        uint64_t op = 0;
        uint64_t length = 0;
        in->fault.row = i;
        if (!oracle_bytes_le(in, 1, &op)) {
            return false;
        }
        if (op > 0x84) {
            return oracle_fail(in, TG_ERR_MANDATORY_UNKNOWN, entry_at);
        }
        const size_t length_at = in->at;
        if (!oracle_varint(in, &length)) {
            return false;
        }
        if (length > in->end - in->at) {
            return oracle_fail(in, TG_ERR_TRUNCATED, length_at);
        }
        const size_t body_end = in->at + length;
        if (op >= 0x80) {
            tg__dictionary_entry *const entry = &out->entries[out->known++];
            memset(entry, 0, sizeof *entry);
            entry->op = (tg__dictionary_op)op;
            in->end = body_end;
            if (!read_body(in, entry)) {
                return false;
            }
            in->end = message_end;
        }
        in->at = body_end;
    }
    return read_end(in);
}

tg_err oracle_judge_dictionary(const uint8_t *bytes, size_t size, oracle_dictionary *out,
                               tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x81) && read_no_flags(&in) && skip(&in, 4) && read_entries(&in, out));
    return verdict(&in, fault);
}

tg_err oracle_judge_found(const uint8_t *bytes, size_t size, oracle_dictionary *out,
                          tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x01) && skip(&in, 1) && skip(&in, 4) && skip(&in, 4) &&
           read_entries(&in, out));
    return verdict(&in, fault);
}

/* ---- section 11 ---- */

static bool read_name(oracle *in)
{
    uint64_t form = 0;
    uint64_t ignored = 0;
    char text[TG_SYMBOL_SIZE];
    if (!read_number(in, 1, 0, 1, TG_ERR_VALUE_RANGE, &form)) {
        return false;
    }
    if (form == 0) {
        return read_number(in, 2, 0, 65534, TG_ERR_VALUE_RANGE, &ignored);
    }
    return oracle_text(in, false, text, TG_VENUE_NAME_SIZE) &&
           oracle_text(in, false, text, TG_SYMBOL_SIZE);
}

static bool read_request(oracle *in)
{
    uint64_t kind = 0;
    uint64_t channel = 0;
    uint32_t count = 0;
    if (!read_number(in, 1, 0xc0, 0xc2, TG_ERR_MESSAGE_KIND, &kind) ||
        !read_number(in, 1, 0, 1, TG_ERR_VALUE_RANGE, &channel) || !skip(in, 4) ||
        !read_count(in, kind == 0xc2 ? 0 : 1, 4096, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        in->fault.row = i;
        if (!read_name(in)) {
            return false;
        }
    }
    return read_end(in);
}

tg_err oracle_judge_request(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)read_request(&in);
    return verdict(&in, fault);
}

static bool read_answer(oracle *in)
{
    uint64_t number = 0;
    uint32_t count = 0;
    if (!read_kind(in, 0x82) || !read_number(in, 1, 0, 1, TG_ERR_VALUE_RANGE, &number) ||
        !skip(in, 4) || !read_count(in, 0, 8192, &count) || !skip(in, 4) ||
        !read_count(in, 0, 4096, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        in->fault.row = i;
        uint64_t code = 0;
        if (!oracle_bytes_le(in, 1, &code) ||
            !read_number(in, 2, 0, code == 0 ? 65534 : 65535, TG_ERR_VALUE_RANGE, &number)) {
            return false;
        }
    }
    return read_end(in);
}

tg_err oracle_judge_answer(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)read_answer(&in);
    return verdict(&in, fault);
}

tg_err oracle_judge_find(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    uint64_t limit = 0;
    char text[TG_SYMBOL_SIZE];
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x42) && read_no_flags(&in) && skip(&in, 4) &&
           read_number(&in, 4, 1, 4096, TG_ERR_COUNT_LIMIT, &limit) &&
           oracle_text(&in, true, text, TG_SYMBOL_SIZE) &&
           oracle_text(&in, true, text, TG_VENUE_NAME_SIZE) &&
           oracle_text(&in, true, text, TG_VENUE_NAME_SIZE) &&
           oracle_text(&in, true, text, TG_SYMBOL_SIZE) && read_end(&in));
    return verdict(&in, fault);
}

/* ---- section 4; what is longer than known is ignored ---- */

/* Some u32 in a row, each within its limits. */
static bool read_group(oracle *in, unsigned count, const uint32_t *least, const uint32_t *most)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t ignored = 0;
        if (!read_number(in, 4, least[i], most[i], TG_ERR_VALUE_RANGE, &ignored)) {
            return false;
        }
    }
    return true;
}

static bool read_limits(oracle *in)
{
    static const uint32_t least[] = {0, 0, 0, 1};
    static const uint32_t most[] = {8192, 8192, 1048576, UINT32_MAX};
    return read_group(in, 4, least, most);
}

tg_err oracle_judge_welcome(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    static const uint32_t least[] = {1, 1, 1};
    static const uint32_t most[] = {UINT32_MAX, UINT32_MAX, 1000000000};
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x80) && read_no_flags(&in) && skip(&in, 8) && skip(&in, 8) &&
           skip(&in, 8) && skip(&in, 8) && skip(&in, 8) && skip(&in, 4) && skip(&in, 4) &&
           read_group(&in, 3, least, most) && skip(&in, 4) && read_limits(&in));
    return verdict(&in, fault);
}

tg_err oracle_judge_limits(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x04) && read_no_flags(&in) && read_limits(&in));
    return verdict(&in, fault);
}

tg_err oracle_judge_venue_state(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x03) && skip(&in, 1) && skip(&in, 1) && skip(&in, 8));
    return verdict(&in, fault);
}

static bool read_visible(oracle *in, const uint8_t *bytes, size_t from, size_t to, size_t most)
{
    bool good = to > from && to - from <= most;
    for (size_t i = from; i < to; i++) {
        good = good && bytes[i] > ' ' && bytes[i] <= '~';
    }
    return good || oracle_fail(in, TG_ERR_STRING, from);
}

tg_err oracle_judge_token(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0xc3) && read_no_flags(&in) && read_visible(&in, bytes, 2, size, 8192));
    return verdict(&in, fault);
}

tg_err oracle_judge_report(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    uint64_t interval = 0;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x43) && read_no_flags(&in) && skip(&in, 1) &&
           read_number(&in, 4, 1, UINT32_MAX, TG_ERR_VALUE_RANGE, &interval) &&
           read_visible(&in, bytes, 7, size, 16384));
    return verdict(&in, fault);
}

tg_err oracle_judge_token_answer(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    uint64_t accepted = 0;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x05) && read_number(&in, 1, 0, 1, TG_ERR_VALUE_RANGE, &accepted) &&
           skip(&in, 4));
    return verdict(&in, fault);
}

tg_err oracle_judge_echo(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x41) && skip(&in, 8));
    return verdict(&in, fault);
}

tg_err oracle_judge_echo_reply(const uint8_t *bytes, size_t size, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)(read_kind(&in, 0x02) && skip(&in, 8) && skip(&in, 8));
    return verdict(&in, fault);
}

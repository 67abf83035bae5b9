#include "log_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define WIDTH_MAX     1000u /* a file may ask for any width; nobody needs more */
#define PRECISION_MAX 400u
#define STAR          UINT32_MAX
#define NONE          (UINT32_MAX - 1)

static const char hex_digits[] = "0123456789abcdef";

typedef struct format_part {
    const char *literal; /* then a conversion, unless it is 0 */
    uint32_t literal_size;
    uint32_t width;     /* STAR, NONE */
    uint32_t precision; /* STAR, NONE */
    bool left;
    bool zero;
    bool plus;
    bool space;
    bool alternate;
    bool plain;          /* no flag, width, precision or hh, h */
    uint8_t length_bits; /* 8, 16 with hh, h; 0: that of the argument */
    char conversion;
} format_part;

struct tg__format {
    tg__text_buffer level; /* " INFO ", as it stands in a line */
    tg__text_buffer place; /* " orders.c:12 " */
    size_t count;
    format_part parts[];
};

void tg__log_text_deinit(tg__log_text *text)
{
    for (uint32_t id = 0; id <= TG__SITES_MAX; id++) {
        if (text->formats[id] != NULL) {
            tg__text_buffer_deinit(&text->formats[id]->level);
            tg__text_buffer_deinit(&text->formats[id]->place);
        }
        free(text->formats[id]);
        text->formats[id] = NULL;
    }
    tg__text_buffer_deinit(&text->message);
}

const char *tg__log_level_name(uint8_t level)
{
    static const char *const names[TG_RECORD_LEVEL_COUNT] = {"?", "ERROR", "WARN", "INFO",
                                                             "DETAIL"};
    return names[level < TG_RECORD_LEVEL_COUNT ? level : 0];
}

static const char *parse_number(const char *at, const char *end, uint32_t *out)
{
    if (at < end && *at == '*') {
        *out = STAR;
        return at + 1;
    }
    uint32_t value = 0;
    while (at < end && *at >= '0' && *at <= '9') {
        value = value > WIDTH_MAX ? value : value * 10 + (uint32_t)(*at - '0');
        at++;
    }
    *out = value;
    return at;
}

/* Behind the per cent sign; returns behind the conversion. */
static const char *parse_conversion(const char *at, const char *end, format_part *part)
{
    const char *begin = at;
    for (; at < end; at++) {
        if (*at == '-') {
            part->left = true;
        } else if (*at == '0') {
            part->zero = true;
        } else if (*at == '+') {
            part->plus = true;
        } else if (*at == ' ') {
            part->space = true;
        } else if (*at == '#') {
            part->alternate = true;
        } else {
            break;
        }
    }
    at = parse_number(at, end, &part->width);
    part->precision = NONE;
    if (at < end && *at == '.') {
        at = parse_number(at + 1, end, &part->precision);
    }
    while (at < end && strchr("hlLqjzt", *at) != NULL) {
        if (*at == 'h') {
            part->length_bits = part->length_bits == 16 ? 8 : 16;
        }
        at++;
    }
    part->conversion = at < end ? *at++ : '%';
    part->plain =
        at - begin == 1 || (part->width == 0 && part->precision == NONE && part->length_bits == 0 &&
                            !part->zero && !part->plus && !part->space && !part->alternate);
    return at;
}

static void add_base_name(tg__text_buffer *out, const tg__site_info *site)
{
    uint16_t from = site->file_size;
    while (from > 0 && site->file[from - 1] != '/') {
        from--;
    }
    tg__text_add_plain(out, site->file + from, (size_t)(site->file_size - from));
    tg__text_add(out, ":", 1);
    tg__text_add_u64(out, site->line);
}

static tg__format *parse_format(const tg__site_info *site)
{
    size_t capacity = 1;
    for (uint16_t i = 0; i < site->format_size; i++) {
        capacity += site->format[i] == '%';
    }
    tg__format *format = calloc(1, sizeof *format + capacity * sizeof(format_part));
    if (format == NULL) {
        return NULL;
    }
    const char *at = site->format;
    const char *end = at + site->format_size;
    while (at < end) {
        format_part *part = &format->parts[format->count++];
        const char *percent = memchr(at, '%', (size_t)(end - at));
        part->literal = at;
        part->literal_size = (uint32_t)((percent != NULL ? percent : end) - at);
        if (percent == NULL) {
            break;
        }
        at = parse_conversion(percent + 1, end, part);
    }
    tg__text_add_string(&format->level, " ");
    tg__text_add_string(&format->level, tg__log_level_name(site->level));
    tg__text_add_string(&format->level, " ");
    tg__text_add_string(&format->place, " ");
    add_base_name(&format->place, site);
    tg__text_add_string(&format->place, " ");
    return format;
}

/* NULL: no memory. */
static tg__format *format_of(tg__log_text *text, const tg__site_info *site)
{
    tg__format **kept = &text->formats[site->id];
    if (*kept == NULL) {
        *kept = parse_format(site);
    }
    return *kept;
}

void tg__log_arguments(const tg__log_record *record, tg__log_argument *out)
{
    const unsigned char *at = record->arguments;
    for (uint8_t i = 0; i < record->site->argument_count; i++) {
        tg__log_argument *argument = &out[i];
        memset(argument, 0, sizeof *argument);
        argument->type = record->site->types[i];
        switch (argument->type) {
        case TG__TYPE_I32:
            argument->word = (uint64_t)(int64_t)(int32_t)tg__get_u32(at);
            at += 4;
            break;
        case TG__TYPE_U32:
            argument->word = tg__get_u32(at);
            at += 4;
            break;
        case TG__TYPE_TEXT:
        case TG__TYPE_BLOB:
            argument->size = tg__get_u32(at);
            argument->bytes = (const char *)at + 4;
            at += 4 + (size_t)argument->size;
            break;
        case TG__TYPE_DECIMAL:
            argument->word = tg__get_u64(at);
            argument->exponent = (int8_t)at[8];
            at += 9;
            break;
        default:
            argument->word = tg__get_u64(at);
            at += 8;
            break;
        }
    }
}

/* sign, zeros and digits to the asked width. */
static void add_padded(tg__text_buffer *out, const format_part *part, uint32_t width,
                       const char *sign, const char *digits, size_t size)
{
    const size_t length = strlen(sign) + size;
    size_t padding = width != NONE && width > length ? width - length : 0;
    if (!part->left && !part->zero) {
        for (; padding > 0; padding--) {
            tg__text_add(out, " ", 1);
        }
    }
    tg__text_add_string(out, sign);
    if (!part->left) {
        for (; padding > 0; padding--) {
            tg__text_add(out, "0", 1);
        }
    }
    tg__text_add(out, digits, size);
    for (; padding > 0; padding--) {
        tg__text_add(out, " ", 1);
    }
}

static uint64_t cut_to(uint64_t word, unsigned bits)
{
    return bits >= 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static void add_integer(tg__text_buffer *out, const format_part *part, uint32_t width,
                        uint32_t precision, const tg__log_argument *argument)
{
    const unsigned type_bits =
        argument->type == TG__TYPE_I32 || argument->type == TG__TYPE_U32 ? 32 : 64;
    const unsigned bits = part->length_bits != 0 ? part->length_bits : type_bits;
    const bool is_signed = part->conversion == 'd' || part->conversion == 'i';
    uint64_t value = cut_to(argument->word, bits);
    const char *sign = "";
    if (is_signed && (value >> (bits - 1)) != 0) {
        value = cut_to(0 - value, bits);
        sign = "-";
    } else if (is_signed) {
        sign = part->plus ? "+" : part->space ? " " : "";
    }
    const unsigned base = part->conversion == 'x' || part->conversion == 'X' ? 16
                          : part->conversion == 'o'                          ? 8
                                                                             : 10;
    if (part->alternate && base == 16 && value != 0) {
        sign = part->conversion == 'x' ? "0x" : "0X";
    }
    char digits[PRECISION_MAX + 24];
    size_t at = sizeof digits;
    while (value != 0 || (at == sizeof digits && precision != 0)) {
        char digit = hex_digits[base == 10 ? value % 10 : value % base];
        digit = part->conversion == 'X' && digit >= 'a' ? (char)(digit - 'a' + 'A') : digit;
        digits[--at] = digit;
        value = base == 10 ? value / 10 : value / base;
    }
    while (precision != NONE && sizeof digits - at < precision) {
        digits[--at] = '0';
    }
    if (part->alternate && base == 8 && (at == sizeof digits || digits[at] != '0')) {
        digits[--at] = '0';
    }
    format_part plain = *part;
    plain.zero = part->zero && precision == NONE; /* as C has it */
    add_padded(out, &plain, width, sign, digits + at, sizeof digits - at);
}

static void add_double(tg__text_buffer *out, const format_part *part, uint32_t width,
                       uint32_t precision, uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    const char *sign = (word >> 63) != 0 ? "-" : part->plus ? "+" : part->space ? " " : "";
    word &= INT64_MAX;
    memcpy(&value, &word, sizeof value);
    const int digits_after = precision == NONE ? 6 : (int)precision;
    char digits[800]; /* 309 before the point, PRECISION_MAX behind */
    int length;
    switch (part->conversion) {
    case 'e':
        length = snprintf(digits, sizeof digits, "%.*e", digits_after, value);
        break;
    case 'E':
        length = snprintf(digits, sizeof digits, "%.*E", digits_after, value);
        break;
    case 'g':
        length = snprintf(digits, sizeof digits, "%.*g", digits_after, value);
        break;
    case 'G':
        length = snprintf(digits, sizeof digits, "%.*G", digits_after, value);
        break;
    case 'a':
    case 'A':
        length = precision == NONE ? snprintf(digits, sizeof digits, "%a", value)
                                   : snprintf(digits, sizeof digits, "%.*a", digits_after, value);
        break;
    default:
        length = snprintf(digits, sizeof digits, "%.*f", digits_after, value);
        break;
    }
    char *comma = strchr(digits, ','); /* a tool runs in the C locale, a host may not */
    if (comma != NULL) {
        *comma = '.';
    }
    format_part plain = *part;
    plain.zero = part->zero && isfinite(value);
    add_padded(out, &plain, width, sign, digits, length > 0 ? (size_t)length : 0);
}

static void add_decimal_text(tg__text_buffer *out, const format_part *part, uint32_t width,
                             const tg__log_argument *argument)
{
    const tg_decimal value = {(int64_t)argument->word, argument->exponent};
    char digits[TG_DECIMAL_TEXT_SIZE + 32];
    if (tg_decimal_format(value, digits, sizeof digits) != TG_OK) {
        (void)snprintf(digits, sizeof digits, "%" PRId64 "e%d", value.mantissa, value.exponent);
    }
    const bool negative = digits[0] == '-';
    const char *sign = negative ? "-" : part->plus ? "+" : part->space ? " " : "";
    const char *begin = digits + (negative ? 1 : 0);
    add_padded(out, part, width, sign, begin, strlen(begin));
}

static void add_hex(tg__text_buffer *out, const char *bytes, uint32_t size)
{
    char *at = tg__text_room(out, (size_t)size * 2);
    if (at == NULL) {
        return;
    }
    for (uint32_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        at[2 * (size_t)i] = hex_digits[byte >> 4];
        at[2 * (size_t)i + 1] = hex_digits[byte & 15];
    }
    out->size += (size_t)size * 2;
}

static void add_text(tg__text_buffer *out, const format_part *part, uint32_t width,
                     uint32_t precision, const tg__log_argument *argument)
{
    const uint32_t size =
        precision != NONE && precision < argument->size ? precision : argument->size;
    const size_t padding = width != NONE && width > size ? width - size : 0;
    for (size_t i = 0; i < padding && !part->left; i++) {
        tg__text_add(out, " ", 1);
    }
    tg__text_add(out, argument->bytes, size);
    for (size_t i = 0; i < padding && part->left; i++) {
        tg__text_add(out, " ", 1);
    }
}

static bool is_integer(uint8_t type)
{
    return type >= TG__TYPE_I32 && type <= TG__TYPE_U64;
}

/* The argument by its own type where the conversion does not fit, so that nothing is hidden. */
static void add_argument(tg__text_buffer *out, const format_part *part, uint32_t width,
                         uint32_t precision, const tg__log_argument *argument)
{
    const char as = part->conversion;
    if (is_integer(argument->type) && as == 'c') {
        const char byte = (char)(unsigned char)argument->word;
        const tg__log_argument text = {.bytes = &byte, .size = 1};
        add_text(out, part, width, NONE, &text);
    } else if (is_integer(argument->type)) {
        add_integer(out, part, width, precision, argument);
    } else if (argument->type == TG__TYPE_F64) {
        add_double(out, part, width, precision, argument->word);
    } else if (argument->type == TG__TYPE_DECIMAL) {
        add_decimal_text(out, part, width, argument);
    } else if (argument->type == TG__TYPE_BLOB) {
        add_hex(out, argument->bytes, argument->size);
    } else {
        add_text(out, part, width, precision, argument);
    }
}

/* The usual case without its cost; false if it is another one. */
static bool add_plain_number(tg__text_buffer *out, const format_part *part,
                             const tg__log_argument *argument)
{
    if (part->conversion == 'd' &&
        (argument->type == TG__TYPE_I32 || argument->type == TG__TYPE_I64)) {
        tg__text_add_i64(out, (int64_t)argument->word);
        return true;
    }
    if (part->conversion == 'u' &&
        (argument->type == TG__TYPE_U32 || argument->type == TG__TYPE_U64)) {
        tg__text_add_u64(out, argument->word);
        return true;
    }
    return false;
}

static uint32_t resolve(uint32_t asked, uint32_t most, const tg__log_argument *arguments,
                        uint8_t count, uint8_t *next, bool *left)
{
    if (asked == NONE) {
        return NONE;
    }
    int64_t value = asked;
    if (asked == STAR) {
        value = *next < count ? (int64_t)arguments[(*next)++].word : 0;
        if (left != NULL && value < 0) {
            *left = true;
            value = value < -(int64_t)most ? most : -value;
        } else if (value < 0) {
            return NONE; /* C: a negative precision is none */
        }
    }
    return value > (int64_t)most ? most : (uint32_t)value;
}

static bool is_loss(const tg__site_info *site)
{
    return (site->id == TG__SITE_DROPPED || site->id == TG__SITE_OVERWRITTEN) &&
           site->argument_count == 4;
}

/* The markers carry stamps as they were recorded: here they become times. */
static void add_loss(const tg__log_record *record, const tg__log_argument *arguments,
                     tg__text_buffer *out)
{
    /* Its own view of the anchors: text is made on several threads, and a look-up leaves traces. */
    const tg__time_map *all = &record->file->times;
    tg__time_map own = {
        .anchors = all->anchors, .count = all->count, .clock_kind = all->clock_kind};
    tg__time_map *times = &own;
    tg__text_add_u64(out, arguments[0].word);
    tg__text_add_string(out, record->site->id == TG__SITE_DROPPED
                                 ? " records dropped, "
                                 : " oldest records overwritten, ");
    tg__text_add_u64(out, arguments[1].word);
    tg__text_add_string(out, " so far, from ");
    tg__text_add_utc(out, tg__time_map_utc(times, tg__time_map_mono(times, arguments[2].word)),
                     NULL);
    tg__text_add_string(out, " to ");
    tg__text_add_utc(out, tg__time_map_utc(times, tg__time_map_mono(times, arguments[3].word)),
                     NULL);
}

tg_err tg__log_text_message(tg__log_text *text, const tg__log_record *record, tg__text_buffer *out)
{
    const tg__format *format = format_of(text, record->site);
    TG_ENSURE(format != NULL, TG_ERR_NO_MEMORY);
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    tg__log_arguments(record, arguments);
    if (is_loss(record->site)) {
        add_loss(record, arguments, out);
        return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
    }
    const uint8_t count = record->site->argument_count;
    uint8_t next = 0;
    for (size_t i = 0; i < format->count; i++) {
        const format_part *kept_part = &format->parts[i];
        tg__text_add(out, kept_part->literal, kept_part->literal_size);
        if (kept_part->conversion == 0) {
            continue;
        }
        if (kept_part->plain && next < count &&
            add_plain_number(out, kept_part, &arguments[next])) {
            next++;
            continue;
        }
        format_part part = *kept_part;
        if (part.conversion == '%') {
            tg__text_add(out, "%", 1);
            continue;
        }
        const uint32_t width = resolve(part.width, WIDTH_MAX, arguments, count, &next, &part.left);
        const uint32_t precision =
            resolve(part.precision, PRECISION_MAX, arguments, count, &next, NULL);
        if (next < count) {
            add_argument(out, &part, width, precision, &arguments[next++]);
        } else {
            tg__text_add_string(out, "<no argument>");
        }
    }
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

/* The thread's name, or its number. */
static void add_thread(tg__text_buffer *out, const tg__log_record *record)
{
    const char *name = record->thread_name;
    if (name[0] != '\0') {
        tg__text_add_plain(out, name, strlen(name));
    } else {
        tg__text_add_string(out, "thread-");
        tg__text_add_u64(out, record->thread);
    }
}

tg_err tg__log_text_line(tg__log_text *text, const tg__log_record *record, tg__text_buffer *out)
{
    const tg__format *format = format_of(text, record->site);
    TG_ENSURE(format != NULL && !format->level.failed && !format->place.failed, TG_ERR_NO_MEMORY);
    tg__text_add_utc(out, record->utc_ns, &text->second);
    tg__text_add(out, format->level.bytes, format->level.size);
    add_thread(out, record);
    tg__text_add(out, format->place.bytes, format->place.size);
    text->message.size = 0;
    TG_TRY(tg__log_text_message(text, record, &text->message));
    tg__text_add_plain(out, text->message.bytes, text->message.size);
    tg__text_add(out, "\n", 1);
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

static void add_json_argument(tg__text_buffer *out, const tg__log_argument *argument)
{
    static const format_part plain = {.width = NONE, .precision = NONE, .conversion = 'g'};
    switch (argument->type) {
    case TG__TYPE_I32:
    case TG__TYPE_I64:
        tg__text_add_i64(out, (int64_t)argument->word);
        break;
    case TG__TYPE_F64: {
        double value;
        memcpy(&value, &argument->word, sizeof value);
        if (isfinite(value)) {
            add_double(out, &plain, NONE, 17, argument->word);
        } else {
            tg__text_add_string(out, isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
        }
        break;
    }
    case TG__TYPE_DECIMAL: /* as a string: a price must not become a double on its way */
        tg__text_add(out, "\"", 1);
        add_decimal_text(out, &plain, NONE, argument);
        tg__text_add(out, "\"", 1);
        break;
    case TG__TYPE_TEXT:
        tg__text_add_json(out, argument->bytes, argument->size);
        break;
    case TG__TYPE_BLOB:
        tg__text_add(out, "\"", 1);
        add_hex(out, argument->bytes, argument->size);
        tg__text_add(out, "\"", 1);
        break;
    default:
        tg__text_add_u64(out, argument->word);
        break;
    }
}

tg_err tg__log_text_json(tg__log_text *text, const tg__log_record *record, tg__text_buffer *out)
{
    const tg__site_info *site = record->site;
    tg__text_add_string(out, "{\"utc\":\"");
    tg__text_add_utc(out, record->utc_ns, &text->second);
    tg__text_add_string(out, "\",\"utc_ns\":");
    tg__text_add_i64(out, record->utc_ns);
    tg__text_add_string(out, ",\"mono_ns\":");
    tg__text_add_i64(out, record->mono_ns);
    tg__text_add_string(out, ",\"level\":\"");
    tg__text_add_string(out, tg__log_level_name(site->level));
    tg__text_add_string(out, "\",\"thread\":");
    tg__text_add_u64(out, record->thread);
    tg__text_add_string(out, ",\"name\":");
    const char *name = record->thread_name;
    tg__text_add_json(out, name, strlen(name));
    tg__text_add_string(out, ",\"file\":");
    tg__text_add_json(out, site->file, site->file_size);
    tg__text_add_string(out, ",\"line\":");
    tg__text_add_u64(out, site->line);
    tg__text_add_string(out, ",\"format\":");
    tg__text_add_json(out, site->format, site->format_size);
    tg__text_add_string(out, ",\"args\":[");
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    tg__log_arguments(record, arguments);
    for (uint8_t i = 0; i < site->argument_count; i++) {
        if (i != 0) {
            tg__text_add(out, ",", 1);
        }
        add_json_argument(out, &arguments[i]);
    }
    tg__text_add_string(out, "],\"text\":");
    text->message.size = 0;
    TG_TRY(tg__log_text_message(text, record, &text->message));
    tg__text_add_json(out, text->message.bytes, text->message.size);
    tg__text_add_string(out, "}\n");
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

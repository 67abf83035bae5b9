#include <tickglass/internal/text_buffer.h>

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 4096u
#define NS_PER_SECOND  INT64_C(1000000000)
#define DAY_SECONDS    INT64_C(86400)

static const char hex_digits[] = "0123456789abcdef";

void tg__text_buffer_deinit(tg__text_buffer *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

char *tg__text_grow(tg__text_buffer *text, size_t size)
{
    size_t capacity = text->capacity == 0 ? FIRST_CAPACITY : text->capacity;
    while (capacity - text->size < size) {
        capacity *= 2;
    }
    char *larger = realloc(text->bytes, capacity);
    if (larger == NULL) {
        text->failed = true;
        return NULL;
    }
    text->bytes = larger;
    text->capacity = capacity;
    return text->bytes + text->size;
}

void tg__text_add_string(tg__text_buffer *text, const char *string)
{
    tg__text_add(text, string, strlen(string));
}

/* 00 to 99: halves the divisions. */
static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "6869707172737475767778798081828384858687888990919293949596979899";

static unsigned digits_of(uint64_t value)
{
    unsigned count = 1;
    for (; value >= 10000; value /= 10000) {
        count += 4;
    }
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

void tg__text_add_u64(tg__text_buffer *text, uint64_t value)
{
    char *begin = tg__text_room(text, 20);
    if (begin == NULL) {
        return;
    }
    const unsigned count = digits_of(value);
    char *at = begin + count;
    while (value >= 100) {
        at -= 2;
        memcpy(at, digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        memcpy(at - 2, digit_pairs + value * 2, 2);
    } else {
        at[-1] = (char)('0' + value);
    }
    text->size += count;
}

void tg__text_add_i64(tg__text_buffer *text, int64_t value)
{
    if (value < 0) {
        tg__text_add(text, "-", 1);
    }
    tg__text_add_u64(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* The next byte from `from` on that a line of text cannot hold, or size. */
static size_t find_control(const char *bytes, size_t from, size_t size)
{
    size_t at = from;
    for (; size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        const uint64_t del = word ^ EACH_BYTE(0x7f);
        const uint64_t below_space = (word - EACH_BYTE(0x20)) & ~word;
        const uint64_t is_del = (del - EACH_BYTE(0x01)) & ~del;
        if (((below_space | is_del) & EACH_BYTE(0x80)) != 0) {
            break; /* one of these eight */
        }
    }
    for (; at < size; at++) {
        const unsigned char byte = (unsigned char)bytes[at];
        if (byte < 0x20 || byte == 0x7f) {
            break;
        }
    }
    return at;
}

void tg__text_add_plain(tg__text_buffer *text, const char *bytes, size_t size)
{
    size_t clean = 0;
    for (;;) {
        const size_t at = find_control(bytes, clean, size);
        tg__text_add(text, bytes + clean, at - clean);
        if (at == size) {
            return;
        }
        const unsigned char byte = (unsigned char)bytes[at];
        const char escaped[] = {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
        tg__text_add(text, escaped, sizeof escaped);
        clean = at + 1;
    }
}

/* Length of the UTF-8 sequence at bytes, 0 if it is not one (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *bytes, size_t size)
{
    const unsigned char first = bytes[0];
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
        (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f)) {
        return 0;
    }
    return length;
}

void tg__text_add_json(tg__text_buffer *text, const char *bytes, size_t size)
{
    tg__text_add(text, "\"", 1);
    for (size_t i = 0; i < size;) {
        const unsigned char byte = (unsigned char)bytes[i];
        const size_t length = utf8_length((const unsigned char *)bytes + i, size - i);
        if (length == 0) {
            tg__text_add(text, "\xef\xbf\xbd", 3);
            i++;
        } else if (byte == '"' || byte == '\\') {
            const char escaped[] = {'\\', (char)byte};
            tg__text_add(text, escaped, sizeof escaped);
            i++;
        } else if (byte < 0x20 || byte == 0x7f) {
            const char escaped[] = {
                '\\', 'u', '0', '0', hex_digits[byte >> 4], hex_digits[byte & 15]};
            tg__text_add(text, escaped, sizeof escaped);
            i++;
        } else {
            tg__text_add(text, bytes + i, length);
            i += length;
        }
    }
    tg__text_add(text, "\"", 1);
}

static void put_digits(char *at, int64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* Year, month and day of a day number since 1970-01-01, proleptic Gregorian. Counted in eras of 400
 * years that begin on 1 March, so that the leap day is the last of its year. */
static void civil_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    const int64_t shifted = days + 719468; /* days from 0000-03-01 to 1970-01-01 */
    const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const int64_t of_era = shifted - era * 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted_month = (5 * of_year + 2) / 153;
    *day = of_year - (153 * shifted_month + 2) / 5 + 1;
    *month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    *year = year_of_era + era * 400 + (*month <= 2 ? 1 : 0);
}

static void write_second(int64_t seconds, char *at)
{
    int64_t days = seconds / DAY_SECONDS;
    int64_t of_day = seconds % DAY_SECONDS;
    if (of_day < 0) {
        of_day += DAY_SECONDS;
        days--;
    }
    int64_t year;
    int64_t month;
    int64_t day;
    civil_from_days(days, &year, &month, &day); /* 64-bit ns reach from 1677 to 2262 */
    memcpy(at, "0000-00-00T00:00:00.", 20);
    put_digits(at, year, 4);
    put_digits(at + 5, month, 2);
    put_digits(at + 8, day, 2);
    put_digits(at + 11, of_day / 3600, 2);
    put_digits(at + 14, of_day / 60 % 60, 2);
    put_digits(at + 17, of_day % 60, 2);
}

void tg__text_add_utc(tg__text_buffer *text, int64_t utc_ns, tg__utc_second *last)
{
    char *at = tg__text_room(text, 30);
    if (at == NULL) {
        return;
    }
    int64_t seconds = utc_ns / NS_PER_SECOND;
    int64_t ns = utc_ns % NS_PER_SECOND;
    if (ns < 0) {
        ns += NS_PER_SECOND;
        seconds--;
    }
    tg__utc_second own = {.known = false};
    tg__utc_second *second = last != NULL ? last : &own;
    if (!second->known || second->seconds != seconds) {
        write_second(seconds, second->text);
        second->seconds = seconds;
        second->known = true;
    }
    memcpy(at, second->text, 20);
    uint32_t rest = (uint32_t)ns;
    at[28] = (char)('0' + rest % 10);
    rest /= 10;
    for (int i = 26; i >= 20; i -= 2) {
        memcpy(at + i, digit_pairs + rest % 100 * 2, 2);
        rest /= 100;
    }
    at[29] = 'Z';
    text->size += 30;
}

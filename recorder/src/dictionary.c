#include "dictionary.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"

#define ENTRY_HEADER 18u

size_t tg__site_encode(const tg__site_info *site, unsigned char *out, size_t capacity)
{
    const size_t exact =
        ENTRY_HEADER + (size_t)site->argument_count + site->file_size + site->format_size;
    const size_t size = (exact + 7u) & ~(size_t)7u;
    if (size > capacity || site->format_size > TG__SITE_FORMAT_MAX ||
        site->file_size > TG__SITE_FILE_MAX || site->argument_count > TG_RECORD_ARGUMENTS_MAX) {
        return 0;
    }
    memset(out, 0, size);
    tg__put_u32(out, (uint32_t)size);
    tg__put_u32(out + 4, site->id);
    tg__put_u32(out + 8, site->line);
    out[12] = site->level;
    out[13] = site->argument_count;
    tg__put_u16(out + 14, site->file_size);
    tg__put_u16(out + 16, site->format_size);
    unsigned char *at = out + ENTRY_HEADER;
    memcpy(at, site->types, site->argument_count);
    at += site->argument_count;
    memcpy(at, site->file, site->file_size);
    at += site->file_size;
    memcpy(at, site->format, site->format_size);
    return size;
}

tg_err tg__site_decode(const unsigned char *bytes, size_t available, tg__site_info *out,
                       size_t *size)
{
    TG_ENSURE(available >= ENTRY_HEADER, TG_ERR_CORRUPT);
    const uint32_t entry_size = tg__get_u32(bytes);
    TG_ENSURE(entry_size <= available && entry_size % 8 == 0, TG_ERR_CORRUPT);
    out->id = tg__get_u32(bytes + 4);
    out->line = tg__get_u32(bytes + 8);
    out->level = bytes[12];
    out->argument_count = bytes[13];
    out->file_size = tg__get_u16(bytes + 14);
    out->format_size = tg__get_u16(bytes + 16);
    TG_ENSURE(out->id >= 1 && out->id <= TG__SITES_MAX, TG_ERR_CORRUPT);
    TG_ENSURE(out->level >= 1 && out->level < TG_RECORD_LEVEL_COUNT, TG_ERR_CORRUPT);
    TG_ENSURE(out->argument_count <= TG_RECORD_ARGUMENTS_MAX, TG_ERR_CORRUPT);
    TG_ENSURE(out->file_size <= TG__SITE_FILE_MAX && out->format_size <= TG__SITE_FORMAT_MAX,
              TG_ERR_CORRUPT);
    const size_t exact =
        ENTRY_HEADER + (size_t)out->argument_count + out->file_size + out->format_size;
    TG_ENSURE(((exact + 7u) & ~(size_t)7u) == entry_size, TG_ERR_CORRUPT);
    out->types = bytes + ENTRY_HEADER;
    out->file = (const char *)(out->types + out->argument_count);
    out->format = out->file + out->file_size;
    out->nibble_count = 0;
    out->has_bytes = false;
    for (uint8_t i = 0; i < out->argument_count; i++) {
        TG_ENSURE(out->types[i] >= TG__TYPE_I32 && out->types[i] <= TG__TYPE_BLOB, TG_ERR_CORRUPT);
        out->nibble_count =
            (uint8_t)(out->nibble_count + (out->types[i] == TG__TYPE_DECIMAL ? 2 : 1));
        out->has_bytes =
            out->has_bytes || out->types[i] == TG__TYPE_TEXT || out->types[i] == TG__TYPE_BLOB;
    }
    *size = entry_size;
    return TG_OK;
}

bool tg__site_arguments_fit(const tg__site_info *site, const unsigned char *arguments, size_t size,
                            size_t *used)
{
    size_t at = 0;
    for (uint8_t i = 0; i < site->argument_count; i++) {
        size_t need = 8;
        if (site->types[i] == TG__TYPE_I32 || site->types[i] == TG__TYPE_U32) {
            need = 4;
        } else if (site->types[i] == TG__TYPE_DECIMAL) {
            need = 9;
        } else if (site->types[i] == TG__TYPE_TEXT || site->types[i] == TG__TYPE_BLOB) {
            if (size - at < 4) {
                return false;
            }
            need = 4 + (size_t)tg__get_u32(arguments + at);
        }
        if (size - at < need) {
            return false;
        }
        at += need;
    }
    *used = at;
    return true;
}

#include "font_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/crc32c.h>

#define NAME_MAX_BYTES 60

tg_err tg__font_file_identify(const char *file, char text[TG__FONT_FILE_TEXT_SIZE])
{
    if (file == NULL) {
        (void)strcpy(text, "-");
        return TG_OK;
    }
    text[0] = '\0';
    FILE *from = fopen(file, "rb");
    TG_ENSURE(from != NULL, TG_ERR_IO);
    unsigned char bytes[16384];
    uint64_t size = 0;
    uint32_t crc = 0;
    size_t got = 0;
    while ((got = fread(bytes, 1, sizeof bytes, from)) > 0) {
        crc = tg__crc32c(crc, bytes, got);
        size += got;
    }
    const bool whole = ferror(from) == 0;
    (void)fclose(from);
    TG_ENSURE(whole, TG_ERR_IO);
    const char *slash = strrchr(file, '/');
    (void)snprintf(text, TG__FONT_FILE_TEXT_SIZE, "%.*s %" PRIu64 " %08" PRIx32, NAME_MAX_BYTES,
                   slash != NULL ? slash + 1 : file, size, crc);
    return TG_OK;
}

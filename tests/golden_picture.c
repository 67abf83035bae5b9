#include "golden_picture.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/crc32c.h>

#include "tg_cmocka.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_FAILURE_STRINGS
#include <stb/stb_image.h>

#define FILE_MAX 1048576

typedef struct file_bytes {
    char *bytes; /* with a NUL behind them */
    size_t size;
} file_bytes;

static file_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is missing", path);
    }
    file_bytes read = {calloc(1, FILE_MAX + 1), 0};
    assert_non_null(read.bytes);
    read.size = fread(read.bytes, 1, FILE_MAX, file);
    assert_true(read.size < FILE_MAX);
    (void)fclose(file);
    return read;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int writes_anew(void)
{
    return getenv("TG_GOLDEN_WRITE") != NULL;
}

void golden_expect_text(const char *golden_file, const char *text)
{
    if (writes_anew()) {
        write_file(golden_file, text, strlen(text));
    }
    const file_bytes golden = read_file(golden_file);
    assert_string_equal(text, golden.bytes);
    free(golden.bytes);
}

static void expect_same_pixels(const char *golden_file, const char *picture_file)
{
    int size[2][2];
    int channels = 0;
    uint8_t *golden = stbi_load(golden_file, &size[0][0], &size[0][1], &channels, 3);
    uint8_t *picture = stbi_load(picture_file, &size[1][0], &size[1][1], &channels, 3);
    assert_non_null(golden);
    assert_non_null(picture);
    assert_memory_equal(size[0], size[1], sizeof size[0]);
    const int count = size[0][0] * size[0][1];
    for (int i = 0; i < count; i++) {
        if (memcmp(golden + i * 3, picture + i * 3, 3) != 0) {
            fail_msg("pixel %d, %d differs from %s", i % size[0][0], i / size[0][0], golden_file);
        }
    }
    stbi_image_free(golden);
    stbi_image_free(picture);
}

/* The whole font file counts, in pieces: it may be larger than other files here. */
static unsigned font_checksum(const char *font_file)
{
    FILE *file = fopen(font_file, "rb");
    assert_non_null(file);
    uint32_t crc = 0;
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) {
        crc = tg__crc32c(crc, block, n);
    }
    (void)fclose(file);
    return crc;
}

void golden_expect_picture(const char *golden_file, const char *picture_file, const char *font_file,
                           const char *pin)
{
    char pin_file[512];
    char full_pin[256];
    (void)snprintf(pin_file, sizeof pin_file, "%s.pin", golden_file);
    (void)snprintf(full_pin, sizeof full_pin, "font crc32c %08x, %s\n", font_checksum(font_file),
                   pin);
    if (writes_anew()) {
        const file_bytes picture = read_file(picture_file);
        write_file(golden_file, picture.bytes, picture.size);
        write_file(pin_file, full_pin, strlen(full_pin));
        free(picture.bytes);
    }
    const file_bytes made_with = read_file(pin_file);
    if (strcmp(made_with.bytes, full_pin) == 0) {
        expect_same_pixels(golden_file, picture_file);
    } else {
        print_message("SKIP the picture %s\n  made with: %s  here:      %s", golden_file,
                      made_with.bytes, full_pin);
    }
    free(made_with.bytes);
}

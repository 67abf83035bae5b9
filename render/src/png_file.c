#include "png_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

typedef struct target {
    FILE *file;
    bool failed;
} target;

static void write_bytes(void *ctx, void *bytes, int size)
{
    target *to = ctx;
    if (!to->failed && fwrite(bytes, 1, (size_t)size, to->file) != (size_t)size) {
        to->failed = true;
    }
}

static uint8_t *rgb_of(const tg__canvas *canvas)
{
    uint8_t *rgb = malloc((size_t)canvas->width * (size_t)canvas->height * 3);
    if (rgb == NULL) {
        return NULL;
    }
    uint8_t *at = rgb;
    for (int y = 0; y < canvas->height; y++) {
        const uint32_t *line = canvas->pixels + (size_t)y * canvas->stride;
        for (int x = 0; x < canvas->width; x++) {
            *at++ = (uint8_t)(line[x] >> 16 & 0xff);
            *at++ = (uint8_t)(line[x] >> 8 & 0xff);
            *at++ = (uint8_t)(line[x] & 0xff);
        }
    }
    return rgb;
}

static tg_err write_file(const char *path, const tg__canvas *canvas, const uint8_t *rgb)
{
    target to = {fopen(path, "wb"), false};
    TG_ENSURE(to.file != NULL, TG_ERR_IMAGE);
    const int ok = stbi_write_png_to_func(write_bytes, &to, canvas->width, canvas->height, 3, rgb,
                                          canvas->width * 3);
    const bool closed = fclose(to.file) == 0;
    return ok != 0 && !to.failed && closed ? TG_OK : TG_ERR_IMAGE;
}

tg_err tg__png_write(const char *path, const tg__canvas *canvas)
{
    TG_ENSURE(path != NULL && canvas != NULL, TG_ERR_INVALID_ARGUMENT);
    static const char suffix[] = ".part";
    const size_t length = strlen(path);
    char *part = malloc(length + sizeof suffix);
    uint8_t *rgb = rgb_of(canvas);
    tg_err err = TG_ERR_NO_MEMORY;
    if (part != NULL && rgb != NULL) {
        memcpy(part, path, length);
        memcpy(part + length, suffix, sizeof suffix);
        err = write_file(part, canvas, rgb);
        if (err == TG_OK && rename(part, path) != 0) {
            err = TG_ERR_IMAGE;
        }
        if (err != TG_OK) {
            const int why = errno;
            (void)remove(part);
            errno = why;
        }
    }
    free(rgb);
    free(part);
    return err;
}

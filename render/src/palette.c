#include <tickglass/palette.h>

#include <stddef.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* clang-format off */
#define NEUTRAL                                                                                    \
    .background = 0x0e1116, .bar = 0x171c24, .selected = 0x1f2937, .text = 0xd7dde5,               \
    .label = 0x8a94a3, .faint = 0x5b6573, .stale = 0x747c87, .warning = 0xe3b341, .bad = 0xf0766d
#define BLUE_RISES  .up = 0x6cb6ff, .up_flash = 0x1d4f91, .up_fading = 0x16304f
#define ORANGE_FALLS .down = 0xf0a35e, .down_flash = 0x8a4a12, .down_fading = 0x4a2c14
/* clang-format on */

static const tg_palette palettes[] = {
    {.name = "blue-orange", NEUTRAL, .good = 0x6cb6ff, BLUE_RISES, ORANGE_FALLS},
    {.name = "green-red",
     NEUTRAL,
     .good = 0x56c271,
     .up = 0x56c271,
     .up_flash = 0x1c6b36,
     .up_fading = 0x163d26,
     .down = 0xf0766d,
     .down_flash = 0x8f2a24,
     .down_fading = 0x4d201d},
    {.name = "red-up",
     NEUTRAL,
     .good = 0x6cb6ff,
     .up = 0xf0766d,
     .up_flash = 0x8f2a24,
     .up_fading = 0x4d201d,
     .down = 0x56c271,
     .down_flash = 0x1c6b36,
     .down_fading = 0x163d26},
};

tg_err tg_palette_find(const char *name, const tg_palette **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    if (name == NULL) {
        *out = &palettes[0];
        return TG_OK;
    }
    for (size_t i = 0; i < sizeof palettes / sizeof palettes[0]; i++) {
        if (strcmp(palettes[i].name, name) == 0) {
            *out = &palettes[i];
            return TG_OK;
        }
    }
    return TG_ERR_NOT_FOUND;
}

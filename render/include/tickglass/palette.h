/** Colours by meaning. No palette says a direction by colour alone: arrows go with it. */
#ifndef TICKGLASS_PALETTE_H
#define TICKGLASS_PALETTE_H

#include <stdint.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

/** 0xRRGGBB each. */
typedef struct tg_palette {
    const char *name;
    uint32_t background;
    uint32_t bar;      /**< background of header and footer */
    uint32_t selected; /**< background of the selected row */
    uint32_t text;
    uint32_t label; /**< what names a value */
    uint32_t faint; /**< what matters least */
    uint32_t stale; /**< values that may be old */
    uint32_t good;
    uint32_t warning;
    uint32_t bad;
    uint32_t up;
    uint32_t down;
    uint32_t up_flash; /**< background just after a rise, then the weaker one */
    uint32_t up_fading;
    uint32_t down_flash;
    uint32_t down_fading;
} tg_palette;

/**
 * "blue-orange" (the default; told apart with every common colour blindness), "green-red",
 * "red-up" (red rises, green falls, as in East Asia).
 *
 * @param[in]  name  NULL: the default
 * @retval TG_ERR_NOT_FOUND  no palette of that name
 * Thread: any.  Blocks: no.  Owner of *out: the library (static).  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_palette_find(const char *name, const tg_palette **out);

TG_END_DECLS

#endif

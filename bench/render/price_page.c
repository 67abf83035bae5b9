#include "price_page.h"

#include <inttypes.h>
#include <stdio.h>

#include <tickglass/palette.h>

static uint32_t random_below(price_page *page, uint32_t limit)
{
    page->random_state =
        page->random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((page->random_state >> 33) % limit);
}

static const tg_palette *usual_palette(void)
{
    const tg_palette *palette = NULL;
    (void)!tg_palette_find(NULL, &palette);
    return palette;
}

static void set_price(price_page *page, size_t index, int64_t price, uint32_t background)
{
    page_field *field = &page->fields[index];
    page->prices[index] = price;
    (void)snprintf(field->text, sizeof field->text, "%" PRId64 ".%02" PRId64, price / 100,
                   price % 100);
    field->background = background;
    field->changed = true;
}

void page_init(price_page *page, uint64_t seed)
{
    const tg_palette *palette = usual_palette();
    *page = (price_page){.random_state = seed};
    for (size_t i = 0; i < page_fields; i++) {
        page->fields[i].foreground = palette->text;
        set_price(page, i, 1000 + random_below(page, 9900000), palette->background);
    }
}

void page_change(price_page *page, size_t count)
{
    const tg_palette *palette = usual_palette();
    for (size_t i = 0; i < page_fields; i++) {
        page->fields[i].changed = false;
    }
    for (size_t left = count; left > 0;) {
        const size_t index = count == page_fields ? left - 1 : random_below(page, page_fields);
        if (page->fields[index].changed) {
            continue;
        }
        const int64_t step = 1 + random_below(page, 9);
        const bool up = page->prices[index] < 1000 || random_below(page, 2) == 0;
        set_price(page, index, page->prices[index] + (up ? step : -step),
                  up ? palette->up_flash : palette->down_flash);
        left--;
    }
}

#include "row_look.h"

#include <string.h>

#define NS_PER_S INT64_C(1000000000)

static void take_price(price_look *look, const watch_price *price, int64_t now_mono_ns)
{
    const flash_phase phase = watch_price_phase(price, now_mono_ns);
    look->direction = (int8_t)price->direction;
    look->phase = (uint8_t)phase;
    look->before = phase != FLASH_NONE ? price->before : 0;
}

/* Both come from buffers of that size. */
static void take_name(char *to, size_t size, const char *name)
{
    const size_t length = strnlen(name, size - 1);
    memcpy(to, name, length);
}

void row_look_of(const watch_row *watch, const watch_view *view, int64_t now_mono_ns, row_look *out)
{
    memset(out, 0, sizeof *out);
    take_name(out->venue, sizeof out->venue, view->venue);
    take_name(out->symbol, sizeof out->symbol, view->symbol);
    out->word = view->word;
    out->selected = view->selected;
    out->alarmed = view->alarmed;
    take_price(&out->price[0], &watch->bid, now_mono_ns);
    take_price(&out->price[1], &watch->ask, now_mono_ns);
    take_price(&out->price[2], &watch->last, now_mono_ns);
    if (view->instrument != NULL) {
        out->has_instrument = true;
        out->price_format = (int)view->instrument->price_format;
        out->price_exponent = view->instrument->price_exponent;
        out->quantity_exponent = view->instrument->quantity_exponent;
    }
    if (view->row != NULL) {
        out->has_row = true;
        out->image = view->row->image;
        out->quality = (int)view->row->quality;
        out->age_s = view->row->age_ns < 0 ? -1 : view->row->age_ns / NS_PER_S;
    }
}

bool row_look_equal(const row_look *a, const row_look *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

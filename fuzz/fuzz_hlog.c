/*
 * Histograms of other programs: any bytes as a base64 text, and, because few mutations stay base64
 * or keep a checksum, as a zlib stream. What is accepted must come back from our own form.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/hlog.h>

#include "histogram_slots.h"
#include "inflate.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_histogram(const tg_histogram *histogram)
{
    tg__text_buffer text = {NULL, 0, 0, false};
    tg_histogram *again = NULL;
    require(tg__hlog_encode(histogram, &text) == TG_OK);
    require(tg__hlog_decode(text.bytes, text.size, &again) == TG_OK);
    tg_histogram_summary before;
    tg_histogram_summary after;
    tg_histogram_summary_get(histogram, &before);
    tg_histogram_summary_get(again, &after);
    /* A table of carries that is full before may have room after. */
    require(before.saturated != 0 || after.saturated != 0 || before.count == after.count);
    tg_histogram_close(again);
    tg__text_buffer_deinit(&text);
}

/* Into a histogram that is there: what fits comes out as it does on its own. */
static void check_bounded(const uint8_t *data, size_t size)
{
    static unsigned char scratch[1 << 16];
    static tg_histogram *into;
    tg_histogram_options options;
    tg_histogram_options_init(&options);
    options.lowest = 1;
    require(into != NULL || tg_histogram_open(&options, &into) == TG_OK);
    tg_histogram_summary bounded;
    const tg_err err =
        tg__hlog_decode_into((const char *)data, size, scratch, sizeof scratch, 1000000, into);
    tg_histogram_summary_get(into, &bounded);
    require(bounded.count <= 1000000 && bounded.saturated == 0);
    require(err == TG_OK || bounded.count == 0);
    if (err == TG_OK) {
        tg_histogram *own = NULL;
        tg_histogram_summary free_form;
        require(tg__hlog_decode((const char *)data, size, &own) == TG_OK);
        tg_histogram_summary_get(own, &free_form);
        require(free_form.count == bounded.count && free_form.min == bounded.min &&
                free_form.max == bounded.max);
        tg_histogram_close(own);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char out[1 << 16];
    size_t out_size = 0;
    if (tg__zlib_read(data, size, out, sizeof out, &out_size) == TG_OK) {
        require(out_size <= sizeof out);
    }
    check_bounded(data, size);
    tg_histogram *histogram = NULL;
    if (tg__hlog_decode((const char *)data, size, &histogram) == TG_OK) {
        check_histogram(histogram);
    }
    tg_histogram_close(histogram);
    return 0;
}

#include <tickglass/histogram_form.h>

#include <stdbool.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/hlog.h>

#include "histogram_slots.h"
#include "histogram_snapshot.h"

tg_err tg_histogram_pack(const tg_histogram *histogram, void *buf, size_t size, size_t *needed)
{
    TG_ENSURE(histogram != NULL && needed != NULL && (buf != NULL || size == 0),
              TG_ERR_INVALID_ARGUMENT);
    *needed = (size_t)tg__histogram_stream(histogram, 0, size, buf);
    return *needed <= size ? TG_OK : TG_ERR_BUFFER_TOO_SMALL;
}

tg_err tg_histogram_add_packed(tg_histogram *into, const void *bytes, size_t size)
{
    TG_ENSURE(into != NULL && bytes != NULL, TG_ERR_INVALID_ARGUMENT);
    return tg__histogram_add_stream(bytes, size, into);
}

static bool same_shape(const tg_histogram *a, const tg_histogram *b)
{
    const tg__histogram_shape of_a = tg__histogram_shape_get(a);
    const tg__histogram_shape of_b = tg__histogram_shape_get(b);
    return of_a.lowest == of_b.lowest && of_a.highest == of_b.highest &&
           of_a.significant_digits == of_b.significant_digits;
}

static bool has_grown(const tg_histogram *later, const tg_histogram *earlier)
{
    const uint32_t end = tg__histogram_slot_count(earlier);
    for (uint32_t slot = tg__histogram_slot_next(earlier, 0); slot < end;
         slot = tg__histogram_slot_next(earlier, slot + 1)) {
        if (tg__histogram_slot_get(later, slot) < tg__histogram_slot_get(earlier, slot)) {
            return false;
        }
    }
    return true;
}

tg_err tg_histogram_add_difference(tg_histogram *into, const tg_histogram *later,
                                   const tg_histogram *earlier)
{
    TG_ENSURE(into != NULL && later != NULL && earlier != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(same_shape(into, later) && same_shape(into, earlier), TG_ERR_HISTOGRAM_RANGE);
    tg_histogram_summary last;
    tg_histogram_summary first;
    tg_histogram_summary_get(later, &last);
    tg_histogram_summary_get(earlier, &first);
    TG_ENSURE(last.negative >= first.negative && last.over >= first.over &&
                  last.saturated >= first.saturated && has_grown(later, earlier),
              TG_ERR_INVALID_ARGUMENT);
    tg_histogram_summary window = {.negative = last.negative - first.negative,
                                   .over = last.over - first.over,
                                   .saturated = last.saturated - first.saturated};
    const uint32_t end = tg__histogram_slot_count(later);
    for (uint32_t slot = tg__histogram_slot_next(later, 0); slot < end;
         slot = tg__histogram_slot_next(later, slot + 1)) {
        const uint64_t count =
            tg__histogram_slot_get(later, slot) - tg__histogram_slot_get(earlier, slot);
        if (count == 0) {
            continue;
        }
        tg__histogram_slot_add(into, slot, count);
        if (window.count == 0) {
            window.min = tg__histogram_slot_lowest(later, slot);
        }
        window.max = tg__histogram_slot_highest(later, slot);
        window.count += count;
    }
    if (window.count != 0) {
        window.min = window.min < last.min ? last.min : window.min;
        window.max = window.max > last.max || last.max > first.max ? last.max : window.max;
    }
    tg__histogram_outer_add(into, &window);
    return TG_OK;
}

/* Takes the text over. */
static tg_err give(tg__text_buffer *text, char *buf, size_t size, size_t *needed)
{
    tg_err err = text->failed ? TG_ERR_NO_MEMORY : TG_OK;
    if (err == TG_OK) {
        *needed = text->size + 1;
        err = *needed <= size ? TG_OK : TG_ERR_BUFFER_TOO_SMALL;
    }
    if (err == TG_OK) {
        memcpy(buf, text->bytes, text->size);
        buf[text->size] = '\0';
    } else if (size > 0) {
        buf[0] = '\0';
    }
    tg__text_buffer_deinit(text);
    return err;
}

tg_err tg_hlog_head(int64_t from_utc_ns, char *buf, size_t size, size_t *needed)
{
    TG_ENSURE(needed != NULL && (buf != NULL || size == 0), TG_ERR_INVALID_ARGUMENT);
    tg__text_buffer text = {NULL, 0, 0, false};
    tg__hlog_add_header(&text, from_utc_ns);
    return give(&text, buf, size, needed);
}

tg_err tg_hlog_interval(const char *tag, int64_t from_utc_ns, int64_t to_utc_ns,
                        const tg_histogram *histogram, char *buf, size_t size, size_t *needed)
{
    TG_ENSURE(tag != NULL && histogram != NULL && needed != NULL && (buf != NULL || size == 0),
              TG_ERR_INVALID_ARGUMENT);
    tg__text_buffer text = {NULL, 0, 0, false};
    const tg_err err = tg__hlog_add_interval(&text, tag, from_utc_ns, to_utc_ns, histogram);
    if (err != TG_OK) {
        tg__text_buffer_deinit(&text);
        return err;
    }
    return give(&text, buf, size, needed);
}

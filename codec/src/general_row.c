#include "general_row.h"

#include <tickglass/internal/control_flow.h>

#include "delta_wire.h"
#include "row.h"
#include "varint.h"

enum {
    ROW_EPOCH_RAISED = 1,
    ROW_COVERED = 2,
    ROW_NULLED = 4,
    ROW_EXTENSIONS_KNOWN = 7
};

uint32_t tg__changed_fields(const tg_image *base, const tg_image *image)
{
    uint32_t mask = 0;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        const uint32_t bit = TG_FIELD_BIT(field);
        const bool appeared = (base->present & bit) == 0;
        if ((image->present & bit) != 0 &&
            (appeared || image->value[field] != base->value[field])) {
            mask |= bit;
        }
    }
    return mask;
}

static tg_err put_field_delta(tg__sink *out, unsigned field, int64_t from, int64_t to,
                              uint32_t time_resolution_ns)
{
    int64_t delta = 0;
    TG_ENSURE(tg__sub_checked(to, from, &delta), TG_ERR_OVERFLOW);
    if (field == TG_FIELD_TS_EXCHANGE) {
        return tg__time_put(out, delta, time_resolution_ns);
    }
    return tg__put_zigzag(out, delta);
}

tg_err tg__general_row_put(tg__sink *out, const tg_image *base, const tg__update *update,
                           uint32_t time_resolution_ns)
{
    const tg_image *const image = &update->image;
    const uint32_t mask = tg__changed_fields(base, image);
    const uint32_t nulled = base->present & ~image->present;
    const bool raised = image->epoch != base->epoch;
    const bool covered = raised || update->covered != image->seq - base->seq;
    const unsigned extensions = (raised ? (unsigned)ROW_EPOCH_RAISED : 0u) |
                                (covered ? (unsigned)ROW_COVERED : 0u) |
                                (nulled != 0 ? (unsigned)ROW_NULLED : 0u);
    TG_TRY(tg__put_varint(out, (uint64_t)mask << 1 | (extensions != 0)));
    if (extensions != 0) {
        TG_TRY(tg__put_u8(out, (uint8_t)extensions));
    }
    if (raised) {
        TG_TRY(tg__put_varint(out, image->epoch - base->epoch));
        TG_TRY(tg__put_varint(out, image->seq));
    } else {
        TG_TRY(tg__put_varint(out, image->seq - base->seq));
    }
    if (covered) {
        TG_TRY(tg__put_varint(out, update->covered));
    }
    if (nulled != 0) {
        TG_TRY(tg__put_varint(out, nulled));
    }
    for (uint32_t bits = mask; bits != 0; bits &= bits - 1) {
        const unsigned field = (unsigned)__builtin_ctz(bits);
        TG_TRY(put_field_delta(out, field, base->value[field], image->value[field],
                               time_resolution_ns));
    }
    return TG_OK;
}

/* What a row says before its values. */
typedef struct row_head {
    uint32_t mask;
    uint32_t nulled;
} row_head;

static tg_err get_row_version(tg__cursor *in, unsigned extensions, const tg_image *base,
                              tg__update *update)
{
    uint64_t step = 0;
    if ((extensions & ROW_EPOCH_RAISED) != 0) {
        TG_ENSURE((extensions & ROW_COVERED) != 0, TG_ERR_VERSION);
        TG_TRY(tg__get_varint(in, &step));
        TG_ENSURE(step >= 1 && step <= UINT32_MAX - base->epoch, TG_ERR_VERSION);
        update->image.epoch = base->epoch + (uint32_t)step;
        TG_TRY(tg__get_varint(in, &update->image.seq));
        TG_ENSURE(update->image.seq >= 1, TG_ERR_VERSION);
    } else {
        TG_TRY(tg__get_varint(in, &step));
        TG_ENSURE(step >= 1 && step <= UINT64_MAX - base->seq, TG_ERR_VERSION);
        update->image.epoch = base->epoch;
        update->image.seq = base->seq + step;
        update->covered = step;
    }
    if ((extensions & ROW_COVERED) != 0) {
        TG_TRY(tg__get_varint(in, &update->covered));
        TG_ENSURE(update->covered >= 1, TG_ERR_VERSION);
    }
    return TG_OK;
}

static tg_err get_row_head(tg__cursor *in, const tg_image *base, tg__update *update, row_head *head)
{
    uint64_t bits = 0;
    TG_TRY(tg__get_varint(in, &bits));
    TG_ENSURE(bits >> 1 <= UINT32_MAX, TG_ERR_FIELD_MASK);
    head->mask = (uint32_t)(bits >> 1);
    head->nulled = 0;
    uint8_t extensions = 0;
    if ((bits & 1u) != 0) {
        TG_TRY(tg__get_u8(in, &extensions));
        TG_ENSURE(extensions != 0 && (extensions & ~(unsigned)ROW_EXTENSIONS_KNOWN) == 0,
                  TG_ERR_FLAGS);
    }
    TG_TRY(get_row_version(in, extensions, base, update));
    if ((extensions & ROW_NULLED) != 0) {
        TG_TRY(tg__get_varint_u32(in, &head->nulled));
        TG_ENSURE(head->nulled != 0 && (head->nulled & ~base->present) == 0 &&
                      (head->nulled & head->mask) == 0,
                  TG_ERR_FIELD_MASK);
    }
    return TG_OK;
}

static tg_err get_field(tg__cursor *in, unsigned field, const tg_image *base,
                        uint32_t time_resolution_ns, tg_image *image)
{
    int64_t delta = 0;
    if (field == TG_FIELD_TS_EXCHANGE) {
        TG_TRY(tg__time_get(in, time_resolution_ns, &delta));
    } else {
        TG_TRY(tg__get_zigzag(in, &delta));
    }
    const uint32_t bit = TG_FIELD_BIT(field);
    TG_ENSURE(delta != 0 || (base->present & bit) == 0, TG_ERR_FIELD_MASK);
    TG_ENSURE(tg__add_checked(base->value[field], delta, &image->value[field]),
              TG_ERR_DELTA_OVERFLOW);
    image->present |= bit;
    return TG_OK;
}

static tg_err get_fields(tg__cursor *in, uint32_t mask, const tg_image *base,
                         uint32_t time_resolution_ns, tg_image *image, uint32_t *unknown_fields)
{
    for (uint32_t bits = mask; bits != 0; bits &= bits - 1) {
        const unsigned field = (unsigned)__builtin_ctz(bits);
        if (field < TG_FIELD_COUNT) {
            TG_TRY(get_field(in, field, base, time_resolution_ns, image));
        } else {
            int64_t unknown = 0;
            TG_TRY(tg__get_zigzag(in, &unknown));
            (*unknown_fields)++;
        }
    }
    return TG_OK;
}

tg_err tg__general_row_get(tg__cursor *in, const tg_image *base, uint32_t time_resolution_ns,
                           tg__update *update, uint32_t *unknown_fields)
{
    row_head head;
    update->image = *base;
    TG_TRY(get_row_head(in, base, update, &head));
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((head.nulled & TG_FIELD_BIT(field)) != 0) {
            update->image.value[field] = 0;
        }
    }
    update->image.present &= ~head.nulled;
    return get_fields(in, head.mask, base, time_resolution_ns, &update->image, unknown_fields);
}

tg_err tg__row_tail_put(tg__sink *out, const tg_image *base, const tg_image *image)
{
    const uint32_t mask = tg__changed_fields(base, image) >> TG__TAIL_FIELD_FIRST;
    TG_TRY(tg__put_varint(out, mask));
    for (uint32_t bits = mask; bits != 0; bits &= bits - 1) {
        const unsigned field = TG__TAIL_FIELD_FIRST + (unsigned)__builtin_ctz(bits);
        TG_TRY(put_field_delta(out, field, base->value[field], image->value[field], 1));
    }
    return TG_OK;
}

tg_err tg__row_tail_get(tg__cursor *in, const tg_image *base, tg_image *image,
                        uint32_t *unknown_fields)
{
    uint64_t mask = 0;
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_varint(in, &mask));
    if (mask == 0 || mask >> (32u - TG__TAIL_FIELD_FIRST) != 0) {
        in->at = start;
        return TG_ERR_FIELD_MASK;
    }
    return get_fields(in, (uint32_t)mask << TG__TAIL_FIELD_FIRST, base, 1, image, unknown_fields);
}

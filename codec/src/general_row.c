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

/* A varint from 1 to most. */
static tg_err get_version_step(tg__cursor *in, uint64_t most, uint64_t *step)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_varint(in, step));
    return *step >= 1 && *step <= most ? TG_OK : tg__refuse(in, start, TG_ERR_VERSION);
}

static tg_err get_extensions(tg__cursor *in, unsigned *extensions)
{
    const uint8_t *const start = in->at;
    uint8_t bits = 0;
    TG_TRY(tg__get_u8(in, &bits));
    *extensions = bits;
    if (bits == 0 || (bits & ~(unsigned)ROW_EXTENSIONS_KNOWN) != 0) {
        return tg__refuse(in, start, TG_ERR_FLAGS);
    }
    if ((bits & (ROW_EPOCH_RAISED | ROW_COVERED)) == ROW_EPOCH_RAISED) {
        return tg__refuse(in, start, TG_ERR_VERSION);
    }
    return TG_OK;
}

/* Of fields that this decoder does not know it cannot tell whether they were null before. */
static tg_err get_nulled(tg__cursor *in, const tg_image *base, row_head *head)
{
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_varint_u32(in, &head->nulled));
    if (head->nulled == 0 || (head->nulled & TG_FIELD_ALL_BITS & ~base->present) != 0 ||
        (head->nulled & head->mask) != 0) {
        return tg__refuse(in, start, TG_ERR_FIELD_MASK);
    }
    return TG_OK;
}

static tg_err get_row_version(tg__cursor *in, unsigned extensions, const tg_image *base,
                              tg__update *update)
{
    uint64_t step = 0;
    if ((extensions & ROW_EPOCH_RAISED) != 0) {
        TG_TRY(get_version_step(in, UINT32_MAX - base->epoch, &step));
        update->image.epoch = base->epoch + (uint32_t)step;
        TG_TRY(get_version_step(in, UINT64_MAX, &update->image.seq));
    } else {
        TG_TRY(get_version_step(in, UINT64_MAX - base->seq, &step));
        update->image.epoch = base->epoch;
        update->image.seq = base->seq + step;
        update->covered = step;
    }
    return (extensions & ROW_COVERED) != 0 ? get_version_step(in, UINT64_MAX, &update->covered)
                                           : TG_OK;
}

static tg_err get_row_head(tg__cursor *in, const tg_image *base, tg__update *update, row_head *head)
{
    const uint8_t *const start = in->at;
    uint64_t bits = 0;
    TG_TRY(tg__get_varint(in, &bits));
    if (bits >> 1 > UINT32_MAX) {
        return tg__refuse(in, start, TG_ERR_FIELD_MASK);
    }
    head->mask = (uint32_t)(bits >> 1);
    head->nulled = 0;
    unsigned extensions = 0;
    if ((bits & 1u) != 0) {
        TG_TRY(get_extensions(in, &extensions));
    }
    TG_TRY(get_row_version(in, extensions, base, update));
    return (extensions & ROW_NULLED) != 0 ? get_nulled(in, base, head) : TG_OK;
}

static tg_err get_field(tg__cursor *in, unsigned field, const tg_image *base,
                        uint32_t time_resolution_ns, tg_image *image)
{
    const uint8_t *const start = in->at;
    int64_t delta = 0;
    if (field == TG_FIELD_TS_EXCHANGE) {
        TG_TRY(tg__time_get(in, time_resolution_ns, &delta));
    } else {
        TG_TRY(tg__get_zigzag(in, &delta));
    }
    const uint32_t bit = TG_FIELD_BIT(field);
    if (delta == 0 && (base->present & bit) != 0) {
        return tg__refuse(in, start, TG_ERR_FIELD_MASK);
    }
    if (!tg__add_checked(base->value[field], delta, &image->value[field])) {
        return tg__refuse(in, start, TG_ERR_DELTA_OVERFLOW);
    }
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

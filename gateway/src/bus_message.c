#include "bus_message.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/crc32c.h>

#define MAGIC            UINT64_C(0x3273756273736c67) /* "glssbus2" */
#define HEADER_SIZE      5u
#define CRC_SIZE         4u
#define IMAGE_FIXED_SIZE 18u
#define RESOLUTION_MAX   1000000000u

static void store_le(uint8_t *out, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t load_le(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/* ---- writing ---- */

static void put(tg__bus_draft *draft, unsigned size, uint64_t value)
{
    if (draft->full || draft->capacity - draft->at < size) {
        draft->full = true;
        return;
    }
    store_le(draft->out + draft->at, size, value);
    draft->at += size;
}

static void begin(tg__bus_draft *draft, tg__bus_kind kind, uint8_t *out, size_t capacity)
{
    const tg__bus_draft fresh = {.out = out, .capacity = capacity};
    *draft = fresh;
    put(draft, 4, 0); /* the size, known at the end */
    put(draft, 1, kind);
}

/* The envelope around a body that is complete. */
static tg_err seal(tg__bus_draft *draft, size_t *size)
{
    TG_ENSURE(!draft->full && draft->at - HEADER_SIZE <= TG__BUS_BODY_MAX, TG_ERR_BUFFER_TOO_SMALL);
    store_le(draft->out, 4, draft->at - HEADER_SIZE);
    put(draft, CRC_SIZE, tg__crc32c(0, draft->out, draft->at));
    TG_ENSURE(!draft->full, TG_ERR_BUFFER_TOO_SMALL);
    *size = draft->at;
    return TG_OK;
}

tg_err tg__bus_hello_encode(const tg__bus_hello *hello, uint8_t *out, size_t capacity, size_t *size)
{
    tg__bus_draft draft;
    begin(&draft, TG__BUS_HELLO, out, capacity);
    put(&draft, 8, MAGIC);
    put(&draft, 8, hello->lineage);
    put(&draft, 4, hello->dictionary_generation);
    put(&draft, 4, hello->time_resolution_ns);
    put(&draft, 4, hello->venue_count);
    put(&draft, 4, hello->instrument_count);
    put(&draft, 1, hello->simulated ? 1 : 0);
    put(&draft, 8, hello->seed);
    return seal(&draft, size);
}

tg_err tg__bus_dictionary_encode(uint32_t generation, const tg__dictionary_entry *entries,
                                 size_t count, uint8_t *out, size_t capacity, size_t *size)
{
    tg__bus_draft draft;
    size_t body = 0;
    begin(&draft, TG__BUS_DICTIONARY, out, capacity);
    TG_ENSURE(!draft.full, TG_ERR_BUFFER_TOO_SMALL);
    TG_TRY(tg__dictionary_encode(generation, entries, count, out + draft.at, capacity - draft.at,
                                 &body));
    draft.at += body;
    return seal(&draft, size);
}

tg_err tg__bus_venue_state_encode(const tg__venue_state *state, uint8_t *out, size_t capacity,
                                  size_t *size)
{
    tg__bus_draft draft;
    begin(&draft, TG__BUS_VENUE_STATE, out, capacity);
    put(&draft, 1, state->venue);
    put(&draft, 1, state->condition);
    put(&draft, 8, state->boundary);
    return seal(&draft, size);
}

void tg__bus_begin_cut(tg__bus_draft *draft, uint64_t boundary, int64_t mono_ns, uint8_t *out,
                       size_t capacity)
{
    begin(draft, TG__BUS_CUT, out, capacity);
    put(draft, 8, boundary);
    put(draft, 8, (uint64_t)mono_ns);
    draft->count_at = draft->at;
    put(draft, 4, 0);
}

void tg__bus_begin_ticks(tg__bus_draft *draft, uint8_t *out, size_t capacity)
{
    begin(draft, TG__BUS_TICKS, out, capacity);
    draft->count_at = draft->at;
    put(draft, 4, 0);
}

void tg__bus_put_image(tg__bus_draft *draft, tg_instrument_id id, const tg_image *image)
{
    put(draft, 2, id);
    put(draft, 4, image->epoch);
    put(draft, 8, image->seq);
    put(draft, 4, image->present);
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if (tg_image_has(image, (tg_field)field)) {
            put(draft, 8, (uint64_t)image->value[field]);
        }
    }
    draft->count++;
}

tg_err tg__bus_finish(tg__bus_draft *draft, size_t *size)
{
    TG_ENSURE(!draft->full, TG_ERR_BUFFER_TOO_SMALL);
    store_le(draft->out + draft->count_at, 4, draft->count);
    return seal(draft, size);
}

/* ---- reading ---- */

typedef struct body {
    const uint8_t *begin; /* of the message */
    const uint8_t *at;
    const uint8_t *end;
} body;

static size_t left_of(const body *in)
{
    return (size_t)(in->end - in->at);
}

/* A value that was refused is the one before the cursor. */
static tg_err refuse(body *in, unsigned size, tg_err err)
{
    in->at -= size;
    return err;
}

static tg_err get(body *in, unsigned size, uint64_t *out)
{
    TG_ENSURE(left_of(in) >= size, TG_ERR_TRUNCATED);
    *out = load_le(in->at, size);
    in->at += size;
    return TG_OK;
}

static tg_err get_u32(body *in, uint32_t *out)
{
    uint64_t value = 0;
    TG_TRY(get(in, 4, &value));
    *out = (uint32_t)value;
    return TG_OK;
}

static tg_err decode_hello(body *in, tg__bus_hello *hello)
{
    uint64_t magic = 0;
    TG_TRY(get(in, 8, &magic));
    if (magic != MAGIC) {
        return refuse(in, 8, TG_ERR_FORMAT);
    }
    TG_TRY(get(in, 8, &hello->lineage));
    TG_TRY(get_u32(in, &hello->dictionary_generation));
    TG_TRY(get_u32(in, &hello->time_resolution_ns));
    if (hello->time_resolution_ns == 0 || hello->time_resolution_ns > RESOLUTION_MAX) {
        return refuse(in, 4, TG_ERR_VALUE_RANGE);
    }
    TG_TRY(get_u32(in, &hello->venue_count));
    if (hello->venue_count > TG_VENUE_MAX) {
        return refuse(in, 4, TG_ERR_COUNT_LIMIT);
    }
    TG_TRY(get_u32(in, &hello->instrument_count));
    if (hello->instrument_count > TG_INSTRUMENT_MAX) {
        return refuse(in, 4, TG_ERR_COUNT_LIMIT);
    }
    uint64_t simulated = 0;
    TG_TRY(get(in, 1, &simulated));
    if (simulated > 1) {
        return refuse(in, 1, TG_ERR_VALUE_RANGE);
    }
    hello->simulated = simulated == 1;
    return get(in, 8, &hello->seed);
}

static tg_err decode_dictionary(body *in, tg__bus_message *message)
{
    tg__fault inner = {0, TG__NO_ROW};
    const tg_err err =
        tg__dictionary_decode(in->at, left_of(in), &message->as.dictionary.generation,
                              &message->as.dictionary.reader, &inner);
    in->at = err == TG_OK ? in->end : in->at + inner.offset;
    return err;
}

static tg_err check_image(body *in, const tg__bus_hello *hello, uint32_t *id)
{
    uint64_t value = 0;
    uint64_t epoch = 0;
    uint64_t present = 0;
    TG_TRY(get(in, 2, &value));
    if (value >= hello->instrument_count) {
        return refuse(in, 2, TG_ERR_VALUE_RANGE);
    }
    *id = (uint32_t)value;
    TG_TRY(get(in, 4, &epoch));
    TG_TRY(get(in, 8, &value));
    if (epoch == 0 || value == 0) {
        return refuse(in, 12, TG_ERR_VERSION); /* what was never published is not told */
    }
    TG_TRY(get(in, 4, &present));
    if ((present & ~(uint64_t)TG_FIELD_ALL_BITS) != 0) {
        return refuse(in, 4, TG_ERR_FIELD_MASK);
    }
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((present & TG_FIELD_BIT(field)) == 0) {
            continue;
        }
        TG_TRY(get(in, 8, &value));
        if (field == TG_FIELD_TS_EXCHANGE &&
            (int64_t)value % (int64_t)hello->time_resolution_ns != 0) {
            return refuse(in, 8, TG_ERR_VALUE_RANGE);
        }
    }
    return TG_OK;
}

static tg_err decode_images(body *in, const tg__bus_hello *hello, bool ascending,
                            tg__bus_images *images, uint32_t *row)
{
    TG_TRY(get_u32(in, &images->left));
    if (images->left > hello->instrument_count) {
        return refuse(in, 4, TG_ERR_COUNT_LIMIT);
    }
    images->at = in->at;
    uint32_t last = 0;
    for (uint32_t i = 0; i < images->left; i++) {
        const uint8_t *const start = in->at;
        uint32_t id = 0;
        *row = i;
        TG_TRY(check_image(in, hello, &id));
        if (ascending && i > 0 && id <= last) {
            in->at = start;
            return TG_ERR_SET_ORDER;
        }
        last = id;
    }
    *row = TG__NO_ROW;
    return TG_OK;
}

static tg_err decode_cut(body *in, const tg__bus_hello *hello, tg__bus_cut *cut, uint32_t *row)
{
    uint64_t mono_ns = 0;
    TG_TRY(get(in, 8, &cut->boundary));
    TG_TRY(get(in, 8, &mono_ns));
    cut->mono_ns = (int64_t)mono_ns;
    return decode_images(in, hello, true, &cut->images, row);
}

static tg_err decode_venue_state(body *in, const tg__bus_hello *hello, tg__venue_state *state)
{
    uint64_t value = 0;
    TG_TRY(get(in, 1, &value));
    if (value >= hello->venue_count) {
        return refuse(in, 1, TG_ERR_VALUE_RANGE);
    }
    state->venue = (tg_venue_id)value;
    TG_TRY(get(in, 1, &value));
    if (value > TG__VENUE_STALE) {
        return refuse(in, 1, TG_ERR_VALUE_RANGE);
    }
    state->condition = (tg__venue_condition)value;
    return get(in, 8, &state->boundary);
}

static tg_err decode_body(body *in, const tg__bus_hello *hello, tg__bus_message *message,
                          uint32_t *row)
{
    switch (message->kind) {
    case TG__BUS_HELLO:
        return decode_hello(in, &message->as.hello);
    case TG__BUS_DICTIONARY:
        return decode_dictionary(in, message);
    case TG__BUS_CUT:
        return decode_cut(in, hello, &message->as.cut, row);
    case TG__BUS_TICKS:
        return decode_images(in, hello, false, &message->as.ticks, row);
    case TG__BUS_VENUE_STATE:
        return decode_venue_state(in, hello, &message->as.venue_state);
    }
    return TG_ERR_MESSAGE_KIND;
}

tg_err tg__bus_message_size(const uint8_t *bytes, size_t filled, size_t *size, tg__fault *fault)
{
    fault->offset = 0;
    fault->row = TG__NO_ROW;
    *size = 0;
    if (filled < HEADER_SIZE) {
        return TG_OK;
    }
    const uint64_t body_size = load_le(bytes, 4);
    TG_ENSURE(body_size <= TG__BUS_BODY_MAX, TG_ERR_FRAME_SIZE);
    fault->offset = 4;
    TG_ENSURE(bytes[4] >= TG__BUS_HELLO && bytes[4] <= TG__BUS_VENUE_STATE, TG_ERR_MESSAGE_KIND);
    *size = (size_t)body_size + TG__BUS_ENVELOPE_SIZE;
    return TG_OK;
}

tg_err tg__bus_message_decode(const uint8_t *bytes, size_t size, const tg__bus_hello *hello,
                              tg__bus_message *message, tg__fault *fault)
{
    size_t whole = 0;
    uint32_t row = TG__NO_ROW;
    TG_TRY(tg__bus_message_size(bytes, size, &whole, fault));
    fault->offset = size;
    TG_ENSURE(whole > 0 && size >= whole, TG_ERR_TRUNCATED);
    fault->offset = whole;
    TG_ENSURE(size == whole, TG_ERR_TRAILING_BYTES);
    fault->offset = whole - CRC_SIZE;
    TG_ENSURE(tg__crc32c(0, bytes, whole - CRC_SIZE) == load_le(bytes + fault->offset, CRC_SIZE),
              TG_ERR_CORRUPT);
    body in = {bytes, bytes + HEADER_SIZE, bytes + whole - CRC_SIZE};
    message->kind = (tg__bus_kind)bytes[4];
    tg_err err = decode_body(&in, hello, message, &row);
    if (err == TG_OK && left_of(&in) > 0) {
        err = TG_ERR_TRAILING_BYTES;
    }
    fault->offset = (size_t)(in.at - in.begin);
    fault->row = row;
    return err;
}

bool tg__bus_image_next(tg__bus_images *images, tg__update *update)
{
    if (images->left == 0) {
        return false;
    }
    images->left--;
    memset(update, 0, sizeof *update);
    update->id = (tg_instrument_id)load_le(images->at, 2);
    update->image.epoch = (uint32_t)load_le(images->at + 2, 4);
    update->image.seq = load_le(images->at + 6, 8);
    update->image.present = (uint32_t)load_le(images->at + 14, 4);
    const uint8_t *at = images->at + IMAGE_FIXED_SIZE;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if (tg_image_has(&update->image, (tg_field)field)) {
            update->image.value[field] = (int64_t)load_le(at, 8);
            at += 8;
        }
    }
    images->at = at;
    return true;
}

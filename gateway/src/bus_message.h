/**
 * What the sequencing node tells the other nodes of its lineage, over a Unix stream socket.
 *
 * A session is HELLO, the directory in DICTIONARY messages, a CUT with every image, and from there
 * on a CUT for each boundary with the images that it changed, and TICKS as the lanes admit them.
 * VENUE_STATE comes behind the first cut for each venue that is stale, and whenever one changes.
 * Both ends are of one build: another magic is refused, there are no versions to negotiate.
 *
 *     u32 size of the body, u8 kind, body, u32 CRC-32C of all that; integers little-endian
 *     HELLO        u64 magic, u64 lineage, u32 dictionary generation,
 *                  u32 time resolution in ns, u32 venues, u32 instruments,
 *                  u8 1 if the market is the simulated one, else 0, u64 its seed
 *     DICTIONARY   a DICTIONARY message of the protocol (PROTOCOL.md 5.2): VENUE and ADD
 *     CUT          u64 boundary, i64 monotonic ns of the cut, u32 count, images, ids ascending
 *     TICKS        u32 count, images in any order
 *     VENUE_STATE  u8 venue, u8 condition, u64 boundary from which it holds
 *     image        u16 id, u32 epoch, u64 seq, u32 present, then an i64 for each field present
 *
 * Pure functions; a message is validated whole before anything of it is handed out.
 */
#ifndef TG_GATEWAY_BUS_MESSAGE_H
#define TG_GATEWAY_BUS_MESSAGE_H

#include <tickglass/internal/channel.h>
#include <tickglass/internal/control.h>
#include <tickglass/internal/dictionary.h>

#define TG__BUS_ENVELOPE_SIZE 9u /* before and behind the body */
/* The full cut of the largest directory, every field present, is a little over 10 million bytes. */
#define TG__BUS_BODY_MAX (12u << 20)
#define TG__BUS_SIZE_MAX (TG__BUS_BODY_MAX + TG__BUS_ENVELOPE_SIZE)

typedef enum tg__bus_kind {
    TG__BUS_HELLO = 1,
    TG__BUS_DICTIONARY = 2,
    TG__BUS_CUT = 3,
    TG__BUS_TICKS = 4,
    TG__BUS_VENUE_STATE = 5
} tg__bus_kind;

typedef struct tg__bus_hello {
    uint64_t lineage;
    uint32_t dictionary_generation;
    uint32_t time_resolution_ns;
    uint32_t venue_count;
    uint32_t instrument_count;
    bool simulated; /* depth is worked out from the seed and the images, so that it is not told */
    uint64_t seed;
} tg__bus_hello;

/* Images of a message that was validated. */
typedef struct tg__bus_images {
    const uint8_t *at;
    uint32_t left;
} tg__bus_images;

typedef struct tg__bus_cut {
    uint64_t boundary;
    int64_t mono_ns; /* both ends are on one machine: its clock is theirs */
    tg__bus_images images;
} tg__bus_cut;

typedef struct tg__bus_message {
    tg__bus_kind kind;
    union {
        tg__bus_hello hello;
        struct {
            uint32_t generation;
            tg__dictionary_reader reader;
        } dictionary;
        tg__bus_cut cut;
        tg__bus_images ticks;
        tg__venue_state venue_state;
    } as;
} tg__bus_message;

/* ---- writing ---- */

TG_MUST_CHECK tg_err tg__bus_hello_encode(const tg__bus_hello *hello, uint8_t *out, size_t capacity,
                                          size_t *size);
TG_MUST_CHECK tg_err tg__bus_dictionary_encode(uint32_t generation,
                                               const tg__dictionary_entry *entries, size_t count,
                                               uint8_t *out, size_t capacity, size_t *size);
TG_MUST_CHECK tg_err tg__bus_venue_state_encode(const tg__venue_state *state, uint8_t *out,
                                                size_t capacity, size_t *size);

/* A CUT or TICKS message while its images are put in. */
typedef struct tg__bus_draft {
    uint8_t *out;
    size_t capacity;
    size_t at;
    size_t count_at;
    uint32_t count;
    bool full; /* something did not fit */
} tg__bus_draft;

void tg__bus_begin_cut(tg__bus_draft *draft, uint64_t boundary, int64_t mono_ns, uint8_t *out,
                       size_t capacity);
void tg__bus_begin_ticks(tg__bus_draft *draft, uint8_t *out, size_t capacity);
void tg__bus_put_image(tg__bus_draft *draft, tg_instrument_id id, const tg_image *image);
/* TG_ERR_BUFFER_TOO_SMALL: not everything that was put has found room. */
TG_MUST_CHECK tg_err tg__bus_finish(tg__bus_draft *draft, size_t *size);

/* ---- reading ---- */

/*
 * The size of the message that begins at bytes, of which filled are there; 0: that cannot be told
 * yet. TG_ERR_FRAME_SIZE, TG_ERR_MESSAGE_KIND: no message begins like this.
 */
TG_MUST_CHECK tg_err tg__bus_message_size(const uint8_t *bytes, size_t filled, size_t *size,
                                          tg__fault *fault);

/*
 * A whole message; dictionary entries and images point into bytes. hello is that of the session,
 * all zero before it came: ids, venues and times must fit it. On any error nothing may be used but
 * *fault, whose offset counts from the message's first byte.
 */
TG_MUST_CHECK tg_err tg__bus_message_decode(const uint8_t *bytes, size_t size,
                                            const tg__bus_hello *hello, tg__bus_message *message,
                                            tg__fault *fault);

/* False at the end. slot and covered are 0. */
bool tg__bus_image_next(tg__bus_images *images, tg__update *update);

#endif

/**
 * What the wire carries and the store keeps: instruments, versions, images, books.
 *
 * Prices and quantities are int64 mantissas at the instrument's exponents; a value that is not
 * there is marked in `present` and its mantissa is 0. Times are UTC nanoseconds. PROTOCOL.md
 * section 3.
 */
#ifndef TICKGLASS_MARKET_H
#define TICKGLASS_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/api.h>
#include <tickglass/decimal.h>

TG_BEGIN_DECLS

#define TG_SYMBOL_SIZE     64 /**< bytes of a symbol's UTF-8 text, with its terminator */
#define TG_VENUE_NAME_SIZE 32
#define TG_CURRENCY_SIZE   12
#define TG_TICK_BAND_MAX   8
#define TG_BOOK_DEPTH_MAX  10
#define TG_INSTRUMENT_MAX  65535 /**< ids run from 0 to 65534 */
#define TG_VENUE_MAX       255   /**< venue ids run from 0 to 254 */

/** Belongs to the dictionary of one sequencing lineage. */
typedef uint16_t tg_instrument_id;
#define TG_INSTRUMENT_NONE ((tg_instrument_id)0xffff)

typedef uint8_t tg_venue_id;

/** Order of an instrument's ticks, given by the single writer of its lane; lexicographic. */
typedef struct tg_version {
    uint32_t epoch;
    uint64_t seq; /**< contiguous within an epoch; 0 with epoch 0: nothing was ever published */
} tg_version;

/** Less than, equal to or greater than 0, as a is older than, equal to or newer than b. */
static inline int tg_version_compare(tg_version a, tg_version b)
{
    if (a.epoch != b.epoch) {
        return a.epoch < b.epoch ? -1 : 1;
    }
    if (a.seq != b.seq) {
        return a.seq < b.seq ? -1 : 1;
    }
    return 0;
}

/** Fields of an image. The numbers are the protocol's field numbers: append only. */
typedef enum tg_field {
    TG_FIELD_BID_PRICE = 0,
    TG_FIELD_ASK_PRICE = 1,
    TG_FIELD_BID_QUANTITY = 2,
    TG_FIELD_ASK_QUANTITY = 3,
    TG_FIELD_TS_EXCHANGE = 4, /**< UTC ns of the latest tick folded in */
    TG_FIELD_LAST_PRICE = 5,
    TG_FIELD_LAST_QUANTITY = 6,
    TG_FIELD_VOLUME = 7,
    TG_FIELD_OPEN = 8,
    TG_FIELD_HIGH = 9,
    TG_FIELD_LOW = 10,
    TG_FIELD_PREVIOUS_CLOSE = 11,
    TG_FIELD_SETTLEMENT = 12,
    TG_FIELD_OPEN_INTEREST = 13,
    TG_FIELD_LIMIT_UP = 14,
    TG_FIELD_LIMIT_DOWN = 15,
    TG_FIELD_STATUS = 16 /**< a tg_trading_status */
} tg_field;
#define TG_FIELD_COUNT    17
#define TG_FIELD_BIT(f)   (UINT32_C(1) << (f))
#define TG_FIELD_ALL_BITS (TG_FIELD_BIT(TG_FIELD_COUNT) - 1)

typedef enum tg_trading_status {
    TG_TRADING_UNKNOWN = 0,
    TG_TRADING_OPEN = 1,
    TG_TRADING_HALTED = 2,
    TG_TRADING_AUCTION = 3,
    TG_TRADING_PRE_OPEN = 4,
    TG_TRADING_CLOSED = 5
} tg_trading_status;

/** Full state of one instrument at one version. A null field has its bit clear and its value 0. */
typedef struct tg_image {
    uint64_t seq;
    uint32_t epoch;
    uint32_t present; /**< TG_FIELD_BIT()s of the fields that are not null */
    int64_t value[TG_FIELD_COUNT];
} tg_image;

static inline tg_version tg_image_version(const tg_image *image)
{
    const tg_version version = {image->epoch, image->seq};
    return version;
}

static inline bool tg_image_has(const tg_image *image, tg_field field)
{
    return (image->present & TG_FIELD_BIT(field)) != 0;
}

/**
 * True if every field is equal, nulls included; versions are not compared.
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API bool tg_image_values_equal(const tg_image *a, const tg_image *b);

typedef struct tg_level {
    int64_t price;
    int64_t quantity;
} tg_level;

/** The best levels of an instrument, best first. */
typedef struct tg_book {
    uint8_t bid_count; /**< at most TG_BOOK_DEPTH_MAX */
    uint8_t ask_count;
    tg_level bid[TG_BOOK_DEPTH_MAX];
    tg_level ask[TG_BOOK_DEPTH_MAX];
} tg_book;

typedef enum tg_asset_class {
    TG_ASSET_OTHER = 0,
    TG_ASSET_SPOT = 1,
    TG_ASSET_FUTURE = 2,
    TG_ASSET_PERPETUAL = 3,
    TG_ASSET_OPTION = 4,
    TG_ASSET_SPREAD = 5,
    TG_ASSET_INDEX = 6,
    TG_ASSET_BOND = 7
} tg_asset_class;

/** How a price is written. FRACTION_*: whole part, then parts of the denominator. */
typedef enum tg_price_format {
    TG_PRICE_DECIMAL = 0,
    TG_PRICE_FRACTION_32 = 1,         /**< 99-03 */
    TG_PRICE_FRACTION_32_HALF = 2,    /**< 99-03+ */
    TG_PRICE_FRACTION_32_QUARTER = 3, /**< 99-032 */
    TG_PRICE_FRACTION_64 = 4
} tg_price_format;

/** From from_price upwards (until the next band) prices move in steps of tick_size. */
typedef struct tg_tick_band {
    int64_t from_price;
    int64_t tick_size; /**< over 0 */
} tg_tick_band;

/** A dictionary entry. */
typedef struct tg_instrument {
    tg_instrument_id id;
    tg_venue_id venue;
    tg_asset_class asset_class;
    tg_price_format price_format;
    int8_t price_exponent;
    int8_t quantity_exponent;
    bool delayed;
    uint8_t band_count;    /**< 1 to TG_TICK_BAND_MAX; ascending from_price */
    uint32_t epoch;        /**< the first epoch whose prices have these exponents */
    uint32_t cadence_ms;   /**< expected longest silence of a live instrument; 0: not known */
    tg_decimal multiplier; /**< contract multiplier */
    tg_tick_band band[TG_TICK_BAND_MAX];
    char symbol[TG_SYMBOL_SIZE];
    char currency[TG_CURRENCY_SIZE];
} tg_instrument;

typedef struct tg_venue {
    tg_venue_id id;
    char name[TG_VENUE_NAME_SIZE];
} tg_venue;

TG_END_DECLS

#endif

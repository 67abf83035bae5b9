#include "sim_depth.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "sim_universe.h"

#define SPREAD_PER_SLOT 8u  /* a usual spread has so many places for a level, and one at least */
#define SLOTS_MAX       96  /* looked through on one side: thin ones leave ten levels, too */
#define AWAY_OF_16      2u  /* places where nothing rests, at one time */
#define THIN_AWAY_OF_16 9u  /* where the market came without trading */
#define THIN_SHARE      8   /* of the usual size rests there */
#define LIFE_BITS_MIN   3u  /* a level is as it is for 8 to 64 ticks of its instrument */
#define SIZE_BASE       16u /* lots: 16 to 2,048 at most, small ones common */
#define GOLDEN          UINT64_C(0x9e3779b97f4a7c15)

struct tg__sim_depth {
    uint64_t key;
    tg__sim_traits traits[TG__SIM_INSTRUMENTS];
};

/* One side of a book while it is filled; prices in ticks. */
typedef struct side {
    const tg__sim_traits *traits;
    tg_level *levels;
    uint64_t key;
    uint64_t seq;
    int64_t best;
    int64_t last; /* traded; the best price where that is not known */
    bool is_bid;
} side;

tg_err tg__sim_depth_open(uint64_t seed, tg__sim_depth **out)
{
    *out = NULL;
    tg__sim_depth *depth = calloc(1, sizeof *depth);
    TG_ENSURE(depth != NULL, TG_ERR_NO_MEMORY);
    tg__directory names; /* of no use here */
    tg__directory_init(&names);
    const tg_err err = tg__sim_universe_fill(&names, depth->traits, seed);
    tg__directory_deinit(&names);
    if (err != TG_OK) {
        free(depth);
        return err;
    }
    depth->key = tg__prng_mix(seed ^ UINT64_C(0x6c6164646572736f));
    *out = depth;
    return TG_OK;
}

void tg__sim_depth_close(tg__sim_depth *depth)
{
    free(depth);
}

static int64_t slot_width(const tg__sim_traits *traits)
{
    return 1 + (int64_t)(traits->spread_ticks / SPREAD_PER_SLOT);
}

/* Whole ticks, and far enough from what 64 bits hold for every level behind; false: not so. */
static bool to_ticks(const tg__sim_traits *traits, int64_t price, int64_t *ticks)
{
    const int64_t reach = (SLOTS_MAX + 1) * slot_width(traits);
    const int64_t most = INT64_MAX / traits->tick_size - reach;
    *ticks = price / traits->tick_size;
    return *ticks * traits->tick_size == price && *ticks <= most && *ticks >= -most;
}

static int64_t floor_of(int64_t ticks, int64_t width)
{
    return ticks / width - (ticks % width < 0 ? 1 : 0);
}

static bool is_behind(const side *s, int64_t ticks)
{
    return s->is_bid ? ticks < s->best : ticks > s->best;
}

/* The market came from there to here without a trade since. */
static bool is_thin(const side *s, int64_t ticks)
{
    return s->is_bid ? ticks > s->last : ticks < s->last;
}

/* What rests at the place, in lots; 0: nothing. */
static int64_t lots_at(const side *s, uint64_t place, bool thin)
{
    const uint64_t age = (s->seq + (place >> 40)) >> (LIFE_BITS_MIN + (place & 3u));
    const uint64_t random = tg__prng_mix(place + age * GOLDEN);
    if ((random & 15u) < (thin ? THIN_AWAY_OF_16 : AWAY_OF_16)) {
        return 0;
    }
    const uint64_t bound = (uint64_t)SIZE_BASE << (random >> 4 & 7u);
    const int64_t lots = 1 + (int64_t)((random >> 8) % bound);
    return thin ? 1 + lots / THIN_SHARE : lots;
}

/* The levels behind the first one. At most one in each slot of prices, at a place of its own. */
static uint8_t fill_behind(const side *s)
{
    const int64_t width = slot_width(s->traits);
    int64_t slot = floor_of(s->best, width);
    uint8_t count = 1;
    for (unsigned i = 0; i < SLOTS_MAX && count < TG_BOOK_DEPTH_MAX; i++) {
        const uint64_t place = tg__prng_mix(s->key + (uint64_t)slot * GOLDEN);
        const int64_t ticks = slot * width + (int64_t)((place >> 8) % (uint64_t)width);
        slot += s->is_bid ? -1 : 1;
        if (!is_behind(s, ticks)) {
            continue;
        }
        if (ticks < 1 && !s->traits->may_be_negative) {
            break;
        }
        const int64_t lots = lots_at(s, place, is_thin(s, ticks));
        if (lots > 0) {
            s->levels[count].price = ticks * s->traits->tick_size;
            s->levels[count].quantity = lots * s->traits->lot;
            count++;
        }
    }
    return count;
}

static uint8_t fill_side(const tg__sim_depth *depth, tg_instrument_id id, const tg_image *image,
                         bool is_bid, tg_level *levels)
{
    const tg_field price = is_bid ? TG_FIELD_BID_PRICE : TG_FIELD_ASK_PRICE;
    if (!tg_image_has(image, price)) {
        return 0;
    }
    levels[0].price = image->value[price];
    levels[0].quantity = image->value[is_bid ? TG_FIELD_BID_QUANTITY : TG_FIELD_ASK_QUANTITY];
    side s = {
        .traits = &depth->traits[id],
        .levels = levels,
        .key = tg__prng_mix(depth->key ^ ((uint64_t)id << 1 | (is_bid ? 1u : 0u))),
        .seq = image->seq,
        .is_bid = is_bid,
    };
    if (!to_ticks(s.traits, levels[0].price, &s.best)) {
        return 1;
    }
    if (!tg_image_has(image, TG_FIELD_LAST_PRICE) ||
        !to_ticks(s.traits, image->value[TG_FIELD_LAST_PRICE], &s.last)) {
        s.last = s.best;
    }
    return fill_behind(&s);
}

bool tg__sim_depth_book(const tg__sim_depth *depth, tg_instrument_id id, const tg_image *image,
                        tg_book *book)
{
    if (id >= TG__SIM_INSTRUMENTS || image->seq == 0) {
        return false;
    }
    memset(book, 0, sizeof *book);
    book->bid_count = fill_side(depth, id, image, true, book->bid);
    book->ask_count = fill_side(depth, id, image, false, book->ask);
    return true;
}

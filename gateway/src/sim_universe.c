#include "sim_universe.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* A kind of contract or quote, and its price in per cent of the first kind's; 0: as the first. */
typedef struct suffix {
    const char *text;
    int64_t price_percent;
} suffix;

/* What one venue lists: each base with each suffix, the first suffix's bases first. */
typedef struct listing {
    const char *venue;
    const char *const *bases;
    uint32_t base_count;
    const suffix *suffixes;
    uint32_t suffix_count;
    const char *currency; /* NULL: the suffix names it */
    tg_asset_class asset_class;
    bool may_be_negative;
    bool has_ids;
} listing;

#define RANK_OFFSET    180u /* of 2,400: the leaders have fifteen times the mean share */
#define SPREAD_DIVISOR 400

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

static const char *const crypto[] = {
    "BTC",  "ETH",   "SOL",   "XRP", "BNB",  "DOGE", "ADA",  "TRX",  "AVAX",  "LINK",
    "DOT",  "LTC",   "BCH",   "XLM", "UNI",  "ATOM", "ETC",  "FIL",  "APT",   "NEAR",
    "ICP",  "ARB",   "OP",    "INJ", "AAVE", "MKR",  "ALGO", "SAND", "MANA",  "AXS",
    "EGLD", "XTZ",   "THETA", "EOS", "FLOW", "CHZ",  "GRT",  "KAVA", "ZEC",   "DASH",
    "COMP", "SNX",   "CRV",   "YFI", "BAT",  "ENJ",  "ZRX",  "KSM",  "WAVES", "QTUM",
    "ICX",  "ONT",   "ZIL",   "RVN", "HOT",  "IOST", "CELR", "ANKR", "SKL",   "OCEAN",
    "BAND", "STORJ", "NKN",   "RSR", "LRC",  "REN",  "KNC",  "BAL",  "UMA",   "PEPE"};
static const suffix crypto_quotes[] = {
    {"-USD", 100}, {"-USDT", 100}, {"-EUR", 92},   {"-USDC", 100}, {"-GBP", 78}, {"-JPY", 15000},
    {"-SGD", 135}, {"-CHF", 88},   {"-TRY", 3300}, {"-BRL", 550},  {"-AUD", 152}};
static const suffix perpetual_kinds[] = {
    {"-PERP", 100},      {"-USDT-PERP", 100},  {"-USDC-PERP", 100}, {"-EUR-PERP", 92},
    {"-PERP-MINI", 100}, {"-JPY-PERP", 15000}, {"-PERP-X10", 1000}};
static const char *const future_roots[] = {
    "EQX500", "EQTEC",  "EQSML",  "EUROX",  "DAXI",   "NIKX",   "HSIX",   "UKX",  "EURUSD",
    "USDJPY", "GBPUSD", "AUDUSD", "USDCHF", "USDCAD", "NZDUSD", "EURJPY", "GOLD", "SILV",
    "COPR",   "PLAT",   "PALL",   "CORN",   "WHEA",   "SOYB",   "SUGR",   "COFE", "COCO",
    "COTN",   "LHOG",   "LCAT",   "VOLX",   "BUNDX",  "BOBLX",  "SCHAX"};
static const suffix future_months[] = {{"-H27", 0}, {"-M27", 0}, {"-H27/M27", 0}, {"-U27", 0},
                                       {"-Z27", 0}, {"-H28", 0}, {"-M28", 0},     {"-U28", 0},
                                       {"-Z28", 0}, {"-H29", 0}};
static const char *const bonds[] = {"UST2",  "UST3",  "UST5",  "UST7", "UST10",
                                    "UST20", "UST30", "MBS30", "AGY5", "AGY10"};
static const suffix bond_kinds[] = {{" 2.250%", 0}, {" 2.500%", 0}, {" 2.750%", 0}, {" 3.000%", 0},
                                    {" 3.125%", 0}, {" 3.250%", 0}, {" 3.375%", 0}, {" 3.500%", 0},
                                    {" 3.625%", 0}, {" 3.750%", 0}, {" 3.875%", 0}, {" 4.000%", 0},
                                    {" 4.125%", 0}, {" 4.250%", 0}, {" 4.375%", 0}, {" 4.500%", 0},
                                    {" 4.625%", 0}, {" 4.750%", 0}, {" 5.000%", 0}, {" WI", 0}};
static const char *const energy[] = {"WTI",  "BRENT", "NATGAS", "TTFGAS", "GASOIL",
                                     "RBOB", "POWDE", "POWFR",  "POWNO",  "COAL"};
static const suffix energy_terms[] = {
    {"-SPOT", 0},    {"-DA", 0},      {"-WK1", 0},     {"-F27", 0},     {"-G27", 0},
    {"-H27", 0},     {"-J27", 0},     {"-K27", 0},     {"-M27", 0},     {"-N27", 0},
    {"-Q27", 0},     {"-U27", 0},     {"-V27", 0},     {"-X27", 0},     {"-Z27", 0},
    {"-F28", 0},     {"-G28", 0},     {"-H28", 0},     {"-J28", 0},     {"-K28", 0},
    {"-F27/G27", 0}, {"-G27/H27", 0}, {"-H27/J27", 0}, {"-J27/K27", 0}, {"-K27/M27", 0},
    {"-M27/N27", 0}, {"-N27/Q27", 0}, {"-Q27/U27", 0}, {"-U27/V27", 0}, {"-V27/X27", 0}};
static const char *const eastern[] = {"東京電力", "日経平均", "任天堂",   "豊田自動車", "三菱商事",
                                      "上海银行", "贵州茅台", "中国石油", "平安保险",   "长江电力",
                                      "삼성전자", "현대차",   "네이버",   "카카오",     "포스코"};
static const suffix eastern_kinds[] = {
    {"", 0},    {"·先物", 0}, {"·优先", 0}, {"·우선", 0}, {"/円", 0}, {"/元", 0}, {"/원", 0},
    {"·甲", 0}, {"·乙", 0},   {"·丙", 0},   {"·己", 0},   {"·丁", 0}, {"·戊", 0}, {"·A", 0},
    {"·B", 0},  {"·C", 0},    {"·D", 0},    {"·E", 0},    {"·F", 0},  {"·G", 0}};

static const listing listings[] = {
    {"ORION", crypto, COUNT(crypto), crypto_quotes, COUNT(crypto_quotes), NULL, TG_ASSET_SPOT,
     false, true},
    {"LYRA", crypto, COUNT(crypto), perpetual_kinds, COUNT(perpetual_kinds), "USD",
     TG_ASSET_PERPETUAL, false, true},
    {"CANIS", future_roots, COUNT(future_roots), future_months, COUNT(future_months), "USD",
     TG_ASSET_FUTURE, false, true},
    {"VEGA", bonds, COUNT(bonds), bond_kinds, COUNT(bond_kinds), "USD", TG_ASSET_BOND, false, true},
    {"AURIGA", energy, COUNT(energy), energy_terms, COUNT(energy_terms), "EUR", TG_ASSET_FUTURE,
     true, false},
    {"龍門", eastern, COUNT(eastern), eastern_kinds, COUNT(eastern_kinds), "JPY", TG_ASSET_SPOT,
     false, true},
};

/* Price exponent, tick size in mantissas and a usual price in ticks: from the leaders downwards. */
typedef struct price_scale {
    int8_t exponent;
    int64_t tick_size;
    int64_t anchor_ticks;
} price_scale;

static const price_scale major_scales[] = {{-2, 1, 6183200}, {-2, 1, 268190}, {-3, 1, 152430},
                                           {-4, 1, 22110},   {-2, 1, 58020},  {-5, 1, 35420},
                                           {-4, 1, 4510},    {-5, 1, 16230}};
static const price_scale minor_scales[] = {{-3, 1, 27410},  {-4, 5, 12360},   {-6, 1, 812300},
                                           {-8, 1, 421100}, {-11, 1, 734512}, {-18, 1000, 912345}};
static const price_scale future_scales[] = {{-2, 25, 22150}, {-2, 50, 38120}, {-4, 1, 10872},
                                            {-1, 1, 24890},  {-3, 5, 6120},   {0, 5, 7733},
                                            {-5, 5, 21744}};
static const price_scale energy_scales[] = {{-2, 1, 6143}, {-3, 1, 2411}, {-2, 1, 45},
                                            {-2, 5, -75},  {-1, 1, 12},   {-2, 1, -3763}};
static const price_scale eastern_scales[] = {
    {0, 1, 3120}, {-1, 5, 1840}, {-2, 1, 171250}, {0, 100, 712}, {-18, 1, 4511234567}};

static void set_bond_price(tg_instrument *instrument, tg__sim_traits *traits, uint32_t index)
{
    static const tg_price_format formats[] = {TG_PRICE_FRACTION_32, TG_PRICE_FRACTION_32_HALF,
                                              TG_PRICE_FRACTION_32_QUARTER, TG_PRICE_FRACTION_64};
    static const int8_t exponents[] = {-5, -6, -7, -6};
    static const int64_t ticks[] = {3125, 15625, 78125, 15625}; /* 1/32, 1/64, 1/128, 1/64 */
    static const int64_t per_point[] = {32, 64, 128, 64};
    const uint32_t form = index % COUNT(formats);
    instrument->price_format = formats[form];
    instrument->price_exponent = exponents[form];
    traits->tick_size = ticks[form];
    traits->anchor_ticks = per_point[form] * (92 + (int64_t)(index % 17)) + (int64_t)(index % 29);
}

static void set_scale(tg_instrument *instrument, tg__sim_traits *traits, const price_scale *scale)
{
    instrument->price_exponent = scale->exponent;
    traits->tick_size = scale->tick_size;
    traits->anchor_ticks = scale->anchor_ticks;
}

static void set_price(const listing *list, uint32_t index, tg_instrument *instrument,
                      tg__sim_traits *traits)
{
    const uint32_t base = index % list->base_count;
    switch (list->asset_class) {
    case TG_ASSET_BOND:
        set_bond_price(instrument, traits, index);
        return;
    case TG_ASSET_FUTURE:
        if (list->may_be_negative) {
            set_scale(instrument, traits, &energy_scales[index % COUNT(energy_scales)]);
        } else {
            set_scale(instrument, traits, &future_scales[base % COUNT(future_scales)]);
        }
        return;
    case TG_ASSET_SPOT:
    case TG_ASSET_PERPETUAL:
    case TG_ASSET_OTHER:
    case TG_ASSET_OPTION:
    case TG_ASSET_SPREAD:
    case TG_ASSET_INDEX:
        break;
    }
    if (list->bases == eastern) {
        set_scale(instrument, traits, &eastern_scales[index % COUNT(eastern_scales)]);
        return;
    }
    set_scale(instrument, traits,
              base < COUNT(major_scales) ? &major_scales[base]
                                         : &minor_scales[base % COUNT(minor_scales)]);
}

/* As wide as its class says, but no wider than a small part of its price. */
static uint32_t spread_of(uint32_t index, int64_t anchor_ticks)
{
    static const uint32_t classes[] = {1, 16, 1, 1, 24, 1, 1, 64, 1, 10, 1, 32, 1, 4, 1, 100};
    const uint64_t size = (uint64_t)(anchor_ticks < 0 ? -anchor_ticks : anchor_ticks);
    const uint64_t most = 1 + size / SPREAD_DIVISOR;
    const uint32_t wanted = classes[index % COUNT(classes)];
    return wanted > most ? (uint32_t)most : wanted;
}

static uint32_t family_of(const listing *list)
{
    if (list->bases == crypto) {
        return 0;
    }
    return list->bases == future_roots || list->bases == bonds ? 1 : TG__SIM_FAMILIES;
}

/* A share that falls with the rank like a power law; the last seventh of a venue sleeps. */
static uint32_t weight_of(uint32_t index, uint32_t size)
{
    if (index >= size - size / 7) {
        return 0;
    }
    const uint64_t rank = (uint64_t)index * TG__SIM_INSTRUMENTS / size + RANK_OFFSET;
    return (uint32_t)(UINT64_C(4000000000) / (rank * rank));
}

static bool is_spread(const listing *list, const suffix *kind)
{
    return list->asset_class == TG_ASSET_FUTURE && strchr(kind->text, '/') != NULL;
}

static tg_err add_listed(tg__directory *directory, tg__sim_traits *traits, const listing *list,
                         tg_venue_id venue, uint32_t index)
{
    const uint32_t size = list->base_count * list->suffix_count;
    const suffix *kind = &list->suffixes[index / list->base_count];
    tg_instrument instrument = {
        .venue = venue,
        .asset_class = is_spread(list, kind) ? TG_ASSET_SPREAD : list->asset_class,
        .price_format = TG_PRICE_DECIMAL,
        .quantity_exponent = list->asset_class == TG_ASSET_SPOT ? -4 : 0,
        .multiplier = {1, 0},
        .band_count = 1,
    };
    tg__sim_traits own = {.may_be_negative = list->may_be_negative, .has_ids = list->has_ids};
    set_price(list, index, &instrument, &own);
    if (kind->price_percent != 0) {
        own.anchor_ticks = own.anchor_ticks * kind->price_percent / 100;
    }
    if (instrument.asset_class == TG_ASSET_SPREAD && !list->may_be_negative) {
        own.may_be_negative = true;
        own.anchor_ticks = (int64_t)(index % 7) - 3; /* between two months: through zero */
    }
    own.lot = instrument.quantity_exponent < 0 ? 100 : 1;
    own.weight = weight_of(index, size);
    own.spread_ticks = spread_of(index, own.anchor_ticks);
    own.family = family_of(list);
    own.relative = (tg_instrument_id)(directory->count - index + (index + list->base_count) % size);
    own.venue = venue;
    instrument.cadence_ms = own.weight == 0 ? 300000 : own.weight < 2000 ? 60000 : 10000;
    instrument.band[0].from_price = INT64_MIN;
    instrument.band[0].tick_size = own.tick_size;
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s%s",
                   list->bases[index % list->base_count], kind->text);
    (void)snprintf(instrument.currency, sizeof instrument.currency, "%s",
                   list->currency != NULL ? list->currency : kind->text + 1);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    TG_TRY(tg__directory_add(directory, &instrument, &id));
    traits[id] = own;
    return TG_OK;
}

/* Every seed has prices of its own, within a quarter of the usual ones. */
static void shift_anchor(tg__sim_traits *traits, tg__prng *prng)
{
    const int64_t anchor = traits->anchor_ticks;
    const int64_t size = anchor < 0 ? -anchor : anchor;
    const uint32_t range = size / 2 > UINT32_MAX ? UINT32_MAX : (uint32_t)(size / 2);
    traits->anchor_ticks += (int64_t)tg__prng_below(prng, range + 1) - (int64_t)(range / 2);
}

tg_err tg__sim_universe_fill(tg__directory *directory, tg__sim_traits *traits, uint64_t seed)
{
    for (uint32_t v = 0; v < COUNT(listings); v++) {
        const listing *list = &listings[v];
        tg_venue_id venue = 0;
        TG_TRY(tg__directory_venue(directory, list->venue, &venue));
        for (uint32_t i = 0; i < list->base_count * list->suffix_count; i++) {
            TG_ENSURE(directory->count < TG__SIM_INSTRUMENTS, TG_ERR_FULL);
            TG_TRY(add_listed(directory, traits, list, venue, i));
        }
    }
    TG_ENSURE(directory->count == TG__SIM_INSTRUMENTS, TG_ERR_STATE);
    tg__prng prng = {seed};
    for (uint32_t id = 0; id < directory->count; id++) {
        shift_anchor(&traits[id], &prng);
    }
    return TG_OK;
}

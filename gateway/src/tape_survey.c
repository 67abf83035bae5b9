#include "tape_survey.h"

#include <tickglass/internal/control_flow.h>

#define CADENCE_LINES_MIN 20u /* fewer say nothing about an instrument's habits */
#define CADENCE_UNIT_NS   INT64_C(1000000)

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void see(tg__decimals_seen *seen, tg_decimal value)
{
    const int digits = -value.exponent;
    const uint32_t bit = UINT32_C(1) << digits;
    if ((seen->seen & bit) == 0) {
        seen->seen |= bit;
        seen->lowest[digits] = value.mantissa;
        seen->highest[digits] = value.mantissa;
    }
    if (value.mantissa < seen->lowest[digits]) {
        seen->lowest[digits] = value.mantissa;
    }
    if (value.mantissa > seen->highest[digits]) {
        seen->highest[digits] = value.mantissa;
    }
}

/* The step at the finer of both exponents; one that does not fit there falls back to 1 unit. */
static void join_step(tg__tape_survey *survey, tg_decimal price)
{
    if (price.mantissa == 0) {
        return;
    }
    const int8_t finer =
        price.exponent < survey->step_exponent ? price.exponent : survey->step_exponent;
    const tg_decimal step = {(int64_t)survey->price_step, survey->step_exponent};
    int64_t scaled_step = 1;
    int64_t scaled_price = 1;
    if (tg_decimal_rescale(step, finer, &scaled_step) != TG_OK ||
        tg_decimal_rescale(price, finer, &scaled_price) != TG_OK) {
        scaled_step = 1;
        scaled_price = 1;
    }
    survey->price_step = common_divisor(magnitude(scaled_price), magnitude(scaled_step));
    survey->step_exponent = finer;
    if (survey->price_step > INT64_MAX) {
        survey->price_step = 1; /* only |INT64_MIN| on its own comes to this */
    }
}

void tg__tape_survey_add(tg__tape_survey *survey, const tg__tape_line *line)
{
    see(&survey->price, line->price);
    see(&survey->quantity, line->quantity);
    join_step(survey, line->price);
    if (survey->lines > 0 && line->ts_ns - survey->last_ts_ns > survey->longest_silence_ns) {
        survey->longest_silence_ns = line->ts_ns - survey->last_ts_ns;
    }
    survey->last_ts_ns = line->ts_ns;
    survey->lines++;
}

/* The exponent of the longest fraction, if every extreme fits there. */
static tg_err common_exponent(const tg__decimals_seen *seen, int8_t *exponent)
{
    int digits = TG__DECIMALS_MAX;
    while (digits > 0 && (seen->seen & (UINT32_C(1) << digits)) == 0) {
        digits--;
    }
    *exponent = (int8_t)-digits;
    for (int d = 0; d < digits; d++) {
        if ((seen->seen & (UINT32_C(1) << d)) != 0) {
            const tg_decimal lowest = {seen->lowest[d], (int8_t)-d};
            const tg_decimal highest = {seen->highest[d], (int8_t)-d};
            int64_t unused = 0;
            TG_TRY(tg_decimal_rescale(lowest, *exponent, &unused));
            TG_TRY(tg_decimal_rescale(highest, *exponent, &unused));
        }
    }
    return TG_OK;
}

tg_err tg__tape_survey_finish(const tg__tape_survey *survey, tg_instrument *instrument,
                              const char **what)
{
    *what = "prices of one instrument do not fit 64 bits at one number of decimals";
    TG_TRY(common_exponent(&survey->price, &instrument->price_exponent));
    *what = "quantities of one instrument do not fit 64 bits at one number of decimals";
    TG_TRY(common_exponent(&survey->quantity, &instrument->quantity_exponent));
    *what = NULL;
    const tg_decimal step = {(int64_t)survey->price_step, survey->step_exponent};
    int64_t tick_size = 0;
    if (tg_decimal_rescale(step, instrument->price_exponent, &tick_size) != TG_OK ||
        tick_size < 1) {
        tick_size = 1;
    }
    instrument->band_count = 1;
    instrument->band[0].from_price = INT64_MIN;
    instrument->band[0].tick_size = tick_size;
    if (survey->lines >= CADENCE_LINES_MIN) {
        const int64_t silence_ms = survey->longest_silence_ns / CADENCE_UNIT_NS + 1;
        instrument->cadence_ms = silence_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)silence_ms;
    }
    return TG_OK;
}

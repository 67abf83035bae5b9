/** Number, range, mean and percentiles of one argument's values. */
#ifndef TICKGLASS_NUMBER_STATS_H
#define TICKGLASS_NUMBER_STATS_H

#include "log_text.h"

/** Zero-initialised. */
typedef struct tg__number_stats {
    uint64_t count;
    double min;
    double max;
    double sum;
    tg_histogram *magnitudes[2]; /**< of values from 0 on, of negative ones; NULL: none yet */
    int8_t exponent;             /**< of decimals; they are kept by mantissa while it is one */
    bool mixed;                  /**< decimals of several exponents: no percentiles */
} tg__number_stats;

void tg__number_stats_deinit(tg__number_stats *stats);

/** Of texts and blobs the number of bytes. @retval TG_ERR_NO_MEMORY  for percentiles */
TG_MUST_CHECK tg_err tg__number_stats_add(tg__number_stats *stats,
                                          const tg__log_argument *argument);

/** Many values at once, of a type up to TG__TYPE_F64. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__number_stats_add_words(tg__number_stats *stats, uint8_t type,
                                                const uint64_t *words, size_t count);

/** Add what another one has of the same argument; it may be empty afterwards, and is to be deinited
 * in any case. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__number_stats_merge(tg__number_stats *into, tg__number_stats *from);

bool tg__number_stats_has_percentiles(const tg__number_stats *stats, uint8_t type);

/** What wanted per cent of the values do not exceed. Only with percentiles and values. */
double tg__number_stats_percentile(const tg__number_stats *stats, double wanted);

#endif

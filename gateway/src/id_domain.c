#include "id_domain.h"

#ifdef TG_TEST_NO_ADMISSION

/* For one test binary only: shows that the checkers downstream can fail. */
tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row)
{
    (void)domain;
    (void)row;
    return TG__VERDICT_NEW;
}

tg__verdict tg__time_domain_judge(tg__time_domain *domain, const tg__row *row)
{
    (void)domain;
    (void)row;
    return TG__VERDICT_NEW;
}

#else

/* Ids are admitted in ascending order: halve what is left of the ring. */
static bool was_admitted(const tg__id_domain *domain, uint64_t id)
{
    uint32_t end = domain->admitted_count;
    uint32_t first = end < TG__IDS_REMEMBERED ? 0 : end - TG__IDS_REMEMBERED;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const uint64_t found = domain->admitted[middle % TG__IDS_REMEMBERED];
        if (found == id) {
            return true;
        }
        if (found < id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row)
{
    const uint8_t side = (uint8_t)(1u << row->kind);
    if (!domain->used || row->exchange_id > domain->last_id) {
        domain->used = true;
        domain->last_id = row->exchange_id;
        domain->last_ts_ns = row->ts_ns;
        domain->sides = side;
        domain->admitted[domain->admitted_count % TG__IDS_REMEMBERED] = row->exchange_id;
        /* Once the ring is full its count stays so: it must not come round to "few" again. */
        domain->admitted_count++;
        if (domain->admitted_count == 2 * TG__IDS_REMEMBERED) {
            domain->admitted_count = TG__IDS_REMEMBERED;
        }
        return TG__VERDICT_NEW;
    }
    if (row->exchange_id < domain->last_id) {
        return was_admitted(domain, row->exchange_id) ? TG__VERDICT_DUPLICATE
                                                      : TG__VERDICT_REGRESSION;
    }
    if (row->ts_ns == domain->last_ts_ns && (domain->sides & side) == 0) {
        domain->sides |= side;
        return TG__VERDICT_COMPLETES;
    }
    return TG__VERDICT_DUPLICATE;
}

tg__verdict tg__time_domain_judge(tg__time_domain *domain, const tg__row *row)
{
    if (domain->has_floor && row->ts_ns <= domain->floor_ts_ns) {
        return TG__VERDICT_DUPLICATE;
    }
    if (domain->used && row->ts_ns < domain->last_ts_ns) {
        return TG__VERDICT_REGRESSION;
    }
    domain->used = true;
    domain->last_ts_ns = row->ts_ns;
    return TG__VERDICT_NEW;
}

#endif

void tg__time_domain_take_over(tg__time_domain *domain)
{
    domain->has_floor = domain->used;
    domain->floor_ts_ns = domain->last_ts_ns;
}

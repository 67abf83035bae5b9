#include "id_domain.h"

#ifdef TG_TEST_NO_ADMISSION

/* For one test binary only: shows that the checkers downstream can fail. */
tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row)
{
    (void)domain;
    (void)row;
    return TG__VERDICT_NEW;
}

#else

tg__verdict tg__id_domain_judge(tg__id_domain *domain, const tg__row *row)
{
    if (!row->has_id) {
        return TG__VERDICT_NEW;
    }
    const uint8_t side = (uint8_t)(1u << row->kind);
    if (!domain->used || row->exchange_id > domain->last_id) {
        domain->used = true;
        domain->last_id = row->exchange_id;
        domain->last_ts_ns = row->ts_ns;
        domain->sides = side;
        return TG__VERDICT_NEW;
    }
    if (row->exchange_id < domain->last_id) {
        return TG__VERDICT_REGRESSION;
    }
    if (row->ts_ns == domain->last_ts_ns && (domain->sides & side) == 0) {
        domain->sides |= side;
        return TG__VERDICT_COMPLETES;
    }
    return TG__VERDICT_DUPLICATE;
}

#endif

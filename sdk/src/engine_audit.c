/* The books of what is wanted, every 30 s: a contradiction is told and counted, and changes
 * nothing. */
#include "audit.h"
#include "engine_state.h"

static void tell(tg__engine *engine, int64_t now_ns, const char *what, const tg__audit *audit)
{
    tg__count(&engine->counters.audits_failed, 1);
    (void)tg__engine_event(engine, TG_EVENT_AUDIT, now_ns, TG_ERR_STATE,
                           "audit: %s: %s (%llu subscribers by symbol, %llu by subscriber)", what,
                           audit->fault, (unsigned long long)audit->by_symbol,
                           (unsigned long long)audit->by_subscriber);
}

void tg__engine_audit(tg__engine *engine, int64_t now_ns)
{
    engine->audit_at_ns = now_ns + TG__AUDIT_NS;
    tg__count(&engine->counters.audits, 1);
    const tg__audit all = tg__audit_desired(&engine->desired);
    tg__audit priority = tg__audit_desired(&engine->priority);
    if (priority.fault == NULL) {
        priority.fault = tg__audit_priority(&engine->desired, &engine->priority);
    }
    if (all.fault != NULL) {
        tell(engine, now_ns, "the conflated channel", &all);
    } else if (priority.fault != NULL) {
        tell(engine, now_ns, "the priority channel", &priority);
    }
    (void)tg__engine_push(engine, TG__ACTION_AUDIT);
}

#include "scenario.h"

#include <string.h>

#include "splitmix.h"

#define RELEASE_MS 100u /* humans and schedulers are not better than that */
#define LOSS_MS    200u /* until every link of a lost site has been noticed */

bool scenario_parse(const char *text, scenario_kind *out)
{
    static const char *const names[] = {"open", "release", "deploy", "vpn-loss"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (scenario_kind)i;
            return true;
        }
    }
    return false;
}

/* A cube crowds at its beginning: half of all come within the first eighth. */
static int64_t heavy_head(splitmix *random, uint32_t within_ms)
{
    const double at = splitmix_unit(random);
    return (int64_t)(at * at * at * within_ms);
}

static void connect_all(const scenario *s, splitmix *random, trace *into)
{
    for (uint32_t i = 0; i < s->clients; i++) {
        trace_add(into, heavy_head(random, s->within_ms), TRACE_CONNECT);
    }
}

static void lose_some(const scenario *s, splitmix *random, trace *into)
{
    const int64_t loss_ms = (int64_t)s->within_ms + SCENARIO_SETTLE_MS;
    const int64_t back_ms = loss_ms + LOSS_MS + SCENARIO_OUTAGE_MS;
    const uint32_t lost = (uint32_t)((uint64_t)s->clients * s->share_percent / 100);
    /* Rounded up: a loss without any RST would not be one. */
    const uint32_t reset = (lost * SCENARIO_RESET_PERCENT + 99) / 100;
    for (uint32_t i = 0; i < lost; i++) {
        trace_add(into, loss_ms + splitmix_below(random, LOSS_MS),
                  i < reset ? TRACE_RESET : TRACE_CLOSE);
        trace_add(into, back_ms + heavy_head(random, s->within_ms), TRACE_CONNECT);
    }
}

void scenario_generate(const scenario *s, trace *into)
{
    splitmix random = {s->seed};
    switch (s->kind) {
    case SCENARIO_OPEN:
    case SCENARIO_DEPLOY:
        connect_all(s, &random, into);
        break;
    case SCENARIO_RELEASE:
        for (uint32_t i = 0; i < s->clients; i++) {
            trace_add(into, splitmix_below(&random, RELEASE_MS), TRACE_CONNECT);
        }
        break;
    case SCENARIO_VPN_LOSS:
        connect_all(s, &random, into);
        lose_some(s, &random, into);
        break;
    }
    trace_sort(into);
}

#include "lateness.h"

/* The gateway's times are what somebody sent: a difference that does not fit is the farthest. */
static int64_t minus(int64_t a, int64_t b)
{
    if (b >= 0) {
        return a < INT64_MIN + b ? INT64_MIN : a - b;
    }
    return a > INT64_MAX + b ? INT64_MAX : a - b;
}

/* The bounds as of now_ns. */
static void widen(tg__lateness *lateness, int64_t now_ns)
{
    const int64_t passed_ns = now_ns > lateness->at_ns ? minus(now_ns, lateness->at_ns) : 0;
    lateness->high_ns = minus(lateness->high_ns, -(passed_ns / TG__DRIFT_PART));
    lateness->low_ns = minus(lateness->low_ns, passed_ns / TG__DRIFT_PART);
    lateness->at_ns = now_ns > lateness->at_ns ? now_ns : lateness->at_ns;
}

void tg__lateness_echo(tg__lateness *lateness, int64_t sent_ns, int64_t received_ns,
                       int64_t ts_gateway_ns)
{
    const int64_t high_ns = minus(received_ns, ts_gateway_ns);
    const int64_t low_ns = minus(sent_ns, ts_gateway_ns);
    widen(lateness, received_ns);
    const bool slower = lateness->has_high && lateness->high_ns < low_ns;
    const bool faster = lateness->has_low && lateness->low_ns > high_ns;
    if (slower) {
        const bool set = minus(low_ns, lateness->high_ns) >= TG__SET_LEAST_NS;
        lateness->high_ns = set ? high_ns : low_ns;
    } else if (!lateness->has_high || high_ns < lateness->high_ns) {
        lateness->high_ns = high_ns;
    }
    if (slower || faster || !lateness->has_low || low_ns > lateness->low_ns) {
        lateness->low_ns = low_ns;
    }
    lateness->has_high = true;
    lateness->has_low = true;
}

int64_t tg__lateness_frame(tg__lateness *lateness, int64_t received_ns, int64_t ts_gateway_ns)
{
    const int64_t most_ns = minus(received_ns, ts_gateway_ns);
    widen(lateness, received_ns);
    if (lateness->has_high && most_ns >= lateness->high_ns) {
        return minus(most_ns, lateness->high_ns);
    }
    lateness->high_ns = most_ns;
    lateness->has_high = true;
    lateness->has_low = lateness->has_low && lateness->low_ns <= most_ns;
    return 0;
}

void tg__lateness_slept(tg__lateness *lateness, int64_t slept_ns)
{
    lateness->high_ns = minus(lateness->high_ns, slept_ns);
    lateness->low_ns = minus(lateness->low_ns, slept_ns);
}

#include "pass_pace.h"

#define NS_PER_S INT64_C(1000000000)
/* By our own clock: no driver can be trusted to slow us down. */
#define ROWS_NS     (NS_PER_S / 60)
#define PRIORITY_NS (NS_PER_S / 120)
#define ANSWER_NS   (NS_PER_S / 120)
/* After a pass that found nothing to draw. */
#define EMPTY_NS (NS_PER_S / 240)
/* What fades or ages waits for this long after the last whole pass: where data flows it goes along
 * with the data. */
#define LOOKS_NS (NS_PER_S / 16)

void pass_pace_ask(pass_pace *pace, pass_cause cause)
{
    pace->asked[cause] = true;
}

int64_t pass_pace_turn_mono_ns(const pass_pace *pace, pass_cause cause)
{
    return pace->turn_mono_ns[cause];
}

bool pass_pace_is_asked(const pass_pace *pace)
{
    return pace->asked[PASS_FOR_ROWS] || pace->asked[PASS_FOR_ANSWER];
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t turn_of(const pass_pace *pace, pass_cause cause)
{
    return pace->asked[cause] ? pace->turn_mono_ns[cause] : PASS_PACE_NEVER;
}

static int64_t next_whole_mono_ns(const pass_pace *pace, int64_t change_mono_ns)
{
    const int64_t asked = earlier(turn_of(pace, PASS_FOR_ROWS), turn_of(pace, PASS_FOR_ANSWER));
    return earlier(asked, later(change_mono_ns, pace->looks_mono_ns));
}

int64_t pass_pace_next_mono_ns(const pass_pace *pace, int64_t change_mono_ns)
{
    return earlier(next_whole_mono_ns(pace, change_mono_ns), turn_of(pace, PASS_FOR_PRIORITY));
}

pass_extent pass_pace_due(const pass_pace *pace, int64_t change_mono_ns, int64_t now_mono_ns)
{
    if (now_mono_ns >= next_whole_mono_ns(pace, change_mono_ns)) {
        return PASS_WHOLE;
    }
    return now_mono_ns >= turn_of(pace, PASS_FOR_PRIORITY) ? PASS_PRIORITY : PASS_NOT_DUE;
}

/* Only what was asked for uses its turn: who comes along with another's pass keeps his. */
static void take_turn(pass_pace *pace, pass_cause cause, int64_t pace_ns, bool drew,
                      int64_t now_mono_ns)
{
    if (pace->asked[cause]) {
        pace->turn_mono_ns[cause] = now_mono_ns + (drew ? pace_ns : EMPTY_NS);
        pace->asked[cause] = false;
    }
}

void pass_pace_took(pass_pace *pace, pass_extent extent, bool drew, int64_t now_mono_ns)
{
    take_turn(pace, PASS_FOR_PRIORITY, PRIORITY_NS, drew, now_mono_ns);
    if (extent == PASS_WHOLE) {
        take_turn(pace, PASS_FOR_ROWS, ROWS_NS, drew, now_mono_ns);
        take_turn(pace, PASS_FOR_ANSWER, ANSWER_NS, drew, now_mono_ns);
        pace->looks_mono_ns = now_mono_ns + LOOKS_NS;
    }
}

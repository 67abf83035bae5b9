/*
 * When the next pass is due. What asks for one has a pace of its own, so that nobody's news wait
 * for a turn that another's have taken: rows 60 a second, the cells of the priority channel 120,
 * answers to keys and the mouse 120. What only fades or ages goes along with the next of them.
 *
 * Times are given to it; it has no clock. Thread: owner, all of these.
 */
#ifndef TG_TERMINAL_PASS_PACE_H
#define TG_TERMINAL_PASS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PASS_PACE_NEVER INT64_MAX

typedef enum pass_cause {
    PASS_FOR_ROWS,
    PASS_FOR_PRIORITY, /* news of the instrument on the priority channel, and nothing else */
    PASS_FOR_ANSWER,   /* a key or the mouse: somebody looks at what it does */
    PASS_CAUSE_COUNT
} pass_cause;

/* Zeroed, it has never had a pass and none is asked for. */
typedef struct pass_pace {
    bool asked[PASS_CAUSE_COUNT];
    int64_t turn_mono_ns[PASS_CAUSE_COUNT]; /* from then on the cause may have its next pass */
    int64_t looks_mono_ns;                  /* likewise what fades */
} pass_pace;

typedef enum pass_extent {
    PASS_NOT_DUE,
    PASS_PRIORITY, /* the cells of the priority channel will do */
    PASS_WHOLE
} pass_extent;

/* Something has come that is not drawn yet. */
void pass_pace_ask(pass_pace *pace, pass_cause cause);
/* From when on the cause may have its next pass. */
int64_t pass_pace_turn_mono_ns(const pass_pace *pace, pass_cause cause);
/* Something that only a whole pass shows has not been drawn yet. */
bool pass_pace_is_asked(const pass_pace *pace);

/* change_mono_ns: when the picture changes by itself. PASS_PACE_NEVER: nothing will be due. */
int64_t pass_pace_next_mono_ns(const pass_pace *pace, int64_t change_mono_ns);
pass_extent pass_pace_due(const pass_pace *pace, int64_t change_mono_ns, int64_t now_mono_ns);

/* A pass that began at now_mono_ns has shown that much. drew: it found something to draw; one that
 * did not takes no turn from the next, but does not spin either. */
void pass_pace_took(pass_pace *pace, pass_extent extent, bool drew, int64_t now_mono_ns);

#endif

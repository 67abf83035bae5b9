/* Plays a script step by step: one after each pass, so that the next one sees what the one before
 * has done. */
#ifndef TG_TERMINAL_SCRIPT_PLAY_H
#define TG_TERMINAL_SCRIPT_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/window.h>

#include "screen.h"
#include "script_file.h"
#include "session_record.h"

/* What is waited for has to come in this time. */
#define SCRIPT_WAIT_S 30

typedef struct script_play {
    const char *path;
    script_file script;
    session_record *record; /* which is told of screenshots; may be NULL */
    size_t next;
    int64_t wait_until_mono_ns; /* 0: the next step has not been looked at */
} script_play;

typedef enum script_outcome {
    SCRIPT_IS_WAITING,
    SCRIPT_HAS_INPUT, /* to be taken like that of a person */
    SCRIPT_DID_SOMETHING,
    SCRIPT_HAS_ENDED, /* there is nothing left, and nothing said that the program is to end */
    SCRIPT_QUITS,
    SCRIPT_FAILED /* why says where and what */
} script_outcome;

/* The next step, after a pass of the screen. Thread: owner. Blocks: a screenshot, on the disk. */
script_outcome script_play_step(script_play *play, tg_window *window, screen *shown,
                                int64_t now_mono_ns, tg_input *input, char *why, size_t why_size);

/* There are steps that were never played; why says which is the first. Thread: owner. */
bool script_play_is_cut_off(const script_play *play, char *why, size_t why_size);

#endif

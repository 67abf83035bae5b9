/* The saved state over one run: read and applied at its beginning, written at its end. */
#ifndef TG_TERMINAL_STATE_KEEPER_H
#define TG_TERMINAL_STATE_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include "feed.h"
#include "options.h"
#include "saved_state.h"
#include "settings.h"

typedef struct state_keeper {
    char path[USER_PATH_SIZE]; /* "": nothing is kept */
    saved_state before;
    bool may_write; /* what stands there is ours to replace */
    /* "", or what was wrong and what was done */
    char notice[64 + SAVED_STATE_WHY_SIZE + USER_PATH_SIZE];
} state_keeper;

typedef enum state_keeper_use {
    STATE_KEEPER_RUN,    /* a broken file is moved aside */
    STATE_KEEPER_LOOK_AT /* nothing on the disk is changed */
} state_keeper_use;

/*
 * Reads what was saved and gives it to the settings. Without a display nothing is kept unless
 * --state names a file: what a script does is no habit of the user's. TG_ERR_NO_MEMORY. Thread:
 * owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err state_keeper_open(state_keeper *keeper, const terminal_options *options,
                                       settings *settings, state_keeper_use use);

/* The row that was selected, once the feed has it. Thread: owner. */
bool state_keeper_find_row(const state_keeper *keeper, feed *feed, size_t *index);

/*
 * Saves now unless it is what was saved before. TG_ERR_IO: why says it in one line. Thread: owner.
 * Blocks: on the disk.
 */
TG_MUST_CHECK tg_err state_keeper_save(const state_keeper *keeper, const saved_state *now,
                                       char *why, size_t why_size);

#endif

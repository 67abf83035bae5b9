/*
 * What stood on the glass, out of a record: takes its records one by one, in their order, and knows
 * all cells after each pass, from the first whole picture on. Nothing is guessed: where a picture
 * is missing or damaged, what comes after it is not known until the next whole one.
 */
#ifndef TG_TERMINAL_PICTURE_REPLAY_H
#define TG_TERMINAL_PICTURE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>
#include <tickglass/record_reader.h>
#include <tickglass/window.h>

typedef struct picture_replay picture_replay;

/* TG_ERR_NO_MEMORY. Thread: owner, all of these. */
TG_MUST_CHECK tg_err picture_replay_open(picture_replay **out);
/* NULL is allowed. */
void picture_replay_close(picture_replay *replay);

/* As if nothing had been taken. */
void picture_replay_begin(picture_replay *replay);

/* Which pass drew what a record has, or a piece of it. */
typedef struct picture_head {
    uint64_t pass;
    uint64_t number; /* of the picture, from 0; without gaps */
    int64_t handed_mono_ns;
    int64_t handed_utc_ns;
} picture_head;

/* False: the record has no picture. */
bool picture_head_of(const tg_record_entry *entry, picture_head *out);

/* Others than those of pictures are passed over. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err picture_replay_take(picture_replay *replay, const tg_record_entry *entry);

typedef enum replay_state {
    REPLAY_NOTHING, /* no whole picture so far */
    REPLAY_LOST,    /* something is missing since the last whole one */
    REPLAY_KNOWN
} replay_state;

typedef struct replayed_picture {
    replay_state state;
    const char *why;          /* of REPLAY_LOST: what is missing */
    picture_head head;        /* of the latest picture, known or not; not with REPLAY_NOTHING */
    const tg_draw_list *list; /* REPLAY_KNOWN: all cells, to be drawn as a whole */
    tg_picture_form form;     /* zeros: the record does not say, nor fonts and drawn_by */
    const char *fonts;        /* tg_window_fonts(); "": not known when it was recorded */
    const char *drawn_by;
} replayed_picture;

/* Pointers are the replay's, until the next call. */
replayed_picture picture_replay_get(const picture_replay *replay);

#endif

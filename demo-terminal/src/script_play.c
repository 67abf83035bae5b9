#include "script_play.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

static bool has_come(const script_step *step, const screen *shown)
{
    switch (step->kind) {
    case SCRIPT_WAIT_ROWS:
        return screen_counts_get(shown).rows_with_data >= (size_t)step->number[0];
    case SCRIPT_WAIT_TEXT:
        return screen_shows(shown, step->text);
    case SCRIPT_WAIT_NO_TEXT:
        return !screen_shows(shown, step->text);
    case SCRIPT_INPUT:
    case SCRIPT_RESIZE:
    case SCRIPT_SCREENSHOT:
    case SCRIPT_CHECK:
    case SCRIPT_QUIT:
        break;
    }
    return true;
}

static script_outcome wait_for(script_play *play, const script_step *step, const screen *shown,
                               int64_t now_mono_ns, char *why, size_t why_size)
{
    if (has_come(step, shown)) {
        return SCRIPT_DID_SOMETHING;
    }
    if (play->wait_until_mono_ns == 0) {
        play->wait_until_mono_ns = now_mono_ns + SCRIPT_WAIT_S * NS_PER_S;
    }
    if (now_mono_ns < play->wait_until_mono_ns) {
        return SCRIPT_IS_WAITING;
    }
    if (step->kind == SCRIPT_WAIT_ROWS) {
        (void)snprintf(why, why_size, "%s:%u: %d rows did not come in %d s", play->path, step->line,
                       step->number[0], SCRIPT_WAIT_S);
    } else {
        (void)snprintf(why, why_size, "%s:%u: \"%s\" did not %s in %d s", play->path, step->line,
                       step->text, step->kind == SCRIPT_WAIT_TEXT ? "come" : "go", SCRIPT_WAIT_S);
    }
    return SCRIPT_FAILED;
}

/* What damage alone has drawn, pass by pass, is what drawing everything gives. */
static bool redraws_as_it_is(tg_window *window, screen *shown)
{
    tg_picture *before = NULL;
    tg_picture *after = NULL;
    const bool same = tg_picture_open(window, &before) == TG_OK && screen_redraw(shown) == TG_OK &&
                      tg_picture_open(window, &after) == TG_OK && tg_picture_equal(before, after);
    tg_picture_close(before);
    tg_picture_close(after);
    return same;
}

static script_outcome do_step(script_play *play, const script_step *step, tg_window *window,
                              screen *shown, char *why, size_t why_size)
{
    if (step->kind == SCRIPT_CHECK && !redraws_as_it_is(window, shown)) {
        (void)snprintf(why, why_size, "%s:%u: drawing everything anew gives another picture",
                       play->path, step->line);
        return SCRIPT_FAILED;
    }
    if (step->kind == SCRIPT_RESIZE &&
        tg_window_resize(window, step->number[0], step->number[1]) != TG_OK) {
        (void)snprintf(why, why_size, "%s:%u: the window cannot have that size", play->path,
                       step->line);
        return SCRIPT_FAILED;
    }
    if (step->kind == SCRIPT_SCREENSHOT) {
        if (tg_window_screenshot(window, step->text) != TG_OK) {
            (void)snprintf(why, why_size, "%s:%u: %s: %s", play->path, step->line, step->text,
                           strerror(errno));
            return SCRIPT_FAILED;
        }
        session_record_screenshot(play->record, screen_counts_get(shown).passes, step->text);
    }
    return SCRIPT_DID_SOMETHING;
}

script_outcome script_play_step(script_play *play, tg_window *window, screen *shown,
                                int64_t now_mono_ns, tg_input *input, char *why, size_t why_size)
{
    if (play->next == play->script.count) {
        return SCRIPT_HAS_ENDED;
    }
    const script_step *step = &play->script.step[play->next];
    script_outcome outcome = SCRIPT_QUITS;
    switch (step->kind) {
    case SCRIPT_INPUT:
        *input = step->input;
        outcome = SCRIPT_HAS_INPUT;
        break;
    case SCRIPT_WAIT_ROWS:
    case SCRIPT_WAIT_TEXT:
    case SCRIPT_WAIT_NO_TEXT:
        outcome = wait_for(play, step, shown, now_mono_ns, why, why_size);
        break;
    case SCRIPT_RESIZE:
    case SCRIPT_SCREENSHOT:
    case SCRIPT_CHECK:
        outcome = do_step(play, step, window, shown, why, why_size);
        break;
    case SCRIPT_QUIT:
        break;
    }
    if (outcome != SCRIPT_IS_WAITING) {
        play->next++;
        play->wait_until_mono_ns = 0;
    }
    return outcome;
}

bool script_play_is_cut_off(const script_play *play, char *why, size_t why_size)
{
    if (play->next >= play->script.count) {
        return false;
    }
    (void)snprintf(why, why_size, "%s:%u: the run ended before this step", play->path,
                   play->script.step[play->next].line);
    return true;
}

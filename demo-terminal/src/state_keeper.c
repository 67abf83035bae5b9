#include "state_keeper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void find_path(state_keeper *self, const terminal_options *options, const settings *to)
{
    if (options->state != NULL) {
        (void)snprintf(self->path, sizeof self->path, "%s", options->state);
    } else if (options->headless || saved_state_path(settings_profile(to), self->path) != TG_OK) {
        self->path[0] = '\0';
    }
}

/* What cannot be understood is kept for whoever can. */
static void set_aside(state_keeper *self, const char *why)
{
    char kept[USER_PATH_SIZE];
    if (saved_state_set_aside(self->path, kept) == TG_OK) {
        (void)snprintf(self->notice, sizeof self->notice, "saved state: %s; kept as %s", why, kept);
        self->may_write = true;
    } else {
        (void)snprintf(self->notice, sizeof self->notice,
                       "saved state: %s; it cannot be moved (%s), so that nothing is saved", why,
                       strerror(errno));
    }
}

static tg_err apply(const saved_state *from, settings *to)
{
    char number[32];
    tg_err err = TG_OK;
    if (from->palette[0] != '\0') {
        err = settings_take_saved(to, SETTING_PALETTE, from->palette);
    }
    if (err == TG_OK && from->font_size_px > 0) {
        (void)snprintf(number, sizeof number, "%d", from->font_size_px);
        err = settings_take_saved(to, SETTING_FONT_SIZE, number);
    }
    if (err == TG_OK && from->width_px > 0) {
        (void)snprintf(number, sizeof number, "%dx%d", from->width_px, from->height_px);
        err = settings_take_saved(to, SETTING_SIZE, number);
    }
    return err;
}

tg_err state_keeper_open(state_keeper *self, const terminal_options *options, settings *to,
                         state_keeper_use use)
{
    memset(self, 0, sizeof *self);
    find_path(self, options, to);
    if (self->path[0] == '\0') {
        return TG_OK;
    }
    char why[SAVED_STATE_WHY_SIZE] = "";
    const tg_err err = saved_state_read(self->path, &self->before, why, sizeof why);
    if (err == TG_OK) {
        self->may_write = true;
        return apply(&self->before, to);
    }
    if (err == TG_ERR_SYNTAX && use == STATE_KEEPER_RUN) {
        set_aside(self, why);
    } else {
        (void)snprintf(self->notice, sizeof self->notice, "saved state: %s%s", why,
                       err == TG_ERR_SYNTAX ? "; the next run moves it aside"
                                            : "; nothing is saved");
    }
    return TG_OK;
}

bool state_keeper_find_row(const state_keeper *self, feed *from, size_t *index)
{
    for (size_t i = 0; self->before.venue[0] != '\0' && i < feed_row_count(from); i++) {
        const watch_row *row = feed_row(from, i);
        if (strcmp(row->venue, self->before.venue) == 0 &&
            strcmp(row->symbol, self->before.symbol) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool same_names(const saved_names *a, const saved_names *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++) {
        if (strcmp(a->name[i].venue, b->name[i].venue) != 0 ||
            strcmp(a->name[i].symbol, b->name[i].symbol) != 0) {
            return false;
        }
    }
    return a->count == b->count;
}

static bool same_alerts(const saved_state *a, const saved_state *b)
{
    for (size_t i = 0; i < a->alert_of.count && i < b->alert_of.count; i++) {
        if (a->alert_price[i].mantissa != b->alert_price[i].mantissa ||
            a->alert_price[i].exponent != b->alert_price[i].exponent) {
            return false;
        }
    }
    return same_names(&a->alert_of, &b->alert_of);
}

static bool same_list(const saved_state *a, const saved_state *b)
{
    return strcmp(a->sort, b->sort) == 0 && a->descending == b->descending &&
           memcmp(a->column_off, b->column_off, sizeof a->column_off) == 0 &&
           strcmp(a->filter, b->filter) == 0 && same_names(&a->added, &b->added) &&
           same_names(&a->removed, &b->removed) && same_alerts(a, b);
}

static bool same_panels(const saved_state *a, const saved_state *b)
{
    return a->has_panels == b->has_panels && memcmp(a->panel, b->panel, sizeof a->panel) == 0;
}

static bool is_same(const saved_state *a, const saved_state *b)
{
    return strcmp(a->palette, b->palette) == 0 && a->width_px == b->width_px &&
           a->height_px == b->height_px && a->font_size_px == b->font_size_px &&
           strcmp(a->venue, b->venue) == 0 && strcmp(a->symbol, b->symbol) == 0 &&
           same_panels(a, b) && same_list(a, b);
}

tg_err state_keeper_save(const state_keeper *self, const saved_state *now, char *why,
                         size_t why_size)
{
    if (!self->may_write || is_same(&self->before, now)) {
        return TG_OK;
    }
    const tg_err err = saved_state_write(self->path, now);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "saved state: %s: %s", self->path, strerror(errno));
    }
    return err;
}

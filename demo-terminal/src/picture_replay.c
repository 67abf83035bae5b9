#include "picture_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>

#include "draw_pack.h"
#include "picture_chain.h"
#include "session_record.h"

#define WHY_SIZE 200

/* How a pass's picture was made of its cells. */
typedef struct picture_making {
    uint64_t pass;
    tg_picture_form form;
    char fonts[TG_FONTS_TEXT_SIZE];
    char drawn_by[160];
} picture_making;

struct picture_replay {
    replay_state state;
    char why[WHY_SIZE];
    picture_head head;
    bool assembling; /* pieces of head's picture have come, but not all */
    uint32_t size;   /* of all pieces */
    uint32_t at;     /* bytes that have come */
    unsigned char *bytes;
    draw_unpacked unpacked;
    tg_draw_list list; /* over cells and rows */
    size_t cell_capacity;
    tg_cell *cells;
    tg_draw_run rows[TG_GRID_SIDE_MAX];
    picture_making next_making; /* said last: of the whole picture that is about to come */
    picture_making making;      /* of the latest whole one */
};

tg_err picture_replay_open(picture_replay **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

void picture_replay_close(picture_replay *replay)
{
    if (replay != NULL) {
        draw_unpacked_deinit(&replay->unpacked);
        free(replay->bytes);
        free(replay->cells);
        free(replay);
    }
}

void picture_replay_begin(picture_replay *replay)
{
    replay->state = REPLAY_NOTHING;
    replay->assembling = false;
}

/* ---- records ----------------------------------------------------------------------------------
 */

static bool has_format(const tg_record_entry *entry, const char *format)
{
    return entry->format.size == strlen(format) &&
           memcmp(entry->format.bytes, format, entry->format.size) == 0;
}

/* Its arguments are of the types that its format has: a file may say anything. One letter each: i
 * signed, u unsigned, s text, p blob. */
static bool has_types(const tg_record_entry *entry, const char *types)
{
    for (size_t i = 0; i < entry->argument_count && types[i] != '\0'; i++) {
        const tg_record_argument_type type = entry->arguments[i].type;
        const tg_record_argument_type wanted = types[i] == 'i'   ? TG_RECORD_ARGUMENT_SIGNED
                                               : types[i] == 'u' ? TG_RECORD_ARGUMENT_UNSIGNED
                                               : types[i] == 's' ? TG_RECORD_ARGUMENT_TEXT
                                                                 : TG_RECORD_ARGUMENT_BLOB;
        if (type != wanted) {
            return false;
        }
    }
    return entry->argument_count == strlen(types);
}

bool picture_head_of(const tg_record_entry *entry, picture_head *out)
{
    if (!has_format(entry, SESSION_RECORD_DREW) || !has_types(entry, "uuuiuup")) {
        return false;
    }
    *out = (picture_head){.pass = entry->arguments[0].as.u,
                          .number = entry->arguments[1].as.u,
                          .handed_mono_ns = entry->mono_ns,
                          .handed_utc_ns = entry->arguments[3].as.i};
    return true;
}

static void copy_text(tg_text from, char *to, size_t size)
{
    const size_t length = from.size < size ? from.size : size - 1;
    memcpy(to, from.bytes, length);
    to[length] = '\0';
}

static void take_making(picture_replay *replay, const tg_record_entry *entry)
{
    picture_making *next = &replay->next_making;
    next->pass = entry->arguments[0].as.u;
    next->form = (tg_picture_form){(int)entry->arguments[1].as.i, (int)entry->arguments[2].as.i,
                                   (int)entry->arguments[3].as.i};
    copy_text(entry->arguments[4].as.text, next->fonts, sizeof next->fonts);
    copy_text(entry->arguments[5].as.text, next->drawn_by, sizeof next->drawn_by);
}

/* ---- pictures ---------------------------------------------------------------------------------
 */

/* Nothing is known any more, unless nothing was anyway. */
static void lose(picture_replay *replay, const char *why)
{
    if (replay->state == REPLAY_KNOWN) {
        replay->state = REPLAY_LOST;
        (void)snprintf(replay->why, sizeof replay->why, "%s", why);
    }
    replay->assembling = false;
}

static tg_err fit_cells(picture_replay *replay, const tg_draw_list *list)
{
    const size_t count = (size_t)list->columns * list->rows;
    if (count > replay->cell_capacity) {
        tg_cell *cells = realloc(replay->cells, count * sizeof *cells);
        if (cells == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        replay->cells = cells;
        replay->cell_capacity = count;
    }
    for (uint16_t row = 0; row < list->rows; row++) {
        replay->rows[row] = (tg_draw_run){row, 0, list->columns, (uint32_t)row * list->columns};
    }
    replay->list = *list;
    replay->list.run_count = list->rows;
    replay->list.cell_count = count;
    replay->list.runs = replay->rows;
    replay->list.cells = replay->cells;
    return TG_OK;
}

static void apply(picture_replay *replay, const tg_draw_list *list)
{
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = &list->runs[r];
        memcpy(replay->cells + (size_t)run->row * list->columns + run->column,
               list->cells + run->first, run->count * sizeof *list->cells);
    }
}

/* All pieces are there. */
static tg_err take_picture(picture_replay *replay)
{
    draw_fault fault;
    char why[WHY_SIZE];
    const tg_err unpacked = draw_unpack(replay->bytes, replay->size, &replay->unpacked, &fault);
    const tg_draw_list *list = &replay->unpacked.list;
    replay->assembling = false;
    if (unpacked == TG_ERR_NO_MEMORY) {
        return unpacked;
    }
    if (unpacked != TG_OK) {
        (void)snprintf(why, sizeof why, "what pass %" PRIu64 " drew cannot be read: offset %zu: %s",
                       replay->head.pass, fault.offset, fault.what);
        lose(replay, why);
        return TG_OK;
    }
    if (list->full && list->cell_count == (size_t)list->columns * list->rows) {
        const tg_err err = fit_cells(replay, list);
        if (err != TG_OK) {
            return err;
        }
        replay->state = REPLAY_KNOWN;
        if (replay->next_making.pass == replay->head.pass) {
            replay->making = replay->next_making;
        } else {
            replay->making = (picture_making){.pass = replay->head.pass};
        }
    } else if (list->full || list->columns != replay->list.columns ||
               list->rows != replay->list.rows || list->background != replay->list.background) {
        (void)snprintf(why, sizeof why, "what pass %" PRIu64 " drew does not fit to what was there",
                       replay->head.pass);
        lose(replay, why);
    }
    if (replay->state == REPLAY_KNOWN) {
        apply(replay, list);
    }
    return TG_OK;
}

static tg_err begin_pieces(picture_replay *replay, const picture_head *head, uint64_t size)
{
    char why[WHY_SIZE];
    const bool follows = !replay->assembling && head->number == replay->head.number + 1;
    if (!follows && head->number > 0) {
        (void)snprintf(why, sizeof why,
                       "what was drawn between pass %" PRIu64 " and pass %" PRIu64
                       " is missing from the record",
                       replay->head.pass, head->pass);
        lose(replay, why);
    }
    replay->head = *head;
    replay->size = (uint32_t)size;
    replay->at = 0;
    if (replay->bytes == NULL) {
        replay->bytes = malloc(PICTURE_CHAIN_BYTES_MAX);
    }
    replay->assembling = replay->bytes != NULL;
    return replay->bytes != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_err take_piece(picture_replay *replay, const tg_record_entry *entry,
                         const picture_head *head)
{
    const uint64_t from = entry->arguments[4].as.u;
    const uint64_t size = entry->arguments[5].as.u;
    const tg_blob piece = entry->arguments[6].as.blob;
    if (size > PICTURE_CHAIN_BYTES_MAX || from > size || piece.size > size - from) {
        lose(replay, "a picture in the record contradicts itself");
        return TG_OK;
    }
    if (from == 0) {
        const tg_err err = begin_pieces(replay, head, size);
        if (err != TG_OK) {
            return err;
        }
    }
    if (!replay->assembling || head->pass != replay->head.pass ||
        head->number != replay->head.number || from != replay->at || size != replay->size) {
        replay->head = *head;
        lose(replay, "a piece of a picture is missing from the record");
        return TG_OK;
    }
    memcpy(replay->bytes + replay->at, piece.bytes, piece.size);
    replay->at += (uint32_t)piece.size;
    return replay->at == replay->size ? take_picture(replay) : TG_OK;
}

tg_err picture_replay_take(picture_replay *replay, const tg_record_entry *entry)
{
    picture_head head;
    if (has_format(entry, SESSION_RECORD_FORM) && has_types(entry, "uiiiss")) {
        take_making(replay, entry);
        return TG_OK;
    }
    return picture_head_of(entry, &head) ? take_piece(replay, entry, &head) : TG_OK;
}

replayed_picture picture_replay_get(const picture_replay *replay)
{
    const bool known = replay->state == REPLAY_KNOWN && !replay->assembling;
    replayed_picture picture = {.state = replay->state,
                                .why = replay->why,
                                .head = replay->head,
                                .list = known ? &replay->list : NULL,
                                .form = replay->making.form,
                                .fonts = replay->making.fonts,
                                .drawn_by = replay->making.drawn_by};
    if (replay->state == REPLAY_KNOWN && replay->assembling) {
        picture.state = REPLAY_LOST;
        picture.why = "the rest of the picture is missing from the record";
    }
    return picture;
}

/*
 * A draw list as bytes and back: what one pass drew, as the record keeps it. A pass of a busy
 * terminal takes some 450 bytes (130 cells in 40 runs of 10 styles), all cells of its window 6 KB.
 *
 *     u8 form, 1 | u8 1: everything is drawn (tg_draw_list.full), else 0 | u24 bytes in all
 *     varint columns, rows | u24 background | varint runs
 *     for each run: place, styles
 *     the texts of all cells in nibbles, from the last byte backwards, low half of a byte first
 *
 * Place: a byte, its high half h, its low half n. h up to 13: so many columns lie between the run
 * before and this one; 14: 14 + varint; 15: another row, varint rows on (from -1 for the first
 * run), less 1, then varint column. n up to 14: n + 1 cells; 15: 16 + varint. Styles: a byte for
 * each stretch of one style, odd if it goes to the end of the run, else varint cells - 1 follows at
 * the very end. Half of the byte: 0, a style follows (u24 foreground, u24 background, u8 marks) and
 * takes the next of 127 places in turn; else the style at that place, from 1. Texts: 0 to 9 a
 * digit; 10 none (a blank); 11 "."; 12 ","; 13 the text before n + 1 times more, n a nibble up to
 * 14, or 15 and 15 + a byte; 14 a byte of ASCII; 15 a nibble n and n bytes, where n = 0 stands for
 * the twelve of a plot cell's bars. Bytes are two nibbles, low half first.
 */
#ifndef TG_TERMINAL_DRAW_PACK_H
#define TG_TERMINAL_DRAW_PACK_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

/*
 * TG_ERR_BUFFER_TOO_SMALL: it takes more than capacity; TG_ERR_INVALID_ARGUMENT: not a list as a
 * grid makes it. Allocates nothing. Thread: any.
 */
TG_MUST_CHECK tg_err draw_pack(const tg_draw_list *list, unsigned char *out, size_t capacity,
                               size_t *size);

/* A list with room of its own; zeroed before it is used for the first time. */
typedef struct draw_unpacked {
    tg_draw_list list;
    tg_draw_run *runs;
    size_t run_capacity;
    tg_cell *cells;
    size_t cell_capacity;
} draw_unpacked;

/* Why bytes are refused. */
typedef struct draw_fault {
    size_t offset;
    const char *what;
} draw_fault;

/*
 * Validated completely: whatever is accepted can be drawn and printed. TG_ERR_CORRUPT: fault says
 * where and why; TG_ERR_UNSUPPORTED: of a form that this version does not know; TG_ERR_NO_MEMORY.
 * On error out->list is empty. Thread: owner of out.
 */
TG_MUST_CHECK tg_err draw_unpack(const unsigned char *bytes, size_t size, draw_unpacked *out,
                                 draw_fault *fault);

void draw_unpacked_deinit(draw_unpacked *unpacked);

#endif

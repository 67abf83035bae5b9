/*
 * What stands on the glass as text, kept by reading the draw lists: not what the program meant to
 * show, but what it drew.
 */
#ifndef TG_TERMINAL_DRAWN_TEXT_H
#define TG_TERMINAL_DRAWN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

typedef struct drawn_text drawn_text;

/* TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err drawn_text_open(drawn_text **out);
/* NULL is allowed. Thread: owner. */
void drawn_text_close(drawn_text *drawn);

/* TG_ERR_NO_MEMORY, when the size of the picture grows only. Thread: owner. */
TG_MUST_CHECK tg_err drawn_text_apply(drawn_text *drawn, const tg_draw_list *list);

/*
 * The text in width cells of a row without the blanks around it, UTF-8, cut off at size. "" outside
 * of the picture. Thread: owner.
 */
void drawn_text_get(const drawn_text *drawn, uint16_t row, uint16_t column, uint16_t width,
                    char *text, size_t size);

/* The text stands somewhere in one row. Thread: owner. */
bool drawn_text_holds(const drawn_text *drawn, const char *text);

#endif

/* A sign for a character that no font has: its number. Two names that lack glyphs stay two names.
 */
#ifndef TICKGLASS_RENDER_HEX_BOX_H
#define TICKGLASS_RENDER_HEX_BOX_H

#include <stdint.h>

/*
 * Draws the four (or six) hexadecimal digits of code in two columns into coverage, which is
 * width x height bytes; x0 is the left edge of a picture of full_width: of a character that is two
 * cells wide each half is drawn on its own. Thread: any.
 */
void tg__hex_box_cover(uint32_t code, uint8_t *coverage, int width, int height, int x0,
                       int full_width);

#endif

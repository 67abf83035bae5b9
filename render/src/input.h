/* Events of the window system, translated. */
#ifndef TICKGLASS_RENDER_INPUT_H
#define TICKGLASS_RENDER_INPUT_H

#include <stdbool.h>

#include <SDL.h>

#include <tickglass/window.h>

/* False: nothing that a terminal answers to. Thread: owner. */
bool tg__input_translate(const SDL_Event *event, tg_input *out);

#endif

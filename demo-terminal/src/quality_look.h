/* How a quality looks: what may be old is grey, marked and never in a good colour. */
#ifndef TG_TERMINAL_QUALITY_LOOK_H
#define TG_TERMINAL_QUALITY_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/palette.h>
#include <tickglass/store.h>

/* Values of that quality may be old. Thread: any. */
bool quality_is_suspect(tg_quality quality);

/* Of the word itself. Thread: any. */
uint32_t quality_colour(const tg_palette *palette, tg_quality quality);

#define QUALITY_NOTE_SIZE 64

/* "LIVE <1s"; "! STALE 12m34s" where the value may be old. Thread: any. */
void quality_note(tg_quality quality, int64_t age_ns, char text[QUALITY_NOTE_SIZE]);

#endif

/* Pictures written beside the loop: compressing one takes longer than ticks may wait. */
#ifndef TG_TERMINAL_SNAPSHOT_H
#define TG_TERMINAL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/window.h>

#define SNAPSHOT_PATH_SIZE 64

typedef struct snapshot snapshot;

/* TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err snapshot_open(snapshot **out);
/* NULL is allowed. Thread: owner. Blocks: until a picture that was begun is written. */
void snapshot_close(snapshot *shot);

/*
 * Copies what is in the window and writes it to path on a thread of its own, which wakes the window
 * at the end. One at a time: TG_ERR_FULL while another is being written. TG_ERR_NO_MEMORY,
 * TG_ERR_INVALID_ARGUMENT (path is too long). Thread: owner.
 */
TG_MUST_CHECK tg_err snapshot_start(snapshot *shot, tg_window *window, const char *path);

/* What became of it, once: "written: …" or why not. False: nothing to tell. Thread: owner. */
bool snapshot_take_result(snapshot *shot, char *text, size_t size, bool *bad);

#endif

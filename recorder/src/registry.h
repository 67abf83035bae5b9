/**
 * What all recorders of a process share: the call sites, the list of open recorders, one lock for
 * everything that is rare (a first call, a new thread, open and close), and fork.
 */
#ifndef TICKGLASS_REGISTRY_H
#define TICKGLASS_REGISTRY_H

#include <tickglass/recorder.h>

/** Everything below that says "locked" is called between these two. Not recursive. */
void tg__registry_lock(void);
void tg__registry_unlock(void);

/** Give the recorder a serial, all sites known so far, and those to come. Locked. */
void tg__registry_add(tg_recorder *recorder);

/** Locked. */
void tg__registry_remove(tg_recorder *recorder);

/** The open recorder of that serial, or NULL. Locked. */
tg_recorder *tg__registry_find(uint64_t serial);

#endif

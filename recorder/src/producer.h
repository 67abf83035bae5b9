/** The recording side's slow paths that other files need. */
#ifndef TICKGLASS_PRODUCER_H
#define TICKGLASS_PRODUCER_H

#include <pthread.h>

#include "recorder_state.h"

/** The value for pthread_setspecific, and what the key's destructor makes of it. */
void tg__producer_retire(void *key_value);

/** A number that tells running threads apart. */
uint64_t tg__thread_token(void);

/** The calling thread's ring, made if there is none. */
TG_MUST_CHECK tg_err tg__producer_get(tg_recorder *recorder, const char *name, tg__producer **out);

#endif

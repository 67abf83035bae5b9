/**
 * The one allocator of epochs of a sequencing lineage. A number is on the disk before it is given
 * out, so that no start and no crash ever gives one twice.
 */
#ifndef TG_GATEWAY_EPOCH_STORE_H
#define TG_GATEWAY_EPOCH_STORE_H

#include <stdint.h>

#include "state_dir.h"

typedef struct tg__epoch_store {
    char path[TG__PATH_SIZE];
    uint64_t lineage;
    uint32_t next_epoch;
} tg__epoch_store;

/*
 * Reads DIR/epochs, or begins a new lineage if there is none. TG_ERR_EPOCH_STORE: the file is
 * damaged (cause: file and line); TG_ERR_IO.
 */
TG_MUST_CHECK tg_err tg__epoch_store_open(tg__epoch_store *store, const tg__state_dir *dir,
                                          tg__cause *cause);

/* An epoch over all earlier ones. TG_ERR_EPOCH_STORE: none is left; TG_ERR_IO: nothing is given. */
TG_MUST_CHECK tg_err tg__epoch_store_next(tg__epoch_store *store, uint32_t *epoch,
                                          tg__cause *cause);

#endif

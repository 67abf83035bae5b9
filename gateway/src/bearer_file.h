/** Where the bearer token comes from: a file named by the user, or one that the gateway makes. */
#ifndef TG_GATEWAY_BEARER_FILE_H
#define TG_GATEWAY_BEARER_FILE_H

#include "bearer.h"
#include "state_dir.h"

/*
 * path NULL: DIR/token, made with random content if it is not there. The file holds one line of
 * visible ASCII. TG_ERR_IO, TG_ERR_NOT_FOUND, TG_ERR_FORMAT; no cause ever shows a token.
 */
TG_MUST_CHECK tg_err tg__bearer_load(tg__bearer *bearer, const tg__state_dir *dir, const char *path,
                                     tg__cause *cause);

#endif

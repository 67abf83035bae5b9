/** A secret of a gateway's own, made at its first start: a line of hexadecimal digits. */
#ifndef TG_GATEWAY_SECRET_FILE_H
#define TG_GATEWAY_SECRET_FILE_H

#include "state_dir.h"

#define TG__SECRET_SIZE 32u /* bytes; twice as many digits */

/* Writes a new one there, for the owner alone (0600). TG_ERR_IO. */
TG_MUST_CHECK tg_err tg__secret_file_make(const char *path, tg__cause *cause);

#endif

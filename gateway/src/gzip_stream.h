/** Decoder of gzip data, concatenated members included. */
#ifndef TG_GATEWAY_GZIP_STREAM_H
#define TG_GATEWAY_GZIP_STREAM_H

#include <tickglass/err.h>

#include "stream_decoder.h"

/* TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__gzip_stream_open(tg__stream_decoder *out);

#endif

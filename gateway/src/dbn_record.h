/** Records of a DBN file into rows: trades, MBP-1, TBBO, MBP-10, MBO, definitions, mappings. */
#ifndef TG_GATEWAY_DBN_RECORD_H
#define TG_GATEWAY_DBN_RECORD_H

#include "dbn_metadata.h"
#include "market_capture.h"

#define TG__DBN_RECORD_MIN 16u   /* bytes: the header of a record */
#define TG__DBN_RECORD_MAX 1020u /* 255 words of four bytes */

/*
 * One whole record of `size` bytes, TG__DBN_RECORD_MIN at least. Names that it tells are added to
 * the metadata. TG_ERR_SYNTAX: capture->what says why; TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__dbn_record_take(tg__market_capture *capture, tg__dbn_metadata *metadata,
                                         const uint8_t *record, size_t size);

#endif

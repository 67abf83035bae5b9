/** The venues whose captures can be read: one file each, with a table of its message kinds. */
#ifndef TG_GATEWAY_VENUE_FORMAT_H
#define TG_GATEWAY_VENUE_FORMAT_H

#include "market_capture.h"

typedef struct tg__venue_format {
    const char *name; /* of --from */
    const char *host; /* part of a socket's address by which a capture is recognised, or NULL */
    /*
     * One frame, which is parsed already. TG_ERR_SYNTAX: the frame is bad (capture->what);
     * anything else ends the reading.
     */
    tg_err (*frame)(tg__market_capture *capture, tg__span text);
} tg__venue_format;

extern const tg__venue_format tg__binance_format;
extern const tg__venue_format tg__bitmex_format;
extern const tg__venue_format tg__bybit_format;
extern const tg__venue_format tg__coinbase_format;
extern const tg__venue_format tg__deribit_format;
extern const tg__venue_format tg__kraken_format;
extern const tg__venue_format tg__kraken_futures_format;
extern const tg__venue_format tg__okex_format;

/* NULL-terminated. */
extern const tg__venue_format *const tg__venue_formats[];

/* NULL: there is none. */
const tg__venue_format *tg__venue_format_named(const char *name);
const tg__venue_format *tg__venue_format_of_url(tg__span url);

/* take is NULL: the kind is known and of no use for a tape. */
typedef struct tg__message_kind {
    const char *name;
    tg_err (*take)(tg__market_capture *capture, tg__json_at message);
} tg__message_kind;

/* Counts the message and calls what the table has for its kind. The table ends with a NULL name. */
TG_MUST_CHECK tg_err tg__take_message(tg__market_capture *capture, const tg__message_kind *kinds,
                                      tg__span kind, tg__json_at message);

#endif

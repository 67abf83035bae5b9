#include "venue_format.h"

#include <string.h>

const tg__venue_format *const tg__venue_formats[] = {
    &tg__binance_format,  &tg__bitmex_format,  &tg__bybit_format,
    &tg__coinbase_format, &tg__deribit_format, &tg__kraken_futures_format,
    &tg__kraken_format,   &tg__okex_format,    NULL,
};

const tg__venue_format *tg__venue_format_named(const char *name)
{
    for (size_t i = 0; tg__venue_formats[i] != NULL; i++) {
        if (strcmp(tg__venue_formats[i]->name, name) == 0) {
            return tg__venue_formats[i];
        }
    }
    return NULL;
}

static bool contains(tg__span text, const char *part)
{
    const size_t size = strlen(part);
    for (size_t i = 0; i + size <= text.length; i++) {
        if (memcmp(text.at + i, part, size) == 0) {
            return true;
        }
    }
    return false;
}

const tg__venue_format *tg__venue_format_of_url(tg__span url)
{
    for (size_t i = 0; tg__venue_formats[i] != NULL; i++) {
        const tg__venue_format *format = tg__venue_formats[i];
        if (format->host != NULL && contains(url, format->host)) {
            return format;
        }
    }
    return NULL;
}

tg_err tg__take_message(tg__market_capture *capture, const tg__message_kind *kinds, tg__span kind,
                        tg__json_at message)
{
    for (size_t i = 0; kinds[i].name != NULL; i++) {
        if (tg__span_is(kind, kinds[i].name)) {
            tg__market_capture_count(capture, kind,
                                     kinds[i].take != NULL ? TG__KIND_USED : TG__KIND_UNUSED);
            return kinds[i].take != NULL ? kinds[i].take(capture, message) : TG_OK;
        }
    }
    tg__market_capture_count(capture, kind, TG__KIND_UNKNOWN);
    return TG_OK;
}

/* A DBN file from anywhere: its header, then records. What is accepted gives rows that fit a tape.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dbn_record.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_rows(const tg__market_capture *capture)
{
    for (size_t i = 0; i < capture->row_count; i++) {
        const tg__tape_line *row = &capture->rows[i];
        char text[TG__TAPE_LINE_SIZE];
        size_t size = 0;
        require(tg__tape_line_format(row, text, &size) == TG_OK && size < sizeof text);
        require(row->ts_ns >= 0 && row->quantity.mantissa >= 0 && !row->has_id);
        require(row->price.exponent >= -TG__DBN_PRICE_DIGITS && row->price.exponent <= 0);
    }
}

/* Each record in a block of its own size, so that a read behind it is noticed. */
static void take_records(tg__dbn_metadata *metadata, const uint8_t *at, const uint8_t *end)
{
    tg__market_capture capture;
    require(tg__market_capture_init(&capture) == TG_OK);
    while (end - at >= TG__DBN_RECORD_MIN) {
        const size_t size = (size_t)at[0] * 4;
        if (size < TG__DBN_RECORD_MIN || size > (size_t)(end - at)) {
            break;
        }
        uint8_t *exact = malloc(size);
        require(exact != NULL);
        memcpy(exact, at, size);
        capture.row_count = 0;
        capture.what = NULL;
        const tg_err err = tg__dbn_record_take(&capture, metadata, exact, size);
        require(err == TG_OK || (err == TG_ERR_SYNTAX && capture.what != NULL));
        check_rows(&capture);
        free(exact);
        at += size;
    }
    tg__market_capture_deinit(&capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg__dbn_metadata metadata;
    uint32_t header = 0;
    const char *what = NULL;
    if (size < TG__DBN_PRELUDE_SIZE ||
        tg__dbn_prelude_decode(data, &metadata, &header, &what) != TG_OK ||
        header > size - TG__DBN_PRELUDE_SIZE) {
        return 0;
    }
    uint8_t *exact = malloc(header);
    require(exact != NULL);
    memcpy(exact, data + TG__DBN_PRELUDE_SIZE, header);
    const tg_err err = tg__dbn_metadata_decode(exact, header, &metadata, &what);
    require((err == TG_OK) == (what == NULL));
    if (err == TG_OK) {
        require(metadata.symbol_size < TG__DBN_NAME_SIZE);
        take_records(&metadata, data + TG__DBN_PRELUDE_SIZE + header, data + size);
    }
    free(exact);
    tg__dbn_metadata_deinit(&metadata);
    return 0;
}

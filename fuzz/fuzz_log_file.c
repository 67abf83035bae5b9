/*
 * A record file of any bytes: indexed, every record unpacked and printed both ways, histograms
 * rebuilt, statistics taken from the blocks; once as it is, once with its checksums repaired.
 * Nothing may be read outside the bytes, and what is accepted must pack again to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/crc32c.h>
#include <tickglass/record_inline.h>

#include "bytes.h"
#include "histogram_snapshot.h"
#include "log_merge.h"
#include "log_skim.h"
#include "log_text.h"

#define RECORDS_MAX   2000 /* a small input may stand for very many empty records */
#define SITES_SKIMMED 1

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Record -> packed -> record, in a block of its own. */
static void check_packing(tg__log_file *file, const tg__log_record *record)
{
    static unsigned char ring_form[TG_RECORD_BYTES_MAX + 4096];
    static unsigned char packed[TG_RECORD_BYTES_MAX + 8192];
    static unsigned char again[TG_RECORD_BYTES_MAX + 8192];
    const size_t size = TG__RECORD_HEADER + record->arguments_size;
    tg__put_u32(ring_form, (uint32_t)size);
    tg__put_u32(ring_form + 4, record->site->id);
    tg__put_u64(ring_form + 8, record->stamp);
    memcpy(ring_form + TG__RECORD_HEADER, record->arguments, record->arguments_size);
    tg__pack pack;
    require(tg__pack_init(&pack, record->site->id + 1) == TG_OK);
    tg__pack_begin_block(&pack);
    const size_t packed_size = tg__pack_record(&pack, record->site, ring_form, packed);
    require(packed_size <= size + TG__PACK_GROWTH);
    tg__pack_begin_block(&pack);
    tg__packed in = {packed, packed + packed_size};
    require(tg__unpack_record(&pack, file->sites, &in, again, sizeof again) == TG_OK);
    require(in.at == in.end && memcmp(again, ring_form, size) == 0);
    tg__pack_deinit(&pack);
}

static void check_record(tg__log_file *file, tg__log_text *text, const tg__log_record *record)
{
    size_t used = 0;
    require(tg__site_arguments_fit(record->site, record->arguments, record->arguments_size, &used));
    require(((used + 7u) & ~(size_t)7u) == record->arguments_size);
    check_packing(file, record);
    tg__text_buffer out = {NULL, 0, 0, false};
    require(tg__log_text_line(text, record, &out) == TG_OK);
    require(out.bytes[out.size - 1] == '\n');
    require(memchr(out.bytes, '\n', out.size) == out.bytes + out.size - 1);
    out.size = 0;
    require(tg__log_text_json(text, record, &out) == TG_OK);
    require(memchr(out.bytes, '\n', out.size) == out.bytes + out.size - 1);
    tg__text_buffer_deinit(&out);
    tg__histogram_piece piece;
    if (tg__histogram_piece_read(record, &piece) == TG_OK) {
        tg_histogram *histogram = NULL;
        if (tg__histogram_from_stream(piece.bytes, piece.size, &histogram) == TG_OK) {
            require(tg__histogram_stream(histogram, 0, 0, NULL) >= 64);
        }
        tg_histogram_close(histogram);
    }
}

/* Statistics of the first number of some sites, straight from the blocks. */
static void check_skimming(tg__log_file *file)
{
    int sites = 0;
    for (uint32_t id = 1; id <= TG__SITES_MAX && sites < SITES_SKIMMED; id++) {
        const tg__site_info *site = &file->sites[id];
        if (site->id == 0 || site->argument_count == 0 || site->types[0] > TG__TYPE_F64) {
            continue;
        }
        const tg__skim wanted = {site, 0};
        tg__number_stats stats = {0};
        require(tg__log_skim(file, &wanted, 1, &stats) == TG_OK);
        tg__number_stats_deinit(&stats);
        sites++;
    }
}

static void check_file(const uint8_t *data, size_t size)
{
    static tg__log_text text;
    tg__log_file file;
    if (tg__log_file_from_memory(data, size, &file) != TG_OK) {
        return;
    }
    tg__log_merge merge;
    require(tg__log_merge_open(&file, 1, &merge) == TG_OK);
    tg__log_record record;
    for (int i = 0; i < RECORDS_MAX && tg__log_merge_next(&merge, &record) == TG_OK; i++) {
        check_record(&file, &text, &record);
    }
    tg__log_merge_close(&merge);
    check_skimming(&file);
    tg__log_text_deinit(&text);
    tg__log_file_close(&file);
}

/* Give every block that can be found its magic number and its checksum, which no mutation hits. */
static void repair(uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (size - at >= TG__BLOCK_HEADER) {
        const uint32_t payload_size = tg__get_u32(bytes + at + 8);
        if (payload_size > size - at - TG__BLOCK_HEADER) {
            return;
        }
        tg__put_u32(bytes + at, TG__BLOCK_MAGIC);
        uint32_t crc = tg__crc32c(0, bytes + at, TG__BLOCK_HEADER - 4);
        crc = tg__crc32c(crc, bytes + at + TG__BLOCK_HEADER, payload_size);
        tg__put_u32(bytes + at + TG__BLOCK_HEADER - 4, crc);
        at += TG__BLOCK_HEADER + (size_t)payload_size;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file(data, size);
    uint8_t *repaired = malloc(size != 0 ? size : 1); /* exact: a byte too far is seen */
    require(repaired != NULL);
    if (size != 0) {
        memcpy(repaired, data, size);
    }
    repair(repaired, size);
    check_file(repaired, size);
    free(repaired);
    return 0;
}

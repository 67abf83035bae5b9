#include <tickglass/record_reader.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/record_inline.h>

#include "bytes.h"
#include "log_merge.h"
#include "log_text.h"

/* All blocks of a thread: after a seek its thread has the later ones only. */
typedef struct all_blocks {
    uint64_t *offsets;
    size_t count;
} all_blocks;

struct tg_record_reader {
    tg__log_file *files;
    size_t file_count; /* that are open */
    char **paths;
    size_t path_count;
    all_blocks *blocks; /* of each thread, file by file */
    size_t *problems;   /* of each file, when it was opened */
    tg__log_merge merge;
    bool merging;
    int64_t from_utc_ns; /* what is older is passed over */
    tg__pack pack;       /* to look into single blocks */
    unsigned char *scratch;
};

static tg_err explain(char *why, size_t why_size, const char *path, tg_err err)
{
    const int failure = errno;
    if (why != NULL && why_size > 0 && err == TG_ERR_IO) {
        (void)snprintf(why, why_size, "%s: %s", path, strerror(failure));
    } else if (why != NULL && why_size > 0) {
        (void)snprintf(why, why_size, "%s: offset 0: %s", path, tg_err_text(err));
    }
    errno = failure;
    return err;
}

static tg_err copy_paths(tg_record_reader *reader, const char *const *paths, size_t count)
{
    reader->paths = calloc(count, sizeof *reader->paths);
    TG_ENSURE(reader->paths != NULL, TG_ERR_NO_MEMORY);
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(paths[i]) + 1;
        reader->paths[i] = malloc(size);
        TG_ENSURE(reader->paths[i] != NULL, TG_ERR_NO_MEMORY);
        memcpy(reader->paths[i], paths[i], size);
        reader->path_count++;
    }
    return TG_OK;
}

/* What a seek leaves out comes back. */
static void restore_blocks(tg_record_reader *reader)
{
    size_t number = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        tg__log_file *file = &reader->files[i];
        for (size_t t = 0; t < file->thread_count; t++, number++) {
            file->threads[t].offsets = reader->blocks[number].offsets;
            file->threads[t].count = reader->blocks[number].count;
        }
    }
}

static tg_err remember_blocks(tg_record_reader *reader)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        count += reader->files[i].thread_count;
    }
    reader->blocks = calloc(count + 1, sizeof *reader->blocks);
    reader->problems = calloc(reader->file_count, sizeof *reader->problems);
    TG_ENSURE(reader->blocks != NULL && reader->problems != NULL, TG_ERR_NO_MEMORY);
    size_t number = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        const tg__log_file *file = &reader->files[i];
        reader->problems[i] = file->problem_count;
        for (size_t t = 0; t < file->thread_count; t++, number++) {
            reader->blocks[number] = (all_blocks){file->threads[t].offsets, file->threads[t].count};
        }
    }
    return TG_OK;
}

tg_err tg_record_reader_open(const char *const *paths, size_t path_count, tg_record_reader **out,
                             char *why, size_t why_size)
{
    if (out != NULL) {
        *out = NULL;
    }
    TG_ENSURE(paths != NULL && path_count > 0 && out != NULL, TG_ERR_INVALID_ARGUMENT);
    tg_record_reader *reader = calloc(1, sizeof *reader);
    const char *which = "memory";
    tg_err err = reader != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    if (err == TG_OK) {
        err = copy_paths(reader, paths, path_count);
    }
    if (err == TG_OK) {
        reader->files = calloc(path_count, sizeof *reader->files);
        reader->scratch = malloc(TG__LOG_SCRATCH_SIZE);
        err = reader->files != NULL && reader->scratch != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < path_count && err == TG_OK; i++) {
        which = paths[i];
        err = tg__log_file_open(reader->paths[i], &reader->files[i]);
        reader->file_count += err == TG_OK ? 1 : 0;
    }
    if (err == TG_OK) {
        which = "memory";
        err = tg__pack_init(&reader->pack, TG__SITES_MAX + 1);
    }
    if (err == TG_OK) {
        err = remember_blocks(reader);
    }
    if (err == TG_OK) {
        err = tg_record_reader_seek(reader, INT64_MIN);
    }
    if (err != TG_OK) {
        (void)explain(why, why_size, which, err);
        const int failure = errno;
        tg_record_reader_close(reader);
        errno = failure;
        return err;
    }
    *out = reader;
    return TG_OK;
}

static void end_merge(tg_record_reader *reader)
{
    if (reader->merging) {
        tg__log_merge_close(&reader->merge);
        reader->merging = false;
    }
}

void tg_record_reader_close(tg_record_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    end_merge(reader);
    if (reader->blocks != NULL && reader->problems != NULL) { /* they are remembered */
        restore_blocks(reader);
    }
    for (size_t i = 0; i < reader->file_count; i++) {
        tg__log_file_close(&reader->files[i]);
    }
    for (size_t i = 0; i < reader->path_count; i++) {
        free(reader->paths[i]);
    }
    tg__pack_deinit(&reader->pack);
    free(reader->files);
    free(reader->paths);
    free(reader->blocks);
    free(reader->problems);
    free(reader->scratch);
    free(reader);
}

/* ---- seeking ----------------------------------------------------------------------------------
 */

/* The times of a block's first records, at most so many; false: it has none that can be read. */
static bool block_times(tg_record_reader *reader, tg__log_file *file, uint64_t offset,
                        uint32_t most, int64_t *first_utc_ns, int64_t *last_utc_ns)
{
    tg__block block;
    if (tg__block_open(file->bytes + offset, file->size - (size_t)offset, &block) != TG_OK) {
        return false;
    }
    tg__packed in = {block.payload, block.payload + block.payload_size};
    bool any = false;
    tg__pack_begin_block(&reader->pack);
    for (uint32_t i = 0; i < block.record_count && i < most; i++) {
        if (tg__unpack_record(&reader->pack, file->sites, &in, reader->scratch,
                              TG__LOG_SCRATCH_SIZE) != TG_OK) {
            break;
        }
        const uint64_t stamp = tg__get_u64(reader->scratch + 8);
        const bool is_ns = (tg__get_u32(reader->scratch + 4) & TG__SITE_STAMP_NS) != 0;
        const int64_t utc_ns = tg__time_map_utc(
            &file->times, is_ns ? (int64_t)stamp : tg__time_map_mono(&file->times, stamp));
        *first_utc_ns = !any || utc_ns < *first_utc_ns ? utc_ns : *first_utc_ns;
        *last_utc_ns = !any || utc_ns > *last_utc_ns ? utc_ns : *last_utc_ns;
        any = true;
    }
    return any;
}

/* From where a thread has to be read for everything of that time or later. */
static size_t first_block(tg_record_reader *reader, tg__log_file *file, const all_blocks *blocks,
                          int64_t utc_ns)
{
    size_t low = 0; /* begins before utc_ns, or is the first */
    size_t high = blocks->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        int64_t first_ns = 0;
        int64_t last_ns = 0;
        if (block_times(reader, file, blocks->offsets[middle], 1, &first_ns, &last_ns) &&
            first_ns >= utc_ns) {
            high = middle;
        } else {
            low = middle;
        }
    }
    /* One more: callers' stamps are older than their calls, and a block may begin with such a one.
     */
    return low > 0 ? low - 1 : 0;
}

tg_err tg_record_reader_seek(tg_record_reader *reader, int64_t utc_ns)
{
    TG_ENSURE(reader != NULL, TG_ERR_INVALID_ARGUMENT);
    end_merge(reader);
    restore_blocks(reader);
    reader->from_utc_ns = utc_ns;
    size_t number = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        tg__log_file *file = &reader->files[i];
        file->problem_count = reader->problems[i]; /* what is read again is told again */
        for (size_t t = 0; t < file->thread_count; t++, number++) {
            const all_blocks *blocks = &reader->blocks[number];
            const size_t from = utc_ns == INT64_MIN ? 0 : first_block(reader, file, blocks, utc_ns);
            file->threads[t].offsets = blocks->count != 0 ? blocks->offsets + from : NULL;
            file->threads[t].count = blocks->count - from;
        }
    }
    TG_TRY(tg__log_merge_open(reader->files, reader->file_count, &reader->merge));
    reader->merging = true;
    return TG_OK;
}

tg_err tg_record_reader_span(tg_record_reader *reader, int64_t *first_utc_ns, int64_t *last_utc_ns)
{
    TG_ENSURE(reader != NULL && first_utc_ns != NULL && last_utc_ns != NULL,
              TG_ERR_INVALID_ARGUMENT);
    bool any = false;
    size_t number = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        tg__log_file *file = &reader->files[i];
        for (size_t t = 0; t < file->thread_count; t++, number++) {
            const all_blocks *blocks = &reader->blocks[number];
            for (size_t end = 0; end < 2 && blocks->count != 0; end++) {
                int64_t first_ns = 0;
                int64_t last_ns = 0;
                if (block_times(reader, file, blocks->offsets[end == 0 ? 0 : blocks->count - 1],
                                UINT32_MAX, &first_ns, &last_ns)) {
                    *first_utc_ns = !any || first_ns < *first_utc_ns ? first_ns : *first_utc_ns;
                    *last_utc_ns = !any || last_ns > *last_utc_ns ? last_ns : *last_utc_ns;
                    any = true;
                }
            }
        }
    }
    return any ? TG_OK : TG_ERR_NOT_FOUND;
}

/* ---- records ----------------------------------------------------------------------------------
 */

static void take_argument(const tg__log_argument *from, tg_record_argument *to)
{
    switch (from->type) {
    case TG__TYPE_I32:
    case TG__TYPE_I64:
        to->type = TG_RECORD_ARGUMENT_SIGNED;
        to->as.i = (int64_t)from->word;
        return;
    case TG__TYPE_U32:
    case TG__TYPE_U64:
        to->type = TG_RECORD_ARGUMENT_UNSIGNED;
        to->as.u = from->word;
        return;
    case TG__TYPE_F64:
        to->type = TG_RECORD_ARGUMENT_DOUBLE;
        memcpy(&to->as.f, &from->word, sizeof to->as.f);
        return;
    case TG__TYPE_DECIMAL:
        to->type = TG_RECORD_ARGUMENT_PRICE;
        to->as.price = tg_decimal_of((int64_t)from->word, from->exponent);
        return;
    case TG__TYPE_TEXT:
        to->type = TG_RECORD_ARGUMENT_TEXT;
        to->as.text = tg_text_of(from->bytes, from->size);
        return;
    default: /* a file's dictionary names no other type */
        to->type = TG_RECORD_ARGUMENT_BLOB;
        to->as.blob = tg_blob_of(from->bytes, from->size);
        return;
    }
}

tg_err tg_record_reader_next(tg_record_reader *reader, tg_record_entry *out)
{
    TG_ENSURE(reader != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(reader->merging, TG_ERR_NO_MEMORY);
    tg__log_record record;
    do {
        TG_TRY(tg__log_merge_next(&reader->merge, &record));
    } while (record.utc_ns < reader->from_utc_ns);
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    tg__log_arguments(&record, arguments);
    out->utc_ns = record.utc_ns;
    out->mono_ns = record.mono_ns;
    out->level = (tg_record_level)record.site->level;
    out->path = (size_t)(record.file - reader->files);
    out->thread = record.thread;
    out->thread_name = record.thread_name;
    out->file = tg_text_of(record.site->file, record.site->file_size);
    out->line = record.site->line;
    out->format = tg_text_of(record.site->format, record.site->format_size);
    out->argument_count = record.site->argument_count;
    for (size_t i = 0; i < out->argument_count; i++) {
        take_argument(&arguments[i], &out->arguments[i]);
    }
    return TG_OK;
}

/* ---- problems ---------------------------------------------------------------------------------
 */

static size_t kept_problems(const tg__log_file *file)
{
    return file->problem_count < TG__PROBLEMS_MAX ? file->problem_count : TG__PROBLEMS_MAX;
}

size_t tg_record_reader_problem_count(const tg_record_reader *reader)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        count += kept_problems(&reader->files[i]);
    }
    return count;
}

tg_err tg_record_reader_problem(const tg_record_reader *reader, size_t index,
                                tg_record_problem *out)
{
    for (size_t i = 0; i < reader->file_count; i++) {
        const tg__log_file *file = &reader->files[i];
        const size_t kept = kept_problems(file);
        if (index < kept) {
            const tg__problem *problem = &file->problems[index];
            *out = (tg_record_problem){problem->err, file->path, problem->offset, problem->size,
                                       problem->text};
            return TG_OK;
        }
        index -= kept;
    }
    return TG_ERR_NOT_FOUND;
}

bool tg_record_reader_ended(const tg_record_reader *reader, size_t path)
{
    return path < reader->file_count && reader->files[path].ended;
}

uint64_t tg_record_reader_late_count(const tg_record_reader *reader)
{
    return reader->merge.late_count;
}

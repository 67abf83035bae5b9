#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/histogram.h>
#include <tickglass/record_inline.h>

/* One argument of one site. */
typedef struct argument_stats {
    uint64_t count;
    double min;
    double max;
    double sum;
    tg_histogram *magnitudes[2]; /* of values from 0 on, of negative ones; NULL: none yet */
    int8_t exponent;             /* of decimals; they are kept by mantissa while it is one */
    bool mixed;                  /* decimals of several exponents: no percentiles */
} argument_stats;

typedef struct site_stats {
    uint64_t count;
    int64_t first_utc_ns;
    int64_t last_utc_ns;
    argument_stats arguments[TG_RECORD_ARGUMENTS_MAX];
} site_stats;

static bool has_percentiles(uint8_t type)
{
    return type != TG__TYPE_F64;
}

static tg_err add_magnitude(argument_stats *stats, int64_t value)
{
    const int side = value < 0 ? 1 : 0;
    if (stats->magnitudes[side] == NULL) {
        tg_histogram_options opt;
        tg_histogram_options_init(&opt);
        opt.lowest = 1;
        opt.highest = INT64_MAX;
        const tg_err err = tg_histogram_open(&opt, &stats->magnitudes[side]);
        if (err != TG_OK) {
            return err;
        }
    }
    tg_histogram_record(stats->magnitudes[side], value < 0 ? -(value + 1) : value);
    return TG_OK;
}

static double scale_of(int8_t exponent)
{
    double scale = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
        scale *= 10;
    }
    return exponent < 0 ? 1 / scale : scale;
}

static tg_err add_argument(argument_stats *stats, const tg__log_argument *argument)
{
    double value;
    int64_t whole = 0;
    if (argument->type == TG__TYPE_F64) {
        memcpy(&value, &argument->word, sizeof value);
    } else if (argument->type == TG__TYPE_U64) {
        value = (double)argument->word;
        whole = argument->word > INT64_MAX ? INT64_MAX : (int64_t)argument->word;
    } else if (argument->type == TG__TYPE_TEXT || argument->type == TG__TYPE_BLOB) {
        whole = argument->size; /* of bytes, their number */
        value = (double)whole;
    } else {
        whole = (int64_t)argument->word;
        value = (double)whole;
    }
    if (argument->type == TG__TYPE_DECIMAL) {
        stats->mixed = stats->mixed || (stats->count != 0 && stats->exponent != argument->exponent);
        stats->exponent = argument->exponent;
        value *= scale_of(argument->exponent);
    }
    stats->min = stats->count == 0 || value < stats->min ? value : stats->min;
    stats->max = stats->count == 0 || value > stats->max ? value : stats->max;
    stats->sum += value;
    stats->count++;
    return has_percentiles(argument->type) && !stats->mixed ? add_magnitude(stats, whole) : TG_OK;
}

/* Negative values lie below all others, the largest magnitude first. */
static double percentile(const argument_stats *stats, double wanted)
{
    uint64_t negative = 0;
    if (stats->magnitudes[1] != NULL) {
        tg_histogram_summary summary;
        tg_histogram_summary_get(stats->magnitudes[1], &summary);
        negative = summary.count;
    }
    const double scale = scale_of(stats->exponent);
    const double rank = wanted / 100 * (double)stats->count;
    if (rank <= (double)negative && negative != 0) {
        const double share = 100 * (1 - (rank - 1) / (double)negative);
        return -((double)tg_histogram_percentile(stats->magnitudes[1], share) + 1) * scale;
    }
    const double share = 100 * (rank - (double)negative) / (double)(stats->count - negative);
    return (double)tg_histogram_percentile(stats->magnitudes[0], share) * scale;
}

static void print_argument(const tg__site_info *site, uint8_t index, const argument_stats *stats,
                           bool json, bool first)
{
    static const double asked[] = {50, 90, 99, 99.9};
    const bool more = has_percentiles(site->types[index]) && !stats->mixed;
    const double mean = stats->sum / (double)stats->count;
    if (json) {
        (void)printf("%s{\"argument\":%u,\"min\":%.15g,\"mean\":%.15g,\"max\":%.15g",
                     first ? "" : ",", index + 1u, stats->min, mean, stats->max);
        for (size_t i = 0; more && i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(",\"p%g\":%.15g", asked[i], percentile(stats, asked[i]));
        }
        (void)printf("}");
        return;
    }
    const bool of_bytes =
        site->types[index] == TG__TYPE_TEXT || site->types[index] == TG__TYPE_BLOB;
    (void)printf("    argument %u%s: min %.15g mean %.15g", index + 1u, of_bytes ? " (bytes)" : "",
                 stats->min, mean);
    for (size_t i = 0; more && i < sizeof asked / sizeof asked[0]; i++) {
        (void)printf(" p%g %.15g", asked[i], percentile(stats, asked[i]));
    }
    (void)printf(" max %.15g\n", stats->max);
}

static void print_site(const tg__site_info *site, const site_stats *stats, bool json)
{
    tg__text_buffer text = {NULL, 0, 0, false};
    if (json) {
        tg__text_add_string(&text, "{\"file\":");
        tg__text_add_json(&text, site->file, site->file_size);
        tg__text_add_string(&text, ",\"format\":");
        tg__text_add_json(&text, site->format, site->format_size);
        (void)printf("%.*s,\"line\":%" PRIu32 ",\"count\":%" PRIu64 ",\"arguments\":[",
                     (int)text.size, text.bytes, site->line, stats->count);
    } else {
        tg__text_add_plain(&text, site->file, site->file_size);
        tg__text_add_string(&text, ":");
        tg__text_add_u64(&text, site->line);
        tg__text_add_string(&text, " \"");
        tg__text_add_plain(&text, site->format, site->format_size);
        tg__text_add_string(&text, "\"");
        if (stats->last_utc_ns != 0) { /* skimming does not look at times */
            tg__text_add_string(&text, " ");
            tg__text_add_utc(&text, stats->first_utc_ns, NULL);
            tg__text_add_string(&text, " to ");
            tg__text_add_utc(&text, stats->last_utc_ns, NULL);
        }
        (void)printf("%8" PRIu64 " %.*s\n", stats->count, (int)text.size, text.bytes);
    }
    bool first = true;
    for (uint8_t i = 0; i < site->argument_count; i++) {
        if (stats->arguments[i].count != 0) {
            print_argument(site, i, &stats->arguments[i], json, first);
            first = false;
        }
    }
    if (json) {
        (void)printf("]}\n");
    }
    tg__text_buffer_deinit(&text);
}

static tg_err gather(const log_options *opt, log_input *input, site_stats **stats)
{
    tg__log_merge merge;
    tg_err err = tg__log_merge_open(input->files, input->count, &merge);
    tg__log_record record;
    while (err == TG_OK) {
        err = tg__log_merge_next(&merge, &record);
        if (err != TG_OK || !log_wants(opt, &record)) {
            continue;
        }
        site_stats *site = &stats[record.file - input->files][record.site->id];
        site->first_utc_ns = site->count == 0 ? record.utc_ns : site->first_utc_ns;
        site->last_utc_ns = record.utc_ns;
        site->count++;
        tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
        tg__log_arguments(&record, arguments);
        for (uint8_t i = 0; i < record.site->argument_count && err == TG_OK; i++) {
            if (opt->argument == 0 || opt->argument == i + 1) {
                err = add_argument(&site->arguments[i], &arguments[i]);
            }
        }
    }
    tg__log_merge_close(&merge);
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

/* The one site that is asked for, if a single number of it is: that can be had faster. */
static const tg__site_info *find_single(const log_options *opt, const tg__log_file *file)
{
    const tg__site_info *found = NULL;
    if (opt->argument == 0 || opt->site == NULL || opt->thread != NULL || opt->where != NULL ||
        opt->level_most != 0 || opt->from_utc_ns != INT64_MIN || opt->to_utc_ns != INT64_MAX) {
        return NULL;
    }
    for (uint32_t id = 1; id <= TG__SITES_MAX; id++) {
        if (file->sites[id].id != 0 && log_is_site(&file->sites[id], opt->site)) {
            if (found != NULL) {
                return NULL;
            }
            found = &file->sites[id];
        }
    }
    if (found == NULL || opt->argument > found->argument_count) {
        return NULL;
    }
    const uint8_t type = found->types[opt->argument - 1];
    return type <= TG__TYPE_F64 ? found : NULL;
}

/* One block without merging, unpacking or times. */
static tg_err skim_block(tg__log_file *file, tg__pack *pack, const tg__block *block,
                         const tg__skim *wanted, site_stats *stats)
{
    tg__log_argument argument = {.type = wanted->site->types[wanted->index]};
    tg__packed in = {block->payload, block->payload + block->payload_size};
    tg__pack_begin_block(pack);
    for (uint32_t i = 0; i < block->record_count; i++) {
        bool taken = false;
        const tg_err err = tg__skim_record(pack, file->sites, &in, wanted, &argument.word, &taken);
        if (err != TG_OK) {
            tg__log_file_problem(file, err, (uint64_t)(in.at - file->bytes),
                                 (uint64_t)(in.end - in.at),
                                 "a record that its dictionary does not explain");
            return TG_OK;
        }
        if (taken) {
            stats->count++;
            const tg_err added = add_argument(&stats->arguments[wanted->index], &argument);
            if (added != TG_OK) {
                return added;
            }
        }
    }
    return TG_OK;
}

static tg_err skim(tg__log_file *file, const tg__skim *wanted, site_stats *stats)
{
    tg__pack pack;
    tg_err err = tg__pack_init(&pack, TG__SITES_MAX + 1);
    for (size_t t = 0; t < file->thread_count && err == TG_OK; t++) {
        const tg__log_thread *thread = &file->threads[t];
        for (size_t i = 0; i < thread->count && err == TG_OK; i++) {
            tg__block block;
            const size_t offset = (size_t)thread->offsets[i];
            if (tg__block_open(file->bytes + offset, file->size - offset, &block) == TG_OK) {
                err = skim_block(file, &pack, &block, wanted, stats);
            }
        }
    }
    tg__pack_deinit(&pack);
    return err;
}

/* True: every file has been skimmed. */
static bool skim_all(const log_options *opt, log_input *input, site_stats **stats, tg_err *err)
{
    for (size_t i = 0; i < input->count; i++) {
        if (find_single(opt, &input->files[i]) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < input->count && *err == TG_OK; i++) {
        const tg__skim wanted = {find_single(opt, &input->files[i]), (uint8_t)(opt->argument - 1)};
        *err = skim(&input->files[i], &wanted, &stats[i][wanted.site->id]);
    }
    return true;
}

static void print_and_free(const log_options *opt, const tg__log_file *file, site_stats *stats)
{
    for (uint32_t id = 1; stats != NULL && id <= TG__SITES_MAX; id++) {
        if (stats[id].count != 0) {
            print_site(&file->sites[id], &stats[id], opt->json);
        }
        for (int i = 0; i < TG_RECORD_ARGUMENTS_MAX; i++) {
            tg_histogram_close(stats[id].arguments[i].magnitudes[0]);
            tg_histogram_close(stats[id].arguments[i].magnitudes[1]);
        }
    }
    free(stats);
}

int log_stats(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    site_stats **stats = calloc(input.count + 1, sizeof *stats);
    tg_err err = stats != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    for (size_t i = 0; i < input.count && err == TG_OK; i++) {
        stats[i] = calloc(TG__SITES_MAX + 1, sizeof **stats);
        err = stats[i] != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    }
    if (status == LOG_OK && err == TG_OK && !skim_all(opt, &input, stats, &err)) {
        err = gather(opt, &input, stats);
    }
    for (size_t i = 0; stats != NULL && i < input.count; i++) {
        print_and_free(opt, &input.files[i], stats[i]);
    }
    free(stats);
    if (status == LOG_OK) {
        status = err == TG_OK ? log_input_problems(&input) : log_fail("memory", err);
    }
    log_input_close(&input);
    return status;
}

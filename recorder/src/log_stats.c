#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tickglass/record_inline.h>

#include "log_progress.h"
#include "log_skim.h"

typedef struct site_stats {
    uint64_t count;
    int64_t first_utc_ns;
    int64_t last_utc_ns;
    tg__number_stats arguments[TG_RECORD_ARGUMENTS_MAX];
} site_stats;

static void print_argument(const tg__site_info *site, uint8_t index, const tg__number_stats *stats,
                           bool json, bool first)
{
    static const double asked[] = {50, 90, 99, 99.9};
    const bool more = tg__number_stats_has_percentiles(stats, site->types[index]);
    const double mean = stats->sum / (double)stats->count;
    if (json) {
        (void)printf("%s{\"argument\":%u,\"min\":%.15g,\"mean\":%.15g,\"max\":%.15g",
                     first ? "" : ",", index + 1u, stats->min, mean, stats->max);
        for (size_t i = 0; more && i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(",\"p%g\":%.15g", asked[i], tg__number_stats_percentile(stats, asked[i]));
        }
        (void)printf("}");
        return;
    }
    const bool of_bytes =
        site->types[index] == TG__TYPE_TEXT || site->types[index] == TG__TYPE_BLOB;
    (void)printf("    argument %u%s: min %.15g mean %.15g", index + 1u, of_bytes ? " (bytes)" : "",
                 stats->min, mean);
    for (size_t i = 0; more && i < sizeof asked / sizeof asked[0]; i++) {
        (void)printf(" p%g %.15g", asked[i], tg__number_stats_percentile(stats, asked[i]));
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
    log_progress progress;
    log_progress_start(&progress, input);
    while (err == TG_OK) {
        err = tg__log_merge_next(&merge, &record);
        log_progress_step(&progress);
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
                err = tg__number_stats_add(&site->arguments[i], &arguments[i]);
            }
        }
    }
    log_progress_end(&progress);
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

/* True: every file has been skimmed. */
static bool skim_all(const log_options *opt, log_input *input, site_stats **stats, tg_err *err)
{
    for (size_t i = 0; i < input->count; i++) {
        if (find_single(opt, &input->files[i]) == NULL) {
            return false;
        }
    }
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned threads = processors > 1 ? (unsigned)processors : 1;
    for (size_t i = 0; i < input->count && *err == TG_OK; i++) {
        const tg__skim wanted = {find_single(opt, &input->files[i]), (uint8_t)(opt->argument - 1)};
        site_stats *site = &stats[i][wanted.site->id];
        *err = tg__log_skim(&input->files[i], &wanted, threads, &site->arguments[wanted.index]);
        site->count = site->arguments[wanted.index].count;
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
            tg__number_stats_deinit(&stats[id].arguments[i]);
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

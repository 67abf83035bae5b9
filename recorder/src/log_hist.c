#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram_snapshot.h"

#define NAMES_MAX 256

/* All windows of one name. */
typedef struct named {
    char name[TG__HISTOGRAM_NAME_MAX + 1];
    tg_histogram *sum;
    uint64_t windows;
    uint64_t incomplete;
    int64_t first_utc_ns;
    int64_t last_utc_ns;
    tg__text_buffer stream; /* of the window in hand */
    uint32_t next_piece;
} named;

typedef struct gathering {
    named *names;
    size_t count;
} gathering;

static named *find(gathering *g, const tg__histogram_piece *piece)
{
    const size_t size =
        piece->name_size <= TG__HISTOGRAM_NAME_MAX ? piece->name_size : TG__HISTOGRAM_NAME_MAX;
    for (size_t i = 0; i < g->count; i++) {
        if (strlen(g->names[i].name) == size && memcmp(g->names[i].name, piece->name, size) == 0) {
            return &g->names[i];
        }
    }
    if (g->count == NAMES_MAX) {
        return NULL;
    }
    named *made = &g->names[g->count++];
    memset(made, 0, sizeof *made);
    memcpy(made->name, piece->name, size);
    return made;
}

static tg_err add_window(named *n, const tg__log_record *record, const tg__histogram_piece *piece)
{
    tg_histogram *window = NULL;
    tg_err err =
        tg__histogram_from_stream((const unsigned char *)n->stream.bytes, n->stream.size, &window);
    if (err == TG_OK && n->sum == NULL) {
        n->sum = window;
        window = NULL;
    } else if (err == TG_OK) {
        err = tg_histogram_add(n->sum, window);
    }
    tg_histogram_close(window);
    if (err == TG_OK) {
        const int64_t from = tg__time_map_utc(&record->file->times, piece->from_mono_ns);
        const int64_t to = tg__time_map_utc(&record->file->times, piece->to_mono_ns);
        n->first_utc_ns = n->windows == 0 || from < n->first_utc_ns ? from : n->first_utc_ns;
        n->last_utc_ns = n->windows == 0 || to > n->last_utc_ns ? to : n->last_utc_ns;
        n->windows++;
    }
    return err;
}

/* Damaged or incomplete windows are counted and left out; only want of memory ends it. */
static tg_err take_piece(gathering *g, const tg__log_record *record,
                         const tg__histogram_piece *piece)
{
    named *n = find(g, piece);
    if (n == NULL) {
        return TG_ERR_FULL;
    }
    if (piece->number == 1) {
        n->incomplete += n->next_piece > 1;
        n->stream.size = 0;
        n->next_piece = 1;
    } else if (piece->number != n->next_piece) {
        n->incomplete += n->next_piece != 0;
        n->next_piece = 0;
        return TG_OK;
    }
    tg__text_add(&n->stream, (const char *)piece->bytes, piece->size);
    n->next_piece++;
    if (piece->number < piece->count) {
        return TG_OK;
    }
    n->next_piece = 0;
    const tg_err err = add_window(n, record, piece);
    n->incomplete += err != TG_OK;
    return err == TG_ERR_NO_MEMORY ? err : TG_OK;
}

static tg_err gather(const log_options *opt, log_input *input, gathering *g)
{
    tg__log_merge merge;
    tg_err err = tg__log_merge_open(input->files, input->count, &merge);
    tg__log_record record;
    while (err == TG_OK) {
        err = tg__log_merge_next(&merge, &record);
        tg__histogram_piece piece;
        if (err != TG_OK || !log_wants(opt, &record) ||
            tg__histogram_piece_read(&record, &piece) != TG_OK) {
            continue;
        }
        if (opt->name == NULL || (strlen(opt->name) == piece.name_size &&
                                  memcmp(opt->name, piece.name, piece.name_size) == 0)) {
            err = take_piece(g, &record, &piece);
        }
    }
    tg__log_merge_close(&merge);
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

static void print_named(const named *n, bool json)
{
    static const double asked[] = {50, 90, 99, 99.9, 99.99, 100};
    tg_histogram_summary summary;
    tg_histogram_summary_get(n->sum, &summary);
    tg__text_buffer text = {NULL, 0, 0, false};
    if (json) {
        tg__text_add_json(&text, n->name, strlen(n->name));
        (void)printf("{\"histogram\":%.*s,\"windows\":%" PRIu64 ",\"incomplete\":%" PRIu64
                     ",\"count\":%" PRIu64 ",\"negative\":%" PRIu64 ",\"over\":%" PRIu64
                     ",\"min\":%" PRId64 ",\"mean\":%.15g",
                     (int)text.size, text.bytes, n->windows, n->incomplete, summary.count,
                     summary.negative, summary.over, summary.min, summary.mean);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(",\"p%g\":%" PRId64, asked[i], tg_histogram_percentile(n->sum, asked[i]));
        }
        (void)printf("}\n");
    } else {
        tg__text_add_plain(&text, n->name, strlen(n->name));
        tg__text_add_string(&text, " ");
        tg__text_add_utc(&text, n->first_utc_ns, NULL);
        tg__text_add_string(&text, " to ");
        tg__text_add_utc(&text, n->last_utc_ns, NULL);
        (void)printf("%.*s, %" PRIu64 " windows\n    count %" PRIu64 " min %" PRId64 " mean %.1f",
                     (int)text.size, text.bytes, n->windows, summary.count, summary.min,
                     summary.mean);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(" p%g %" PRId64, asked[i], tg_histogram_percentile(n->sum, asked[i]));
        }
        (void)printf("\n");
        if (summary.negative + summary.over + summary.saturated + n->incomplete != 0) {
            (void)printf("    besides: %" PRIu64 " negative, %" PRIu64 " over the range, %" PRIu64
                         " saturated; %" PRIu64 " windows incomplete\n",
                         summary.negative, summary.over, summary.saturated, n->incomplete);
        }
    }
    tg__text_buffer_deinit(&text);
}

int log_hist(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    gathering g = {calloc(NAMES_MAX, sizeof *g.names), 0};
    tg_err err = g.names != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    if (status == LOG_OK && err == TG_OK) {
        err = gather(opt, &input, &g);
    }
    for (size_t i = 0; i < g.count; i++) {
        if (g.names[i].sum != NULL) {
            print_named(&g.names[i], opt->json);
        }
        tg_histogram_close(g.names[i].sum);
        tg__text_buffer_deinit(&g.names[i].stream);
    }
    free(g.names);
    if (status == LOG_OK) {
        status = err == TG_OK ? log_input_problems(&input) : log_fail(opt->paths[0], err);
    }
    log_input_close(&input);
    return status;
}

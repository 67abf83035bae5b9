/*
 * bench_codec [--json] [CASE]: size and time of DELTA beside other layouts of the same frames. With
 * --json only lines of JSON go to standard output.
 *
 * The layouts take turns, a few frames each, and the median over the rounds is reported: a busy
 * machine then disturbs all of them alike, and a preemption is an outlier that no median shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "layout.h"
#include "leb128.h"
#include "report.h"
#include "samples.h"

enum {
    rounds = 97,
    rows_a_slice = 1280, /* of one layout in one round: some ten microseconds, but for JSON */
    layouts_max = 8
};

static const layout all_layouts[] = {
#if defined(__x86_64__)
    {NULL, "avx2", delta_encode, delta_decode_avx2},
#endif
    {"classed", "scalar", delta_encode, delta_decode_scalar},
    {"leb128", "leb128", leb128_encode, leb128_decode},
    {"fixed", "fixed", fixed_encode, fixed_decode},
#if defined(BENCH_WITH_CJSON)
    {"cjson", "cjson", cjson_encode, cjson_decode},
#endif
#if defined(BENCH_WITH_PROTOBUF)
    {"protobuf", "protobuf", protobuf_encode, protobuf_decode},
#endif
    {NULL, "memcpy", raw_encode, raw_decode},
};

/* A layout with all frames of a case encoded, and what it cost. */
typedef struct contender {
    layout layout;
    uint8_t *bytes;
    size_t offsets[BENCH_FRAMES_MAX + 1];
    samples encode_ns; /* per row */
    samples decode_ns;
} contender;

typedef struct contest {
    const bench_frames *frames;
    size_t slice;   /* frames in a round */
    size_t lead_in; /* frames before them that are not timed */
    size_t count;
    contender contenders[layouts_max];
} contest;

static uint8_t scratch[LAYOUT_SIZE_MAX];
static tg__update decoded[TG__SET_MAX];

static void stop(const bench_frames *frames, const char *impl, const char *what)
{
    (void)fprintf(stderr, "bench_codec: %s: %s: %s\n", frames->name, impl, what);
    exit(1);
}

/* ---- every layout says the same ----------------------------------------------------------- */

static bool as_sent(const bench_frames *frames, const bench_frame *sent, const tg__frame *frame)
{
    if (frame->boundary != sent->frame.boundary ||
        (!frames->snapshots && frame->base != sent->frame.base) ||
        frame->ts_gateway_ns != sent->frame.ts_gateway_ns ||
        frame->set_digest != sent->frame.set_digest || frame->count != sent->frame.count) {
        return false;
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg__update *const a = &sent->updates[i];
        const tg__update *const b = &decoded[i];
        if (a->id != b->id || a->slot != b->slot || a->covered != b->covered ||
            memcmp(&a->image, &b->image, sizeof a->image) != 0) {
            return false;
        }
    }
    return true;
}

static void check(const bench_frames *frames, const contender *c)
{
    for (size_t i = 0; i < frames->count; i++) {
        tg__frame frame;
        memset(&frame, 0, sizeof frame);
        memset(decoded, 0xa5, frames->frame[i].frame.count * sizeof decoded[0]);
        const tg_err err = c->layout.decode(&frames->channel, c->bytes + c->offsets[i],
                                            c->offsets[i + 1] - c->offsets[i], &frame, decoded);
        if (err != TG_OK) {
            stop(frames, c->layout.decoder, tg_err_text(err));
        }
        if (!as_sent(frames, &frames->frame[i], &frame)) {
            stop(frames, c->layout.decoder, "what is decoded differs from what was encoded");
        }
    }
}

static void enter(contest *of, const layout *l)
{
    const bench_frames *const frames = of->frames;
    contender *const c = &of->contenders[of->count++];
    memset(c, 0, sizeof *c);
    c->layout = *l;
    size_t capacity = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const size_t size =
            l->encode(&frames->channel, &frames->frame[i].frame, frames->frame[i].updates, scratch);
        if (size == 0) {
            stop(frames, l->decoder, "a frame cannot be encoded");
        }
        const size_t end = c->offsets[i] + size;
        if (end > capacity) {
            capacity = end * 2;
            uint8_t *const grown = realloc(c->bytes, capacity);
            if (grown == NULL) {
                stop(frames, l->decoder, "no memory");
            }
            c->bytes = grown;
        }
        memcpy(c->bytes + c->offsets[i], scratch, size);
        c->offsets[i + 1] = end;
    }
    check(frames, c);
}

static void enter_all(contest *of, const bench_frames *frames)
{
    static const layout snapshot_layout = {"classed", "scalar", snapshot_encode, snapshot_decode};
    of->frames = frames;
    of->count = 0;
    of->slice = rows_a_slice * frames->count / frames->update_count + 1;
    of->lead_in = (of->slice + 1) / 2;
    for (size_t i = 0; i < sizeof all_layouts / sizeof all_layouts[0]; i++) {
        const layout *const l = &all_layouts[i];
#if defined(__x86_64__)
        /* Absolute rows have one decoder, which is listed as the scalar one. */
        if (l->decode == delta_decode_avx2 &&
            (frames->snapshots || !__builtin_cpu_supports("avx2"))) {
            continue;
        }
#endif
        enter(of, frames->snapshots && l->decode == delta_decode_scalar ? &snapshot_layout : l);
    }
}

/* ---- time --------------------------------------------------------------------------------- */

/* Into the cache, as bytes are that have just come; frames are not learnt by this. */
static void warm(const void *from, size_t size)
{
    static uint8_t seen;
    const uint8_t *const bytes = from;
    for (size_t i = 0; i < size; i += 64) {
        seen = (uint8_t)(seen ^ bytes[i]);
    }
    scratch[LAYOUT_SIZE_MAX - 1] = seen;
}

static size_t rows_of(const contest *of, size_t first)
{
    size_t rows = 0;
    for (size_t i = 0; i < of->slice; i++) {
        rows += of->frames->frame[(first + i) % of->frames->count].frame.count;
    }
    return rows;
}

/* The frames from first on, through the encoder; what it wrote, in all. */
static size_t encode_frames(const contest *of, const contender *c, size_t first, size_t count)
{
    const bench_frames *const frames = of->frames;
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const bench_frame *const f = &frames->frame[(first + i) % frames->count];
        sum += c->layout.encode(&frames->channel, &f->frame, f->updates, scratch);
    }
    return sum;
}

static tg_err decode_frames(const contest *of, const contender *c, size_t first, size_t count)
{
    const bench_frames *const frames = of->frames;
    tg__frame frame;
    tg_err err = TG_OK;
    for (size_t i = 0; i < count && err == TG_OK; i++) {
        const size_t at = (first + i) % frames->count;
        err = c->layout.decode(&frames->channel, c->bytes + c->offsets[at],
                               c->offsets[at + 1] - c->offsets[at], &frame, decoded);
    }
    return err;
}

/*
 * Before the clock starts, other frames go through: what is measured is the layout at work, not how
 * much of it the previous one has displaced from the caches.
 */
static void time_encode(const contest *of, contender *c, size_t first)
{
    const bench_frames *const frames = of->frames;
    for (size_t i = 0; i < of->slice; i++) {
        const bench_frame *const f = &frames->frame[(first + i) % frames->count];
        warm(f->updates, f->frame.count * sizeof f->updates[0]);
    }
    size_t sum = encode_frames(of, c, first + of->slice, of->lead_in);
    const int64_t start_ns = now_ns();
    sum += encode_frames(of, c, first, of->slice);
    const int64_t spent_ns = now_ns() - start_ns;
    if (sum == 0) {
        stop(frames, c->layout.encoder, "nothing was encoded");
    }
    samples_add(&c->encode_ns, (double)spent_ns / (double)rows_of(of, first));
}

static void time_decode(const contest *of, contender *c, size_t first)
{
    for (size_t i = 0; i < of->slice; i++) {
        const size_t at = (first + i) % of->frames->count;
        warm(c->bytes + c->offsets[at], c->offsets[at + 1] - c->offsets[at]);
    }
    tg_err err = decode_frames(of, c, first + of->slice, of->lead_in);
    const int64_t start_ns = now_ns();
    if (err == TG_OK) {
        err = decode_frames(of, c, first, of->slice);
    }
    const int64_t spent_ns = now_ns() - start_ns;
    if (err != TG_OK) {
        stop(of->frames, c->layout.decoder, tg_err_text(err));
    }
    samples_add(&c->decode_ns, (double)spent_ns / (double)rows_of(of, first));
}

static void run(contest *of)
{
    for (size_t round = 0; round < rounds; round++) {
        const size_t first = round * of->slice % of->frames->count;
        for (size_t i = 0; i < of->count; i++) {
            /* Another one begins each round, so that none always follows the same. */
            contender *const c = &of->contenders[(round + i) % of->count];
            if (c->layout.encoder != NULL) {
                time_encode(of, c, first);
            }
            time_decode(of, c, first);
        }
    }
}

/* ---- cases -------------------------------------------------------------------------------- */

static void add_result(report *r, const contest *of, const contender *c, bool encoding)
{
    const bench_frames *const frames = of->frames;
    const double per_row = samples_median(encoding ? &c->encode_ns : &c->decode_ns);
    const result it = {
        .bench = encoding ? "codec.encode" : "codec.decode",
        .name = frames->name,
        .impl = encoding ? c->layout.encoder : c->layout.decoder,
        .bytes = (double)c->offsets[frames->count] / (double)frames->count,
        .ns_per_frame = per_row * (double)frames->update_count / (double)frames->count,
        .ns_per_update = per_row,
    };
    report_add(r, &it);
}

static void measure(report *r, const bench_frames *frames)
{
    static contest of;
    enter_all(&of, frames);
    run(&of);
    for (size_t i = 0; i < of.count; i++) {
        add_result(r, &of, &of.contenders[i], false);
    }
    for (size_t i = 0; i < of.count; i++) {
        if (of.contenders[i].layout.encoder != NULL) {
            add_result(r, &of, &of.contenders[i], true);
        }
        free(of.contenders[i].bytes);
    }
}

/* What a jump of 2^40 in one row costs, for every frame, every row in turn and either price. */
static void measure_outlier(report *r, const bench_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        const bench_frame *const f = &frames->frame[i];
        tg_image *const image = &f->updates[i % f->frame.count].image;
        int64_t *const value = &image->value[i % 2 == 0 ? TG_FIELD_BID_PRICE : TG_FIELD_LAST_PRICE];
        const size_t usual = delta_encode(&frames->channel, &f->frame, f->updates, scratch);
        *value += INT64_C(1) << 40;
        const size_t with = delta_encode(&frames->channel, &f->frame, f->updates, scratch);
        *value -= INT64_C(1) << 40;
        if (usual == 0 || with == 0) {
            stop(frames, "classed", "a frame cannot be encoded");
        }
        if (with > usual + r->outlier_bytes) {
            r->outlier_bytes = with - usual;
        }
    }
}

static bool wanted(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

static void measure_simulated(report *r, bench_frames *frames, const char *only)
{
    const int64_t interval_ns = INT64_C(40000000);
    const bench_watchlist lists[] = {
        {"n5_sparse", 15, 5, interval_ns},      {"n11_dense", 11, 11, interval_ns},
        {"n40_sparse", 120, 40, interval_ns},   {"n40_dense", 40, 40, 4 * interval_ns},
        {"n120_sparse", 360, 120, interval_ns},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (wanted(only, lists[i].name)) {
            bench_frames_simulated(frames, &lists[i]);
            measure(r, frames);
            if (strcmp(lists[i].name, "n40_sparse") == 0) {
                measure_outlier(r, frames);
            }
            bench_frames_free(frames);
        }
    }
    if (wanted(only, "snapshot2400")) {
        bench_frames_snapshots(frames, "snapshot2400");
        measure(r, frames);
        bench_frames_free(frames);
    }
}

static void measure_taped(report *r, bench_frames *frames, const char *only)
{
    static const char *const tapes[][2] = {
        {"tape2021", TG_TAPES_DIR "/merged_2021-04-17_bbo.csv.xz"},
        {"tape_demo", TG_TAPES_DIR "/merged_binance3_5min_bbo.csv.xz"},
    };
    for (size_t i = 0; i < sizeof tapes / sizeof tapes[0]; i++) {
        if (!wanted(only, tapes[i][0])) {
            continue;
        }
        if (!bench_frames_taped(frames, tapes[i][0], tapes[i][1], INT64_C(40000000))) {
            (void)fprintf(stderr, "bench_codec: left out: %s (no such file: %s)\n", tapes[i][0],
                          tapes[i][1]);
            continue;
        }
        measure(r, frames);
        bench_frames_free(frames);
    }
}

int main(int argc, char **argv)
{
    static report r;
    static bench_frames frames;
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const char *const only = argc > 1 + json ? argv[1 + json] : NULL;
    if (argc > 2 + json || (only != NULL && only[0] == '-')) {
        (void)fprintf(stderr, "usage: bench_codec [--json] [CASE]\n");
        return 2;
    }
#if !defined(BENCH_WITH_CJSON)
    (void)fprintf(stderr, "bench_codec: left out: cjson (libcjson-dev was not there)\n");
#endif
#if !defined(BENCH_WITH_PROTOBUF)
    (void)fprintf(stderr, "bench_codec: left out: protobuf (libprotobuf-c-dev and "
                          "protobuf-c-compiler were not there)\n");
#endif
    measure_simulated(&r, &frames, only);
    measure_taped(&r, &frames, only);
    if (r.count == 0) {
        (void)fprintf(stderr, "bench_codec: no case %s\n", only);
        return 2;
    }
    if (json) {
        report_json(&r);
    } else {
        (void)report_table(&r);
    }
    return 0;
}

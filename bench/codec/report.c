#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char encode_bench[] = "codec.encode";
static const char decode_bench[] = "codec.decode";

void report_add(report *r, const result *what)
{
    if (r->count == RESULTS_MAX) {
        (void)fprintf(stderr, "bench_codec: too many results\n");
        exit(1);
    }
    r->results[r->count++] = *what;
}

void report_json(const report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const result *const it = &r->results[i];
        printf("{\"bench\":\"%s\",\"case\":\"%s\",\"impl\":\"%s\",\"bytes\":%.1f,"
               "\"ns_per_frame\":%.1f,\"ns_per_update\":%.2f}\n",
               it->bench, it->name, it->impl, it->bytes, it->ns_per_frame, it->ns_per_update);
    }
}

static const result *find(const report *r, const char *bench, const char *name, const char *impl)
{
    for (size_t i = 0; i < r->count; i++) {
        const result *const it = &r->results[i];
        if (strcmp(it->bench, bench) == 0 && strcmp(it->name, name) == 0 &&
            strcmp(it->impl, impl) == 0) {
            return it;
        }
    }
    return NULL;
}

static bool judge(const char *what, double value, double target)
{
    const bool met = value <= target;
    printf("  %-58s %8.3f  <= %-7g %s\n", what, value, target, met ? "met" : "MISSED");
    return met;
}

static bool judge_bytes(const report *r, const char *what, const char *name, double target)
{
    const result *const it = find(r, decode_bench, name, "scalar");
    return it == NULL || judge(what, it->bytes, target);
}

typedef struct ratio {
    const char *what;
    const char *bench;
    const char *name;
    const char *impl;
    const char *to;
    bool bytes;
    double target;
} ratio;

static const ratio ratios[] = {
    {"bytes, 40 of 120, to LEB128's", decode_bench, "n40_sparse", "scalar", "leb128", true, 0.76},
    {"bytes, n = 5, to LEB128's", decode_bench, "n5_sparse", "scalar", "leb128", true, 1.05},
    {"decode AVX2, 40 of 120, to LEB128", decode_bench, "n40_sparse", "avx2", "leb128", false,
     0.45},
    {"decode AVX2, 40 of 40, to LEB128", decode_bench, "n40_dense", "avx2", "leb128", false, 0.45},
    {"decode AVX2, 40 of 120, to the memcpy", decode_bench, "n40_sparse", "avx2", "memcpy", false,
     4.5},
    {"decode AVX2, 40 of 40, to the memcpy", decode_bench, "n40_dense", "avx2", "memcpy", false,
     4.5},
    {"decode scalar, 40 of 120, to LEB128", decode_bench, "n40_sparse", "scalar", "leb128", false,
     0.80},
    {"decode scalar, 40 of 40, to LEB128", decode_bench, "n40_dense", "scalar", "leb128", false,
     0.80},
    {"encode, 40 of 120, to LEB128", encode_bench, "n40_sparse", "classed", "leb128", false, 0.80},
    {"encode, 40 of 40, to LEB128", encode_bench, "n40_dense", "classed", "leb128", false, 0.80},
};

static bool judge_ratio(const report *r, const ratio *of)
{
    const result *const it = find(r, of->bench, of->name, of->impl);
    const result *const to = find(r, of->bench, of->name, of->to);
    if (it == NULL || to == NULL) {
        return true; /* AVX2 on another processor */
    }
    return judge(of->what, of->bytes ? it->bytes / to->bytes : it->ns_per_frame / to->ns_per_frame,
                 of->target);
}

bool report_table(const report *r)
{
    printf("%-13s %-15s %-9s %10s %12s %12s %10s\n", "", "case", "impl", "bytes", "ns/frame",
           "ns/update", "/leb128");
    for (size_t i = 0; i < r->count; i++) {
        const result *const it = &r->results[i];
        const result *const to = find(r, it->bench, it->name, "leb128");
        printf("%-13s %-15s %-9s %10.1f %12.1f %12.2f %10.3f\n", it->bench, it->name, it->impl,
               it->bytes, it->ns_per_frame, it->ns_per_update,
               to != NULL ? it->ns_per_frame / to->ns_per_frame : 0.0);
    }
    printf("\ntargets\n");
    bool all = judge_bytes(r, "bytes, 40 of 120", "n40_sparse", 311);
    all &= judge_bytes(r, "bytes, 11 dense instruments", "n11_dense", 150);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        all &= judge_ratio(r, &ratios[i]);
    }
    all &= judge("bytes that one outlier of 2^40 adds, at most", (double)r->outlier_bytes, 24);
    return all;
}

/**
 * record_windows FILE...: in each file two threads record a window of the histogram "same", in
 * several pieces; how many values it has is printed. All stamps are made so that the pieces of all
 * threads of all files lie between each other once they are in the order of time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tickglass/recorder.h>

#define FROM_NS   INT64_C(1000000000)
#define VALUE_MIN INT64_C(1000)
#define VALUE_MAX INT64_C(60000000000)

/* Each thread has a clock of its own that begins at the same time: the n-th pieces of all are one
 * time. */
static _Thread_local int64_t thread_ns = FROM_NS;

static int64_t next_ns(void *ctx)
{
    (void)ctx;
    return thread_ns += 1000;
}

static int64_t utc_ns(void *ctx)
{
    (void)ctx;
    return INT64_C(1796066105000000000) + thread_ns;
}

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

/* Nearly every counter gets one: they take several pieces. */
static int64_t next_value(int64_t value)
{
    return value + value / 16384 + 1;
}

static void *record_window(void *arg)
{
    tg_recorder *recorder = arg;
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.significant_digits = 4;
    tg_histogram *histogram = NULL;
    must(tg_histogram_open(&opt, &histogram) == TG_OK, "histogram");
    for (int64_t value = VALUE_MIN; value <= VALUE_MAX; value = next_value(value)) {
        tg_histogram_record(histogram, value);
    }
    must(tg_recorder_histogram(recorder, "same", histogram, FROM_NS, 2 * FROM_NS) == TG_OK,
         "window");
    tg_histogram_close(histogram);
    return NULL;
}

static void record_two(const char *path)
{
    const tg_clock clock = {next_ns, utc_ns, NULL, NULL};
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = ".";
    opt.host_driven = true;
    opt.clock = &clock;
    tg_recorder *recorder = NULL;
    must(tg_recorder_open(&opt, &recorder) == TG_OK, path);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        must(pthread_create(&threads[i], NULL, record_window, recorder) == 0, "thread");
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    tg_recorder_close(recorder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        record_two(argv[i]);
    }
    long count = 0;
    for (int64_t value = VALUE_MIN; value <= VALUE_MAX; value = next_value(value)) {
        count++;
    }
    (void)printf("%ld\n", count);
    return 0;
}

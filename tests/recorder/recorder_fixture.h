/** A recorder in a folder of its own, and what its file holds, for the tests of the recorder. */
#ifndef TG_TESTS_RECORDER_FIXTURE_H
#define TG_TESTS_RECORDER_FIXTURE_H

#include "tg_cmocka.h"

#include <tickglass/recorder.h>

#include "log_file.h"
#include "log_merge.h"
#include "scratch_dir.h"

typedef struct fixture {
    scratch_dir dir;
    char path[1024];
    tg_recorder_options opt;
    tg_recorder *recorder;
} fixture;

static inline void fixture_make(fixture *f)
{
    f->dir = scratch_make();
    (void)scratch_name(&f->dir, "test.tgrec", f->path, sizeof f->path);
    tg_recorder_options_init(&f->opt);
    f->opt.path = f->path;
    f->opt.rings_dir = f->dir.path;
    f->opt.ring_size = 1 << 18;
    f->opt.threads_max = 8;
    f->recorder = NULL;
}

static inline void fixture_open(fixture *f)
{
    assert_int_equal(tg_recorder_open(&f->opt, &f->recorder), TG_OK);
}

static inline void fixture_end(fixture *f)
{
    scratch_remove(&f->dir);
}

static inline void host_driven(fixture *f)
{
    f->opt.host_driven = true;
}

/* Everything a file holds, one by one. */
typedef struct reading {
    tg__log_file file;
    tg__log_merge merge;
} reading;

static inline void reading_open(reading *r, const char *path)
{
    assert_int_equal(tg__log_file_open(path, &r->file), TG_OK);
    assert_int_equal(tg__log_merge_open(&r->file, 1, &r->merge), TG_OK);
}

static inline void reading_close(reading *r)
{
    assert_int_equal(r->file.problem_count, 0);
    tg__log_merge_close(&r->merge);
    tg__log_file_close(&r->file);
}

#endif

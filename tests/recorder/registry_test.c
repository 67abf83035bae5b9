#include "tg_cmocka.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "scratch_dir.h"

typedef void (*plugin_function)(tg_recorder *recorder, uint32_t number);

/* Its own copy of the symbol's address: ISO C has no conversion from an object's pointer. */
static void record_in_library(tg_recorder *recorder, uint32_t number)
{
    void *library = dlopen(SITE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *symbol = dlsym(library, "plugin_record");
    assert_non_null(symbol);
    plugin_function function;
    memcpy(&function, &symbol, sizeof function);
    function(recorder, number);
    assert_int_equal(dlclose(library), 0);
}

static tg_recorder *open_recorder(const scratch_dir *dir, const char *path)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.rings_dir = dir->path;
    opt.ring_size = 1 << 18;
    opt.threads_max = 1;
    opt.host_driven = true;
    tg_recorder *recorder = NULL;
    assert_int_equal(tg_recorder_open(&opt, &recorder), TG_OK);
    return recorder;
}

/* Every load of it makes the site anew, and what the dictionary keeps must not lie in it. */
static void
call_sites_of_a_library_outlive_it_and_keep_their_place_when_it_comes_again(void **state)
{
    (void)state;
    enum {
        LOADS = 50
    };
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder *recorder =
        open_recorder(&dir, scratch_name(&dir, "plugin.tgrec", path, sizeof path));
    for (uint32_t i = 0; i < LOADS; i++) {
        record_in_library(recorder, i);
    }
    tg_recorder_close(recorder); /* writes the dictionary and packs the records */

    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    uint32_t next = 0;
    const tg__site_info *site = NULL;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        assert_int_equal(tg__get_u32(record.arguments), next);
        assert_true(site == NULL || site == record.site);
        site = record.site;
        next++;
    }
    assert_int_equal(next, LOADS);
    assert_non_null(site);
    assert_int_equal(site->format_size, strlen("from a library, number %u"));
    assert_memory_equal(site->format, "from a library, number %u", site->format_size);
    assert_int_equal(file.problem_count, 0);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
    scratch_remove(&dir);
}

static tg_err register_one(uint32_t line, uint32_t *id)
{
    tg__site site = {.line = line, .level = TG_RECORD_INFO, .file = "many.c", .format = "one"};
    *id = tg_record_site_register(&site);
    return *id != 0 ? TG_OK : TG_ERR_FULL;
}

static void a_full_dictionary_refuses_new_sites_and_counts_their_records(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder *recorder =
        open_recorder(&dir, scratch_name(&dir, "full.tgrec", path, sizeof path));
    uint32_t line = 1;
    uint32_t id = 0;
    uint32_t first = 0;
    assert_int_equal(register_one(line, &first), TG_OK);
    while (register_one(line, &id) == TG_OK) {
        line++;
    }
    assert_int_equal(register_one(1, &id), TG_OK); /* known: it has its place */
    assert_int_equal(id, first);

    TG_RECORD(recorder, TG_RECORD_INFO, "no place for this one");
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_recorder_counters_get(recorder, &counters), TG_OK);
    assert_int_equal(counters.dropped, 1);
    tg_recorder_close(recorder);
    tg__log_file file;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    uint64_t refused = 0; /* a busy machine adds notes on slow writes */
    for (size_t i = 0; i < file.note_count; i++) {
        refused += file.notes[i].kind == TG__NOTE_REFUSED ? file.notes[i].count : 0;
    }
    assert_int_equal(refused, 1);
    tg__log_file_close(&file);
    scratch_remove(&dir);
}

static pthread_key_t end_key;

/* In the second round of destructors the recorder's has run; the process ends here, for exit()
 * would write the parent's buffers. */
static void end_process(void *value)
{
    if (value == (void *)&end_key) {
        _exit(0);
    }
    (void)pthread_setspecific(end_key, &end_key);
}

/* In the child, the thread that forked ends. NULL: something is not as it should be. */
static void *fork_and_record(void *arg)
{
    tg_recorder *recorder = arg;
    TG_RECORD(recorder, TG_RECORD_INFO, "before");
    const pid_t child = fork();
    if (child == 0) {
        TG_RECORD(recorder, TG_RECORD_INFO, "from the child");
        (void)pthread_setspecific(end_key, recorder);
        pthread_exit(NULL);
    }
    int status = -1;
    bool good = waitpid(child, &status, 0) == child && status == 0;
    /* The ring is still this thread's: it is neither freed nor given to another. */
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    for (int i = 0; i < 2; i++) {
        good = good && tg_recorder_poll(recorder, NULL) == TG_OK &&
               tg_recorder_counters_get(recorder, &counters) == TG_OK && counters.threads == 1;
        TG_RECORD(recorder, TG_RECORD_INFO, "after");
    }
    return good ? recorder : NULL;
}

/* Its call sites are new in the child and in the parent, who both number them. */
static void a_forked_child_takes_neither_ring_nor_site_of_the_parent(void **state)
{
    (void)state;
    const scratch_dir dir = scratch_make();
    char path[1024];
    tg_recorder *recorder =
        open_recorder(&dir, scratch_name(&dir, "fork.tgrec", path, sizeof path));
    pthread_t thread;
    assert_int_equal(pthread_key_create(&end_key, end_process), 0);
    assert_int_equal(pthread_create(&thread, NULL, fork_and_record, recorder), 0);
    void *good = NULL;
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_non_null(good);
    assert_int_equal(pthread_key_delete(end_key), 0);
    tg_recorder_close(recorder);
    static const char *const formats[] = {"before", "after", "after"};
    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_file_open(path, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tg__log_merge_next(&merge, &record), TG_OK);
        assert_int_equal(record.site->format_size, strlen(formats[i]));
        assert_memory_equal(record.site->format, formats[i], strlen(formats[i]));
    }
    assert_int_equal(tg__log_merge_next(&merge, &record), TG_ERR_NOT_FOUND);
    assert_int_equal(file.problem_count, 0);
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
    scratch_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            call_sites_of_a_library_outlive_it_and_keep_their_place_when_it_comes_again),
        cmocka_unit_test(a_forked_child_takes_neither_ring_nor_site_of_the_parent),
        /* Last, for it leaves no place for others. */
        cmocka_unit_test(a_full_dictionary_refuses_new_sites_and_counts_their_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

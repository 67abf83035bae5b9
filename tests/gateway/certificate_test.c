#include "tg_cmocka.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bearer_file.h"
#include "certificate.h"
#include "scratch_folder.h"

#define DAY_S ((time_t)86400)

typedef struct fixture {
    scratch_folder folder;
    tg__state_dir dir;
    tg__certificate files;
    tg__cause cause;
    time_t now;
    char ca[4096];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    scratch_folder_open(&f.folder);
    f.now = time(NULL);
    assert_int_equal(tg__state_dir_open(&f.dir, f.folder.path, &f.cause), TG_OK);
    assert_int_equal(tg__certificate_open(&f.files, &f.dir, f.now, &f.cause), TG_OK);
    assert_true(f.files.made);
    scratch_read(&f.folder, "ca.pem", f.ca, sizeof f.ca);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tg__state_dir_close(&f->dir);
    scratch_folder_close(&f->folder);
    return 0;
}

static void what_is_there_is_kept(void **state)
{
    fixture *f = *state;
    char ca[4096];
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now + 300 * DAY_S, &f->cause),
                     TG_OK);
    assert_false(f->files.made);
    scratch_read(&f->folder, "ca.pem", ca, sizeof ca);
    assert_string_equal(ca, f->ca);
}

static void what_comes_to_its_end_is_made_anew(void **state)
{
    fixture *f = *state;
    char ca[4096];
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now + 391 * DAY_S, &f->cause),
                     TG_OK);
    assert_true(f->files.made);
    scratch_read(&f->folder, "ca.pem", ca, sizeof ca);
    assert_string_not_equal(ca, f->ca);
}

static void what_others_made_is_never_replaced(void **state)
{
    fixture *f = *state;
    char kept[4096];
    assert_int_equal(unlink(scratch_path(&f->folder, "ca.key")), 0);
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause), TG_OK);
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now + 392 * DAY_S, &f->cause),
                     TG_ERR_CERTIFICATE);
    assert_non_null(strstr(f->cause.text, "ends within a week"));
    assert_int_equal(unlink(scratch_path(&f->folder, "server.key")), 0);
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause),
                     TG_ERR_CERTIFICATE);
    assert_non_null(strstr(f->cause.text, "is missing"));
    scratch_read(&f->folder, "ca.pem", kept, sizeof kept);
    assert_string_equal(kept, f->ca);
    assert_int_equal(tg__certificate_renew(&f->files, f->now, &f->cause), TG_ERR_NOT_FOUND);
}

static void a_renewed_certificate_is_of_the_same_ca(void **state)
{
    fixture *f = *state;
    char before[4096];
    char after[4096];
    scratch_read(&f->folder, "server.pem", before, sizeof before);
    assert_int_equal(tg__certificate_renew(&f->files, f->now, &f->cause), TG_OK);
    scratch_read(&f->folder, "server.pem", after, sizeof after);
    assert_string_not_equal(before, after);
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause), TG_OK);
    assert_false(f->files.made); /* signed by the CA that was there, and with its own key */
}

static void what_is_missing_is_made_anew(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"ca.pem", "server.pem", "server.key"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(unlink(scratch_path(&f->folder, names[i])), 0);
        assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause), TG_OK);
        assert_true(f->files.made);
    }
}

static void damaged_files_are_named_and_left_alone(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"ca.pem", "server.pem", "server.key"};
    for (size_t i = 0; i < 3; i++) {
        char kept[4096];
        scratch_read(&f->folder, names[i], kept, sizeof kept);
        scratch_write(&f->folder, names[i], "rubbish", 7);
        assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause),
                         TG_ERR_CERTIFICATE);
        assert_non_null(strstr(f->cause.text, names[i]));
        scratch_write(&f->folder, names[i], kept, strlen(kept));
    }
}

static void files_of_different_makings_are_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(unlink(scratch_path(&f->folder, "ca.pem")), 0);
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause), TG_OK);
    scratch_write(&f->folder, "ca.pem", f->ca, strlen(f->ca));
    assert_int_equal(tg__certificate_open(&f->files, &f->dir, f->now, &f->cause),
                     TG_ERR_CERTIFICATE);
    assert_non_null(strstr(f->cause.text, "server.pem: was not signed by ca.pem"));
}

static void a_token_is_made_once_and_read_again(void **state)
{
    fixture *f = *state;
    tg__bearer first;
    tg__bearer second;
    assert_int_equal(tg__bearer_load(&first, &f->dir, NULL, &f->cause), TG_OK);
    assert_int_equal(first.size, 64);
    assert_int_equal(tg__bearer_load(&second, &f->dir, NULL, &f->cause), TG_OK);
    assert_true(tg__bearer_matches(&first, second.token, second.size));
}

static void a_token_file_that_cannot_be_used_is_named_without_its_content(void **state)
{
    fixture *f = *state;
    tg__bearer bearer;
    const char *path = scratch_path(&f->folder, "mine");
    assert_int_equal(tg__bearer_load(&bearer, &f->dir, path, &f->cause), TG_ERR_NOT_FOUND);
    static const char *const bad[] = {"", "\n", "two words\n", "tab\tbed\n", "caf\xc3\xa9\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scratch_write(&f->folder, "mine", bad[i], strlen(bad[i]));
        assert_int_equal(tg__bearer_load(&bearer, &f->dir, path, &f->cause), TG_ERR_FORMAT);
        assert_non_null(strstr(f->cause.text, "mine: is not one line"));
        assert_null(strstr(f->cause.text, "words"));
    }
    scratch_write(&f->folder, "mine", "abc.def-ghi\r\n", 13);
    assert_int_equal(tg__bearer_load(&bearer, &f->dir, path, &f->cause), TG_OK);
    assert_true(tg__bearer_matches(&bearer, "abc.def-ghi", 11));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_there_is_kept),
        CASE(what_comes_to_its_end_is_made_anew),
        CASE(what_others_made_is_never_replaced),
        CASE(a_renewed_certificate_is_of_the_same_ca),
        CASE(what_is_missing_is_made_anew),
        CASE(damaged_files_are_named_and_left_alone),
        CASE(files_of_different_makings_are_refused),
        CASE(a_token_is_made_once_and_read_again),
        CASE(a_token_file_that_cannot_be_used_is_named_without_its_content),
    };
    return cmocka_run_group_tests_name("gateway.certificate", tests, NULL, NULL);
}

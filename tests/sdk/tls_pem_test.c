#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tls_pem.h"

static void write_file(char path[64], size_t size)
{
    char bytes[1000];
    strcpy(path, "tg_pem_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t at = 0; at < size; at += sizeof bytes) {
        const size_t n = size - at < sizeof bytes ? size - at : sizeof bytes;
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (char)('A' + (at + i) % 23);
        }
        assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    }
    close(fd);
}

static void files_of_every_size_are_read_whole(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 131071, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char path[64];
        char why[128] = "";
        unsigned char *bytes = NULL;
        size_t size = 1;
        write_file(path, sizes[i]);
        assert_int_equal(tg__pem_read(path, &bytes, &size, why, sizeof why), TG_OK);
        assert_int_equal(size, sizes[i]);
        for (size_t at = 0; at < size; at++) {
            assert_int_equal(bytes[at], 'A' + at % 23);
        }
        assert_int_equal(bytes[size], 0);
        tg__pem_free(bytes, size);
        unlink(path);
    }
}

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    char why[128] = "";
    unsigned char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(tg__pem_read("no-such-file", &bytes, &size, why, sizeof why),
                     TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read no-such-file: No such file or directory");
    assert_int_equal(tg__pem_read("/", &bytes, &size, why, sizeof why), TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read /: Is a directory");
    assert_int_equal(tg__pem_read("/dev/zero", &bytes, &size, why, sizeof why), TG_ERR_CERTIFICATE);
    assert_string_equal(why, "cannot read /dev/zero: File too large");
    assert_null(bytes);
    tg__pem_free(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_every_size_are_read_whole),
        cmocka_unit_test(what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests_name("sdk.tls_pem", tests, NULL, NULL);
}

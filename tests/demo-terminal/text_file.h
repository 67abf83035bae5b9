/* A file of a test with given bytes, removed again. */
#ifndef TG_TESTS_TEXT_FILE_H
#define TG_TESTS_TEXT_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

typedef struct text_file {
    char path[64];
} text_file;

static inline text_file text_file_write(const void *bytes, size_t size)
{
    text_file file = {"tickglass-test-XXXXXX"};
    const int fd = mkstemp(file.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    assert_int_equal(close(fd), 0);
    return file;
}

static inline void text_file_remove(const text_file *file)
{
    assert_int_equal(unlink(file->path), 0);
}

#endif

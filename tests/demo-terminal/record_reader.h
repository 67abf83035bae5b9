/* Reads what the terminal recorded back, as any program would. */
#ifndef TG_TESTS_RECORD_READER_H
#define TG_TESTS_RECORD_READER_H

#include <stdbool.h>
#include <string.h>

#include <tickglass/record_reader.h>

#include "tg_cmocka.h"

typedef struct record_reader {
    tg_record_reader *file;
} record_reader;

static inline void record_reader_open(record_reader *reader, const char *path)
{
    char why[400];
    if (tg_record_reader_open(&path, 1, &reader->file, why, sizeof why) != TG_OK) {
        fail_msg("%s", why);
    }
}

/* The recorder closed it in order. */
static inline bool record_reader_ended(const record_reader *reader)
{
    return tg_record_reader_ended(reader->file, 0);
}

static inline void record_reader_close(record_reader *reader)
{
    assert_int_equal(tg_record_reader_problem_count(reader->file), 0);
    tg_record_reader_close(reader->file);
}

static inline bool record_reader_next(record_reader *reader, tg_record_entry *record)
{
    return tg_record_reader_next(reader->file, record) == TG_OK;
}

static inline bool record_contains(const tg_record_entry *record, const char *part)
{
    char format[512];
    const size_t size =
        record->format.size < sizeof format ? record->format.size : sizeof format - 1;
    memcpy(format, record->format.bytes, size);
    format[size] = '\0';
    return strstr(format, part) != NULL;
}

/* One argument as a number, or how many bytes it has and where. */
typedef struct record_argument {
    int64_t number;
    const unsigned char *bytes;
    size_t size;
} record_argument;

static inline record_argument record_argument_of(const tg_record_entry *record, unsigned index)
{
    assert_true(index < record->argument_count);
    const tg_record_argument *is = &record->arguments[index];
    record_argument argument = {0};
    if (is->type == TG_RECORD_ARGUMENT_TEXT) {
        argument.bytes = (const unsigned char *)is->as.text.bytes;
        argument.size = is->as.text.size;
    } else if (is->type == TG_RECORD_ARGUMENT_BLOB) {
        argument.bytes = is->as.blob.bytes;
        argument.size = is->as.blob.size;
    } else {
        assert_in_range(is->type, TG_RECORD_ARGUMENT_SIGNED, TG_RECORD_ARGUMENT_UNSIGNED);
        argument.number = is->type == TG_RECORD_ARGUMENT_SIGNED ? is->as.i : (int64_t)is->as.u;
    }
    return argument;
}

static inline int64_t record_number(const tg_record_entry *record, unsigned index)
{
    return record_argument_of(record, index).number;
}

#endif

/**
 * Records read back: of one or more files, of all their threads, in the order of their times, with
 * what was given to TG_RECORD as it was given.
 *
 *     const char *const paths[] = {"session.tgrec"};
 *     tg_record_reader *reader = NULL;
 *     tg_record_entry entry;
 *     char why[256];
 *     if (tg_record_reader_open(paths, 1, &reader, why, sizeof why) != TG_OK) {
 *         complain(why);
 *         return;
 *     }
 *     while (tg_record_reader_next(reader, &entry) == TG_OK) {
 *         look_at(&entry);
 *     }
 *     tg_record_reader_close(reader);
 *
 * A damaged or torn file gives everything that is whole, and its problems can be asked for. A file
 * of a process that was killed lacks what was in the rings: `tickglass-log recover` joins both.
 * Whatever stands in the files, nothing outside of them is read, and memory is bounded: half a
 * kilobyte for each thread, or its largest record, and 8 MiB.
 *
 * A reader belongs to one thread at a time.
 */
#ifndef TICKGLASS_RECORD_READER_H
#define TICKGLASS_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/decimal.h>
#include <tickglass/err.h>
#include <tickglass/recorder.h>

TG_BEGIN_DECLS

typedef struct tg_record_reader tg_record_reader;

typedef enum tg_record_argument_type {
    TG_RECORD_ARGUMENT_SIGNED = 1,   /**< as.i: integers of 32 and 64 bits */
    TG_RECORD_ARGUMENT_UNSIGNED = 2, /**< as.u */
    TG_RECORD_ARGUMENT_DOUBLE = 3,   /**< as.f */
    TG_RECORD_ARGUMENT_PRICE = 4,    /**< as.price, as it was given: not normalised */
    TG_RECORD_ARGUMENT_TEXT = 5,     /**< as.text: without a terminator; any bytes */
    TG_RECORD_ARGUMENT_BLOB = 6      /**< as.blob */
} tg_record_argument_type;

typedef struct tg_record_argument {
    tg_record_argument_type type;
    union {
        int64_t i;
        uint64_t u;
        double f;
        tg_decimal price;
        tg_text text;
        tg_blob blob;
    } as;
} tg_record_argument;

/** One record. Pointers are the reader's: valid until its next call of next, seek or close. */
typedef struct tg_record_entry {
    int64_t utc_ns;  /**< by the clocks' relation around that time */
    int64_t mono_ns; /**< CLOCK_MONOTONIC of the recording machine */
    tg_record_level level;
    size_t path;             /**< index of its file among those that were opened */
    uint32_t thread;         /**< from 1, of its file's recorder */
    const char *thread_name; /**< "" if it has none */
    tg_text file;            /**< of the call's source; without terminator, as the next one */
    uint32_t line;
    tg_text format;
    size_t argument_count;
    tg_record_argument arguments[TG_RECORD_ARGUMENTS_MAX];
} tg_record_entry;

/**
 * Open files and index their blocks. They may be of several recorders, and still be written: then
 * up to their present end.
 *
 * @param[in]  paths     path_count names; copied
 * @param[out] out       NULL on error; close with tg_record_reader_close()
 * @param[out] why       a line that names the file and says what failed; may be NULL
 * @param[in]  why_size  bytes at why
 * @retval TG_ERR_INVALID_ARGUMENT  paths or out is NULL, or there is no path
 * @retval TG_ERR_IO                a file cannot be opened or mapped; errno says why
 * @retval TG_ERR_FORMAT            a file does not begin as a record does
 * @retval TG_ERR_UNSUPPORTED       a file has another version of the format
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: any.  Blocks: on the disk; reads every file once.  Owner of *out: the caller.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_record_reader_open(const char *const *paths, size_t path_count,
                                                  tg_record_reader **out, char *why,
                                                  size_t why_size);

/** NULL is allowed. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_record_reader_close(tg_record_reader *reader);

/**
 * The next record. Times ascend but for records that their caller stamped with a time far before
 * that of the call: see tg_record_reader_late_count().
 *
 * @retval TG_ERR_NOT_FOUND         that was the last one
 * @retval TG_ERR_INVALID_ARGUMENT  reader or out is NULL
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_record_reader_next(tg_record_reader *reader, tg_record_entry *out);

/**
 * Go on, or back, to the first record of utc_ns or later; INT64_MIN: to the first one of all. Does
 * not read what lies before. Where the wall clock was set back within a file, some place of that
 * time. It is no error if there is none: tg_record_reader_next() says so.
 *
 * @retval TG_ERR_INVALID_ARGUMENT  reader is NULL
 * @retval TG_ERR_NO_MEMORY         allocation failed; seek again before next
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_record_reader_seek(tg_record_reader *reader, int64_t utc_ns);

/**
 * The times of the first and the last record.
 *
 * @retval TG_ERR_NOT_FOUND         there is no record at all
 * @retval TG_ERR_INVALID_ARGUMENT  an argument is NULL
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_record_reader_span(tg_record_reader *reader, int64_t *first_utc_ns,
                                                  int64_t *last_utc_ns);

/** What is wrong with a place of a file. */
typedef struct tg_record_problem {
    tg_err err; /**< TG_ERR_TORN: the file ends in a block; TG_ERR_CORRUPT; TG_ERR_STATE: times
                   from there on are not known */
    const char *path; /**< the reader's, as text */
    uint64_t offset;  /**< in the file, of what was passed over */
    uint64_t size;
    const char *text; /**< a line that says what it is */
} tg_record_problem;

/** Problems that have been met so far, of all files; at most 64 of each are kept. Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API size_t tg_record_reader_problem_count(const tg_record_reader *reader);

/** @retval TG_ERR_NOT_FOUND  there are fewer. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_record_reader_problem(const tg_record_reader *reader, size_t index,
                                                     tg_record_problem *out);

/** The file was closed in order: its recorder did not die, nor is it still writing. Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API bool tg_record_reader_ended(const tg_record_reader *reader, size_t path);

/** Records since the last seek that came after one of a later time. Thread: owner.  Blocks: no.
 * Since: 0.1 */
TG_API uint64_t tg_record_reader_late_count(const tg_record_reader *reader);

TG_END_DECLS

#endif

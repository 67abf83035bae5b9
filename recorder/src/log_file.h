/**
 * A record file, read: mapped, every block checked once, and indexed by thread. A damaged or torn
 * part is reported with its place and what is whole around it is kept.
 */
#ifndef TICKGLASS_LOG_FILE_H
#define TICKGLASS_LOG_FILE_H

#include "block.h"
#include "dictionary.h"
#include "time_map.h"

#define TG__PROBLEM_SIZE 160

typedef struct tg__problem {
    tg_err err; /**< TG_ERR_TORN, TG_ERR_CORRUPT, … */
    uint64_t offset;
    uint64_t size; /**< bytes that were passed over */
    char text[TG__PROBLEM_SIZE];
} tg__problem;

typedef struct tg__log_thread {
    uint32_t number;
    char name[TG__THREAD_NAME_SIZE];
    uint64_t *offsets; /**< of its RECORDS blocks */
    size_t count;
    size_t capacity;
} tg__log_thread;

/** Who wants to know how far reading has come. */
typedef struct tg__log_watch {
    void (*read)(void *ctx, uint64_t bytes); /**< so many of the file, each MiB or so */
    void *ctx;
} tg__log_watch;

typedef struct tg__log_file {
    const char *path; /**< the caller's */
    const unsigned char *bytes;
    size_t size;
    size_t mapped_size;         /**< 0: the bytes are the caller's */
    size_t indexed_to;          /**< blocks before this offset are in the index */
    int fd;                     /**< of a file that is followed, else -1 */
    const tg__log_watch *watch; /**< NULL: nobody; only while it is opened */
    tg__file_info info;
    bool has_info;
    bool ended;           /**< closed in order */
    tg__site_info *sites; /**< by id, TG__SITES_MAX + 1 */
    uint32_t site_end;    /**< ids below this are in use */
    tg__time_map times;
    tg__log_thread *threads;
    size_t thread_count;
    size_t thread_capacity;
    tg__note *notes;
    size_t note_count;
    size_t note_capacity;
    tg__problem *problems; /**< at most TG__PROBLEMS_MAX are kept */
    size_t problem_count;
    uint64_t block_count;
    uint64_t record_count; /**< as the blocks say */
    uint64_t unknown_blocks;
    uint64_t position_end[4096]; /**< per ring: up to where its records are here */
} tg__log_file;

#define TG__PROBLEMS_MAX 64

/**
 * @retval TG_ERR_IO      it cannot be opened or mapped; errno says why
 * @retval TG_ERR_FORMAT  it does not begin with a FILE block
 * @retval TG_ERR_UNSUPPORTED  another format version
 * Thread: any. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err tg__log_file_open(const char *path, tg__log_file *out);

/** The same; watch may be NULL. */
TG_MUST_CHECK tg_err tg__log_file_open_watched(const char *path, const tg__log_watch *watch,
                                               tg__log_file *out);

/**
 * The same for a file that is still being written: a block that is not complete yet is left for
 * tg__log_file_extend().
 */
TG_MUST_CHECK tg_err tg__log_file_follow(const char *path, tg__log_file *out);

/**
 * Index what has been added to a followed file. Threads forget their blocks of before, so that a
 * merge opened afterwards gives the new records only. @retval TG_ERR_IO
 */
TG_MUST_CHECK tg_err tg__log_file_extend(tg__log_file *file);

/** The same on bytes that stay the caller's. */
TG_MUST_CHECK tg_err tg__log_file_from_memory(const void *bytes, size_t size, tg__log_file *out);

void tg__log_file_close(tg__log_file *file);

/** Note what is wrong with a place. */
void tg__log_file_problem(tg__log_file *file, tg_err err, uint64_t offset, uint64_t size,
                          const char *what);

/** The name of a thread's number, "" if it has none. */
const char *tg__log_file_thread_name(const tg__log_file *file, uint32_t number);

#endif

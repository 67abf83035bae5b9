/**
 * The recorder: what a program saw and did, written down for nanoseconds and kept when it dies.
 *
 *     tg_recorder_options opt;
 *     tg_recorder_options_init(&opt);
 *     opt.path = "session.tgrec";
 *     tg_recorder *recorder = NULL;
 *     if (tg_recorder_open(&opt, &recorder) == TG_OK) {
 *         TG_RECORD(recorder, TG_RECORD_INFO, "frame %u: bid %f, %s", frame, bid, tg_text_of(s,
 * n));
 *     }
 *
 * A call copies its time stamp, the number of its call site and its arguments into the calling
 * thread's own ring; a writer (a thread of ours, or the host's loop) moves rings to the file. The
 * rings live in a mapping outside the process, so that a killed process leaves every record whose
 * call had returned: `tickglass-log recover` joins file and rings. `tickglass-log cat` prints them.
 *
 * Arguments and the conversions that print them:
 *     integers, enums, bool   %d %u %x %c … with the length of their type, PRId64 and the like
 *     double, float           %f %e %g %a
 *     const char *            %s, up to its NUL
 *     tg_text                 %s, bytes with a length
 *     tg_blob                 %p, bytes with a length, printed in hexadecimal
 *     tg_decimal              %f, a price as int64 and exponent, printed exactly
 * The compiler checks them against the format. `*` as width or precision takes an int argument.
 * Each argument is evaluated once, and not at all if the recorder is NULL or the level is off.
 */
#ifndef TICKGLASS_RECORDER_H
#define TICKGLASS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/clock.h>
#include <tickglass/decimal.h>
#include <tickglass/err.h>
#include <tickglass/histogram.h>

TG_BEGIN_DECLS

typedef struct tg_recorder tg_recorder;

#define TG_RECORD_ARGUMENTS_MAX 12
/** Bytes of all arguments of one record together; a larger one is dropped and counted. */
#define TG_RECORD_BYTES_MAX (65536 + 4096)

typedef enum tg_record_level {
    TG_RECORD_ERROR = 1,
    TG_RECORD_WARNING = 2,
    TG_RECORD_INFO = 3,
    TG_RECORD_DETAIL = 4
} tg_record_level;
#define TG_RECORD_LEVEL_COUNT 5 /**< size of an array that levels index */

/** What a call does when its thread's ring is full. What was lost leaves a marker record. */
typedef enum tg_overflow {
    TG_OVERFLOW_DEFAULT = 0,     /**< as TG_OVERFLOW_DROP_NEWEST */
    TG_OVERFLOW_DROP_NEWEST = 1, /**< never waits: this record is dropped and counted */
    /** Waits for the writer; nothing is lost while it can write. On the thread that polls itself,
     * which would wait for ever, as TG_OVERFLOW_DROP_NEWEST. */
    TG_OVERFLOW_WAIT = 2,
    TG_OVERFLOW_OVERWRITE = 3 /**< never waits: the oldest records go, counted */
} tg_overflow;

typedef struct tg_recorder_options {
    size_t struct_size;    /**< set by tg_recorder_options_init() */
    const char *path;      /**< the file; must not exist; copied */
    const char *rings_dir; /**< where the rings are mapped; NULL: /dev/shm, or beside the file */
    uint32_t ring_size;    /**< bytes per thread, a power of two, at least 262,144; 0: 1 MiB */
    uint32_t threads_max;  /**< that record at the same time, 1 to 4,096; 0: 64 */
    tg_record_level level; /**< records of a higher number cost one comparison; 0: INFO */
    tg_overflow overflow[TG_RECORD_LEVEL_COUNT]; /**< per level */
    bool host_driven;      /**< no thread of ours: the host calls tg_recorder_poll() */
    uint32_t idle_us;      /**< longest sleep of our thread when little comes; 0: 2,000 */
    const tg_clock *clock; /**< stamps from this clock (tests); NULL: cycle counter or system */
    uint64_t rotate_bytes; /**< start another file (path.1, path.2, …) from this size; 0: never */
    uint32_t rotate_seconds; /**< likewise from this age; 0: never */
    /** Ended files that stay when another begins: the oldest others of this recorder are deleted,
     * never the current one nor a file of somebody else's; 0: all */
    uint32_t keep_files;
    uint64_t keep_bytes; /**< likewise, the most bytes that ended files have together; 0: any */
} tg_recorder_options;

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_recorder_options_init(tg_recorder_options *opt);

/**
 * Make the file, the rings and, unless host_driven, the writer's thread.
 *
 * @param[in]  opt  options; copied, the caller may free them on return
 * @param[out] out  the recorder on TG_OK, NULL otherwise; close with tg_recorder_close()
 * @retval TG_ERR_INVALID_ARGUMENT  opt, path or out is NULL, or a value is out of range
 * @retval TG_ERR_UNSUPPORTED       opt comes from a newer header and sets a field this library
 * lacks
 * @retval TG_ERR_IO                file or rings cannot be made (or exist already); errno says why
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: any.  Blocks: on the disk.  Owner of *out: the caller.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_recorder_open(const tg_recorder_options *opt, tg_recorder **out);

/**
 * Write what the rings hold, end the file, remove the rings. If the disk refuses, the rings stay
 * beside the file's name for `tickglass-log recover`. No thread may record any more. NULL is
 * allowed. In a forked child only its own memory is freed.
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API void tg_recorder_close(tg_recorder *recorder);

/**
 * Make the calling thread's ring now instead of at its first record.
 * @param[in] name  shown by the tools, up to 31 bytes; NULL: none
 * @retval TG_ERR_FULL    threads_max threads record already; records of this one are dropped,
 * counted
 * @retval TG_ERR_IO      no room for the ring
 * @retval TG_ERR_FORKED  the recorder belongs to the parent process
 * Thread: any.  Blocks: shortly, on other threads that do the same.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_recorder_prepare_thread(tg_recorder *recorder, const char *name);

/**
 * Move what is in the rings to the file, once round.
 * @param[out] moved  records moved; may be NULL
 * @retval TG_ERR_STATE   the recorder has a thread of its own
 * @retval TG_ERR_FORKED  the recorder belongs to the parent process
 * @retval TG_ERR_IO      the disk refuses; nothing is lost yet, see tg_recorder_last_error()
 * Thread: one at a time.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_recorder_poll(tg_recorder *recorder, uint64_t *moved);

/**
 * Wait until everything that was recorded before this call is in the file (the operating system's
 * hands, not the platter's).
 * @retval TG_ERR_TIMEOUT  not within timeout_ms
 * @retval TG_ERR_FORKED   the recorder belongs to the parent process
 * @retval TG_ERR_IO       host_driven, and the disk refuses
 * Thread: any, host_driven: the polling one.  Blocks: up to timeout_ms.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_recorder_flush(tg_recorder *recorder, uint32_t timeout_ms);

/**
 * Write a histogram's counts as a snapshot of the window from … to; windows of one name add up.
 * Recorded like any record of level INFO, in pieces; call reset afterwards to begin the next
 * window.
 * @param[in] name  up to 63 bytes
 * @retval TG_ERR_INVALID_ARGUMENT  name or histogram is NULL, or name is too long
 * @retval TG_ERR_FULL              the ring had no room; the tools report the window as incomplete
 * Thread: the recording thread of the histogram.  Blocks: as the policy of INFO says.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_recorder_histogram(tg_recorder *recorder, const char *name,
                                                  const tg_histogram *histogram,
                                                  int64_t from_mono_ns, int64_t to_mono_ns);

typedef struct tg_recorder_counters {
    size_t struct_size;
    uint64_t records;       /**< moved to the file, markers included */
    uint64_t dropped;       /**< refused for want of room, a ring or a place in the dictionary */
    uint64_t overwritten;   /**< oldest ones given up */
    uint64_t file_bytes;    /**< of all files */
    uint64_t write_errors;  /**< refused writes; each was or is tried again */
    uint32_t threads;       /**< that hold a ring */
    uint32_t files;         /**< 1 + rotations */
    uint32_t files_removed; /**< oldest ones deleted, see keep_files */
} tg_recorder_counters;

/** Set struct_size first. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API TG_MUST_CHECK tg_err tg_recorder_counters_get(const tg_recorder *recorder,
                                                     tg_recorder_counters *out);

/** The latest refused write in one line, "" if there was none. Thread: any.  Blocks: shortly.
 * Since: 0.1 */
TG_API void tg_recorder_last_error(const tg_recorder *recorder, char *buf, size_t size);

/** Bytes with a length, printed by %s. */
typedef struct tg_text {
    const char *bytes;
    size_t size;
} tg_text;

/** Bytes with a length, printed by %p in hexadecimal. */
typedef struct tg_blob {
    const void *bytes;
    size_t size;
} tg_blob;

static inline tg_text tg_text_of(const char *bytes, size_t size)
{
    const tg_text text = {bytes, size};
    return text;
}

static inline tg_blob tg_blob_of(const void *bytes, size_t size)
{
    const tg_blob blob = {bytes, size};
    return blob;
}

static inline tg_decimal tg_decimal_of(int64_t mantissa, int8_t exponent)
{
    const tg_decimal decimal = {mantissa, exponent};
    return decimal;
}

TG_END_DECLS

#ifndef __cplusplus
#include <tickglass/record_inline.h>

/**
 * Record one line: TG_RECORD(recorder, level, "format", arguments…), up to 12 arguments. recorder
 * may be NULL. The format and the level are constants. C only.
 * Thread: any.  Blocks: as the level's overflow policy says.  Not signal-safe.  Since: 0.1
 */
#define TG_RECORD(recorder, level, ...)                                                            \
    TG__RECORD(recorder, level, 0, tg__record_stamp(tg_recorder_), __VA_ARGS__)

/** The same with the caller's stamp in nanoseconds of CLOCK_MONOTONIC: saves reading a clock. */
#define TG_RECORD_AT(recorder, level, mono_ns, ...)                                                \
    TG__RECORD(recorder, level, TG__SITE_STAMP_NS, (uint64_t)(mono_ns), __VA_ARGS__)
#endif

#endif

/**
 * What TG_RECORD expands to. Nothing here is for direct use.
 *
 * A record in a ring, 8-byte aligned, in the machine's byte order:
 *     u32 size (of all of it, a multiple of 8) | u32 site id, TG__SITE_STAMP_NS or-ed in
 *     u64 stamp (cycles or nanoseconds of the recorder's clock; CLOCK_MONOTONIC with the flag)
 *     arguments, packed: 4 bytes (32-bit), 8 bytes (64-bit, double), 8 + 1 (decimal),
 *     4 + n (text, blob)
 */
#ifndef TICKGLASS_RECORD_INLINE_H
#define TICKGLASS_RECORD_INLINE_H

#ifndef __cplusplus /* C11 atomics and _Generic */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <tickglass/api.h>
#include <tickglass/decimal.h>
#include <tickglass/recorder.h>

#if defined(__GNUC__) || defined(__clang__)
#define TG__INLINE      static inline __attribute__((always_inline))
#define TG__LIKELY(x)   __builtin_expect((x) != 0, 1)
#define TG__UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define TG__TLS_MODEL   __attribute__((tls_model("initial-exec")))
#define TG__COLD        __attribute__((cold, noinline))
#define TG__FETCH(x)    __builtin_prefetch((x), 1)
#else
#define TG__INLINE      static inline
#define TG__LIKELY(x)   (x)
#define TG__UNLIKELY(x) (x)
#define TG__TLS_MODEL
#define TG__COLD
#define TG__FETCH(x) ((void)(x))
#endif

/** Bytes of records that tg__record_fetch_next() is for, what it fetches at most and at once. */
#define TG__FETCH_FROM 128u
#define TG__FETCH_MAX  1024u
#define TG__FETCH_STEP 64u

/** Type of an argument; numbers of the file format. */
enum {
    TG__TYPE_I32 = 1,
    TG__TYPE_U32 = 2,
    TG__TYPE_I64 = 3,
    TG__TYPE_U64 = 4,
    TG__TYPE_F64 = 5,
    TG__TYPE_DECIMAL = 6,
    TG__TYPE_TEXT = 7,
    TG__TYPE_BLOB = 8
};

#define TG__SITE_STAMP_NS UINT32_C(0x80000000)
#define TG__RECORD_HEADER 16u

enum {
    TG__CLOCK_CYCLES = 1,
    TG__CLOCK_MONO = 2,
    TG__CLOCK_GIVEN = 3
};

/** One call site; static storage at the call. */
typedef struct tg__site {
    _Atomic uint32_t id; /**< 0 until it is in the dictionary */
    uint32_t line;
    uint8_t level;
    uint8_t argument_count;
    uint8_t types[TG_RECORD_ARGUMENTS_MAX + 1]; /**< the first is not used */
    const char *file;
    const char *format;
} tg__site;

/** The first members of a tg_recorder: read only after open. */
typedef struct tg__recorder_hot {
    uint64_t serial; /**< never used twice in a process */
    uint32_t level;
    uint32_t clock_kind;
} tg__recorder_hot;

/** The writing end of a thread's ring; only that thread uses it. */
typedef struct tg__producer {
    _Atomic uint64_t *tail; /**< in the mapping: bytes ever committed */
    unsigned char *data;
    uint64_t mask;
    uint64_t at;    /**< own copy of *tail */
    uint64_t limit; /**< writable without a look at the reader's position; never beyond the lap */
    uint64_t unused[3]; /**< fills the line: neighbours belong to other threads */
} tg__producer;

typedef struct tg__thread_cache {
    uint64_t serial; /**< of the recorder that producer belongs to; 0: none */
    tg__producer *producer;
} tg__thread_cache;

TG_BEGIN_DECLS

/* Exported, for TG_RECORD is compiled into the host; not for direct use. */

extern TG_API TG__TLS_MODEL _Thread_local tg__thread_cache tg_record_thread;

/** The calling thread's ring, made if need be; NULL: refused and counted. Thread: any.  Since: 0.1
 */
TG_API TG__COLD tg__producer *tg_record_producer_get(tg_recorder *recorder);

/** The site's id, new or known; 0: the dictionary is full. Thread: any.  Since: 0.1 */
TG_API TG__COLD uint32_t tg_record_site_register(tg__site *site);

/** As tg__record_reserve, when it is not plain that there is room. Thread: any.  Since: 0.1 */
TG_API TG__COLD unsigned char *tg_record_make_room(tg_recorder *recorder, tg__producer *producer,
                                                   const tg__site *site, size_t size,
                                                   uint64_t stamp, uint32_t flag);

/** Count a record that has no site. Thread: any.  Since: 0.1 */
TG_API TG__COLD void tg_record_refuse(tg_recorder *recorder);

/** The stamp of a recorder that does not count cycles. Thread: any.  Since: 0.1 */
TG_API uint64_t tg_record_stamp_read(const tg_recorder *recorder);

TG_END_DECLS

TG_PRINTF(1, 2) TG__INLINE void tg__record_check_format(const char *format, ...)
{
    (void)format;
}

TG__INLINE uint64_t tg__record_stamp(const tg_recorder *recorder)
{
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    if (TG__LIKELY(((const tg__recorder_hot *)(const void *)recorder)->clock_kind ==
                   TG__CLOCK_CYCLES)) {
        return __builtin_ia32_rdtsc();
    }
#endif
    return tg_record_stamp_read(recorder);
}

/** An argument between its evaluation and the ring. */
typedef struct tg__argument {
    uint64_t word; /**< the value, or the number of bytes */
    const void *bytes;
    int8_t exponent;
} tg__argument;

TG__INLINE tg__argument tg__argument_i(int64_t value)
{
    const tg__argument argument = {(uint64_t)value, NULL, 0};
    return argument;
}

TG__INLINE tg__argument tg__argument_u(uint64_t value)
{
    const tg__argument argument = {value, NULL, 0};
    return argument;
}

TG__INLINE tg__argument tg__argument_f(double value)
{
    tg__argument argument = {0, NULL, 0};
    memcpy(&argument.word, &value, sizeof value);
    return argument;
}

TG__INLINE tg__argument tg__argument_s(const char *text)
{
    const tg__argument argument = {text != NULL ? strlen(text) : 0, text, 0};
    return argument;
}

TG__INLINE tg__argument tg__argument_text(tg_text text)
{
    const tg__argument argument = {text.size, text.bytes, 0};
    return argument;
}

TG__INLINE tg__argument tg__argument_blob(tg_blob blob)
{
    const tg__argument argument = {blob.size, blob.bytes, 0};
    return argument;
}

TG__INLINE tg__argument tg__argument_decimal(tg_decimal decimal)
{
    const tg__argument argument = {(uint64_t)decimal.mantissa, NULL, decimal.exponent};
    return argument;
}

/* `type` is a constant at every call, so that only one branch of these remains. */
TG__INLINE size_t tg__argument_size(int type, tg__argument argument)
{
    if (type == TG__TYPE_I32 || type == TG__TYPE_U32) {
        return 4;
    }
    if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
        /* Capped only so that a sum of twelve cannot wrap; far over the limit all the same. */
        return 4 + (size_t)(argument.word < UINT32_MAX ? argument.word : UINT32_MAX);
    }
    return type == TG__TYPE_DECIMAL ? 9 : 8;
}

TG__INLINE unsigned char *tg__argument_put(unsigned char *at, int type, tg__argument argument)
{
    if (type == TG__TYPE_I32 || type == TG__TYPE_U32) {
        const uint32_t word = (uint32_t)argument.word;
        memcpy(at, &word, sizeof word);
        return at + 4;
    }
    if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
        const uint32_t size = (uint32_t)argument.word;
        memcpy(at, &size, sizeof size);
        if (size != 0) {
            memcpy(at + 4, argument.bytes, size);
        }
        return at + 4 + size;
    }
    memcpy(at, &argument.word, sizeof argument.word);
    if (type == TG__TYPE_DECIMAL) {
        memcpy(at + 8, &argument.exponent, 1);
        return at + 9;
    }
    return at + 8;
}

/** Room for size bytes at the end of the calling thread's ring, or NULL if the record is refused.
 * flag: TG__SITE_STAMP_NS if the stamp is the caller's. */
TG__INLINE unsigned char *tg__record_reserve(tg_recorder *recorder, tg__producer **out,
                                             const tg__site *site, size_t size, uint64_t stamp,
                                             uint32_t flag)
{
    const tg__recorder_hot *hot = (const tg__recorder_hot *)(const void *)recorder;
    tg__producer *producer = tg_record_thread.producer;
    if (TG__UNLIKELY(tg_record_thread.serial != hot->serial)) {
        producer = tg_record_producer_get(recorder);
        if (producer == NULL) {
            return NULL;
        }
    }
    *out = producer;
    if (TG__UNLIKELY(producer->limit - producer->at < size ||
                     size > TG_RECORD_BYTES_MAX + TG__RECORD_HEADER)) {
        return tg_record_make_room(recorder, producer, site, size, stamp, flag);
    }
    return producer->data + (producer->at & producer->mask);
}

/* The place of the next record of this size into the cache: the writing thread has had it since,
 * and with a large record the caller's next stores would wait until it is back. Records of numbers
 * alone have a constant size, and nothing of this is left of them. */
TG__INLINE void tg__record_fetch_next(const tg__producer *producer, size_t size)
{
    if (size > TG__FETCH_FROM) {
        const size_t end = size < TG__FETCH_MAX ? size : TG__FETCH_MAX;
        for (size_t i = TG__FETCH_STEP; i < end + TG__FETCH_STEP; i += TG__FETCH_STEP) {
            TG__FETCH(producer->data + ((producer->at + i) & producer->mask));
        }
    }
}

TG__INLINE void tg__record_commit(tg__producer *producer, size_t size)
{
    producer->at += size;
    /* Pairs with the writer's acquire load of the tail: who sees the position sees the bytes. It is
     * also what makes the record survive: before this store it does not exist. */
    atomic_store_explicit(producer->tail, producer->at, memory_order_release);
    tg__record_fetch_next(producer, size);
}

#define TG__TYPE_OF(x)                                                                             \
    _Generic((x), _Bool                                                                            \
             : TG__TYPE_U32, char                                                                  \
             : TG__TYPE_I32, signed char                                                           \
             : TG__TYPE_I32, short                                                                 \
             : TG__TYPE_I32, int                                                                   \
             : TG__TYPE_I32, unsigned char                                                         \
             : TG__TYPE_U32, unsigned short                                                        \
             : TG__TYPE_U32, unsigned                                                              \
             : TG__TYPE_U32, long                                                                  \
             : TG__TYPE_I64, long long                                                             \
             : TG__TYPE_I64, unsigned long                                                         \
             : TG__TYPE_U64, unsigned long long                                                    \
             : TG__TYPE_U64, float                                                                 \
             : TG__TYPE_F64, double                                                                \
             : TG__TYPE_F64, char *                                                                \
             : TG__TYPE_TEXT, const char *                                                         \
             : TG__TYPE_TEXT, tg_text                                                              \
             : TG__TYPE_TEXT, tg_blob                                                              \
             : TG__TYPE_BLOB, tg_decimal                                                           \
             : TG__TYPE_DECIMAL)

#define TG__ARGUMENT_OF(x)                                                                         \
    _Generic((x), _Bool                                                                            \
             : tg__argument_u, char                                                                \
             : tg__argument_i, signed char                                                         \
             : tg__argument_i, short                                                               \
             : tg__argument_i, int                                                                 \
             : tg__argument_i, unsigned char                                                       \
             : tg__argument_u, unsigned short                                                      \
             : tg__argument_u, unsigned                                                            \
             : tg__argument_u, long                                                                \
             : tg__argument_i, long long                                                           \
             : tg__argument_i, unsigned long                                                       \
             : tg__argument_u, unsigned long long                                                  \
             : tg__argument_u, float                                                               \
             : tg__argument_f, double                                                              \
             : tg__argument_f, char *                                                              \
             : tg__argument_s, const char *                                                        \
             : tg__argument_s, tg_text                                                             \
             : tg__argument_text, tg_blob                                                          \
             : tg__argument_blob, tg_decimal                                                       \
             : tg__argument_decimal)(x)

/* What the compiler's printf check is shown in an argument's place. */
#define TG__CHECKED_AS(x)                                                                          \
    _Generic((x), tg_text : "", tg_blob : (void *)0, tg_decimal : 0.0, default : (x))

#define TG__ON_DECLARE(i, x) const tg__argument tg_argument_##i##_ = TG__ARGUMENT_OF(x);
#define TG__ON_SIZE(i, x)    +tg__argument_size(TG__TYPE_OF(x), tg_argument_##i##_)
#define TG__ON_PUT(i, x)     tg_at_ = tg__argument_put(tg_at_, TG__TYPE_OF(x), tg_argument_##i##_);
#define TG__ON_TYPE(i, x)    , TG__TYPE_OF(x)
#define TG__ON_CHECK(i, x)   , TG__CHECKED_AS(x)

#define TG__EACH_0(m, f)
#define TG__EACH_1(m, f, a)                         m(1, a)
#define TG__EACH_2(m, f, a, b)                      m(1, a) m(2, b)
#define TG__EACH_3(m, f, a, b, c)                   TG__EACH_2(m, f, a, b) m(3, c)
#define TG__EACH_4(m, f, a, b, c, d)                TG__EACH_3(m, f, a, b, c) m(4, d)
#define TG__EACH_5(m, f, a, b, c, d, e)             TG__EACH_4(m, f, a, b, c, d) m(5, e)
#define TG__EACH_6(m, f, a, b, c, d, e, g)          TG__EACH_5(m, f, a, b, c, d, e) m(6, g)
#define TG__EACH_7(m, f, a, b, c, d, e, g, h)       TG__EACH_6(m, f, a, b, c, d, e, g) m(7, h)
#define TG__EACH_8(m, f, a, b, c, d, e, g, h, i)    TG__EACH_7(m, f, a, b, c, d, e, g, h) m(8, i)
#define TG__EACH_9(m, f, a, b, c, d, e, g, h, i, j) TG__EACH_8(m, f, a, b, c, d, e, g, h, i) m(9, j)
#define TG__EACH_10(m, f, a, b, c, d, e, g, h, i, j, k)                                            \
    TG__EACH_9(m, f, a, b, c, d, e, g, h, i, j) m(10, k)
#define TG__EACH_11(m, f, a, b, c, d, e, g, h, i, j, k, l)                                         \
    TG__EACH_10(m, f, a, b, c, d, e, g, h, i, j, k) m(11, l)
#define TG__EACH_12(m, f, a, b, c, d, e, g, h, i, j, k, l, n)                                      \
    TG__EACH_11(m, f, a, b, c, d, e, g, h, i, j, k, l) m(12, n)

#define TG__COUNT_AT(f, a, b, c, d, e, g, h, i, j, k, l, n, count, ...) count
#define TG__COUNT(...)                                                  TG__COUNT_AT(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define TG__JOIN_(a, b)                                                 a##b
#define TG__JOIN(a, b)                                                  TG__JOIN_(a, b)
#define TG__EACH(m, ...)                                                TG__JOIN(TG__EACH_, TG__COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define TG__FORMAT_(f, ...)                                             "" f
#define TG__FORMAT(...)                                                 TG__FORMAT_(__VA_ARGS__, 0)

/* The stamp comes first: what follows is not part of when it happened. */
#define TG__RECORD(recorder, level_, flag, stamp, ...)                                             \
    do {                                                                                           \
        tg_recorder *const tg_recorder_ = (recorder);                                              \
        if (tg_recorder_ != NULL &&                                                                \
            (unsigned)(level_) <= ((const tg__recorder_hot *)(const void *)tg_recorder_)->level) { \
            static tg__site tg_site_ = {0,                                                         \
                                        __LINE__,                                                  \
                                        (level_),                                                  \
                                        TG__COUNT(__VA_ARGS__),                                    \
                                        {0 TG__EACH(TG__ON_TYPE, __VA_ARGS__)},                    \
                                        __FILE__,                                                  \
                                        TG__FORMAT(__VA_ARGS__)};                                  \
            if (0) {                                                                               \
                tg__record_check_format(TG__FORMAT(__VA_ARGS__)                                    \
                                            TG__EACH(TG__ON_CHECK, __VA_ARGS__));                  \
            }                                                                                      \
            const uint64_t tg_stamp_ = (stamp);                                                    \
            TG__EACH(TG__ON_DECLARE, __VA_ARGS__)                                                  \
            const size_t tg_size_ =                                                                \
                (TG__RECORD_HEADER TG__EACH(TG__ON_SIZE, __VA_ARGS__) + 7u) & ~(size_t)7u;         \
            /* Pairs with the release in tg_record_site_register: who sees an id, its entry is     \
             * written. */                                                                         \
            uint32_t tg_id_ = atomic_load_explicit(&tg_site_.id, memory_order_acquire);            \
            if (TG__UNLIKELY(tg_id_ == 0)) {                                                       \
                tg_id_ = tg_record_site_register(&tg_site_);                                       \
            }                                                                                      \
            if (TG__UNLIKELY(tg_id_ == 0)) {                                                       \
                tg_record_refuse(tg_recorder_);                                                    \
            } else {                                                                               \
                tg__producer *tg_producer_ = NULL;                                                 \
                unsigned char *tg_at_ = tg__record_reserve(tg_recorder_, &tg_producer_, &tg_site_, \
                                                           tg_size_, tg_stamp_, (flag));           \
                if (tg_at_ != NULL) {                                                              \
                    const uint32_t tg_head_[2] = {(uint32_t)tg_size_, tg_id_ | (flag)};            \
                    memcpy(tg_at_, tg_head_, sizeof tg_head_);                                     \
                    memcpy(tg_at_ + 8, &tg_stamp_, sizeof tg_stamp_);                              \
                    tg_at_ += TG__RECORD_HEADER;                                                   \
                    TG__EACH(TG__ON_PUT, __VA_ARGS__)                                              \
                    (void)tg_at_;                                                                  \
                    tg__record_commit(tg_producer_, tg_size_);                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#endif

#endif

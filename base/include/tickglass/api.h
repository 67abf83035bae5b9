/** Export and annotation macros used by every public header. */
#ifndef TICKGLASS_API_H
#define TICKGLASS_API_H

#if defined(__GNUC__) || defined(__clang__)
#define TG_API               __attribute__((visibility("default")))
#define TG_MUST_CHECK        __attribute__((warn_unused_result))
#define TG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TG_API
#define TG_MUST_CHECK
#define TG_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#define TG_BEGIN_DECLS extern "C" {
#define TG_END_DECLS   }
#else
#define TG_BEGIN_DECLS
#define TG_END_DECLS
#endif

#endif

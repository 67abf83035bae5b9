/** Prometheus' text exposition format, version 0.0.4. */
#ifndef TG_GATEWAY_PROMETHEUS_H
#define TG_GATEWAY_PROMETHEUS_H

#include <stdint.h>

#include <tickglass/internal/text_buffer.h>

#define TG__PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Before every name. */
#define TG__PROMETHEUS_PREFIX "tickglass_gateway_"

typedef enum tg__prometheus_type {
    TG__PROMETHEUS_COUNTER = 0,
    TG__PROMETHEUS_GAUGE = 1,
    TG__PROMETHEUS_SUMMARY = 2
} tg__prometheus_type;

/* The lines that stand once before the samples of a name. */
void tg__prometheus_add_head(tg__text_buffer *out, const char *name, tg__prometheus_type type,
                             const char *help);

typedef struct tg__prometheus_label {
    const char *name; /* NULL: no label */
    const char *value;
} tg__prometheus_label;

/* name + suffix {labels}, up to where the value follows; suffix may be "". */
void tg__prometheus_add_name(tg__text_buffer *out, const char *name, const char *suffix,
                             tg__prometheus_label first, tg__prometheus_label second);
void tg__prometheus_add_count(tg__text_buffer *out, uint64_t value);
/* As seconds, exactly. */
void tg__prometheus_add_ns(tg__text_buffer *out, uint64_t value_ns);
/* There is no value. */
void tg__prometheus_add_nan(tg__text_buffer *out);

#endif

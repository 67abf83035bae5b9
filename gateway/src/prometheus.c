#include "prometheus.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_SECOND UINT64_C(1000000000)

static void add_escaped(tg__text_buffer *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        switch (*at) {
        case '\\':
            tg__text_add(out, "\\\\", 2);
            break;
        case '"':
            tg__text_add(out, "\\\"", 2);
            break;
        case '\n':
            tg__text_add(out, "\\n", 2);
            break;
        default:
            tg__text_add(out, at, 1);
        }
    }
}

void tg__prometheus_add_head(tg__text_buffer *out, const char *name, tg__prometheus_type type,
                             const char *help)
{
    static const char *const types[] = {"counter", "gauge", "summary"};
    tg__text_add_string(out, "# HELP " TG__PROMETHEUS_PREFIX);
    tg__text_add_string(out, name);
    tg__text_add_string(out, " ");
    tg__text_add_string(out, help);
    tg__text_add_string(out, "\n# TYPE " TG__PROMETHEUS_PREFIX);
    tg__text_add_string(out, name);
    tg__text_add_string(out, " ");
    tg__text_add_string(out, types[type]);
    tg__text_add_string(out, "\n");
}

static void add_label(tg__text_buffer *out, const char *before, tg__prometheus_label label)
{
    tg__text_add_string(out, before);
    tg__text_add_string(out, label.name);
    tg__text_add_string(out, "=\"");
    add_escaped(out, label.value);
    tg__text_add_string(out, "\"");
}

void tg__prometheus_add_name(tg__text_buffer *out, const char *name, const char *suffix,
                             tg__prometheus_label first, tg__prometheus_label second)
{
    tg__text_add_string(out, TG__PROMETHEUS_PREFIX);
    tg__text_add_string(out, name);
    tg__text_add_string(out, suffix);
    if (first.name != NULL) {
        add_label(out, "{", first);
        if (second.name != NULL) {
            add_label(out, ",", second);
        }
        tg__text_add_string(out, "}");
    }
    tg__text_add_string(out, " ");
}

void tg__prometheus_add_count(tg__text_buffer *out, uint64_t value)
{
    tg__text_add_u64(out, value);
    tg__text_add_string(out, "\n");
}

void tg__prometheus_add_ns(tg__text_buffer *out, uint64_t value_ns)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64 "\n", value_ns / NS_PER_SECOND,
                   value_ns % NS_PER_SECOND);
    tg__text_add_string(out, text);
}

void tg__prometheus_add_nan(tg__text_buffer *out)
{
    tg__text_add_string(out, "NaN\n");
}

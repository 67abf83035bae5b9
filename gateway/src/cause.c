#include "cause.h"

#include <stdarg.h>
#include <stdio.h>

tg_err tg__cause_set(tg__cause *cause, tg_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(cause->text, sizeof cause->text, format, args);
    va_end(args);
    return err;
}

#include "why.h"

#include <stdarg.h>
#include <stdio.h>

bool why_say(why *into, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(into->text, sizeof into->text, format, arguments);
    va_end(arguments);
    return false;
}

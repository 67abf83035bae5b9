#include "complaints.h"

#include <stdarg.h>
#include <stdio.h>

void complaints_add(complaints *list, const char *format, ...)
{
    if (list->count == COMPLAINTS_MAX) {
        list->dropped++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(list->line[list->count], COMPLAINT_SIZE, format, arguments);
    va_end(arguments);
    list->count++;
}

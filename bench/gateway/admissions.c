#include "admissions.h"

#include <stdlib.h>
#include <string.h>

bool admissions_init(admissions *a, size_t capacity)
{
    memset(a, 0, sizeof *a);
    a->at = calloc(capacity + 1, sizeof *a->at);
    a->capacity = a->at != NULL ? capacity : 0;
    return a->at != NULL;
}

void admissions_deinit(admissions *a)
{
    free(a->at);
    memset(a, 0, sizeof *a);
}

/* A text as an open file, for what reads files. */
#ifndef SWARM_TEXT_FILE_H
#define SWARM_TEXT_FILE_H

#include <stdio.h>
#include <string.h>

static inline FILE *text_file(const char *text)
{
    FILE *const file = tmpfile();
    if (file != NULL) {
        (void)fwrite(text, 1, strlen(text), file);
        rewind(file);
    }
    return file;
}

#endif

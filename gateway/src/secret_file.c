#include "secret_file.h"

#include <stdint.h>
#include <stdio.h>

#include <tickglass/internal/control_flow.h>

#include "entropy.h"
#include "wipe.h"

tg_err tg__secret_file_make(const char *path, tg__cause *cause)
{
    uint8_t random[TG__SECRET_SIZE];
    char text[TG__SECRET_SIZE * 2 + 2];
    TG_TRY(tg__entropy_get(random, sizeof random, cause));
    for (size_t i = 0; i < sizeof random; i++) {
        (void)snprintf(text + i * 2, sizeof text - i * 2, "%02x", random[i]);
    }
    text[TG__SECRET_SIZE * 2] = '\n';
    const tg_err err = tg__file_write(path, text, TG__SECRET_SIZE * 2 + 1, 0600, cause);
    tg__wipe(random, sizeof random);
    tg__wipe(text, sizeof text);
    return err;
}

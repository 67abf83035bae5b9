#include "bearer_file.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "secret_file.h"
#include "wipe.h"

static tg_err take_line(tg__bearer *bearer, const char *path, const char *text, size_t size,
                        tg__cause *cause)
{
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) {
        size--;
    }
    bool good = size > 0 && size <= sizeof bearer->token;
    for (size_t i = 0; i < size; i++) {
        good = good && text[i] > 0x20 && text[i] < 0x7f;
    }
    if (!good) {
        return tg__cause_set(cause, TG_ERR_FORMAT,
                             "%s: is not one line of 1 to %u visible ASCII characters", path,
                             TG__TOKEN_SIZE_MAX);
    }
    memcpy(bearer->token, text, size);
    bearer->size = size;
    return TG_OK;
}

tg_err tg__bearer_load(tg__bearer *bearer, const tg__state_dir *dir, const char *path,
                       tg__cause *cause)
{
    char own[TG__PATH_SIZE];
    char text[TG__TOKEN_SIZE_MAX + 8];
    size_t size = 0;
    const bool named = path != NULL;
    if (!named) {
        TG_TRY(tg__state_dir_path(dir, "token", own, cause));
        path = own;
    }
    tg_err err = tg__file_read(path, text, sizeof text, &size, cause);
    if (err == TG_ERR_NOT_FOUND && !named) {
        TG_TRY(tg__secret_file_make(path, cause));
        err = tg__file_read(path, text, sizeof text, &size, cause);
    }
    if (err == TG_OK) {
        err = take_line(bearer, path, text, size, cause);
    }
    tg__wipe(text, sizeof text);
    return err;
}

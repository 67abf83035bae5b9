#include "user_folder.h"

#include <stdio.h>
#include <stdlib.h>

tg_err user_folder_path(const char *name, char path[USER_PATH_SIZE])
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *below = "";
    if (base == NULL || base[0] != '/') {
        base = getenv("HOME");
        below = "/.config";
    }
    if (base == NULL || base[0] != '/') {
        path[0] = '\0';
        return TG_ERR_NOT_FOUND;
    }
    const int size = snprintf(path, USER_PATH_SIZE, "%s%s/tickglass/%s", base, below, name);
    return size > 0 && size < USER_PATH_SIZE ? TG_OK : TG_ERR_BUFFER_TOO_SMALL;
}

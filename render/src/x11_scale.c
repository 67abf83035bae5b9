#include "x11_scale.h"

#include <SDL.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY      "libX11.so.6"
#define ORDINARY_DPI 96
#define DPI_MAX      10000

/* The value of a line "NAME:\tVALUE", NULL: it is of another name. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ':' ? line + length + 1 : NULL;
}

int tg__x11_scale_read(const char *resources)
{
    int percent = 0;
    for (const char *line = resources; line != NULL && *line != '\0';) {
        const char *value = value_of(line, "Xft.dpi");
        value = value != NULL ? value : value_of(line, "Xft*dpi");
        const long dpi = value != NULL ? strtol(value, NULL, 10) : 0;
        if (dpi > 0 && dpi <= DPI_MAX) {
            percent = (int)((dpi * 100 + ORDINARY_DPI / 2) / ORDINARY_DPI);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return percent;
}

/* Of Xlib, as its manual has them; SDL does not need its headers here either. */
typedef struct xlib {
    void *(*open)(const char *name);
    char *(*resources)(void *display);
    int (*close)(void *display);
} xlib;

static bool load(void *library, const char *name, void *function, size_t size)
{
    void *const found = SDL_LoadFunction(library, name);
    memcpy(function, &found, size); /* C has no conversion from one kind of pointer to the other */
    return found != NULL;
}

int tg__x11_scale_percent(void)
{
    int percent = 0;
    xlib x;
    void *library = SDL_LoadObject(LIBRARY);
    if (library == NULL) {
        return 0;
    }
    if (load(library, "XOpenDisplay", (void *)&x.open, sizeof x.open) &&
        load(library, "XResourceManagerString", (void *)&x.resources, sizeof x.resources) &&
        load(library, "XCloseDisplay", (void *)&x.close, sizeof x.close)) {
        void *display = x.open(NULL);
        if (display != NULL) {
            percent = tg__x11_scale_read(x.resources(display));
            (void)x.close(display);
        }
    }
    SDL_UnloadObject(library);
    return percent;
}

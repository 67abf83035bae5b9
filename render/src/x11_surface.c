#include "x11_surface.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <SDL_syswm.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include <tickglass/internal/control_flow.h>

#define RED_MASK     UINT32_C(0xff0000)
#define GREEN_MASK   UINT32_C(0xff00)
#define BLUE_MASK    UINT32_C(0xff)
#define EVENT_MASK   0x7f /* the highest bit only says that another client sent it */
#define NAME_TRIES   100
#define OWNER_ONLY   0600
#define PIXEL_BITS   32
#define SHM_WITH_FDS 2 /* minor version of MIT-SHM 1 */

struct tg__x11_surface {
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_gcontext_t context;
    uint8_t depth;
    uint8_t completion; /* number of the event */
    xcb_shm_seg_t segment;
    uint32_t *pixels; /* NULL: none yet */
    int width;
    int height;
    bool is_read; /* by the server, or is going to be */
    uint32_t last_request;
};

#ifdef SDL_VIDEO_DRIVER_X11

/* Descriptors travel on sockets of this machine only, and so does memory. */
static bool is_local(xcb_connection_t *connection)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getsockname(xcb_get_file_descriptor(connection), (struct sockaddr *)&address, &size) ==
               0 &&
           address.ss_family == AF_UNIX;
}

static bool reads_memory(xcb_connection_t *connection, uint8_t *completion)
{
    const xcb_query_extension_reply_t *shm = xcb_get_extension_data(connection, &xcb_shm_id);
    if (shm == NULL || shm->present == 0) {
        return false;
    }
    xcb_shm_query_version_reply_t *version =
        xcb_shm_query_version_reply(connection, xcb_shm_query_version_unchecked(connection), NULL);
    const bool with_fds =
        version != NULL && version->major_version == 1 && version->minor_version >= SHM_WITH_FDS;
    free(version);
    *completion = (uint8_t)(shm->first_event + XCB_SHM_COMPLETION);
    return with_fds;
}

static const xcb_visualtype_t *find_visual(const xcb_setup_t *setup, xcb_visualid_t id)
{
    for (xcb_screen_iterator_t s = xcb_setup_roots_iterator(setup); s.rem > 0;
         xcb_screen_next(&s)) {
        for (xcb_depth_iterator_t d = xcb_screen_allowed_depths_iterator(s.data); d.rem > 0;
             xcb_depth_next(&d)) {
            for (xcb_visualtype_iterator_t v = xcb_depth_visuals_iterator(d.data); v.rem > 0;
                 xcb_visualtype_next(&v)) {
                if (v.data->visual_id == id) {
                    return v.data;
                }
            }
        }
    }
    return NULL;
}

static bool has_pixel_bits(const xcb_setup_t *setup, uint8_t depth)
{
    for (xcb_format_iterator_t f = xcb_setup_pixmap_formats_iterator(setup); f.rem > 0;
         xcb_format_next(&f)) {
        if (f.data->depth == depth) {
            return f.data->bits_per_pixel == PIXEL_BITS;
        }
    }
    return false;
}

static bool visual_is_ours(xcb_connection_t *connection, xcb_window_t window)
{
    xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(
        connection, xcb_get_window_attributes_unchecked(connection, window), NULL);
    const xcb_visualtype_t *visual =
        attributes != NULL ? find_visual(xcb_get_setup(connection), attributes->visual) : NULL;
    free(attributes);
    return visual != NULL && visual->red_mask == RED_MASK && visual->green_mask == GREEN_MASK &&
           visual->blue_mask == BLUE_MASK;
}

/* 0: the window is not there. */
static uint8_t depth_of(xcb_connection_t *connection, xcb_window_t window)
{
    xcb_get_geometry_reply_t *geometry =
        xcb_get_geometry_reply(connection, xcb_get_geometry_unchecked(connection, window), NULL);
    const uint8_t depth = geometry != NULL ? geometry->depth : 0;
    free(geometry);
    return depth;
}

static bool pixels_are_ours(const tg__x11_surface *surface)
{
    const xcb_setup_t *setup = xcb_get_setup(surface->connection);
    const uint8_t our_order =
        SDL_BYTEORDER == SDL_LIL_ENDIAN ? XCB_IMAGE_ORDER_LSB_FIRST : XCB_IMAGE_ORDER_MSB_FIRST;
    return setup->image_byte_order == our_order && has_pixel_bits(setup, surface->depth) &&
           visual_is_ours(surface->connection, surface->window);
}

static void create_context(tg__x11_surface *surface)
{
    static const uint32_t no_exposures = 0;
    surface->context = xcb_generate_id(surface->connection);
    (void)xcb_create_gc(surface->connection, surface->context, surface->window,
                        XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
}

tg_err tg__x11_surface_open(SDL_Window *window, tg__x11_surface **out)
{
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    *out = NULL;
    TG_ENSURE(SDL_GetWindowWMInfo(window, &info) == SDL_TRUE && info.subsystem == SDL_SYSWM_X11,
              TG_ERR_NOT_FOUND);
    tg__x11_surface *surface = calloc(1, sizeof *surface);
    TG_ENSURE(surface != NULL, TG_ERR_NO_MEMORY);
    surface->connection = xcb_connect(DisplayString(info.info.x11.display), NULL);
    surface->window = (xcb_window_t)info.info.x11.window;
    bool can = xcb_connection_has_error(surface->connection) == 0 &&
               is_local(surface->connection) &&
               reads_memory(surface->connection, &surface->completion);
    if (can) {
        surface->depth = depth_of(surface->connection, surface->window);
        can = pixels_are_ours(surface);
    }
    if (!can) {
        tg__x11_surface_close(surface);
        return TG_ERR_NOT_FOUND;
    }
    create_context(surface);
    *out = surface;
    return TG_OK;
}

#else

tg_err tg__x11_surface_open(SDL_Window *window, tg__x11_surface **out)
{
    (void)window;
    *out = NULL;
    return TG_ERR_NOT_FOUND;
}

#endif

static size_t size_of(int width, int height)
{
    return (size_t)width * (size_t)height * sizeof(uint32_t);
}

/* What is still being read stays for as long as the server reads it: its mapping is its own. */
static void drop_pixels(tg__x11_surface *surface)
{
    if (surface->pixels != NULL) {
        (void)xcb_shm_detach(surface->connection, surface->segment);
        (void)munmap(surface->pixels, size_of(surface->width, surface->height));
        surface->pixels = NULL;
    }
}

void tg__x11_surface_close(tg__x11_surface *surface)
{
    if (surface == NULL) {
        return;
    }
    drop_pixels(surface);
    xcb_disconnect(surface->connection);
    free(surface);
}

/* Memory without a name, or -1. */
static int open_memory(size_t size)
{
    int fd = -1;
    for (unsigned i = 0; i < NAME_TRIES && fd < 0; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "/tickglass-pixels-%" PRIdMAX "-%u", (intmax_t)getpid(),
                       i);
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, OWNER_ONLY);
        if (fd >= 0) {
            (void)shm_unlink(name);
        }
    }
    /* Taken now: memory that is short would else end the process where it is painted. */
    if (fd >= 0 && posix_fallocate(fd, 0, (off_t)size) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* The descriptor is the connection's from here on. */
static tg_err attach(tg__x11_surface *surface, int fd, xcb_shm_seg_t *segment)
{
    *segment = xcb_generate_id(surface->connection);
    xcb_generic_error_t *refused = xcb_request_check(
        surface->connection,
        xcb_shm_attach_fd_checked(surface->connection, *segment, fd, true /* it only reads */));
    const bool taken = refused == NULL && xcb_connection_has_error(surface->connection) == 0;
    free(refused);
    return taken ? TG_OK : TG_ERR_WINDOW;
}

tg_err tg__x11_surface_fit(tg__x11_surface *surface, int width, int height, tg__canvas *canvas)
{
    TG_ENSURE(width > 0 && height > 0, TG_ERR_INVALID_ARGUMENT);
    if (surface->pixels == NULL || surface->width != width || surface->height != height) {
        const size_t size = size_of(width, height);
        const int fd = open_memory(size);
        TG_ENSURE(fd >= 0, TG_ERR_NO_MEMORY);
        void *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (pixels == MAP_FAILED) {
            (void)close(fd);
            return TG_ERR_NO_MEMORY;
        }
        xcb_shm_seg_t segment = 0;
        const tg_err err = attach(surface, fd, &segment);
        if (err != TG_OK) {
            (void)munmap(pixels, size);
            return err;
        }
        drop_pixels(surface);
        surface->is_read = false; /* these are not */
        surface->segment = segment;
        surface->pixels = pixels;
        surface->width = width;
        surface->height = height;
    }
    *canvas = (tg__canvas){surface->pixels, width, height, (size_t)width};
    return TG_OK;
}

/* The next news are of the last request, or of a later one. */
static bool is_past(const tg__x11_surface *surface, const xcb_generic_event_t *event)
{
    return (int32_t)(event->full_sequence - surface->last_request) >= 0;
}

tg_err tg__x11_surface_await(tg__x11_surface *surface)
{
    while (surface->is_read) {
        xcb_generic_event_t *event = xcb_wait_for_event(surface->connection);
        TG_ENSURE(event != NULL, TG_ERR_WINDOW);
        /* An error ends the wait as well: of a window that is gone nothing is read any more. */
        const int kind = event->response_type & EVENT_MASK;
        surface->is_read = !((kind == 0 || kind == surface->completion) && is_past(surface, event));
        free(event);
    }
    return TG_OK;
}

tg_err tg__x11_surface_present(tg__x11_surface *surface, const tg__rect *rects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tg__rect *rect = &rects[i];
        const bool is_last = i + 1 == count;
        surface->last_request =
            xcb_shm_put_image(
                surface->connection, surface->window, surface->context, (uint16_t)surface->width,
                (uint16_t)surface->height, (uint16_t)rect->x, (uint16_t)rect->y,
                (uint16_t)rect->width, (uint16_t)rect->height, (int16_t)rect->x, (int16_t)rect->y,
                surface->depth, XCB_IMAGE_FORMAT_Z_PIXMAP, is_last, surface->segment, 0)
                .sequence;
        surface->is_read = true;
    }
    return xcb_flush(surface->connection) > 0 ? TG_OK : TG_ERR_WINDOW;
}

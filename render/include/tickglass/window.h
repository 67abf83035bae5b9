/**
 * A window, or a picture in memory that goes the same way, that shows draw lists.
 *
 * One thread owns a window: the one that opened it. Only tg_window_wake() may be called from
 * others. One window at a time in a process.
 */
#ifndef TICKGLASS_WINDOW_H
#define TICKGLASS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

TG_BEGIN_DECLS

typedef struct tg_window tg_window;

/** How draw lists become pixels; the pixels are the same. */
typedef enum tg_backend {
    TG_BACKEND_SURFACE, /**< tiles copied into the window's surface, changes alone handed over; on a
                             Wayland display of several pixels a unit, whose surfaces have one,
                             TG_BACKEND_GPU in its place */
    TG_BACKEND_GPU /**< SDL_RenderGeometry from an atlas of tiles; SDL takes its best driver, or
                      the one in SDL_RENDER_DRIVER. Where that is "software", it is slower */
} tg_backend;

typedef struct tg_window_options {
    size_t struct_size; /**< set by tg_window_options_init() */
    const char *title;
    const char *font_file;          /**< of fixed width; NULL: the one found when this was built */
    const char *bold_font_file;     /**< NULL: the one beside it, or font_file emboldened */
    const char *fallback_font_file; /**< for what they lack; NULL: the one found when this was
                                       built, or none: such characters are shown as their numbers */
    int font_size_px;               /**< 6 to 96; 0: 14 */
    int width_px;                   /**< 0: 1,280 */
    int height_px;                  /**< 0: 800 */
    bool headless;                  /**< draw into memory only; no display is needed */
    int scale_percent; /**< 50 to 400: the window and its letters are so many hundredths as large as
                            the sizes above say; 0: as the display has it, on X11 Xft.dpi / 96 */
    tg_backend backend; /**< 0: TG_BACKEND_SURFACE */
} tg_window_options;

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_window_options_init(tg_window_options *opt);

/**
 * Open a window. The process's signal handlers stay as they are.
 *
 * @param[in]  opt       copied
 * @param[out] out       NULL on error; close with tg_window_close()
 * @param[out] why       a line that says what failed; may be NULL
 * @param[in]  why_size  bytes at why
 * @retval TG_ERR_INVALID_ARGUMENT  a value is out of range
 * @retval TG_ERR_FONT              a font cannot be used
 * @retval TG_ERR_WINDOW            the window system refused, or there is none
 * @retval TG_ERR_STATE             another window is open
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: owner (the caller becomes it).  Blocks: until the window is mapped.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_open(const tg_window_options *opt, tg_window **out, char *why,
                                           size_t why_size);

/** NULL is allowed. Nobody may call tg_window_wake() from here on. Thread: owner.  Blocks: no.
 * Since: 0.1 */
TG_API void tg_window_close(tg_window *window);

/** Cells that fit, at least 1. Changes with TG_INPUT_RESIZED only. Thread: owner.  Since: 0.1 */
TG_API uint16_t tg_window_columns(const tg_window *window);
/** Likewise. Thread: owner.  Since: 0.1 */
TG_API uint16_t tg_window_rows(const tg_window *window);

/** In pixels, as tg_window_options has it: what would open it again as it is. Thread: owner. Since:
 * 0.1 */
TG_API void tg_window_size_px(const tg_window *window, int *width_px, int *height_px);

/** All that decides, beside draw lists and fonts, what a window's picture is. */
typedef struct tg_picture_form {
    int width_px; /**< of the picture, as a screenshot has it */
    int height_px;
    int letter_px; /**< size of the letters in it: after scaling */
} tg_picture_form;

/** A window that is opened with these sizes and scale_percent 100 shows the same. Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API tg_picture_form tg_window_picture_form(const tg_window *window);

/** Bytes of tg_window_fonts() with its terminator. */
#define TG_FONTS_TEXT_SIZE 320

/**
 * Which fonts the letters are made of, to find out whether others are the same: of each file its
 * name without folder, bytes and CRC-32C; "-" for none.
 * "DejaVuSansMono.ttf 340712 2f1b33a0, bold DejaVuSansMono-Bold.ttf 331992 …, fallback …"
 *
 * @param[out] text  at least TG_FONTS_TEXT_SIZE bytes; "" on error
 * @retval TG_ERR_IO  a file cannot be read any more
 * Thread: any, while the window is open.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_fonts(const tg_window *window, char *text, size_t size);

/** False while nobody can see it: there is nothing to draw then. Thread: owner.  Since: 0.1 */
TG_API bool tg_window_visible(const tg_window *window);

/**
 * Paint a draw list into the window's pixels. Nothing is shown yet.
 * @retval TG_ERR_WINDOW  the window system is gone
 * Thread: owner.  Blocks: until the window system has read what was presented before; mostly it
 * has. Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_draw(tg_window *window, const tg_draw_list *list);

/**
 * Hand what was painted since the last call to the window system. When it is lit on the screen is
 * not known here: "handed off", not "seen".
 * @retval TG_ERR_WINDOW  the window system refused
 * Thread: owner.  Blocks: on X11 on this machine no, elsewhere as long as the window system takes.
 * Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_present(tg_window *window);

/**
 * What is in the window, as a PNG file; path is only ever replaced by a whole picture.
 * @retval TG_ERR_IMAGE      the file cannot be written; errno says why
 * @retval TG_ERR_NO_MEMORY  allocation failed
 * @retval TG_ERR_WINDOW     the GPU did not give the picture back
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_screenshot(const tg_window *window, const char *path);

/** A copy of what is in a window, to be written by whoever has time for it. */
typedef struct tg_picture tg_picture;

/**
 * @retval TG_ERR_NO_MEMORY  allocation failed
 * @retval TG_ERR_WINDOW     the GPU did not give the picture back
 * Thread: owner of the window.  Blocks: no; TG_BACKEND_GPU: on the GPU.  Owner of *out: the caller;
 * close with tg_picture_close().  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_picture_open(const tg_window *window, tg_picture **out);

/** NULL is allowed. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API void tg_picture_close(tg_picture *picture);

/** As tg_window_screenshot(), with the same errors. Thread: any.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_picture_write(const tg_picture *picture, const char *path);

typedef enum tg_input_kind {
    TG_INPUT_WAKE,    /**< tg_window_wake() was called, once or more */
    TG_INPUT_KEY,     /**< key, or character, with its modifiers */
    TG_INPUT_RESIZED, /**< columns and rows may differ; draw everything */
    TG_INPUT_EXPOSED, /**< the window system lost the picture or visibility changed; draw everything
                       */
    TG_INPUT_QUIT,    /**< the window is to be closed */
    TG_INPUT_TEXT,    /**< text was typed; the keys that made it come as TG_INPUT_KEY, too */
    TG_INPUT_CLICK,   /**< the left button went down at row and column */
    TG_INPUT_WHEEL    /**< the wheel was turned at row and column */
} tg_input_kind;

typedef enum tg_key {
    TG_KEY_CHARACTER, /**< see character */
    TG_KEY_ESCAPE,
    TG_KEY_ENTER,
    TG_KEY_TAB,
    TG_KEY_SPACE,
    TG_KEY_BACKSPACE,
    TG_KEY_UP,
    TG_KEY_DOWN,
    TG_KEY_LEFT,
    TG_KEY_RIGHT,
    TG_KEY_PAGE_UP,
    TG_KEY_PAGE_DOWN,
    TG_KEY_HOME,
    TG_KEY_END,
    TG_KEY_F1, /**< F2 to F12 follow */
    TG_KEY_F2,
    TG_KEY_F3,
    TG_KEY_F4,
    TG_KEY_F5,
    TG_KEY_F6,
    TG_KEY_F7,
    TG_KEY_F8,
    TG_KEY_F9,
    TG_KEY_F10,
    TG_KEY_F11,
    TG_KEY_F12,
    TG_KEY_DELETE
} tg_key;

#define TG_INPUT_TEXT_SIZE 32

typedef struct tg_input {
    tg_input_kind kind;
    tg_key key;
    bool ctrl;
    bool shift;
    bool alt;
    uint32_t character;            /**< of TG_KEY_CHARACTER: the key's own sign, lower case */
    char text[TG_INPUT_TEXT_SIZE]; /**< of TG_INPUT_TEXT: UTF-8 */
    uint16_t row; /**< of the cell, as the next two; the last one beyond the edge */
    uint16_t column;
    uint8_t clicks; /**< 2: the second of a double click */
    int wheel_rows; /**< up (over 0) or down */
} tg_input;

/**
 * The next input. Sleeps until there is one, at most timeout_ns (0: does not sleep).
 * @retval TG_ERR_NOT_FOUND  nothing came in that time
 * Thread: owner.  Blocks: up to timeout_ns, rounded up to a millisecond.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_wait(tg_window *window, int64_t timeout_ns, tg_input *out);

/**
 * Make tg_window_wait() return TG_INPUT_WAKE. Calls before that are one.
 * Thread: any, while the window is open.  Blocks: no longer than a queue's lock.  Since: 0.1
 */
TG_API void tg_window_wake(tg_window *window);

/** "SDL 2.26.5 SDL_ttf 2.20.1 FreeType 2.12.1 video driver dummy"; TG_BACKEND_GPU: and " renderer
 * opengl". Thread: owner.  Blocks: no.
 * Since: 0.1 */
TG_API void tg_window_describe(const tg_window *window, char *text, size_t size);

/**
 * Letters of another size, 6 to 96 pixels before scaling. Columns and rows are others then: draw
 * everything.
 * @retval TG_ERR_INVALID_ARGUMENT  the size is out of range
 * @retval TG_ERR_FONT              the font cannot be used in that size; nothing has changed
 * @retval TG_ERR_NO_MEMORY         likewise
 * Thread: owner.  Blocks: on the disk.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_set_font_size(tg_window *window, int font_size_px);

/** Before scaling. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API int tg_window_font_size(const tg_window *window);

/** Pixels for each of tg_window_options, in hundredths. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API int tg_window_scale_percent(const tg_window *window);

/**
 * The whole screen, or the window again. TG_INPUT_RESIZED follows.
 * @retval TG_ERR_WINDOW  the window system refused
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_full_screen(tg_window *window, bool on);

/** Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API bool tg_window_is_full_screen(const tg_window *window);

/**
 * Another size, as tg_window_options has it. TG_INPUT_RESIZED follows if the window system agrees.
 * @retval TG_ERR_INVALID_ARGUMENT  a side is out of range
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_resize(tg_window *window, int width_px, int height_px);

/**
 * Put text into the clipboard.
 * @retval TG_ERR_WINDOW  the window system refused
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_window_copy(tg_window *window, const char *text);

/** Both have the same size and the same pixels. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API bool tg_picture_equal(const tg_picture *a, const tg_picture *b);

/** What is in the clipboard, cut off at size; "" if it is empty. Thread: owner.  Blocks: as long as
 * who put it there takes.  Since: 0.1 */
TG_API void tg_window_pasted(const tg_window *window, char *text, size_t size);

TG_END_DECLS

#endif

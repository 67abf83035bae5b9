#include "input.h"

#include <string.h>

typedef struct key_row {
    SDL_Keycode code;
    tg_key key;
} key_row;

static const key_row keys[] = {
    {SDLK_ESCAPE, TG_KEY_ESCAPE}, {SDLK_RETURN, TG_KEY_ENTER},   {SDLK_KP_ENTER, TG_KEY_ENTER},
    {SDLK_TAB, TG_KEY_TAB},       {SDLK_SPACE, TG_KEY_SPACE},    {SDLK_BACKSPACE, TG_KEY_BACKSPACE},
    {SDLK_UP, TG_KEY_UP},         {SDLK_DOWN, TG_KEY_DOWN},      {SDLK_LEFT, TG_KEY_LEFT},
    {SDLK_RIGHT, TG_KEY_RIGHT},   {SDLK_PAGEUP, TG_KEY_PAGE_UP}, {SDLK_PAGEDOWN, TG_KEY_PAGE_DOWN},
    {SDLK_HOME, TG_KEY_HOME},     {SDLK_END, TG_KEY_END},        {SDLK_F1, TG_KEY_F1},
    {SDLK_F2, TG_KEY_F2},         {SDLK_F3, TG_KEY_F3},          {SDLK_F4, TG_KEY_F4},
    {SDLK_F5, TG_KEY_F5},         {SDLK_F6, TG_KEY_F6},          {SDLK_F7, TG_KEY_F7},
    {SDLK_F8, TG_KEY_F8},         {SDLK_F9, TG_KEY_F9},          {SDLK_F10, TG_KEY_F10},
    {SDLK_F11, TG_KEY_F11},       {SDLK_F12, TG_KEY_F12},        {SDLK_DELETE, TG_KEY_DELETE},
};

static bool translate_key(const SDL_KeyboardEvent *event, tg_input *out)
{
    const SDL_Keysym *sym = &event->keysym;
    out->kind = TG_INPUT_KEY;
    out->ctrl = (sym->mod & KMOD_CTRL) != 0;
    out->shift = (sym->mod & KMOD_SHIFT) != 0;
    out->alt = (sym->mod & KMOD_ALT) != 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].code == sym->sym) {
            out->key = keys[i].key;
            return true;
        }
    }
    /* Keys without a sign of their own are numbered from bit 30 up. */
    if (sym->sym > 0 && (sym->sym & SDLK_SCANCODE_MASK) == 0) {
        out->key = TG_KEY_CHARACTER;
        out->character = (uint32_t)sym->sym;
        return true;
    }
    return false;
}

static bool translate_window(const SDL_WindowEvent *event, tg_input *out)
{
    switch (event->event) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        out->kind = TG_INPUT_RESIZED;
        return true;
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_HIDDEN:
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_MINIMIZED:
    case SDL_WINDOWEVENT_MAXIMIZED:
    case SDL_WINDOWEVENT_RESTORED:
        out->kind = TG_INPUT_EXPOSED;
        return true;
    case SDL_WINDOWEVENT_CLOSE:
        out->kind = TG_INPUT_QUIT;
        return true;
    default:
        return false;
    }
}

static bool translate_text(const SDL_TextInputEvent *event, tg_input *out)
{
    /* SDL cuts longer texts into pieces of this size itself. */
    _Static_assert(sizeof out->text >= sizeof event->text, "a piece fits");
    out->kind = TG_INPUT_TEXT;
    memcpy(out->text, event->text, sizeof event->text);
    out->text[sizeof out->text - 1] = '\0';
    return out->text[0] != '\0';
}

static bool translate_button(const SDL_MouseButtonEvent *event, tg_input *out)
{
    out->kind = TG_INPUT_CLICK;
    out->clicks = event->clicks;
    return event->button == SDL_BUTTON_LEFT;
}

static bool translate_wheel(const SDL_MouseWheelEvent *event, tg_input *out)
{
    /* Three rows for a notch, as is usual. */
    out->kind = TG_INPUT_WHEEL;
    out->wheel_rows = 3 * (event->direction == SDL_MOUSEWHEEL_FLIPPED ? -event->y : event->y);
    const SDL_Keymod modifiers = SDL_GetModState();
    out->ctrl = (modifiers & KMOD_CTRL) != 0;
    return out->wheel_rows != 0;
}

bool tg__input_translate(const SDL_Event *event, tg_input *out)
{
    memset(out, 0, sizeof *out);
    switch (event->type) {
    case SDL_QUIT:
        out->kind = TG_INPUT_QUIT;
        return true;
    case SDL_KEYDOWN:
        return translate_key(&event->key, out);
    case SDL_TEXTINPUT:
        return translate_text(&event->text, out);
    case SDL_MOUSEBUTTONDOWN:
        return translate_button(&event->button, out);
    case SDL_MOUSEWHEEL:
        return translate_wheel(&event->wheel, out);
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
        out->kind = TG_INPUT_EXPOSED;
        return true;
    case SDL_WINDOWEVENT:
        return translate_window(&event->window, out);
    default:
        return false;
    }
}

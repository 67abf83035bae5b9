#include "latency_keys.h"

#include <stddef.h>

static bool is_plain_character(const tg_input *input)
{
    return input->key == TG_KEY_CHARACTER && !input->ctrl && !input->alt;
}

bool latency_key_move(const tg_input *input, span_move *move)
{
    static const struct {
        tg_key key;
        span_move move;
    } moves[] = {{TG_KEY_LEFT, SPAN_EARLIER},         {TG_KEY_RIGHT, SPAN_LATER},
                 {TG_KEY_PAGE_UP, SPAN_PAGE_EARLIER}, {TG_KEY_PAGE_DOWN, SPAN_PAGE_LATER},
                 {TG_KEY_HOME, SPAN_OLDEST},          {TG_KEY_END, SPAN_NEWEST},
                 {TG_KEY_UP, SPAN_STAGE_BEFORE},      {TG_KEY_DOWN, SPAN_STAGE_AFTER}};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (input->key == moves[i].key) {
            *move = moves[i].move;
            return true;
        }
    }
    /* "=" is "+" without Shift. */
    if (is_plain_character(input) && (input->character == '+' || input->character == '=')) {
        *move = SPAN_WIDER;
        return true;
    }
    if (is_plain_character(input) && input->character == '-') {
        *move = SPAN_NARROWER;
        return true;
    }
    return false;
}

bool latency_key_is_export(const tg_input *input)
{
    return is_plain_character(input) && input->character == 'e';
}

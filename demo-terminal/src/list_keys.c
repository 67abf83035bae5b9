#include "list_keys.h"

#include <stddef.h>

/* Letters come with Ctrl: without it they are typed. */
static const struct {
    uint32_t letter;
    bool shift;
    list_action action;
} letters[] = {
    {'f', false, LIST_SEARCH},    {'s', false, LIST_SORT},       {'r', false, LIST_SORT_AGAIN},
    {'l', false, LIST_SORT_NONE}, {'h', false, LIST_COLUMN_OFF}, {'a', false, LIST_COLUMNS_ALL},
    {'b', false, LIST_ALERT},     {'c', false, LIST_COPY_CELL},  {'c', true, LIST_COPY_ROW},
    {'e', false, LIST_EXPORT},
};

static const struct {
    tg_key key;
    list_action action;
} others[] = {
    {TG_KEY_LEFT, LIST_COLUMN_LEFT},
    {TG_KEY_RIGHT, LIST_COLUMN_RIGHT},
    {TG_KEY_DELETE, LIST_REMOVE},
};

bool list_keys_find(const tg_input *input, list_action *action)
{
    const bool letter = input->key == TG_KEY_CHARACTER && input->ctrl && !input->alt;
    for (size_t i = 0; letter && i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].letter == input->character && letters[i].shift == input->shift) {
            *action = letters[i].action;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].key == input->key && !input->ctrl && !input->alt) {
            *action = others[i].action;
            return true;
        }
    }
    return false;
}

#include "name_pool.h"

#include <string.h>

static void fill(tg__name *name, const char *text)
{
    memset(name->text, 0, sizeof name->text);
    memcpy(name->text, text, strlen(text));
    name->references = 1;
}

uint16_t tg__name_take(tg__name_pool *pool, const char *text)
{
    uint16_t vacant = 0;
    if (text[0] == '\0') {
        return 0;
    }
    for (uint16_t index = 1; index <= pool->used; index++) {
        tg__name *name = &pool->name[index];
        if (name->references == 0) {
            vacant = index;
        } else if (strcmp(name->text, text) == 0) {
            name->references++;
            return index;
        }
    }
    if (vacant == 0 && pool->used < pool->capacity) {
        vacant = ++pool->used;
    }
    if (vacant != 0) {
        fill(&pool->name[vacant], text);
    }
    return vacant;
}

void tg__name_refer(tg__name_pool *pool, uint16_t index)
{
    if (index != 0) {
        pool->name[index].references++;
    }
}

void tg__name_release(tg__name_pool *pool, uint16_t index)
{
    if (index != 0) {
        pool->name[index].references--;
    }
}

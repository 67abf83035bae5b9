#include "recency.h"

void tg__recency_remove(tg__recency *list, uint16_t row)
{
    if (list->stamp[row] == 0) {
        return;
    }
    const tg__order at = list->order[row];
    list->order[at.newer].older = at.older;
    list->order[at.older].newer = at.newer;
    list->stamp[row] = 0;
}

void tg__recency_place(tg__recency *list, uint16_t behind, uint16_t row, uint64_t stamp)
{
    tg__recency_remove(list, row);
    const uint16_t next = list->order[behind].older;
    list->order[row].newer = behind;
    list->order[row].older = next;
    list->order[behind].older = row;
    list->order[next].newer = row;
    list->stamp[row] = stamp;
}

void tg__recency_raise(tg__recency *list, uint16_t row, uint64_t stamp)
{
    if (list->stamp[row] == stamp) {
        return; /* raised in this round already: the order among equals has no meaning */
    }
    tg__recency_place(list, 0, row, stamp);
}

#include "price_alert.h"

#include "row_sort.h"

static price_alert *find(price_alerts *alerts, size_t index)
{
    for (size_t i = 0; i < alerts->count; i++) {
        if (alerts->alert[i].index == index) {
            return &alerts->alert[i];
        }
    }
    return NULL;
}

const price_alert *price_alerts_find(const price_alerts *alerts, size_t index)
{
    for (size_t i = 0; i < alerts->count; i++) {
        if (alerts->alert[i].index == index) {
            return &alerts->alert[i];
        }
    }
    return NULL;
}

tg_err price_alerts_set(price_alerts *alerts, size_t index, tg_decimal price)
{
    price_alert *alert = find(alerts, index);
    if (alert == NULL && alerts->count == PRICE_ALERTS_MAX) {
        return TG_ERR_FULL;
    }
    if (alert == NULL) {
        alert = &alerts->alert[alerts->count++];
    }
    *alert = (price_alert){.index = index, .price = price};
    return TG_OK;
}

bool price_alerts_remove(price_alerts *alerts, size_t index)
{
    price_alert *alert = find(alerts, index);
    if (alert != NULL) {
        *alert = alerts->alert[--alerts->count];
    }
    return alert != NULL;
}

bool price_alerts_take(price_alerts *alerts, size_t index, tg_decimal price)
{
    price_alert *alert = find(alerts, index);
    if (alert == NULL) {
        return false;
    }
    const int side = row_sort_compare_decimals(price, alert->price);
    const bool left = alert->seen && alert->side != 0 && side != alert->side;
    const bool now = left && !alert->crossed;
    if (now) {
        alert->crossed = true;
        alert->upwards = side > alert->side;
    }
    alert->seen = true;
    alert->side = side;
    return now;
}

bool price_alerts_confirm(price_alerts *alerts, size_t index)
{
    price_alert *alert = find(alerts, index);
    const bool any = alert != NULL && alert->crossed;
    if (any) {
        alert->crossed = false;
    }
    return any;
}

#include "upgrade_counts.h"

const unsigned tg__upgrade_statuses[TG__UPGRADE_STATUSES] = {400, 401, 403, 404, 429, 500, 503, 0};

void tg__upgrade_counts_add(tg__upgrade_counts *counts, unsigned status)
{
    if (status == 0) {
        counts->accepted++;
        return;
    }
    unsigned i = 0;
    while (tg__upgrade_statuses[i] != status && tg__upgrade_statuses[i] != 0) {
        i++;
    }
    counts->refused[i]++;
}

#include "fault_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"bid", "ask", "trade"};

judge_instrument *fault_judge_find(fault_judge *judge, const char *venue, const char *symbol)
{
    for (size_t i = 0; i < judge->count; i++) {
        if (strcmp(judge->instruments[i].symbol, symbol) == 0 &&
            strcmp(judge->instruments[i].venue, venue) == 0) {
            return &judge->instruments[i];
        }
    }
    return NULL;
}

static judge_instrument *find_or_add(fault_judge *judge, const char *venue, const char *symbol)
{
    judge_instrument *const known = fault_judge_find(judge, venue, symbol);
    if (known != NULL) {
        return known;
    }
    judge_instrument *const grown =
        realloc(judge->instruments, (judge->count + 1) * sizeof *judge->instruments);
    if (grown == NULL) {
        return NULL;
    }
    judge->instruments = grown;
    judge_instrument *const added = &grown[judge->count++];
    memset(added, 0, sizeof *added);
    (void)snprintf(added->venue, sizeof added->venue, "%s", venue);
    (void)snprintf(added->symbol, sizeof added->symbol, "%s", symbol);
    return added;
}

static bool add_row(judge_side *side, const judge_row *row)
{
    if (side->count == side->capacity) {
        const size_t capacity = side->capacity == 0 ? 64 : side->capacity * 2;
        judge_row *const grown = realloc(side->rows, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        side->rows = grown;
        side->capacity = capacity;
    }
    side->rows[side->count++] = *row;
    return true;
}

static bool take_line(fault_judge *judge, const char *line)
{
    char venue[40];
    char symbol[64];
    char kind_text[8];
    char price[32];
    char quantity[32];
    if (sscanf(line, "%*[0-9],%39[^,],%63[^,],%7[^,],%31[^,],%31[^,],", venue, symbol, kind_text,
               price, quantity) != 5) {
        return false;
    }
    size_t kind = 0;
    while (kind < 3 && strcmp(kind_text, kind_names[kind]) != 0) {
        kind++;
    }
    judge_row row;
    if (kind == 3 || !oracle_number_read(price, &row.price) ||
        !oracle_number_read(quantity, &row.quantity)) {
        return false;
    }
    judge_instrument *const instrument = find_or_add(judge, venue, symbol);
    return instrument != NULL && add_row(&instrument->sides[kind], &row);
}

bool fault_judge_open(fault_judge *judge, const char *path)
{
    memset(judge, 0, sizeof *judge);
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return false;
    }
    char line[256];
    unsigned number = 0;
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL) {
        number++;
        good = number == 1 || take_line(judge, line);
    }
    (void)fclose(file);
    if (!good) {
        (void)fprintf(stderr, "%s:%u: not read: %s", path, number, line);
    }
    return good && number > 1;
}

void fault_judge_close(fault_judge *judge)
{
    for (size_t i = 0; i < judge->count; i++) {
        for (size_t kind = 0; kind < 3; kind++) {
            free(judge->instruments[i].sides[kind].rows);
        }
    }
    free(judge->instruments);
    memset(judge, 0, sizeof *judge);
}

static void blame(fault_judge *judge, const judge_instrument *instrument, oracle_kind kind,
                  const char *what, int64_t price, int exponent)
{
    if (judge->first_fault[0] == '\0') {
        (void)snprintf(judge->first_fault, sizeof judge->first_fault,
                       "%.40s:%.60s %s %lld x 10^%d %s", instrument->venue, instrument->symbol,
                       kind_names[kind], (long long)price, exponent, what);
    }
}

void fault_judge_show(fault_judge *judge, judge_instrument *instrument, oracle_kind kind,
                      int64_t price, int64_t quantity, int price_exponent, int quantity_exponent)
{
    judge_side *const side = &instrument->sides[kind];
    const size_t from = side->shown == 0 ? 0 : side->shown - 1;
    judge->judged++;
    for (size_t step = 0; step < side->count; step++) {
        const size_t at = (from + step) % side->count;
        if (!oracle_number_equals(&side->rows[at].price, true, price, price_exponent) ||
            !oracle_number_equals(&side->rows[at].quantity, true, quantity, quantity_exponent)) {
            continue;
        }
        if (at < from) {
            judge->regressions++;
            blame(judge, instrument, kind, "went back", price, price_exponent);
        }
        side->shown = at + 1;
        return;
    }
    judge->foreign++;
    blame(judge, instrument, kind, "was never there", price, price_exponent);
}

void fault_judge_restart(judge_instrument *instrument)
{
    for (size_t kind = 0; kind < 3; kind++) {
        instrument->sides[kind].shown = 0;
    }
}

bool fault_judge_is_at_end(const judge_instrument *instrument)
{
    bool at_end = true;
    for (size_t kind = 0; kind < 3; kind++) {
        at_end = at_end && instrument->sides[kind].shown == instrument->sides[kind].count;
    }
    return at_end;
}

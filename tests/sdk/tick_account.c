#include "tick_account.h"

#include "tg_cmocka.h"

#include <string.h>

#define HOLES 3u /* that can still be filled */

static uint8_t *fate_of(tick_account *account, uint64_t seq)
{
    assert_true(seq > account->base && seq - account->base <= TICK_ACCOUNT_MAX);
    return &account->fate[seq - account->base - 1];
}

/* The older ones stay lost for ever. */
static void forget_old_holes(tick_account *account)
{
    uint32_t holes = 0;
    bool inside = false;
    for (uint64_t seq = account->newest; seq > account->base; seq--) {
        uint8_t *fate = fate_of(account, seq);
        if (*fate == TICK_GONE) {
            return; /* and so is everything before it */
        }
        holes += *fate == TICK_LOST && !inside;
        inside = *fate == TICK_LOST;
        if (inside && holes > HOLES) {
            *fate = TICK_GONE;
        }
    }
}

/* The lost ones of first to last are not lost any more. Returns how many those were. */
static uint64_t find(tick_account *account, uint64_t first, uint64_t last)
{
    uint64_t found = 0;
    for (uint64_t seq = first > account->base ? first : account->base + 1; seq <= last; seq++) {
        uint8_t *fate = fate_of(account, seq);
        found += *fate == TICK_LOST;
        *fate = *fate == TICK_LOST ? TICK_ACCOUNTED : *fate;
    }
    account->ledger.lost -= found;
    return found;
}

static void begin(tick_account *account, uint64_t lineage, uint64_t seq, uint64_t claimed)
{
    account->lineage = lineage;
    account->base = seq - claimed;
    account->newest = seq;
    memset(account->fate, TICK_ACCOUNTED, sizeof account->fate);
    account->ledger.lane_ticks += claimed;
    account->ledger.received++;
    account->ledger.conflated += claimed - 1;
}

static void advance(tick_account *account, uint64_t seq, uint64_t claimed)
{
    tg_ledger *ledger = &account->ledger;
    const uint64_t held = account->newest;
    const uint64_t first = claimed < seq ? seq - claimed + 1 : 1;
    account->newest = seq;
    ledger->lane_ticks += seq - held;
    ledger->received++;
    for (uint64_t tick = held + 1; tick <= seq; tick++) {
        const bool lost = tick < first;
        *fate_of(account, tick) = lost ? TICK_LOST : TICK_ACCOUNTED;
        ledger->lost += lost;
        ledger->conflated += !lost && tick != seq;
    }
    if (first <= held) {
        const uint64_t found = find(account, first, held);
        ledger->conflated += found;
        ledger->repeated += held - first + 1 - found;
    }
}

void tick_account_row(tick_account *account, uint64_t lineage, uint64_t seq, uint64_t covered)
{
    const uint64_t claimed = covered > 0 ? covered : 1;
    const uint64_t first = claimed < seq ? seq - claimed + 1 : 1;
    const uint64_t lost = account->ledger.lost;
    if (lineage != account->lineage) {
        begin(account, lineage, seq, claimed);
        account->said += covered;
    } else if (seq > account->newest) {
        advance(account, seq, claimed);
        account->said += covered;
    } else if (seq < account->newest) {
        account->ledger.superseded += find(account, first, seq);
    } else if (covered > 0) {
        account->ledger.conflated += find(account, first, seq);
    }
    if (account->ledger.lost != lost) {
        forget_old_holes(account);
    }
}

#include "depth_judge.h"

#include <stdio.h>
#include <string.h>

const depth_name depth_names[DEPTH_INSTRUMENTS] = {
    {"ORION", "BTC-USD"},     {"ORION", "ETH-USD"},    {"LYRA", "BTC-PERP"},
    {"CANIS", "EQX500-H27"},  {"VEGA", "UST2 2.250%"}, {"AURIGA", "WTI-SPOT"},
    {"AURIGA", "POWDE-SPOT"}, {"龍門", "東京電力"},
};

bool depth_record_init(depth_record *record)
{
    memset(record, 0, sizeof *record);
    return pthread_mutex_init(&record->mutex, NULL) == 0;
}

void depth_record_deinit(depth_record *record)
{
    (void)pthread_mutex_destroy(&record->mutex);
}

uint64_t depth_record_compared(depth_record *record)
{
    (void)pthread_mutex_lock(&record->mutex);
    const uint64_t compared = record->compared;
    (void)pthread_mutex_unlock(&record->mutex);
    return compared;
}

uint64_t depth_record_differing(depth_record *record)
{
    (void)pthread_mutex_lock(&record->mutex);
    const uint64_t differing = record->differing;
    (void)pthread_mutex_unlock(&record->mutex);
    return differing;
}

/* FNV-1a, 64 bits, over the numbers of a book. */
static uint64_t add(uint64_t sum, uint64_t number)
{
    for (unsigned i = 0; i < 64; i += 8) {
        sum = (sum ^ (number >> i & 0xffu)) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static uint64_t sum_of(const tg_book *book)
{
    uint64_t sum = add(UINT64_C(0xcbf29ce484222325), book->bid_count);
    sum = add(sum, book->ask_count);
    for (uint8_t i = 0; i < book->bid_count; i++) {
        sum = add(add(sum, (uint64_t)book->bid[i].price), (uint64_t)book->bid[i].quantity);
    }
    for (uint8_t i = 0; i < book->ask_count; i++) {
        sum = add(add(sum, (uint64_t)book->ask[i].price), (uint64_t)book->ask[i].quantity);
    }
    return sum;
}

static void blame(depth_judge *judge, size_t index, const tg_depth *depth, const char *what)
{
    if (judge->findings.first_fault[0] == '\0') {
        (void)snprintf(judge->findings.first_fault, sizeof judge->findings.first_fault,
                       "%s:%s (%u, %llu) %s", depth_names[index].venue, depth_names[index].symbol,
                       (unsigned)depth->version.epoch, (unsigned long long)depth->version.seq,
                       what);
    }
}

static bool is_older(tg_version a, tg_version b)
{
    return a.epoch < b.epoch || (a.epoch == b.epoch && a.seq < b.seq);
}

static bool is_equal(tg_version a, tg_version b)
{
    return a.epoch == b.epoch && a.seq == b.seq;
}

/* Also counts prices between the levels that have none. */
static bool is_ordered(const tg_level *levels, uint8_t count, int64_t step, int64_t tick,
                       bool *has_gap)
{
    for (uint8_t i = 0; i < count; i++) {
        if (levels[i].quantity <= 0 || levels[i].price % tick != 0) {
            return false;
        }
        if (i > 0) {
            const int64_t away = (levels[i].price - levels[i - 1].price) * step;
            if (away <= 0) {
                return false;
            }
            *has_gap = *has_gap || away > tick;
        }
    }
    return true;
}

static bool is_top(const tg_image *image, tg_field price, tg_field quantity, const tg_level *best,
                   uint8_t count)
{
    if (!tg_image_has(image, price)) {
        return count == 0;
    }
    return count > 0 && best->price == image->value[price] &&
           best->quantity == image->value[quantity];
}

static void judge_top(depth_judge *judge, size_t index, const tg_row *row, const tg_depth *depth)
{
    const tg_book *book = &depth->book;
    const bool crossed =
        book->bid_count > 0 && book->ask_count > 0 && book->bid[0].price >= book->ask[0].price;
    if (!is_equal(tg_image_version(&row->image), depth->version)) {
        return;
    }
    if (is_top(&row->image, TG_FIELD_BID_PRICE, TG_FIELD_BID_QUANTITY, book->bid,
               book->bid_count) &&
        is_top(&row->image, TG_FIELD_ASK_PRICE, TG_FIELD_ASK_QUANTITY, book->ask,
               book->ask_count)) {
        judge->findings.same_tops++;
    } else {
        judge->findings.other_tops++;
        blame(judge, index, depth, "has another top than its row");
    }
    if (crossed) { /* without lost rows no market of ours is */
        judge->findings.torn++;
        blame(judge, index, depth, "is crossed");
    }
}

/* is_new: to this client. */
static void compare(depth_judge *judge, size_t index, const tg_depth *depth, bool is_new)
{
    depth_record *record = judge->record;
    const uint64_t sum = sum_of(&depth->book);
    (void)pthread_mutex_lock(&record->mutex);
    const size_t at = (size_t)(depth->version.seq % DEPTH_REMEMBERED);
    if (is_equal(record->books[index][at].version, depth->version)) {
        record->compared += is_new ? 1u : 0u;
        if (record->books[index][at].sum != sum) {
            record->differing++;
            blame(judge, index, depth, "is another book than it was");
        }
    }
    record->books[index][at].version = depth->version;
    record->books[index][at].sum = sum;
    (void)pthread_mutex_unlock(&record->mutex);
}

void depth_judge_show(depth_judge *judge, size_t index, const tg_row *row, const tg_depth *depth,
                      const tg_instrument *instrument)
{
    depth_findings *findings = &judge->findings;
    const tg_book *book = &depth->book;
    const tg_version before = judge->instruments[index].version;
    const bool shown = judge->instruments[index].shown;
    bool has_gap = false;
    judge_top(judge, index, row, depth); /* the row may have changed alone */
    const bool is_new = !shown || !is_equal(before, depth->version);
    compare(judge, index, depth, is_new);
    if (!is_new) {
        return;
    }
    if (shown && is_older(depth->version, before)) {
        findings->regressions++;
        blame(judge, index, depth, "is older than what was shown");
    }
    findings->raises += shown && depth->version.epoch > before.epoch ? 1u : 0u;
    judge->instruments[index].shown = true;
    judge->instruments[index].version = depth->version;
    findings->judged++;
    const int64_t tick = instrument->band[0].tick_size;
    if (!is_ordered(book->bid, book->bid_count, -1, tick, &has_gap) ||
        !is_ordered(book->ask, book->ask_count, 1, tick, &has_gap)) {
        findings->torn++;
        blame(judge, index, depth, "has levels out of order");
    }
    findings->gaps += has_gap ? 1u : 0u;
    findings->full += book->bid_count == TG_BOOK_DEPTH_MAX ? 1u : 0u;
    findings->full += book->ask_count == TG_BOOK_DEPTH_MAX ? 1u : 0u;
}

void depth_judge_restart(depth_judge *judge, depth_record *record)
{
    judge->record = record;
    memset(judge->instruments, 0, sizeof judge->instruments);
}

bool depth_judge_is_clean(const depth_judge *judge)
{
    const depth_findings *findings = &judge->findings;
    return findings->torn == 0 && findings->regressions == 0 && findings->other_tops == 0 &&
           depth_record_differing(judge->record) == 0;
}

/*
 * A script of bytes drives the engine through connections, messages, commands and time.
 *
 * Never an undefined row of the state table (the driver keeps to the rules), never an action of a
 * connection that is not the current one, never a deadline that does not move, never a version that
 * goes back within a lineage, never a live row right after the clocks jumped, and never books of
 * the subscriptions that contradict themselves, whatever the messages say.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "engine.h"

#define INSTRUMENTS 16u
#define INTERESTS   32u

typedef struct script {
    const uint8_t *at;
    const uint8_t *end;
} script;

typedef struct host {
    int64_t now_ns;
    tg_store *store;
    tg_reader *reader;
    tg__engine *engine;
    uint32_t generation; /* of the current connection; 0: none */
    bool open;
    int64_t deadline_ns;
    uint64_t sessions;
    int64_t welcomed_ns; /* of the current session; whatever came in an older one came before */
    struct {
        bool used;
        tg_instrument_id id;
        tg_version version;
    } shown[4 * INSTRUMENTS]; /* what was ever shown in this session; ids may come and go */
} host;

static void check(bool good)
{
    if (!good) {
        abort();
    }
}

static uint8_t next_byte(script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static int64_t clock_ns(void *ctx)
{
    return ((host *)ctx)->now_ns;
}

static void carry_out(host *h)
{
    tg__action action;
    unsigned count = 0;
    while (tg__engine_next(h->engine, &action)) {
        check(++count < 1000);
        switch (action.kind) {
        case TG__ACTION_CONNECT:
            check(!h->open && action.generation != h->generation);
            h->generation = action.generation;
            break;
        case TG__ACTION_SEND:
            check(h->open && action.generation == h->generation && action.as.send.size > 0);
            break;
        case TG__ACTION_TIMER:
            h->deadline_ns = action.as.deadline_ns;
            break;
        case TG__ACTION_CLOSE:
        case TG__ACTION_DROP:
            check(action.generation == h->generation);
            h->open = false;
            break;
        case TG__ACTION_EVENT:
            check(memchr(action.as.event.text, 0, sizeof action.as.event.text) != NULL);
            break;
        case TG__ACTION_FOUND: {
            tg__dictionary_entry entry;
            while (tg__dictionary_next(&action.as.found.reader, &entry)) {
            }
            break;
        }
        case TG__ACTION_SEND_TOKEN:
            check(h->open && action.generation == h->generation);
            break;
        case TG__ACTION_TOKEN:
        case TG__ACTION_PRIORITY:
        case TG__ACTION_ANSWER:
        case TG__ACTION_PUBLISHED:
        case TG__ACTION_AUDIT:
            break;
        }
    }
}

static tg_err give(host *h, tg__input *input)
{
    input->now_ns = h->now_ns;
    const tg_err err = tg__engine_input(h->engine, input);
    carry_out(h);
    return err;
}

static void give_message(host *h, script *s)
{
    size_t size = next_byte(s);
    size |= (size_t)(next_byte(s) & 3u) << 8;
    const size_t left = (size_t)(s->end - s->at);
    size = size < left ? size : left;
    /* An exact-size copy, so that a read past the end is seen. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    check(copy != NULL);
    memcpy(copy, s->at, size);
    s->at += size;
    tg__input input = {.kind = TG__INPUT_MESSAGE,
                       .generation = h->generation,
                       .as.message = {copy, size, h->now_ns}};
    check(give(h, &input) == TG_OK);
    free(copy);
}

static void give_closed(host *h, script *s)
{
    const uint8_t cause = next_byte(s);
    tg__input input = {.kind = TG__INPUT_CLOSED,
                       .generation = h->generation,
                       .as.closed = {(tg__cause)(cause % TG__CAUSE_STOPPED),
                                     (uint16_t)(next_byte(s) << 8 | next_byte(s)),
                                     next_byte(s) * 100u, ""}};
    h->open = false;
    check(give(h, &input) == TG_OK);
}

static void give_command(host *h, script *s)
{
    static const char *const symbols[] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    const uint8_t what = next_byte(s);
    const uint32_t slot = next_byte(s) % INTERESTS;
    tg__input input = {.kind = TG__INPUT_SUBSCRIBE};
    tg__find find;
    memset(&find, 0, sizeof find);
    if (what >= 0xe0) {
        input.kind = TG__INPUT_VISIBLE;
        input.as.visible.sub.v = UINT32_C(0x10000) | slot;
        input.as.visible.on = what % 2 != 0;
    } else if (what >= 0xc0) {
        input.kind = TG__INPUT_PRIORITISE;
        input.as.prioritise.sub.v = UINT32_C(0x10000) | slot;
        input.as.prioritise.on = what % 2 != 0;
    } else if (what % 4 < 2) {
        input.as.subscribe.sub.v = UINT32_C(0x10000) | slot;
        input.as.subscribe.venue = "V";
        input.as.subscribe.symbol = symbols[what / 4 % 8];
    } else if (what % 4 == 2) {
        input.kind = TG__INPUT_UNSUBSCRIBE;
        input.as.unsubscribe.v = UINT32_C(0x10000) | slot;
    } else {
        input.kind = TG__INPUT_FIND;
        find.request = slot + 1;
        find.limit = 10;
        input.as.find = &find;
    }
    const tg_err err = give(h, &input);
    check(err == TG_OK || err == TG_ERR_STATE || err == TG_ERR_FULL || err == TG_ERR_NOT_FOUND);
}

static void ring(host *h)
{
    if (h->deadline_ns == INT64_MAX) {
        return;
    }
    h->now_ns = h->deadline_ns > h->now_ns ? h->deadline_ns : h->now_ns;
    tg__input input = {.kind = TG__INPUT_TIMER};
    check(give(h, &input) == TG_OK);
    check(h->deadline_ns > h->now_ns);
}

static void give_jump(host *h, script *s)
{
    const int64_t ns = (int64_t)(next_byte(s) + 1) * 1000000000;
    const uint8_t what = next_byte(s);
    tg__input input = {.kind = TG__INPUT_CLOCK,
                       .as.clock = {what % 3 != 1 ? ns : 0, what % 3 != 0 ? ns * (what - 128) : 0}};
    input.as.clock.slept_ns += input.as.clock.stepped_ns == 0 && input.as.clock.slept_ns == 0;
    check(give(h, &input) == TG_OK);
    const tg_view *view = tg_reader_pin(h->reader);
    for (size_t i = 0; i < tg_view_count(view); i++) {
        tg_row row;
        if (tg_view_row(view, tg_view_id(view, i), h->now_ns, &row) == TG_OK) {
            check(row.quality > TG_QUALITY_QUIET);
        }
    }
    tg_reader_unpin(h->reader);
}

/* Whatever comes of a connection that is gone is counted, and that is all that it does. */
static void give_late(host *h, script *s)
{
    static const tg__input_kind kinds[] = {TG__INPUT_CONNECTED, TG__INPUT_MESSAGE,
                                           TG__INPUT_PROGRESS, TG__INPUT_CLOSED};
    static const uint8_t message[] = {TG__KIND_LIMITS, 0};
    const tg__engine_counters *counters = tg__engine_counters_of(h->engine);
    const tg__engine_state before = tg__engine_state_of(h->engine);
    const uint64_t late = atomic_load_explicit(&counters->late_inputs, memory_order_relaxed);
    const uint64_t messages = atomic_load_explicit(&counters->messages, memory_order_relaxed);
    const int64_t deadline_ns = h->deadline_ns;
    const uint8_t what = next_byte(s);
    tg__input input = {.kind = kinds[what % 4],
                       .generation = h->generation - 1 - (uint32_t)(what / 4)};
    if (input.kind == TG__INPUT_MESSAGE) {
        input.as.message.bytes = message;
        input.as.message.size = sizeof message;
    }
    check(give(h, &input) == TG_OK);
    check(tg__engine_state_of(h->engine) == before);
    check(h->deadline_ns == deadline_ns);
    check(atomic_load_explicit(&counters->late_inputs, memory_order_relaxed) == late + 1);
    check(atomic_load_explicit(&counters->messages, memory_order_relaxed) == messages);
}

static void step(host *h, script *s)
{
    const tg__engine_state state = tg__engine_state_of(h->engine);
    tg__input input = {.kind = TG__INPUT_START, .generation = h->generation};
    uint8_t what = 0;
    switch (next_byte(s) % 8) {
    case 0:
        if (state == TG__ENGINE_IDLE) {
            check(give(h, &input) == TG_OK);
        } else if (state == TG__ENGINE_CONNECTING) {
            input.kind = TG__INPUT_REQUESTED;
            check(give(h, &input) == TG_OK);
            h->open = true;
            input.kind = TG__INPUT_CONNECTED;
            check(give(h, &input) == TG_OK);
        }
        break;
    case 1:
        if (h->open || state == TG__ENGINE_CONNECTING) {
            give_closed(h, s);
        }
        break;
    case 2:
        give_command(h, s);
        break;
    case 3:
        ring(h);
        break;
    case 4:
        h->now_ns += (int64_t)next_byte(s) * 10000000;
        break;
    case 5:
        what = next_byte(s);
        if (what == 1 || what == 2) {
            input.kind = TG__INPUT_TOKEN;
            input.as.token_given = what == 1;
            check(give(h, &input) == (state == TG__ENGINE_IDLE ? TG_ERR_STATE : TG_OK));
        } else if (what == 0) {
            input.kind = TG__INPUT_STOP;
            h->open = false;
            check(give(h, &input) == TG_OK);
        } else if (what == 3) {
            give_jump(h, s);
        } else if (what == 4) {
            input.kind = TG__INPUT_PROGRESS;
            input.as.progress = (size_t)next_byte(s) << 12;
            check(!h->open || give(h, &input) == TG_OK);
        } else {
            give_late(h, s);
        }
        break;
    default:
        if (h->open) {
            give_message(h, s);
        }
        break;
    }
}

static void check_version(host *h, tg_instrument_id id, tg_version version)
{
    for (unsigned i = 0; i < 4 * INSTRUMENTS; i++) {
        if (!h->shown[i].used || h->shown[i].id == id) {
            check(!h->shown[i].used || tg_version_compare(version, h->shown[i].version) >= 0);
            h->shown[i].used = true;
            h->shown[i].id = id;
            h->shown[i].version = version;
            return;
        }
    }
}

/*
 * Within one session versions only grow. The next one may be of another lineage, and until a row's
 * first tick in it the row goes on showing, not as live, the version of the older lineage.
 */
static void check_versions(host *h)
{
    const uint64_t sessions =
        atomic_load_explicit(&tg__engine_counters_of(h->engine)->connects, memory_order_relaxed);
    if (sessions != h->sessions) {
        h->sessions = sessions;
        h->welcomed_ns = h->now_ns;
        memset(h->shown, 0, sizeof h->shown);
    }
    const tg_view *view = tg_reader_pin(h->reader);
    for (size_t i = 0; i < tg_view_count(view); i++) {
        const tg_instrument_id id = tg_view_id(view, i);
        tg_row row;
        if (tg_view_row(view, id, h->now_ns, &row) == TG_OK && row.image.seq != 0 &&
            row.received_mono_ns >= h->welcomed_ns) {
            check_version(h, id, tg_image_version(&row.image));
        }
    }
    tg_reader_unpin(h->reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static host h;
    memset(&h, 0, sizeof h);
    h.now_ns = 1000000000;
    h.deadline_ns = INT64_MAX;
    const tg_clock clock = {clock_ns, clock_ns, &h, NULL};
    const tg__store_options store = {
        .instruments_max = INSTRUMENTS, .readers_max = 2, .transitions_max = 64};
    check(tg__store_open(&store, &h.store) == TG_OK);
    check(tg_reader_open(h.store, &h.reader) == TG_OK);
    const tg__engine_options options = {.store = h.store,
                                        .instruments_max = INSTRUMENTS,
                                        .endpoint_count = 2,
                                        .interests_max = INTERESTS,
                                        .backoff_first_ms = 100,
                                        .backoff_cap_ms = 1000,
                                        .random_seed = 1,
                                        .renews_tokens = size > 0 && data[0] >= 0x80,
                                        .clock = &clock};
    check(tg__engine_open(&options, &h.engine) == TG_OK);
    script s = {data, data + size};
    while (s.at < s.end) {
        step(&h, &s);
        check_versions(&h);
        check(tg__audit_desired(tg__engine_desired(h.engine)).fault == NULL);
    }
    tg__engine_close(h.engine);
    tg_reader_close(h.reader);
    tg__store_close(h.store);
    return 0;
}

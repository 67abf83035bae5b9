/*
 * Session transcripts of the conformance kit through the engine and its store: after each step the
 * session stands where the transcript says, and a reader sees the values that it says, live or not.
 * The engine asks in its own words, so that an ANSWER is given the number of what it really asked.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "vector_channel.h"

#define START_NS     INT64_C(1000000000)
#define WANTS_MAX    16u
#define MESSAGE_MAX  65536u
#define NUMBER_START 2u /* of a request and its answer: behind kind and channel */

/* Those whose client does what this one would do by itself. */
static const char *const transcript_names[] = {
    "join",
    "token",
    "resync_of_names",
    "priority",
    "change_of_set",
    "damaged_entries",
    "damaged_messages",
    "gap",
    "id_reused",
    "lost_before_quiet",
    "new_generation",
    "not_welcome",
    "other_lineage",
    "reconnect",
    "rename_and_tombstone",
    "scale_change",
    "scaled_while_away",
    "unknown_kinds",
    "venue_stale",
};

typedef struct player {
    int64_t now_ns;
    int64_t deadline_ns;
    tg_clock clock;
    tg_store *store;
    tg_reader *reader;
    tg__engine *engine;
    uint32_t generation;
    bool connecting;
    bool connected;
    uint8_t request[4]; /* number of the latest SUBSCRIBE or UNSUBSCRIBE */
    char want[WANTS_MAX][TG_SYMBOL_SIZE];
    uint32_t want_count;
    const char *name; /* of the transcript */
    uint32_t step;
    uint32_t compared; /* instruments */
} player;

static int64_t player_ns(void *ctx)
{
    return ((player *)ctx)->now_ns;
}

static void perform(player *p, const tg__action *action)
{
    if (action->kind == TG__ACTION_CONNECT) {
        p->connecting = true;
        p->generation = action->generation;
    } else if (action->kind == TG__ACTION_TIMER) {
        p->deadline_ns = action->as.deadline_ns;
    } else if (action->kind == TG__ACTION_CLOSE || action->kind == TG__ACTION_DROP) {
        p->connected = false;
    } else if (action->kind == TG__ACTION_SEND &&
               (action->as.send.bytes[0] == TG__KIND_SUBSCRIBE ||
                action->as.send.bytes[0] == TG__KIND_UNSUBSCRIBE)) {
        memcpy(p->request, action->as.send.bytes + NUMBER_START, sizeof p->request);
    }
}

static void give(player *p, tg__input *input)
{
    input->now_ns = p->now_ns;
    assert_int_equal(tg__engine_input(p->engine, input), TG_OK);
    tg__action action;
    while (tg__engine_next(p->engine, &action)) {
        perform(p, &action);
    }
}

static void player_open(player *p, const char *name)
{
    memset(p, 0, sizeof *p);
    p->name = name;
    p->now_ns = START_NS;
    p->deadline_ns = INT64_MAX;
    p->clock.mono_ns = player_ns;
    p->clock.utc_ns = player_ns;
    p->clock.ctx = p;
    const tg__store_options store = {.instruments_max = 64, .readers_max = 2};
    assert_int_equal(tg__store_open(&store, &p->store), TG_OK);
    assert_int_equal(tg_reader_open(p->store, &p->reader), TG_OK);
    tg__engine_options options;
    memset(&options, 0, sizeof options);
    options.store = p->store;
    options.instruments_max = 64;
    options.endpoint_count = 1;
    options.interests_max = 128;
    options.backoff_first_ms = 500;
    options.backoff_cap_ms = 15000;
    options.random_seed = 7;
    options.clock = &p->clock;
    assert_int_equal(tg__engine_open(&options, &p->engine), TG_OK);
    tg__input start = {.kind = TG__INPUT_START};
    give(p, &start);
}

static void player_close(player *p)
{
    tg__engine_close(p->engine);
    tg_reader_close(p->reader);
    tg__store_close(p->store);
}

static void lose(player *p, uint16_t code)
{
    tg__input closed = {
        .kind = TG__INPUT_CLOSED,
        .generation = p->generation,
        .as.closed = {code == 1006 ? TG__CAUSE_LOST : TG__CAUSE_CLOSE_CODE, code, 0, ""}};
    p->connected = false;
    give(p, &closed);
}

static void connect(player *p)
{
    if (p->connected) {
        lose(p, 1006);
    }
    while (!p->connecting) {
        assert_true(p->deadline_ns != INT64_MAX);
        p->now_ns = p->deadline_ns > p->now_ns ? p->deadline_ns : p->now_ns;
        tg__input timer = {.kind = TG__INPUT_TIMER};
        give(p, &timer);
    }
    p->connecting = false;
    p->connected = true;
    tg__input connected = {.kind = TG__INPUT_CONNECTED, .generation = p->generation};
    give(p, &connected);
}

/* What is subscribed to by name is wanted; by id it is asked for again, which the engine does. */
static void want_names(player *p, const cJSON *names)
{
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, names)
    {
        const char *symbol = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(name, "symbol"));
        bool known = symbol == NULL;
        for (uint32_t i = 0; i < p->want_count && !known; i++) {
            known = strcmp(p->want[i], symbol) == 0;
        }
        if (known) {
            continue;
        }
        assert_true(p->want_count < WANTS_MAX);
        snprintf(p->want[p->want_count], TG_SYMBOL_SIZE, "%s", symbol);
        tg__input input = {.kind = TG__INPUT_SUBSCRIBE,
                           .as.subscribe = {{UINT32_C(0x10000) | p->want_count}, "OKX", symbol}};
        p->want_count++;
        give(p, &input);
    }
}

/* In the transcripts the instrument with id n is called SYMn. */
static void drop_names(player *p, const cJSON *names)
{
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, names)
    {
        uint64_t id = 0;
        char symbol[TG_SYMBOL_SIZE];
        assert_true(vector_get_u64(name, "id", &id));
        snprintf(symbol, sizeof symbol, "SYM%u", (unsigned)id);
        for (uint32_t i = 0; i < p->want_count; i++) {
            if (strcmp(p->want[i], symbol) == 0) {
                tg__input input = {.kind = TG__INPUT_UNSUBSCRIBE,
                                   .as.unsubscribe = {UINT32_C(0x10000) | i}};
                give(p, &input);
            }
        }
    }
}

static void play_client(player *p, const cJSON *message)
{
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "kind"));
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(message, "names");
    assert_non_null(kind);
    if (strcmp(kind, "SUBSCRIBE") == 0) {
        want_names(p, names);
    } else if (strcmp(kind, "UNSUBSCRIBE") == 0) {
        drop_names(p, names);
    }
}

static void play_gateway(player *p, const char *hex)
{
    static uint8_t bytes[MESSAGE_MAX];
    const size_t size = vector_bytes(hex, bytes, sizeof bytes);
    assert_true(size != SIZE_MAX);
    if (size > NUMBER_START + sizeof p->request && bytes[0] == TG__KIND_ANSWER) {
        memcpy(bytes + NUMBER_START, p->request, sizeof p->request);
    }
    tg__input input = {.kind = TG__INPUT_MESSAGE,
                       .generation = p->generation,
                       .as.message = {bytes, size, p->now_ns}};
    give(p, &input);
}

static const char *session_of(const player *p)
{
    switch (tg__engine_state_of(p->engine)) {
    case TG__ENGINE_OPENING:
        return "opening";
    case TG__ENGINE_JOINING:
    case TG__ENGINE_LIVE:
        return "open";
    case TG__ENGINE_RESYNCING:
        return "resyncing";
    case TG__ENGINE_IDLE:
    case TG__ENGINE_CONNECTING:
    case TG__ENGINE_WAITING:
    case TG__ENGINE_TOKEN:
    case TG__ENGINE_STATE_COUNT:
        break;
    }
    return "ended";
}

static void compare_instrument(player *p, const cJSON *seen)
{
    uint64_t id = 0;
    tg_row row;
    memset(&row, 0, sizeof row);
    assert_true(vector_get_u64(seen, "id", &id));
    const tg_view *view = tg_reader_pin(p->reader);
    const tg_err err = tg_view_row(view, (tg_instrument_id)id, p->now_ns, &row);
    tg_reader_unpin(p->reader);
    const cJSON *image = cJSON_GetObjectItemCaseSensitive(seen, "image");
    if (cJSON_IsNull(image)) {
        if (err == TG_OK && row.image.present != 0) {
            fail_msg("%s, step %u: id %u shows a value", p->name, p->step, (unsigned)id);
        }
        return;
    }
    cJSON *told = vector_row((tg_instrument_id)id, &row.image, NULL);
    cJSON_DeleteItemFromObjectCaseSensitive(told, "id");
    char *text = cJSON_PrintUnformatted(told);
    if (err != TG_OK || !cJSON_Compare(told, image, true)) {
        fail_msg("%s, step %u: id %u shows %s", p->name, p->step, (unsigned)id, text);
    }
    const cJSON *told_live = cJSON_GetObjectItemCaseSensitive(seen, "live");
    const bool live = row.quality == TG_QUALITY_LIVE || row.quality == TG_QUALITY_QUIET;
    if (!cJSON_IsNull(told_live) && live != (cJSON_IsTrue(told_live) != 0)) {
        fail_msg("%s, step %u: id %u is %s", p->name, p->step, (unsigned)id,
                 tg_quality_name(row.quality));
    }
    cJSON_free(text);
    cJSON_Delete(told);
    p->compared++;
}

static void compare_view(player *p, const cJSON *view)
{
    const char *session = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(view, "session"));
    assert_non_null(session);
    if (strcmp(session, session_of(p)) != 0) {
        fail_msg("%s, step %u: the session is %s, not %s", p->name, p->step, session_of(p),
                 session);
    }
    const cJSON *seen = NULL;
    cJSON_ArrayForEach(seen, cJSON_GetObjectItemCaseSensitive(view, "instruments"))
    {
        compare_instrument(p, seen);
    }
}

static void play_step(player *p, const cJSON *step)
{
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(step, "expect");
    const char *from = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, "from"));
    const char *bytes = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, "bytes"));
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(step, "close");
    if (code != NULL) {
        lose(p, (uint16_t)code->valuedouble);
        return;
    }
    if (cJSON_HasObjectItem(step, "event")) {
        connect(p);
    } else {
        assert_non_null(from);
        assert_non_null(bytes);
        if (strcmp(from, "client") == 0) {
            play_client(p, cJSON_GetObjectItemCaseSensitive(expect, "message"));
            return;
        }
        play_gateway(p, bytes);
    }
    compare_view(p, cJSON_GetObjectItemCaseSensitive(expect, "view"));
}

static cJSON *read_transcript(const char *name)
{
    static char text[1u << 20];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.json", TRANSCRIPTS_FOLDER, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}

static void the_client_does_what_the_transcript_says(void **state)
{
    static player p;
    const char *name = *state;
    cJSON *json = read_transcript(name);
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(json, "steps");
    assert_true(cJSON_GetArraySize(steps) > 0);
    player_open(&p, name);
    const cJSON *step = NULL;
    cJSON_ArrayForEach(step, steps)
    {
        play_step(&p, step);
        p.step++;
    }
    const bool nothing_to_see = strcmp(name, "not_welcome") == 0;
    assert_true(p.compared > 0 || nothing_to_see);
    player_close(&p);
    cJSON_Delete(json);
}

int main(void)
{
    enum {
        COUNT = sizeof transcript_names / sizeof transcript_names[0]
    };
    struct CMUnitTest tests[COUNT];
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < COUNT; i++) {
        tests[i].name = transcript_names[i];
        tests[i].test_func = the_client_does_what_the_transcript_says;
        tests[i].initial_state = (void *)(uintptr_t)transcript_names[i];
    }
    return cmocka_run_group_tests_name("sdk.transcripts", tests, NULL, NULL);
}

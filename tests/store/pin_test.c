#include "tg_cmocka.h"

#include <string.h>

#include "pin.h"

/*
 * Every reachable state of two readers and a writer, with the room's own functions as the steps: a
 * breadth-first search over all interleavings. What it proves, it proves under sequential
 * consistency; the stress test looks at the real machine.
 */
enum {
    readers = 2,
    versions = readers + 2,
    pins_each = 2,
    publications = 4
};

typedef enum reader_step {
    READER_ANNOUNCE,
    READER_CHOOSE,
    READER_SETTLE,
    READER_READ,
    READER_DROP,
    READER_DONE
} reader_step;

typedef enum writer_step {
    WRITER_WRITE,
    WRITER_PUBLISH,
    WRITER_LOOK,
    WRITER_SETTLE,
    WRITER_REUSE,
    WRITER_DONE
} writer_step;

/* Bytes only, so that states compare as memory. */
typedef struct world {
    uint8_t slot[readers]; /* what the slot holds; free and announced as 0xff and 0xfe */
    uint8_t current;
    uint8_t content[versions]; /* number of the publication in it */
    uint8_t reader_at[readers];
    uint8_t chosen[readers];
    uint8_t pins_left[readers];
    uint8_t seen[readers]; /* newest number that it has read */
    uint8_t writer_at;
    uint8_t pending;
    uint8_t held[versions];
    uint8_t looking_at; /* slot */
    uint8_t looked;
    uint8_t number; /* of the pending publication */
} world;

typedef struct model {
    bool announces;       /* false: the seeded fault */
    bool writer_settles;  /* false: an announced slot is taken for free, another seeded fault */
    const char *violated; /* what the search has found, or NULL */
} model;

static tg__pin_slot slots[readers];
static tg__pins pins;

static void load_atomics(const world *at)
{
    for (unsigned i = 0; i < readers; i++) {
        atomic_store(&slots[i].held, (uint32_t)(int32_t)(int8_t)at->slot[i]);
    }
    atomic_store(&pins.current, at->current);
}

static void store_atomics(world *at)
{
    for (unsigned i = 0; i < readers; i++) {
        at->slot[i] = (uint8_t)atomic_load(&slots[i].held);
    }
    at->current = (uint8_t)atomic_load(&pins.current);
}

static void reader_steps(model *of, world *at, unsigned i)
{
    switch ((reader_step)at->reader_at[i]) {
    case READER_ANNOUNCE:
        if (of->announces) {
            tg__pin_announce(&slots[i]);
        }
        at->reader_at[i] = READER_CHOOSE;
        return;
    case READER_CHOOSE:
        at->chosen[i] = (uint8_t)tg__pin_choose(&pins);
        at->reader_at[i] = READER_SETTLE;
        return;
    case READER_SETTLE:
        if (of->announces) {
            at->chosen[i] = (uint8_t)tg__pin_settle(&slots[i], at->chosen[i]);
        } else {
            atomic_store(&slots[i].held, at->chosen[i]);
        }
        at->reader_at[i] = READER_READ;
        return;
    case READER_READ:
        if (at->content[at->chosen[i]] < at->seen[i]) {
            of->violated = "a reader saw a view older than one before";
        }
        at->seen[i] = at->content[at->chosen[i]];
        at->reader_at[i] = READER_DROP;
        return;
    case READER_DROP:
        if (at->content[at->chosen[i]] != at->seen[i]) {
            of->violated = "a pinned view changed";
        }
        at->pins_left[i]--;
        tg__pin_drop(&slots[i]);
        at->reader_at[i] = at->pins_left[i] == 0 ? READER_DONE : READER_ANNOUNCE;
        return;
    case READER_DONE:
        return;
    }
}

static void writer_looks(model *of, world *at)
{
    at->looked = (uint8_t)tg__pin_look(&slots[at->looking_at]);
    at->writer_at = WRITER_SETTLE;
    if (at->looked == (uint8_t)TG__SLOT_ANNOUNCED && !of->writer_settles) {
        at->looked = (uint8_t)TG__SLOT_FREE;
    }
}

static void writer_settles(world *at)
{
    if (at->looked == (uint8_t)TG__SLOT_ANNOUNCED) {
        at->looked = (uint8_t)tg__pin_settle(&slots[at->looking_at], at->current);
    }
    if (at->looked < versions) {
        at->held[at->looked] = 1;
    }
    at->looking_at++;
    at->writer_at = at->looking_at == readers ? WRITER_REUSE : WRITER_LOOK;
}

static void writer_steps(model *of, world *at)
{
    switch ((writer_step)at->writer_at) {
    case WRITER_WRITE:
        at->content[at->pending] = at->number;
        at->writer_at = WRITER_PUBLISH;
        return;
    case WRITER_PUBLISH:
        tg__pins_publish(&pins, at->pending);
        memset(at->held, 0, sizeof at->held);
        at->held[at->pending] = 1;
        at->looking_at = 0;
        at->writer_at = WRITER_LOOK;
        return;
    case WRITER_LOOK:
        writer_looks(of, at);
        return;
    case WRITER_SETTLE:
        writer_settles(at);
        return;
    case WRITER_REUSE: {
        const uint8_t *free_one = memchr(at->held, 0, versions);
        if (free_one == NULL) {
            of->violated = "no version was free";
            at->writer_at = WRITER_DONE;
            return;
        }
        at->pending = (uint8_t)(free_one - at->held);
        at->number++;
        at->writer_at = at->number > publications ? WRITER_DONE : WRITER_WRITE;
        return;
    }
    case WRITER_DONE:
        return;
    }
}

enum {
    states_max = 1 << 20
};
static world queue[states_max];
static uint32_t index_of_state[2 * states_max]; /* open addressing; index + 1 */

static bool visit(size_t *count, const world *at)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *at; i++) {
        hash = (hash ^ ((const uint8_t *)at)[i]) * 16777619u;
    }
    uint32_t place = hash % (2 * states_max);
    while (index_of_state[place] != 0) {
        if (memcmp(&queue[index_of_state[place] - 1], at, sizeof *at) == 0) {
            return false;
        }
        place = (place + 1) % (2 * states_max);
    }
    assert_true(*count < states_max);
    queue[*count] = *at;
    *count += 1;
    index_of_state[place] = (uint32_t)*count;
    return true;
}

/* Number of states reached; stops at the first violation. */
static size_t search(model *of)
{
    world start;
    memset(&start, 0, sizeof start);
    memset(index_of_state, 0, sizeof index_of_state);
    tg__pins_init(&pins, slots, readers, 0);
    store_atomics(&start);
    memset(start.pins_left, pins_each, sizeof start.pins_left);
    start.pending = 1;
    start.number = 1;
    size_t count = 0;
    (void)visit(&count, &start);
    for (size_t next = 0; next < count && of->violated == NULL; next++) {
        for (unsigned actor = 0; actor <= readers && of->violated == NULL; actor++) {
            world at = queue[next];
            load_atomics(&at);
            if (actor < readers) {
                reader_steps(of, &at, actor);
            } else {
                writer_steps(of, &at);
            }
            store_atomics(&at);
            (void)visit(&count, &at);
        }
    }
    return count;
}

static void no_interleaving_breaks_a_pin(void **state)
{
    (void)state;
    model real = {.announces = true, .writer_settles = true};
    const size_t count = search(&real);
    if (real.violated != NULL) {
        fail_msg("%s, after %zu states", real.violated, count);
    }
    assert_true(count > 10000); /* the search went somewhere */
}

static void the_search_finds_a_pin_without_announce(void **state)
{
    (void)state;
    model faulty = {.announces = false, .writer_settles = true};
    (void)search(&faulty);
    assert_non_null(faulty.violated);
}

static void the_search_finds_a_writer_that_overlooks_an_announce(void **state)
{
    (void)state;
    model faulty = {.announces = true, .writer_settles = false};
    (void)search(&faulty);
    assert_non_null(faulty.violated);
}

static void a_reader_stopped_anywhere_holds_at_most_one_version(void **state)
{
    (void)state;
    for (unsigned steps = 0; steps <= 3; steps++) {
        tg__pins_init(&pins, slots, readers, 0);
        uint32_t chosen = 0;
        if (steps > 0) {
            tg__pin_announce(&slots[0]);
        }
        if (steps > 1) {
            chosen = tg__pin_choose(&pins);
        }
        if (steps > 2) {
            (void)tg__pin_settle(&slots[0], chosen);
        }
        bool held[versions];
        uint32_t pending = 1;
        for (int i = 0; i < 20; i++) { /* the writer goes on for ever */
            tg__pins_publish(&pins, pending);
            tg__pins_held(&pins, held, versions);
            unsigned held_count = 0;
            pending = versions;
            for (uint32_t v = 0; v < versions; v++) {
                held_count += held[v] ? 1 : 0;
                pending = held[v] ? pending : v;
            }
            assert_true(held_count <= 2);
            assert_true(pending < versions);
        }
        if (steps == 0) {
            continue;
        }
        if (steps == 1) {
            chosen = tg__pin_choose(&pins);
        }
        const uint32_t mine = tg__pin_settle(&slots[0], chosen); /* and wakes up */
        tg__pins_held(&pins, held, versions);
        assert_true(held[mine]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_interleaving_breaks_a_pin),
        cmocka_unit_test(the_search_finds_a_pin_without_announce),
        cmocka_unit_test(the_search_finds_a_writer_that_overlooks_an_announce),
        cmocka_unit_test(a_reader_stopped_anywhere_holds_at_most_one_version),
    };
    return cmocka_run_group_tests_name("store.pin", tests, NULL, NULL);
}

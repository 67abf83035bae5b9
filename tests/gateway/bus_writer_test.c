/* Both ends of the bus, over a real socket in a scratch folder. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus_reader.h"
#include "bus_session.h"
#include "bus_writer.h"
#include "hub_fixture.h"
#include "scratch_folder.h"

typedef struct bus_fixture {
    hub_fixture market;
    scratch_folder folder;
    char path[192];
    tg__bus_writer *writer;
} bus_fixture;

static tg_err open_writer(const bus_fixture *f, tg__bus_writer **out, tg__cause *cause)
{
    const tg__bus_writer_options options = {.path = f->path,
                                            .directory = &f->market.directory,
                                            .lineage = 88,
                                            .time_resolution_ns = FIXTURE_RESOLUTION};
    return tg__bus_writer_open(&options, out, cause);
}

static int set_up(void **state)
{
    static bus_fixture f;
    tg__cause cause;
    memset(&f, 0, sizeof f);
    hub_fixture_open(&f.market, 1);
    scratch_folder_open(&f.folder);
    (void)snprintf(f.path, sizeof f.path, "%s", scratch_path(&f.folder, "bus"));
    assert_int_equal(open_writer(&f, &f.writer, &cause), TG_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    bus_fixture *f = *state;
    tg__bus_writer_close(f->writer);
    hub_fixture_close(&f->market);
    scratch_folder_close(&f->folder);
    return 0;
}

static void step(bus_fixture *f)
{
    tg__bus_writer_step(f->writer, &f->market.hub->table, f->market.now.mono_ns);
}

static void tick(bus_fixture *f, tg_instrument_id id, int64_t price)
{
    hub_fixture_tick(&f->market, id, price);
    const tg__route route = f->market.sequencer.routes[id];
    tg__bus_writer_tick(f->writer, id,
                        &f->market.sequencer.lanes[route.lane].instruments[route.index].image);
}

static void boundary(bus_fixture *f)
{
    hub_fixture_boundary(&f->market);
    tg__bus_writer_cut(f->writer, &f->market.hub->table, f->market.now.mono_ns);
    step(f);
}

typedef struct listener {
    tg__bus_reader reader;
    tg__bus_session session;
    tg__image_table table;
    unsigned ticks;
    tg__update last_tick;
    unsigned venue_states;
    tg__venue_state last_state;
} listener;

static void listener_open(listener *l, bus_fixture *f)
{
    tg__cause cause;
    memset(l, 0, sizeof *l);
    assert_int_equal(tg__image_table_init(&l->table, FIXTURE_INSTRUMENTS, FIXTURE_RESOLUTION),
                     TG_OK);
    assert_int_equal(tg__bus_reader_open(&l->reader, f->path, &cause), TG_OK);
    step(f);
}

static void listener_close(listener *l)
{
    tg__bus_reader_close(&l->reader);
    tg__bus_session_deinit(&l->session);
    tg__image_table_deinit(&l->table);
}

/* Takes all that is there; the error that ended it. */
static tg_err listener_take(listener *l, tg__cause *cause)
{
    for (;;) {
        tg__bus_message message;
        tg_err err = tg__bus_reader_next(&l->reader, &l->session.hello, &message, cause);
        if (err == TG_OK) {
            err = tg__bus_session_take(&l->session, &message, cause);
        }
        if (err != TG_OK) {
            return err;
        }
        if (message.kind == TG__BUS_CUT) {
            tg__image_table_apply(&l->table, l->session.boundary, l->session.updates,
                                  l->session.update_count);
        } else if (message.kind == TG__BUS_VENUE_STATE) {
            l->venue_states++;
            l->last_state = message.as.venue_state;
        } else if (message.kind == TG__BUS_TICKS) {
            l->ticks += l->session.update_count;
            l->last_tick = l->session.updates[0];
        }
    }
}

static void check_equal(const listener *l, const bus_fixture *f)
{
    const tg__image_table *table = &f->market.hub->table;
    assert_int_equal(l->table.boundary, table->boundary);
    for (uint32_t id = 0; id < FIXTURE_INSTRUMENTS; id++) {
        assert_memory_equal(&l->table.images[id].image, &table->images[id].image, sizeof(tg_image));
    }
}

static void a_node_that_comes_late_is_told_everything(void **state)
{
    bus_fixture *f = *state;
    static listener l;
    tg__cause cause;
    tick(f, 3, -100);
    boundary(f);
    tick(f, 4, 7);
    boundary(f);
    listener_open(&l, f);
    assert_int_equal(listener_take(&l, &cause), TG_ERR_NOT_FOUND);
    assert_true(l.session.follows);
    assert_true(l.session.hello.lineage == 88);
    assert_int_equal(l.session.directory.generation, 3);
    assert_int_equal(tg__directory_find_name(&l.session.directory, "ODD", "SYM07"), 7);
    check_equal(&l, f);
    listener_close(&l);
}

static void equal_boundaries_are_equal_tables(void **state)
{
    bus_fixture *f = *state;
    static listener l;
    tg__cause cause;
    listener_open(&l, f);
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned n = 0; n < i % 5; n++) {
            tick(f, (tg_instrument_id)((i * 7 + n) % FIXTURE_INSTRUMENTS), (int64_t)i);
        }
        boundary(f);
        assert_int_equal(listener_take(&l, &cause), TG_ERR_NOT_FOUND);
        check_equal(&l, f);
    }
    assert_int_equal(tg__bus_writer_counts_of(f->writer)->cuts, 200);
    listener_close(&l);
}

static void ticks_come_before_their_boundary_and_the_latest_wins(void **state)
{
    bus_fixture *f = *state;
    static listener l;
    tg__cause cause;
    listener_open(&l, f);
    tick(f, 9, 1);
    tick(f, 9, 2);
    assert_int_equal(listener_take(&l, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(l.ticks, 0);
    step(f);
    assert_int_equal(listener_take(&l, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(l.ticks, 1);
    assert_int_equal(l.last_tick.id, 9);
    assert_int_equal(l.last_tick.image.seq, 2);
    assert_int_equal(l.last_tick.image.value[TG_FIELD_BID_PRICE], 2);
    assert_int_equal(l.table.boundary, 0);
    listener_close(&l);
}

static void expect_state(const listener *l, const tg__venue_state *told)
{
    assert_int_equal(l->last_state.venue, told->venue);
    assert_int_equal(l->last_state.condition, told->condition);
    assert_int_equal(l->last_state.boundary, told->boundary);
}

static void a_stale_venue_is_told_at_once_and_to_who_joins_later(void **state)
{
    bus_fixture *f = *state;
    static listener early;
    static listener late;
    tg__cause cause;
    tg__venue_state told = {1, TG__VENUE_STALE, 1};
    listener_open(&early, f);
    boundary(f);
    tg__bus_writer_venue_state(f->writer, &told);
    listener_open(&late, f);
    assert_int_equal(listener_take(&early, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(listener_take(&late, &cause), TG_ERR_NOT_FOUND);
    expect_state(&early, &told);
    expect_state(&late, &told);
    listener_close(&late);
    boundary(f);
    told.condition = TG__VENUE_LIVE;
    told.boundary = 2;
    tg__bus_writer_venue_state(f->writer, &told);
    listener_open(&late, f);
    assert_int_equal(listener_take(&early, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(listener_take(&late, &cause), TG_ERR_NOT_FOUND);
    assert_int_equal(early.venue_states, 2);
    expect_state(&early, &told);
    assert_int_equal(late.venue_states, 0);
    listener_close(&early);
    listener_close(&late);
}

static void a_node_that_does_not_read_is_dropped_and_the_others_go_on(void **state)
{
    bus_fixture *f = *state;
    static listener reads;
    static listener stops;
    tg__cause cause;
    listener_open(&stops, f);
    listener_open(&reads, f);
    const tg__bus_writer_counts *counts = tg__bus_writer_counts_of(f->writer);
    for (unsigned i = 0; counts->dropped == 0; i++) {
        assert_true(i < 20000); /* 48 images a boundary: some 16 MiB */
        for (tg_instrument_id id = 0; id < FIXTURE_INSTRUMENTS; id++) {
            tick(f, id, (int64_t)i);
        }
        boundary(f);
        assert_int_equal(listener_take(&reads, &cause), TG_ERR_NOT_FOUND);
    }
    check_equal(&reads, f);
    assert_int_equal(listener_take(&stops, &cause), TG_ERR_DISCONNECTED);
    assert_true(stops.table.boundary < reads.table.boundary);
    listener_close(&stops);
    listener_open(&stops, f); /* and starts anew */
    assert_int_equal(listener_take(&stops, &cause), TG_ERR_NOT_FOUND);
    check_equal(&stops, f);
    listener_close(&stops);
    listener_close(&reads);
}

static void more_nodes_than_there_is_room_for_are_refused(void **state)
{
    bus_fixture *f = *state;
    static listener nodes[TG__BUS_NODES_MAX + 1];
    tg__cause cause;
    for (unsigned i = 0; i <= TG__BUS_NODES_MAX; i++) {
        listener_open(&nodes[i], f);
    }
    assert_int_equal(tg__bus_writer_counts_of(f->writer)->refused, 1);
    assert_int_equal(listener_take(&nodes[TG__BUS_NODES_MAX], &cause), TG_ERR_DISCONNECTED);
    assert_int_equal(listener_take(&nodes[0], &cause), TG_ERR_NOT_FOUND);
    listener_close(&nodes[0]); /* one goes: there is room again */
    boundary(f);
    assert_int_equal(tg__bus_writer_counts_of(f->writer)->lost, 1);
    listener_open(&nodes[0], f);
    assert_int_equal(listener_take(&nodes[0], &cause), TG_ERR_NOT_FOUND);
    for (unsigned i = 0; i <= TG__BUS_NODES_MAX; i++) {
        listener_close(&nodes[i]);
    }
}

static void the_path_is_the_owners_and_taken_only_once(void **state)
{
    bus_fixture *f = *state;
    tg__bus_writer *second = NULL;
    tg__cause cause;
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(open_writer(f, &second, &cause), TG_ERR_STATE);
    assert_null(second);
    assert_non_null(strstr(cause.text, "another gateway listens there"));
    assert_int_equal(stat(f->path, &info), 0); /* and stays the first one's */
}

static void what_a_killed_gateway_left_is_replaced_but_nothing_else(void **state)
{
    bus_fixture *f = *state;
    tg__cause cause;
    tg__bus_reader reader;
    tg__bus_writer_close(f->writer);
    f->writer = NULL;
    assert_int_equal(tg__bus_reader_open(&reader, f->path, &cause), TG_ERR_CONNECT);
    scratch_write(&f->folder, "bus", "mine", 4);
    assert_int_equal(open_writer(f, &f->writer, &cause), TG_ERR_STATE);
    assert_non_null(strstr(cause.text, "something else"));
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(open_writer(f, &f->writer, &cause), TG_OK);
    char kept[192];
    (void)snprintf(kept, sizeof kept, "%s", scratch_path(&f->folder, "kept"));
    assert_int_equal(link(f->path, kept), 0);
    tg__bus_writer_close(f->writer);
    assert_int_equal(rename(kept, f->path), 0); /* a socket file that nobody listens at */
    assert_int_equal(open_writer(f, &f->writer, &cause), TG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_node_that_comes_late_is_told_everything, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(equal_boundaries_are_equal_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ticks_come_before_their_boundary_and_the_latest_wins,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stale_venue_is_told_at_once_and_to_who_joins_later,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_does_not_read_is_dropped_and_the_others_go_on,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_nodes_than_there_is_room_for_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_path_is_the_owners_and_taken_only_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_a_killed_gateway_left_is_replaced_but_nothing_else,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.bus_writer", tests, NULL, NULL);
}

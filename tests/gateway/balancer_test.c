/* What the documented balancer does to a session, seen from the wire: two nodes of one lineage. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../integration/balancer_process.h"
#include "follower.h"
#include "scratch_folder.h"

#define NAMES        60u
#define RETURN_LIMIT 60 /* s */

static scratch_folder folder;
static char bus[192];
static char token[128];
static gateway_process playing;
static gateway_process following;
static balancer_process balancer;
static gateway_process front; /* the balancer in a gateway's place: its port and authorities */

static int set_up(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    (void)snprintf(bus, sizeof bus, "%s", scratch_path(&folder, "bus"));
    const char *const plays[] = {"--bus", bus, NULL};
    const char *const follows[] = {"--from-bus", bus, "--token-file", token, NULL};
    if (!gateway_process_start(&playing, TG_GATEWAY_PROGRAM, plays)) {
        return -1;
    }
    (void)snprintf(token, sizeof token, "%s/state/token", playing.folder);
    if (!gateway_process_start(&following, TG_GATEWAY_PROGRAM, follows) ||
        !balancer_process_start(&balancer, &playing, &following)) {
        return -1;
    }
    front.port = balancer.port;
    memcpy(front.ca, balancer.ca, sizeof front.ca);
    memcpy(front.token, playing.token, sizeof front.token);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    balancer_process_stop(&balancer);
    (void)gateway_process_stop(&following);
    (void)gateway_process_stop(&playing);
    scratch_folder_close(&folder);
    return 0;
}

static void follow(follower *f)
{
    static tg__name names[NAMES];
    follower_open(f, &front);
    for (uint32_t i = 0; i < NAMES; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(f, names, NAMES);
    while (f->frames < 5) {
        follower_step(f);
    }
}

static void connections_are_spread_over_the_nodes(void **state)
{
    (void)state;
    static follower first;
    static follower second;
    follow(&first);
    follow(&second);
    assert_true(first.welcome.instance != second.welcome.instance);
    assert_true(first.welcome.lineage == second.welcome.lineage);
    follower_close(&first);
    follower_close(&second);
}

/*
 * The balancer's buffers swallow frames, too, but the gateway sends only while its pings are
 * answered: what a reader finds that stopped is bounded by time, not by anybody's buffer.
 */
static void a_reader_that_stops_behind_it_finds_a_gap_and_not_the_past(void **state)
{
    (void)state;
    static follower stops;
    static follower reads;
    follow(&stops);
    follow(&reads);
    while (reads.frames < 200) { /* 8 s of the other's life */
        follower_step(&reads);
    }
    const uint64_t before = stops.frames;
    while (stops.gaps == 0) {
        follower_step(&stops);
    }
    print_message("%u frames of the past\n", (unsigned)(stops.frames - before));
    assert_in_range(stops.frames - before, 0, 60);
    assert_true(stops.channel.boundary + 100 > reads.channel.boundary); /* within a second */
    for (uint64_t more = stops.frames + 20; stops.frames < more;) {
        follower_step(&stops);
    }
    assert_int_equal(reads.gaps, 0);
    follower_close(&stops);
    follower_close(&reads);
}

/* The status of a new connection; with 101 also the instance of the node that took it. */
static int connect_once(const gateway_process *to, uint64_t *instance)
{
    static follower f;
    char answer[2048];
    const wire_upgrade upgrade = {
        .port = to->port, .ca = to->ca, .token = to->token, .subprotocol = TG__SUBPROTOCOL};
    memset(&f, 0, sizeof f);
    const int status = wire_client_open(&upgrade, &f.client, answer, sizeof answer);
    while (status == 101 && f.welcome.instance == 0) {
        follower_step(&f);
    }
    *instance = f.welcome.instance;
    follower_close(&f);
    return status;
}

/* It has the fewest connections, so that everybody would be led to its 503, were it not for /ready.
 */
static void a_node_without_its_bus_gets_no_connections_until_it_follows_again(void **state)
{
    (void)state;
    static follower held;
    gateway_process other;
    gateway_process node;
    balancer_process before;
    uint64_t instance = 0;
    uint64_t of_node = 0;
    char other_bus[192];
    (void)snprintf(other_bus, sizeof other_bus, "%s", scratch_path(&folder, "other"));
    const char *const plays[] = {"--bus", other_bus, NULL};
    const char *const follows[] = {"--from-bus", other_bus, "--token-file", token, NULL};
    assert_true(gateway_process_start(&other, TG_GATEWAY_PROGRAM, plays));
    assert_true(gateway_process_start(&node, TG_GATEWAY_PROGRAM, follows));
    memcpy(node.token, playing.token, sizeof node.token);
    assert_true(balancer_process_start(&before, &playing, &node));
    gateway_process door = {.port = before.port};
    memcpy(door.ca, before.ca, sizeof door.ca);
    memcpy(door.token, playing.token, sizeof door.token);
    assert_int_equal(connect_once(&node, &of_node), 101);
    follower_open(&held, &playing);

    gateway_process_kill(&other);
    const time_t until = time(NULL) + RETURN_LIMIT;
    while (connect_once(&node, &instance) != 503) {
        assert_true(time(NULL) < until);
    }
    for (unsigned in_a_row = 0; in_a_row < 10;) {
        assert_true(time(NULL) < until);
        in_a_row = connect_once(&door, &instance) == 101 ? in_a_row + 1 : 0;
        assert_true(instance != of_node);
    }
    assert_true(gateway_process_resume(&other, TG_GATEWAY_PROGRAM, plays));
    while (connect_once(&door, &instance) != 101 || instance != of_node) {
        assert_true(time(NULL) < until);
    }
    follower_close(&held);
    balancer_process_stop(&before);
    assert_int_equal(gateway_process_stop(&node), 0);
    assert_int_equal(gateway_process_stop(&other), 0);
}

int main(void)
{
    if (!balancer_is_installed()) {
        (void)printf("SKIP: haproxy is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_spread_over_the_nodes),
        cmocka_unit_test(a_reader_that_stops_behind_it_finds_a_gap_and_not_the_past),
        cmocka_unit_test(a_node_without_its_bus_gets_no_connections_until_it_follows_again),
    };
    return cmocka_run_group_tests_name("gateway.balancer", tests, set_up, tear_down);
}

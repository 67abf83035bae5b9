/*
 * Real gateways: two of one lineage, the second following the first over its bus, and a third that
 * has nothing to do with them.
 */
#include "tg_cmocka.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "follower.h"
#include "scratch_folder.h"

#define NAMES        60u
#define RETURN_LIMIT 60 /* s, for a node to serve again */
#define HISTORY      1024u

static scratch_folder folder;
static char bus[192];
static gateway_process playing;
static gateway_process following;

static const char *const *playing_arguments(void)
{
    static const char *arguments[] = {"--bus", bus, NULL};
    return arguments;
}

static int set_up(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    (void)snprintf(bus, sizeof bus, "%s", scratch_path(&folder, "bus"));
    const char *const arguments[] = {"--from-bus", bus, NULL};
    return gateway_process_start(&playing, TG_GATEWAY_PROGRAM, playing_arguments()) &&
                   gateway_process_start(&following, TG_GATEWAY_PROGRAM, arguments)
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(gateway_process_stop(&following), 0);
    assert_int_equal(gateway_process_stop(&playing), 0);
    scratch_folder_close(&folder);
    return 0;
}

/* The same instruments for everybody, until a few frames have come. */
static void follow(follower *f, const gateway_process *gateway)
{
    static tg__name names[NAMES];
    follower_open(f, gateway);
    for (uint32_t i = 0; i < NAMES; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(f, names, NAMES);
    while (f->frames < 3 || f->channel.count < NAMES) {
        follower_step(f);
    }
}

/* ---- what was seen, by instrument and version ---- */

typedef struct history {
    tg_image images[NAMES][HISTORY];
    unsigned compared;
} history;

/* Equal versions must have equal values, wherever they were seen. */
static void remember(history *h, const follower *f)
{
    for (uint32_t slot = 0; slot < f->channel.count; slot++) {
        const tg_image *image = &f->images[slot];
        tg_image *known = &h->images[f->ids[slot]][image->seq % HISTORY];
        if (known->seq == image->seq && known->epoch == image->epoch) {
            assert_true(tg_image_values_equal(known, image));
            h->compared++;
        }
        *known = *image;
    }
}

static void equal_versions_are_equal_images_on_both_nodes(void **state)
{
    (void)state;
    static follower a;
    static follower b;
    static history seen;
    unsigned equal_boundaries = 0;
    unsigned moves = 0;
    memset(&seen, 0, sizeof seen);
    follow(&a, &playing);
    follow(&b, &following);
    assert_true(a.welcome.lineage == b.welcome.lineage);
    assert_int_equal(a.welcome.dictionary_generation, b.welcome.dictionary_generation);
    assert_true(a.welcome.instance != b.welcome.instance);
    assert_int_equal(a.welcome.dictionary_size, b.welcome.dictionary_size);
    assert_memory_equal(a.instruments, b.instruments, NAMES * sizeof a.instruments[0]);
    for (unsigned i = 0; i < 300; i++) {
        /* The one that is behind steps, so that they meet at boundaries. */
        follower *behind = a.channel.boundary <= b.channel.boundary ? &a : &b;
        const tg_image before = behind->images[0];
        follower_step(behind);
        moves += behind->images[0].seq != before.seq;
        remember(&seen, behind);
        if (a.channel.boundary == b.channel.boundary) {
            assert_memory_equal(a.images, b.images, NAMES * sizeof a.images[0]);
            equal_boundaries++;
        }
    }
    assert_true(equal_boundaries > 10);
    assert_true(seen.compared > 1000 && moves > 20);
    assert_int_equal(a.gaps + b.gaps, 0);
    follower_close(&a);
    follower_close(&b);
}

static void a_tick_of_the_priority_channel_comes_on_both_nodes(void **state)
{
    (void)state;
    static follower f;
    const gateway_process *nodes[] = {&playing, &following};
    uint8_t message[64];
    size_t size = 0;
    for (size_t i = 0; i < 2; i++) {
        const tg__name name = {.id = 0};
        const tg__request request = {TG__KIND_SUBSCRIBE, 1, TG__CHANNEL_PRIORITY};
        const uint8_t *bytes = NULL;
        follower_open(&f, nodes[i]);
        assert_int_equal(tg__request_encode(&request, &name, 1, message, sizeof message, &size),
                         TG_OK);
        wire_client_send(f.client, WIRE_BINARY, true, message, size);
        unsigned ticks = 0;
        while (ticks < 3) {
            assert_int_equal(wire_client_receive(f.client, &bytes, &size), WIRE_BINARY);
            ticks += bytes[0] == TG__KIND_TICKS;
        }
        follower_close(&f);
    }
}

static void a_gateway_with_its_own_state_is_of_another_lineage(void **state)
{
    (void)state;
    static follower here;
    static follower there;
    gateway_process other;
    assert_true(gateway_process_start(&other, TG_GATEWAY_PROGRAM, NULL));
    follow(&here, &following);
    follow(&there, &other);
    assert_true(here.welcome.lineage != there.welcome.lineage);
    follower_close(&here);
    follower_close(&there);
    assert_int_equal(gateway_process_stop(&other), 0);
}

/* ---- the bus goes and comes back ---- */

static void await_close(follower *f, unsigned code)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    uint32_t wait_ms = 0;
    unsigned opcode = 0;
    while (opcode != WIRE_CLOSE) {
        opcode = wire_client_receive(f->client, &bytes, &size);
        assert_int_not_equal(opcode, 0);
    }
    assert_true(size > 2);
    assert_int_equal((unsigned)bytes[0] << 8 | bytes[1], code);
    assert_int_equal(tg__close_reason_decode((const char *)bytes + 2, size - 2, &wait_ms), TG_OK);
    assert_true(wait_ms >= 250);
    wire_client_send(f->client, WIRE_CLOSE, true, bytes, 2);
    follower_close(f);
}

static int try_upgrade(const gateway_process *gateway, char *answer, size_t answer_size)
{
    wire_client *client = NULL;
    const wire_upgrade upgrade = {.port = gateway->port,
                                  .ca = gateway->ca,
                                  .token = gateway->token,
                                  .subprotocol = TG__SUBPROTOCOL};
    const int status = wire_client_open(&upgrade, &client, answer, answer_size);
    wire_client_close(client);
    return status;
}

/* Each attempt is a whole TLS handshake: no busy loop, and no pause that would be a guess. */
static void await_service(const gateway_process *gateway)
{
    char answer[2048];
    const time_t until = time(NULL) + RETURN_LIMIT;
    while (try_upgrade(gateway, answer, sizeof answer) != 101) {
        assert_true(time(NULL) < until);
    }
}

static void expect_sent_away(const gateway_process *gateway)
{
    char answer[2048];
    assert_int_equal(try_upgrade(gateway, answer, sizeof answer), 503);
    assert_non_null(strstr(answer, "retry-after: "));
}

static void check_newer(const follower *now, const follower *before)
{
    assert_true(now->welcome.lineage == before->welcome.lineage);
    assert_true(now->welcome.dictionary_generation > before->welcome.dictionary_generation);
    for (uint32_t slot = 0; slot < NAMES; slot++) {
        assert_string_equal(now->instruments[now->ids[slot]].symbol,
                            before->instruments[before->ids[slot]].symbol);
        assert_true(tg_version_compare(tg_image_version(&now->images[slot]),
                                       tg_image_version(&before->images[slot])) > 0);
    }
}

static void a_killed_sequencer_comes_back_with_higher_versions_on_both_nodes(void **state)
{
    (void)state;
    static follower before;
    static follower a;
    static follower b;
    follow(&before, &following);
    gateway_process_kill(&playing);
    await_close(&before, TG__CLOSE_TRY_AGAIN_LATER);
    expect_sent_away(&following);
    assert_true(gateway_process_resume(&playing, TG_GATEWAY_PROGRAM, playing_arguments()));
    await_service(&following);
    follow(&a, &playing);
    follow(&b, &following);
    check_newer(&a, &before);
    check_newer(&b, &before);
    assert_int_equal(a.welcome.dictionary_generation, b.welcome.dictionary_generation);
    follower_close(&a);
    follower_close(&b);
}

static void a_sequencer_that_hangs_is_noticed_and_followed_again(void **state)
{
    (void)state;
    static follower before;
    static follower after;
    follow(&before, &following);
    assert_int_equal(kill(playing.pid, SIGSTOP), 0);
    await_close(&before, TG__CLOSE_TRY_AGAIN_LATER);
    expect_sent_away(&following);
    assert_int_equal(kill(playing.pid, SIGCONT), 0);
    await_service(&following);
    follow(&after, &following);
    assert_int_equal(after.welcome.dictionary_generation, before.welcome.dictionary_generation);
    assert_true(after.channel.boundary > before.channel.boundary);
    follower_close(&after);
}

static void another_lineage_on_the_bus_is_served_as_another(void **state)
{
    (void)state;
    static follower before;
    static follower after;
    gateway_process other;
    follow(&before, &following);
    gateway_process_kill(&playing);
    await_close(&before, TG__CLOSE_TRY_AGAIN_LATER);
    assert_true(gateway_process_start(&other, TG_GATEWAY_PROGRAM, playing_arguments()));
    await_service(&following);
    follow(&after, &following);
    assert_true(after.welcome.lineage != before.welcome.lineage);
    assert_int_equal(gateway_process_stop(&other), 0);
    await_close(&after, TG__CLOSE_TRY_AGAIN_LATER);
    assert_true(gateway_process_resume(&playing, TG_GATEWAY_PROGRAM, playing_arguments()));
    await_service(&following);
}

/* It would hold its node back for a minute: it is cut off instead. */
static void a_client_that_does_not_read_does_not_keep_the_node_from_serving_again(void **state)
{
    (void)state;
    static follower stops;
    static follower reads;
    static follower after;
    follow(&stops, &following);
    follow(&reads, &following);
    while (reads.frames < 60) {
        follower_step(&reads);
    }
    gateway_process_kill(&playing);
    await_close(&reads, TG__CLOSE_TRY_AGAIN_LATER);
    assert_true(gateway_process_resume(&playing, TG_GATEWAY_PROGRAM, playing_arguments()));
    await_service(&following);
    follow(&after, &following);
    follower_close(&after);
    follower_close(&stops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_versions_are_equal_images_on_both_nodes),
        cmocka_unit_test(a_tick_of_the_priority_channel_comes_on_both_nodes),
        cmocka_unit_test(a_gateway_with_its_own_state_is_of_another_lineage),
        cmocka_unit_test(a_killed_sequencer_comes_back_with_higher_versions_on_both_nodes),
        cmocka_unit_test(a_sequencer_that_hangs_is_noticed_and_followed_again),
        cmocka_unit_test(another_lineage_on_the_bus_is_served_as_another),
        cmocka_unit_test(a_client_that_does_not_read_does_not_keep_the_node_from_serving_again),
    };
    return cmocka_run_group_tests_name("gateway.lineage", tests, set_up, tear_down);
}

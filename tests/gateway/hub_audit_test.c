#include "tg_cmocka.h"

#include "hub_audit.h"
#include "hub_fixture.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

static const tg_instrument_id three[] = {3, 7, 9};

typedef struct desk {
    hub_fixture fixture;
    hub_client a;
    hub_client b;
} desk;

static int set_up(void **state)
{
    static desk d;
    hub_fixture_open(&d.fixture, 1);
    hub_client_open(&d.a, &d.fixture);
    hub_client_open(&d.b, &d.fixture);
    hub_client_request(&d.a, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, three, 3);
    hub_client_request(&d.b, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, three, 3);
    hub_client_request(&d.a, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three, 2);
    hub_client_request(&d.b, TG__KIND_SUBSCRIBE, TG__CHANNEL_PRIORITY, three + 1, 2);
    *state = &d;
    return 0;
}

static int tear_down(void **state)
{
    desk *d = *state;
    hub_client_close(&d->a); /* the index has to be right again */
    hub_client_close(&d->b);
    hub_fixture_close(&d->fixture);
    return 0;
}

static void every_subscription_is_counted_on_both_sides(void **state)
{
    desk *d = *state;
    const tg__hub_audit audit = tg__hub_audit_run(d->fixture.hub);
    assert_int_equal(audit.indexed, 10);
    assert_int_equal(audit.recorded, 10);
    assert_int_equal(audit.differing, 0);
    assert_int_equal(d->fixture.hub->counts.audit_differences, 0);
}

static void a_member_that_is_not_in_the_list_is_found(void **state)
{
    desk *d = *state;
    tg__group *group = d->a.peer->group;
    assert_ptr_equal(group, d->b.peer->group);
    tg__peer *first = group->members;
    group->members = first->next_member;
    const tg__hub_audit audit = tg__hub_audit_run(d->fixture.hub);
    group->members = first;
    assert_int_equal(audit.indexed, 7);
    assert_int_equal(audit.recorded, 10);
    assert_int_equal(audit.differing, 1);
    assert_int_equal(d->fixture.hub->counts.audit_differences, 1);
}

static void a_list_that_has_become_a_ring_is_found_and_ends(void **state)
{
    desk *d = *state;
    tg__group *group = d->a.peer->group;
    tg__peer *last = group->members->next_member;
    last->next_member = group->members;
    const tg__hub_audit audit = tg__hub_audit_run(d->fixture.hub);
    last->next_member = NULL;
    assert_int_equal(audit.differing, 1);
}

static void a_count_of_members_that_is_wrong_is_found(void **state)
{
    desk *d = *state;
    d->a.peer->group->member_count++;
    const tg__hub_audit audit = tg__hub_audit_run(d->fixture.hub);
    d->a.peer->group->member_count--;
    assert_int_equal(audit.differing, 1);
}

static void a_follower_too_few_and_one_too_many_are_found(void **state)
{
    desk *d = *state;
    tg__hub *hub = d->fixture.hub;
    tg__priority_slot *slot = tg__peer_priority_slot(d->a.peer, 3);
    assert_non_null(slot);
    tg__priority_unlink(hub->priority_heads, slot, 1);
    assert_int_equal(tg__hub_audit_run(hub).differing, 1);
    tg__priority_slot stray = {.id = 20, .peer = d->a.peer};
    tg__priority_link(hub->priority_heads, &stray, 1);
    assert_int_equal(tg__hub_audit_run(hub).differing, 2);
    tg__priority_unlink(hub->priority_heads, &stray, 1);
    tg__priority_link(hub->priority_heads, slot, 1);
    assert_int_equal(tg__hub_audit_run(hub).differing, 0);
    assert_int_equal(hub->counts.audits, 3);
    assert_int_equal(hub->counts.audit_differences, 3);
}

/* The loop's turns in a span of time, one each 10 ms; how many audits there were. */
static unsigned audits_in(desk *d, tg__hub_audit_times *times, int64_t from_ns, int64_t to_ns)
{
    const uint64_t before = d->fixture.hub->counts.audits;
    for (int64_t now_ns = from_ns; now_ns <= to_ns; now_ns += 10 * MS) {
        if (tg__hub_audit_due(times, now_ns)) {
            (void)tg__hub_audit_run(d->fixture.hub);
        }
    }
    return (unsigned)(d->fixture.hub->counts.audits - before);
}

static void an_audit_is_due_every_30_seconds(void **state)
{
    desk *d = *state;
    const int64_t start_ns = 77 * SECOND;
    tg__hub_audit_times times;
    tg__hub_audit_start(&times, start_ns);
    assert_int_equal(audits_in(d, &times, start_ns, start_ns + 29990 * MS), 0);
    assert_false(tg__hub_audit_due(&times, start_ns + 29999 * MS));
    assert_true(tg__hub_audit_due(&times, start_ns + 30000 * MS));
    assert_false(tg__hub_audit_due(&times, start_ns + 30000 * MS));
    const int64_t again_ns = start_ns + 30000 * MS;
    assert_int_equal(audits_in(d, &times, again_ns, again_ns + 29990 * MS), 0);
    assert_int_equal(audits_in(d, &times, again_ns + 30000 * MS, again_ns + 120000 * MS), 4);
}

static void audits_that_a_pause_has_left_out_are_not_made_up_for(void **state)
{
    desk *d = *state;
    tg__hub_audit_times times;
    tg__hub_audit_start(&times, 0);
    assert_int_equal(audits_in(d, &times, 95 * SECOND, 95 * SECOND + 29990 * MS), 1);
    assert_int_equal(audits_in(d, &times, 125 * SECOND, 125 * SECOND), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_subscription_is_counted_on_both_sides, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_member_that_is_not_in_the_list_is_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_has_become_a_ring_is_found_and_ends, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_count_of_members_that_is_wrong_is_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_follower_too_few_and_one_too_many_are_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_audit_is_due_every_30_seconds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(audits_that_a_pause_has_left_out_are_not_made_up_for,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.hub_audit", tests, NULL, NULL);
}

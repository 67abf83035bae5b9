#include "tg_cmocka.h"

#include "hub_audit.h"
#include "hub_fixture.h"

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
    };
    return cmocka_run_group_tests_name("gateway.hub_audit", tests, NULL, NULL);
}

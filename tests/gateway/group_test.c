#include "tg_cmocka.h"

#include "hub_fixture.h"

static const tg_instrument_id three[] = {3, 7, 9};

static void subscribe(hub_client *client, const tg_instrument_id *ids, size_t count)
{
    hub_client_request(client, TG__KIND_SUBSCRIBE, TG__CHANNEL_CONFLATED, ids, count);
}

/* Groups of one set, with so many members each; the phases are a set of bits. */
static uint32_t members_of_groups(const tg__hub *hub, uint32_t set_size, uint32_t *sizes,
                                  uint32_t *phases)
{
    uint32_t count = 0;
    *phases = 0;
    for (const tg__group *group = hub->groups.first; group != NULL; group = group->next) {
        if (group->channel.count == set_size) {
            sizes[count++] = group->member_count;
            *phases |= 1u << group->phase;
        }
    }
    return count;
}

static void a_large_group_is_several_of_different_phases(void **state)
{
    (void)state;
    static hub_fixture fixture;
    static hub_client clients[2 * TG__GROUP_MEMBERS_MAX + 2];
    const uint32_t count = 2 * TG__GROUP_MEMBERS_MAX + 2;
    uint32_t sizes[8];
    uint32_t phases = 0;
    hub_fixture_open(&fixture, 4);
    for (uint32_t i = 0; i < count; i++) {
        hub_client_open(&clients[i], &fixture);
        subscribe(&clients[i], three, 3);
        hub_client_read_all(&clients[i]);
    }
    assert_int_equal(members_of_groups(fixture.hub, 3, sizes, &phases), 3);
    assert_int_equal(sizes[0] + sizes[1] + sizes[2], count);
    assert_true(phases == 7 || phases == 11 || phases == 13 || phases == 14); /* three of four */
    fixture.hub->counts.frames_encoded = 0;
    fixture.hub->counts.frames_queued = 0;
    hub_fixture_tick(&fixture, 3, 44);
    for (unsigned i = 0; i < 4; i++) {
        hub_fixture_boundary(&fixture);
    }
    assert_int_equal(fixture.hub->counts.frames_encoded, 3); /* once in each */
    assert_int_equal(fixture.hub->counts.frames_queued, count);
    for (uint32_t i = 0; i < count; i++) {
        hub_client_read_all(&clients[i]);
        assert_int_equal(clients[i].images[0].value[TG_FIELD_BID_PRICE], 44);
    }
    /* The smallest takes who comes next. */
    for (uint32_t i = 0; i < 40; i++) {
        hub_client_close(&clients[i]);
    }
    hub_client_open(&clients[0], &fixture);
    const tg__peer *peer = clients[0].peer;
    subscribe(&clients[0], three, 3);
    (void)members_of_groups(fixture.hub, 3, sizes, &phases);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(peer->group->member_count - 1 <= sizes[i]);
    }
    hub_client_close(&clients[0]);
    for (uint32_t i = 40; i < count; i++) {
        hub_client_close(&clients[i]);
    }
    hub_fixture_close(&fixture);
}

/* Groups of different phases hold different versions of an instrument at the same time. */
static void a_row_is_encoded_once_per_version_whatever_the_phases(void **state)
{
    (void)state;
    static hub_fixture fixture;
    hub_client members[4];
    hub_fixture_open(&fixture, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const tg_instrument_id set[] = {3, (tg_instrument_id)(10 + i)};
        hub_client_open(&members[i], &fixture);
        subscribe(&members[i], set, 2);
    }
    for (int64_t i = 0; i < 8; i++) {
        hub_fixture_tick(&fixture, 3, i);
        hub_fixture_boundary(&fixture);
    }
    const uint64_t before = fixture.hub->table.rows_encoded;
    for (unsigned round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 4; i++) {
            hub_client_request(&members[i], TG__KIND_RESYNC, TG__CHANNEL_CONFLATED, NULL, 0);
            hub_client_read_all(&members[i]);
        }
    }
    const uint64_t encoded = fixture.hub->table.rows_encoded - before;
    assert_in_range(encoded, 1, 4); /* of 3: the versions of four boundaries */
    for (uint32_t i = 0; i < 4; i++) {
        hub_client_close(&members[i]);
    }
    hub_fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_group_is_several_of_different_phases),
        cmocka_unit_test(a_row_is_encoded_once_per_version_whatever_the_phases),
    };
    return cmocka_run_group_tests_name("gateway.group", tests, NULL, NULL);
}

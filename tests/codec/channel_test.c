#include "tg_cmocka.h"

#include "codec_fixture.h"

static void set_digest_matches_bytes_written_by_hand(void **state)
{
    (void)state;
    /* CRC-32C of 31 32 33 34 35 36 37 38: the first eight digits, as four ids. */
    const tg_instrument_id ids[] = {0x3231, 0x3433, 0x3635, 0x3837};
    assert_int_equal(tg__set_digest(ids, 4), 0x6087809au);
    assert_int_equal(tg__set_digest(ids, 0), 0);
}

static void set_digest_tells_sets_of_equal_size_apart(void **state)
{
    (void)state;
    const tg_instrument_id before[] = {3, 7, 9};
    const tg_instrument_id after[] = {3, 9, 11};
    assert_int_not_equal(tg__set_digest(before, 3), tg__set_digest(after, 3));
    assert_int_not_equal(tg__set_digest(before, 2), tg__set_digest(before, 3));
}

static void slots_are_found_by_id_and_only_then(void **state)
{
    (void)state;
    tg_instrument_id ids[5] = {2, 3, 50, 400, 65534};
    tg_image images[5];
    tg__channel channel;
    tg__channel_init(&channel, ids, images, 5, FIXTURE_RESOLUTION_NS);
    assert_int_equal(tg__channel_slot(&channel, 2), -1); /* the set is empty */
    channel.count = 5;
    for (uint16_t slot = 0; slot < 5; slot++) {
        assert_int_equal(tg__channel_slot(&channel, ids[slot]), slot);
    }
    assert_int_equal(tg__channel_slot(&channel, 0), -1);
    assert_int_equal(tg__channel_slot(&channel, 51), -1);
    assert_int_equal(tg__channel_slot(&channel, 65535), -1);
}

static void digest_of_the_state_sees_every_part_of_an_image(void **state)
{
    (void)state;
    tg_instrument_id ids[1] = {4};
    tg_image images[1];
    uint64_t random = 3;
    tg__channel channel;
    fixture_image(&random, &images[0]);
    images[0].present = TG_FIELD_ALL_BITS;
    tg__channel_init(&channel, ids, images, 1, FIXTURE_RESOLUTION_NS);
    channel.count = 1;
    const uint32_t digest = tg__channel_digest(&channel);
    images[0].seq++;
    assert_int_not_equal(tg__channel_digest(&channel), digest);
    images[0].seq--;
    images[0].epoch++;
    assert_int_not_equal(tg__channel_digest(&channel), digest);
    images[0].epoch--;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        images[0].value[field] ^= 1;
        assert_int_not_equal(tg__channel_digest(&channel), digest);
        images[0].value[field] ^= 1;
    }
    assert_int_equal(tg__channel_digest(&channel), digest);
}

static void images_are_equal_only_in_presence_and_every_value(void **state)
{
    (void)state;
    tg_image a;
    memset(&a, 0, sizeof a);
    a.present = TG_FIELD_BIT(TG_FIELD_VOLUME);
    tg_image b = a;
    assert_true(tg_image_values_equal(&a, &b));
    b.value[TG_FIELD_VOLUME] = 1;
    assert_false(tg_image_values_equal(&a, &b));
    b = a;
    b.present = 0; /* null is not zero */
    assert_false(tg_image_values_equal(&a, &b));
    b = a;
    b.seq++; /* versions are not compared */
    assert_true(tg_image_values_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_digest_matches_bytes_written_by_hand),
        cmocka_unit_test(set_digest_tells_sets_of_equal_size_apart),
        cmocka_unit_test(slots_are_found_by_id_and_only_then),
        cmocka_unit_test(images_are_equal_only_in_presence_and_every_value),
        cmocka_unit_test(digest_of_the_state_sees_every_part_of_an_image),
    };
    return cmocka_run_group_tests_name("codec.channel", tests, NULL, NULL);
}

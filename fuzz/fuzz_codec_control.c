/*
 * Every control and dictionary decoder on the same bytes. What is accepted must encode again to
 * something that decodes to the same; readers must yield as many items as they announce.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/dictionary.h>

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static uint8_t again[TG__MESSAGE_SIZE_MAX];

static void check_dictionary(const uint8_t *data, size_t size)
{
    static tg__dictionary_entry entries[TG__ITEM_MAX];
    tg__dictionary_reader reader;
    tg__fault fault;
    uint32_t generation = 0;
    if (tg__dictionary_decode(data, size, &generation, &reader, &fault) != TG_OK) {
        require(fault.offset <= size);
        return;
    }
    const uint32_t announced = reader.left;
    size_t count = 0;
    while (tg__dictionary_next(&reader, &entries[count])) {
        count++;
    }
    require(count + reader.unknown == announced);
    size_t encoded = 0;
    require(tg__dictionary_encode(generation, entries, count, again, sizeof again, &encoded) ==
            TG_OK);
    uint32_t generation_again = 0;
    require(tg__dictionary_decode(again, encoded, &generation_again, &reader, &fault) == TG_OK);
    for (size_t i = 0; i < count; i++) {
        tg__dictionary_entry entry;
        require(tg__dictionary_next(&reader, &entry));
        require(memcmp(&entry, &entries[i], sizeof entry) == 0);
    }
}

static void check_request(const uint8_t *data, size_t size)
{
    static tg__name names[TG__ITEM_MAX];
    tg__request request;
    tg__name_reader reader;
    tg__fault fault;
    if (tg__request_decode(data, size, &request, &reader, &fault) != TG_OK) {
        require(fault.offset <= size);
        return;
    }
    const uint32_t announced = reader.left;
    size_t count = 0;
    while (tg__name_next(&reader, &names[count])) {
        count++;
    }
    require(count == announced);
    size_t encoded = 0;
    require(tg__request_encode(&request, names, count, again, sizeof again, &encoded) == TG_OK);
    require(encoded == size && memcmp(again, data, size) == 0);
}

static void check_answer(const uint8_t *data, size_t size)
{
    static tg__result results[TG__ITEM_MAX];
    tg__answer answer;
    tg__fault fault;
    if (tg__answer_decode(data, size, &answer, results, TG__ITEM_MAX, &fault) == TG_OK) {
        size_t encoded = 0;
        require(tg__answer_encode(&answer, results, again, sizeof again, &encoded) == TG_OK);
        require(encoded == size);
    } else {
        require(fault.offset <= size);
    }
}

static void check_fixed(const uint8_t *data, size_t size)
{
    tg__welcome welcome;
    tg__limits limits;
    tg__venue_state venue;
    tg__token_answer token_answer;
    tg__echo_reply reply;
    tg__find find;
    tg__fault fault = {0, 0};
    const char *token = NULL;
    size_t token_size = 0;
    uint64_t cookie = 0;
    (void)!tg__welcome_decode(data, size, &welcome, &fault);
    (void)!tg__limits_decode(data, size, &limits, &fault);
    (void)!tg__venue_state_decode(data, size, &venue, &fault);
    (void)!tg__token_answer_decode(data, size, &token_answer, &fault);
    (void)!tg__echo_decode(data, size, &cookie, &fault);
    (void)!tg__echo_reply_decode(data, size, &reply, &fault);
    (void)!tg__token_decode(data, size, &token, &token_size, &fault);
    require(fault.offset <= size);
    size_t encoded = 0;
    if (tg__find_decode(data, size, &find, &fault) == TG_OK) {
        require(tg__find_encode(&find, again, sizeof again, &encoded) == TG_OK);
        require(encoded <= size && memcmp(again, data, encoded) == 0);
    }
}

static void check_close_reason(const uint8_t *data, size_t size)
{
    uint32_t delay_ms = 0;
    char text[TG__CLOSE_REASON_MAX];
    size_t text_size = 0;
    if (tg__close_reason_decode((const char *)data, size, &delay_ms) == TG_OK) {
        uint32_t delay_again_ms = ~delay_ms;
        require(tg__close_reason_encode(delay_ms, text, sizeof text, &text_size) == TG_OK);
        require(tg__close_reason_decode(text, text_size, &delay_again_ms) == TG_OK);
        require(delay_again_ms == delay_ms);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_dictionary(data, size);
    check_request(data, size);
    check_answer(data, size);
    check_fixed(data, size);
    check_close_reason(data, size);
    tg__found found;
    tg__dictionary_reader reader;
    tg__fault fault = {0, 0};
    (void)!tg__found_decode(data, size, &found, &reader, &fault);
    require(fault.offset <= size);
    return 0;
}

/*
 * Every control decoder on the same bytes with the oracle beside: they must agree on accept or
 * reject, error, offset and item. What is accepted must encode again to something that
 * decodes to the same, and to the same bytes where there is only one form; readers must yield as
 * many items as they announce.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control.h>

#include "oracle_control.h"
#include "repairing_mutator.h"
#include "start_channel.h"

const size_t repairing_mutator_head_size = 0;

static uint8_t again[TG__MESSAGE_SIZE_MAX];

/* True if the message is taken: the decoder said what the oracle says. */
static bool agree(tg_err err, const tg__fault *fault, tg_err wanted_err, const tg__fault *wanted)
{
    require(err == wanted_err);
    require(err == TG_OK || (fault->offset == wanted->offset && fault->row == wanted->row));
    return err == TG_OK;
}

static void check_request(const uint8_t *data, size_t size)
{
    static tg__name names[TG__ITEM_MAX];
    tg__request request;
    tg__name_reader reader;
    tg__fault fault;
    tg__fault wanted;
    const tg_err wanted_err = oracle_judge_request(data, size, &wanted);
    if (!agree(tg__request_decode(data, size, &request, &reader, &fault), &fault, wanted_err,
               &wanted)) {
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
    require(tg__request_encode(&request, names, count, again, size - 1, &encoded) ==
            TG_ERR_BUFFER_TOO_SMALL);
}

static void check_answer(const uint8_t *data, size_t size)
{
    static tg__result results[TG__ITEM_MAX];
    tg__answer answer;
    tg__fault fault;
    tg__fault wanted;
    const tg_err wanted_err = oracle_judge_answer(data, size, &wanted);
    if (!agree(tg__answer_decode(data, size, &answer, results, TG__ITEM_MAX, &fault), &fault,
               wanted_err, &wanted)) {
        return;
    }
    size_t encoded = 0;
    require(tg__answer_encode(&answer, results, again, sizeof again, &encoded) == TG_OK);
    require(encoded == size);
    for (uint32_t i = 0; i < answer.count; i++) {
        const size_t at = size - 3u * (answer.count - i);
        require(data[at] <= 5 || again[at] == 1); /* other codes read as unknown */
        again[at] = data[at];
    }
    require(memcmp(again, data, size) == 0);
}

/* What is longer than known encodes to the known part, which is then the start of the message. */
static void require_start(tg_err err, const uint8_t *data, size_t size, const size_t *encoded)
{
    require(err == TG_OK && *encoded <= size && memcmp(again, data, *encoded) == 0);
}

static void check_session(const uint8_t *data, size_t size)
{
    tg__welcome welcome;
    tg__limits limits;
    tg__venue_state venue;
    tg__fault fault = {0, 0};
    tg__fault wanted = {0, 0};
    tg_err wanted_err = TG_OK;
    size_t encoded = 0;
    wanted_err = oracle_judge_welcome(data, size, &wanted);
    if (agree(tg__welcome_decode(data, size, &welcome, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__welcome_encode(&welcome, again, sizeof again, &encoded), data, size,
                      &encoded);
    }
    wanted_err = oracle_judge_limits(data, size, &wanted);
    if (agree(tg__limits_decode(data, size, &limits, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__limits_encode(&limits, again, sizeof again, &encoded), data, size,
                      &encoded);
    }
    wanted_err = oracle_judge_venue_state(data, size, &wanted);
    if (agree(tg__venue_state_decode(data, size, &venue, &fault), &fault, wanted_err, &wanted)) {
        require(tg__venue_state_encode(&venue, again, sizeof again, &encoded) == TG_OK);
        again[2] = data[2]; /* every condition but 0 reads as stale */
        require_start((data[2] == 0) == (venue.condition == TG__VENUE_LIVE) ? TG_OK : TG_ERR_STATE,
                      data, size, &encoded);
    }
}

static void check_token_and_echo(const uint8_t *data, size_t size)
{
    tg__token_answer token_answer;
    tg__echo_reply reply;
    tg__fault fault = {0, 0};
    tg__fault wanted = {0, 0};
    tg_err wanted_err = TG_OK;
    const char *token = NULL;
    size_t token_size = 0;
    uint64_t cookie = 0;
    size_t encoded = 0;
    wanted_err = oracle_judge_token_answer(data, size, &wanted);
    if (agree(tg__token_answer_decode(data, size, &token_answer, &fault), &fault, wanted_err,
              &wanted)) {
        require_start(tg__token_answer_encode(&token_answer, again, sizeof again, &encoded), data,
                      size, &encoded);
    }
    wanted_err = oracle_judge_echo(data, size, &wanted);
    if (agree(tg__echo_decode(data, size, &cookie, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__echo_encode(cookie, again, sizeof again, &encoded), data, size, &encoded);
    }
    wanted_err = oracle_judge_echo_reply(data, size, &wanted);
    if (agree(tg__echo_reply_decode(data, size, &reply, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__echo_reply_encode(&reply, again, sizeof again, &encoded), data, size,
                      &encoded);
    }
    wanted_err = oracle_judge_token(data, size, &wanted);
    if (agree(tg__token_decode(data, size, &token, &token_size, &fault), &fault, wanted_err,
              &wanted)) {
        require_start(tg__token_encode(token, token_size, again, sizeof again, &encoded), data,
                      size, &encoded);
        require(encoded == size);
    }
}

static void check_report(const uint8_t *data, size_t size)
{
    tg__report report;
    tg__fault fault = {0, 0};
    tg__fault wanted = {0, 0};
    size_t encoded = 0;
    const tg_err wanted_err = oracle_judge_report(data, size, &wanted);
    if (agree(tg__report_decode(data, size, &report, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__report_encode(&report, again, sizeof again, &encoded), data, size,
                      &encoded);
        require(encoded == size);
    }
}

static void check_find(const uint8_t *data, size_t size)
{
    tg__find find;
    tg__fault fault = {0, 0};
    tg__fault wanted = {0, 0};
    tg_err wanted_err = TG_OK;
    size_t encoded = 0;
    wanted_err = oracle_judge_find(data, size, &wanted);
    if (agree(tg__find_decode(data, size, &find, &fault), &fault, wanted_err, &wanted)) {
        require_start(tg__find_encode(&find, again, sizeof again, &encoded), data, size, &encoded);
        require(encoded == size);
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
    uint8_t *const exact = malloc(size > 0 ? size : 1);
    require(exact != NULL);
    if (size > 0) {
        memcpy(exact, data, size);
    }
    check_request(exact, size);
    check_answer(exact, size);
    check_session(exact, size);
    check_token_and_echo(exact, size);
    check_report(exact, size);
    check_find(exact, size);
    check_close_reason(exact, size);
    free(exact);
    return 0;
}

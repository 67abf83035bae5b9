/*
 * What a following node may be sent: a stream of bus messages, taken as the node takes them.
 * Whatever comes, boundaries have no hole, versions only rise, and what a refusal names is inside
 * the message. What is accepted as a cut can be told again in the same bytes.
 *
 * Input: messages, each with its length in two bytes before it. Checksums are put right, except in
 * a message whose length has its top bit set.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/crc32c.h>

#include "bus_session.h"

#define LENGTH_MAX 0x7fffu

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void put_checksum_right(uint8_t *bytes, size_t size)
{
    if (size < TG__BUS_ENVELOPE_SIZE) {
        return;
    }
    const size_t body = size - TG__BUS_ENVELOPE_SIZE;
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)((uint64_t)body >> (8 * i));
    }
    const uint32_t crc = tg__crc32c(0, bytes, size - 4);
    for (unsigned i = 0; i < 4; i++) {
        bytes[size - 4 + i] = (uint8_t)(crc >> (8 * i));
    }
}

static void tell_again(const tg__bus_session *session, int64_t mono_ns, const uint8_t *bytes,
                       size_t size)
{
    tg__bus_draft draft;
    size_t again = 0;
    uint8_t *out = malloc(size);
    require(out != NULL);
    tg__bus_begin_cut(&draft, session->boundary, mono_ns, out, size);
    for (uint32_t i = 0; i < session->update_count; i++) {
        tg__bus_put_image(&draft, session->updates[i].id, &session->updates[i].image);
    }
    require(tg__bus_finish(&draft, &again) == TG_OK && again == size);
    require(memcmp(out, bytes, size) == 0);
    free(out);
}

/* False: the session is over. */
static bool take(tg__bus_session *session, const uint8_t *bytes, size_t size)
{
    tg__bus_message message;
    tg__fault fault = {0, TG__NO_ROW};
    tg__cause cause;
    const bool followed = session->follows;
    const uint64_t boundary = session->boundary;
    if (tg__bus_message_decode(bytes, size, &session->hello, &message, &fault) != TG_OK) {
        require(fault.offset <= size);
        return false;
    }
    if (tg__bus_session_take(session, &message, &cause) != TG_OK) {
        return false;
    }
    if (message.kind == TG__BUS_CUT) {
        require(session->follows && session->update_count <= session->directory.count);
        require(!followed || session->boundary == boundary + 1);
        tell_again(session, message.as.cut.mono_ns, bytes, size);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg__bus_session session = {0};
    size_t at = 0;
    bool goes_on = true;
    while (goes_on && size - at >= 2) {
        const size_t told = (size_t)data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        size_t length = told & LENGTH_MAX;
        length = length < size - at ? length : size - at;
        uint8_t *exact = malloc(length + 1); /* read past its end, it is noticed */
        require(exact != NULL);
        memcpy(exact + 1, data + at, length);
        if (told <= LENGTH_MAX) {
            put_checksum_right(exact + 1, length);
        }
        goes_on = take(&session, exact + 1, length);
        free(exact);
        at += length;
    }
    tg__bus_session_deinit(&session);
    return 0;
}

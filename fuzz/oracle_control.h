/** The oracle for everything that is not a data message. PROTOCOL.md sections 4, 5 and 11. */
#ifndef TG_FUZZ_ORACLE_CONTROL_H
#define TG_FUZZ_ORACLE_CONTROL_H

#include <tickglass/internal/dictionary.h>

#include "oracle.h"

/* 2.5: a text behind its length, of at most size - 1 bytes; out has size bytes. */
bool oracle_text(oracle *in, bool empty_allowed, char *out, size_t size);

typedef struct oracle_dictionary {
    uint32_t count; /* announced */
    uint32_t known;
    tg__dictionary_entry *entries; /* room for TG__ITEM_MAX */
} oracle_dictionary;

/* Whether the decoder of that name has to take the message; the place of the fault if not. */
tg_err oracle_judge_dictionary(const uint8_t *bytes, size_t size, oracle_dictionary *out,
                               tg__fault *fault);
tg_err oracle_judge_found(const uint8_t *bytes, size_t size, oracle_dictionary *out,
                          tg__fault *fault);
tg_err oracle_judge_request(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_answer(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_find(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_welcome(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_limits(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_venue_state(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_token(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_report(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_token_answer(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_echo(const uint8_t *bytes, size_t size, tg__fault *fault);
tg_err oracle_judge_echo_reply(const uint8_t *bytes, size_t size, tg__fault *fault);

#endif

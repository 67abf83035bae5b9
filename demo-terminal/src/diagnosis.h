/* What --diagnose found out on the way to one gateway. */
#ifndef TG_TERMINAL_DIAGNOSIS_H
#define TG_TERMINAL_DIAGNOSIS_H

#include <stdint.h>
#include <stdio.h>

#include <tickglass/api.h>

typedef enum diagnosis_stage {
    STAGE_DNS,
    STAGE_PROXY,
    STAGE_TCP,
    STAGE_TOKEN,
    STAGE_TLS,
    STAGE_UPGRADE,
    STAGE_WELCOME,
    STAGE_FIRST_TICK,
    STAGE_COUNT
} diagnosis_stage;

typedef enum stage_outcome {
    STAGE_NOT_REACHED,
    STAGE_PASSED,
    STAGE_FAILED,
    STAGE_NOT_USED
} stage_outcome;

#define DIAGNOSIS_NO_TIME (-1) /* it was not measured apart */

typedef struct stage_result {
    stage_outcome outcome;
    int64_t took_ns;
    char text[320];     /* without a secret */
    const char *advice; /* of a failure: what to look at */
} stage_result;

typedef struct diagnosis {
    stage_result stages[STAGE_COUNT];
} diagnosis;

/* Thread: owner, all of them. */
void diagnosis_pass(diagnosis *found, diagnosis_stage stage, int64_t took_ns, const char *format,
                    ...) TG_PRINTF(4, 5);
void diagnosis_skip(diagnosis *found, diagnosis_stage stage, const char *text);
/* advice: static; NULL: the stage's own. */
void diagnosis_fail(diagnosis *found, diagnosis_stage stage, int64_t took_ns, const char *advice,
                    const char *format, ...) TG_PRINTF(5, 6);

/* One line for each stage, and what to look at. */
void diagnosis_print(const diagnosis *found, FILE *to);

/* 0, or 10 and the number of the first stage that failed. */
int diagnosis_exit_code(const diagnosis *found);

#endif

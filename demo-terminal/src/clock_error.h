/* How far this machine's wall clock may be off, as the kernel and who disciplines it have it. */
#ifndef TG_TERMINAL_CLOCK_ERROR_H
#define TG_TERMINAL_CLOCK_ERROR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clock_error {
    bool known; /* false: nobody disciplines the clock, or nobody tells */
    int64_t bound_ns;
} clock_error;

/* Thread: any. Blocks: no. */
clock_error clock_error_read(void);

#endif

/** The two control-flow macros of the project. */
#ifndef TICKGLASS_INTERNAL_CONTROL_FLOW_H
#define TICKGLASS_INTERNAL_CONTROL_FLOW_H

#include <tickglass/err.h>

/** Returns the error of expr to the caller of the enclosing function, if there is one. */
#define TG_TRY(expr)                                                                               \
    do {                                                                                           \
        const tg_err tg_try_err_ = (expr);                                                         \
        if (tg_try_err_ != TG_OK) {                                                                \
            return tg_try_err_;                                                                    \
        }                                                                                          \
    } while (0)

/** Returns err unless cond holds. */
#define TG_ENSURE(cond, err)                                                                       \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            return (err);                                                                          \
        }                                                                                          \
    } while (0)

#endif

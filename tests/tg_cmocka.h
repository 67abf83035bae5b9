/* cmocka needs these four headers before its own, in any order but before: include this file
 * instead. */
#ifndef TG_CMOCKA_H
#define TG_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif

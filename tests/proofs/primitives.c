/*
 * What ./dev prove reads: the integer primitives of the codec with their contracts, the words that
 * these use, and the contract of the one compiler builtin among them.
 */
#include <stdint.h>

/*@ requires value != 0;
    assigns \nothing;
    ensures 0 <= \result < 64;
*/
extern int __builtin_ctzll(unsigned long long value);

/* clang-format off */
/*@
  logic integer tg__zigzag(integer value) = value >= 0 ? 2 * value : -2 * value - 1;

  // What is left of a value of 64 bits after that many groups of 7 bits lies below it.
  logic integer tg__varint_bound(integer size) =
    size == 0 ? 0x10000000000000000 :
    size == 1 ? 0x200000000000000 :
    size == 2 ? 0x4000000000000 :
    size == 3 ? 0x80000000000 :
    size == 4 ? 0x1000000000 :
    size == 5 ? 0x20000000 :
    size == 6 ? 0x400000 :
    size == 7 ? 0x8000 :
    size == 8 ? 0x100 : 2;
*/
/* clang-format on */

#include "exact_division.h"
#include "varint.h"

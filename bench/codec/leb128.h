/* The usual layout, for comparison: presence mask and LEB128 deltas, with the same header, times,
 * versions and digest as DELTA. */
#ifndef BENCH_LEB128_H
#define BENCH_LEB128_H

#include "layout.h"

layout_encode leb128_encode;
layout_decode leb128_decode;

#endif

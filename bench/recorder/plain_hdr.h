/** The usual histogram for comparison: one 64-bit count per slot, a total, minimum and maximum. */
#ifndef TG_BENCH_RECORDER_PLAIN_HDR_H
#define TG_BENCH_RECORDER_PLAIN_HDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct plain_hdr plain_hdr;

plain_hdr *plain_hdr_open(int64_t lowest, int64_t highest, int digits);
void plain_hdr_close(plain_hdr *hdr);
bool plain_hdr_record(plain_hdr *hdr, int64_t value);
size_t plain_hdr_size(const plain_hdr *hdr);

#endif

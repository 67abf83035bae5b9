/* DBN bytes made by hand: a header with one mapping, and records. */
#ifndef TG_TESTS_DBN_BUILDER_H
#define TG_TESTS_DBN_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#define DBN_BUILDER_SIZE 8192u

typedef struct dbn_builder {
    uint8_t bytes[DBN_BUILDER_SIZE];
    size_t size;
    int version;
} dbn_builder;

void dbn_put(dbn_builder *b, const void *bytes, size_t size);
void dbn_put_zeros(dbn_builder *b, size_t size);
void dbn_put_u8(dbn_builder *b, uint8_t value);
void dbn_put_u16(dbn_builder *b, uint16_t value);
void dbn_put_u32(dbn_builder *b, uint32_t value);
void dbn_put_u64(dbn_builder *b, uint64_t value);
/* At a place that is there already. */
void dbn_set_u32(dbn_builder *b, size_t at, uint32_t value);

/* Dataset XTST.TEST; instrument 42 is called `symbol` from 20210101 up to 20220101. */
void dbn_put_header(dbn_builder *b, int version, const char *symbol);
/* The same with the types of both symbols: 0 an id, 1 a raw symbol, 4 a parent. */
void dbn_put_header_of(dbn_builder *b, int version, const char *symbol, const char *mapped,
                       uint8_t stype_in, uint8_t stype_out);

/* The 16 bytes in front of every record of instrument 42; ts_event is one below DBN_TS_RECV. */
#define DBN_TS_RECV UINT64_C(1609160400000000000) /* 2020-12-28 13:00 UTC */
void dbn_put_record_header(dbn_builder *b, size_t size, uint8_t kind);
/* Price to sequence: the 48 bytes of a trade, and the beginning of price levels. */
void dbn_put_trade(dbn_builder *b, size_t size, uint8_t kind, int64_t price, uint32_t quantity,
                   char action, uint64_t ts_recv);
void dbn_put_level(dbn_builder *b, int64_t bid, int64_t ask, uint32_t bid_size, uint32_t ask_size);

#endif

#include "tg_cmocka.h"

#include "dbn_builder.h"

#include <string.h>

void dbn_put(dbn_builder *b, const void *bytes, size_t size)
{
    assert_true(b->size + size <= sizeof b->bytes);
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

void dbn_put_zeros(dbn_builder *b, size_t size)
{
    assert_true(b->size + size <= sizeof b->bytes);
    memset(b->bytes + b->size, 0, size);
    b->size += size;
}

static void put_little(dbn_builder *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(value >> (8 * i));
        dbn_put(b, &byte, 1);
    }
}

void dbn_put_u8(dbn_builder *b, uint8_t value)
{
    put_little(b, value, 1);
}

void dbn_put_u16(dbn_builder *b, uint16_t value)
{
    put_little(b, value, 2);
}

void dbn_put_u32(dbn_builder *b, uint32_t value)
{
    put_little(b, value, 4);
}

void dbn_put_u64(dbn_builder *b, uint64_t value)
{
    put_little(b, value, 8);
}

void dbn_set_u32(dbn_builder *b, size_t at, uint32_t value)
{
    const size_t size = b->size;
    b->size = at;
    dbn_put_u32(b, value);
    b->size = size;
}

static void put_text(dbn_builder *b, const char *text, size_t size)
{
    assert_true(strlen(text) <= size);
    dbn_put(b, text, strlen(text));
    dbn_put_zeros(b, size - strlen(text));
}

void dbn_put_header_of(dbn_builder *b, int version, const char *symbol, const char *mapped,
                       uint8_t stype_in, uint8_t stype_out)
{
    const size_t symbol_size = version == 1 ? 22 : 71;
    b->version = version;
    b->size = 0;
    dbn_put(b, "DBN", 3);
    dbn_put_u8(b, (uint8_t)version);
    dbn_put_u32(b, 0);
    put_text(b, "XTST.TEST", 16);
    dbn_put_u16(b, 0); /* schema */
    dbn_put_zeros(b, version == 1 ? 32 : 24);
    dbn_put_u8(b, stype_in);
    dbn_put_u8(b, stype_out);
    dbn_put_u8(b, 0); /* no ts_out */
    if (version > 1) {
        dbn_put_u16(b, (uint16_t)symbol_size);
    }
    dbn_put_zeros(b, version == 1 ? 47 : 53);
    dbn_put_u32(b, 0); /* no schema definition */
    dbn_put_u32(b, 1); /* one symbol asked for */
    put_text(b, symbol, symbol_size);
    dbn_put_u32(b, 0); /* none resolved in part */
    dbn_put_u32(b, 0); /* none not found */
    dbn_put_u32(b, 1); /* one mapping, */
    put_text(b, symbol, symbol_size);
    dbn_put_u32(b, 1); /* one interval */
    dbn_put_u32(b, 20201201);
    dbn_put_u32(b, 20220101);
    put_text(b, mapped, symbol_size);
    if (version == 3) {
        dbn_put_zeros(b, (8 - b->size % 8) % 8);
    }
    dbn_set_u32(b, 4, (uint32_t)b->size - 8);
}

void dbn_put_header(dbn_builder *b, int version, const char *symbol)
{
    dbn_put_header_of(b, version, symbol, "42", 1, 0);
}

void dbn_put_record_header(dbn_builder *b, size_t size, uint8_t kind)
{
    assert_true(size % 4 == 0 && size / 4 < 256);
    dbn_put_u8(b, (uint8_t)(size / 4));
    dbn_put_u8(b, kind);
    dbn_put_u16(b, 1);
    dbn_put_u32(b, 42);
    dbn_put_u64(b, DBN_TS_RECV - 1);
}

void dbn_put_trade(dbn_builder *b, size_t size, uint8_t kind, int64_t price, uint32_t quantity,
                   char action, uint64_t ts_recv)
{
    dbn_put_record_header(b, size, kind);
    dbn_put_u64(b, (uint64_t)price);
    dbn_put_u32(b, quantity);
    dbn_put_u8(b, (uint8_t)action);
    dbn_put(b, "A", 1);
    dbn_put_u16(b, 0);
    dbn_put_u64(b, ts_recv);
    dbn_put_u32(b, 0);
    dbn_put_u32(b, 7);
}

void dbn_put_level(dbn_builder *b, int64_t bid, int64_t ask, uint32_t bid_size, uint32_t ask_size)
{
    dbn_put_u64(b, (uint64_t)bid);
    dbn_put_u64(b, (uint64_t)ask);
    dbn_put_u32(b, bid_size);
    dbn_put_u32(b, ask_size);
    dbn_put_u64(b, 0);
}

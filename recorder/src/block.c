#include "block.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/crc32c.h>

#include "bytes.h"

#define CRC_AT      44u
#define ANCHOR_SIZE 32u
#define NOTE_SIZE   48u
#define NOTE_FIXED  40u /* `lost` came later: a note may end before it */
#define FILE_FIXED  36u

size_t tg__block_seal(const tg__block *block, unsigned char *out)
{
    tg__put_u32(out, TG__BLOCK_MAGIC);
    tg__put_u32(out + 4, block->kind);
    tg__put_u32(out + 8, block->payload_size);
    tg__put_u32(out + 12, block->thread);
    tg__put_u32(out + 16, block->record_count);
    tg__put_u32(out + 20, block->ring);
    tg__put_u64(out + 24, block->position);
    tg__put_u64(out + 32, block->position_end);
    tg__put_u32(out + 40, 0);
    uint32_t crc = tg__crc32c(0, out, CRC_AT);
    crc = tg__crc32c(crc, out + TG__BLOCK_HEADER, block->payload_size);
    tg__put_u32(out + CRC_AT, crc);
    return TG__BLOCK_HEADER + (size_t)block->payload_size;
}

tg_err tg__block_open(const unsigned char *bytes, size_t available, tg__block *out)
{
    TG_ENSURE(available >= 4, TG_ERR_TORN);
    TG_ENSURE(tg__get_u32(bytes) == TG__BLOCK_MAGIC, TG_ERR_FORMAT);
    TG_ENSURE(available >= TG__BLOCK_HEADER, TG_ERR_TORN);
    out->kind = tg__get_u32(bytes + 4);
    out->payload_size = tg__get_u32(bytes + 8);
    out->thread = tg__get_u32(bytes + 12);
    out->record_count = tg__get_u32(bytes + 16);
    out->ring = tg__get_u32(bytes + 20);
    out->position = tg__get_u64(bytes + 24);
    out->position_end = tg__get_u64(bytes + 32);
    out->payload = bytes + TG__BLOCK_HEADER;
    TG_ENSURE(out->payload_size <= TG__BLOCK_PAYLOAD_MAX, TG_ERR_CORRUPT);
    TG_ENSURE(available - TG__BLOCK_HEADER >= out->payload_size, TG_ERR_TORN);
    uint32_t crc = tg__crc32c(0, bytes, CRC_AT);
    crc = tg__crc32c(crc, out->payload, out->payload_size);
    TG_ENSURE(crc == tg__get_u32(bytes + CRC_AT), TG_ERR_CORRUPT);
    return TG_OK;
}

size_t tg__file_info_encode(const tg__file_info *info, unsigned char *out)
{
    const size_t path_size = strlen(info->rings_path);
    tg__put_u32(out, info->version);
    tg__put_u32(out + 4, info->clock_kind);
    tg__put_u32(out + 8, info->threads_max);
    tg__put_u32(out + 12, info->ring_size);
    tg__put_u32(out + 16, info->pid);
    tg__put_u32(out + 20, info->file_number);
    tg__put_u64(out + 24, info->recorder_id);
    tg__put_u32(out + 32, (uint32_t)path_size);
    memcpy(out + FILE_FIXED, info->rings_path, path_size);
    return FILE_FIXED + path_size;
}

tg_err tg__file_info_decode(const tg__block *block, tg__file_info *out)
{
    TG_ENSURE(block->payload_size >= FILE_FIXED, TG_ERR_CORRUPT);
    const unsigned char *in = block->payload;
    memset(out, 0, sizeof *out);
    out->version = tg__get_u32(in);
    out->clock_kind = tg__get_u32(in + 4);
    out->threads_max = tg__get_u32(in + 8);
    out->ring_size = tg__get_u32(in + 12);
    out->pid = tg__get_u32(in + 16);
    out->file_number = tg__get_u32(in + 20);
    out->recorder_id = tg__get_u64(in + 24);
    const uint32_t path_size = tg__get_u32(in + 32);
    TG_ENSURE(out->version == TG__FORMAT_VERSION, TG_ERR_UNSUPPORTED);
    TG_ENSURE(path_size < sizeof out->rings_path && path_size <= block->payload_size - FILE_FIXED,
              TG_ERR_CORRUPT);
    memcpy(out->rings_path, in + FILE_FIXED, path_size);
    return TG_OK;
}

size_t tg__anchor_encode(const tg__anchor *anchor, unsigned char *out)
{
    tg__put_u64(out, anchor->stamp);
    tg__put_u64(out + 8, (uint64_t)anchor->mono_ns);
    tg__put_u64(out + 16, (uint64_t)anchor->boot_ns);
    tg__put_u64(out + 24, (uint64_t)anchor->utc_ns);
    return ANCHOR_SIZE;
}

tg_err tg__anchor_decode(const tg__block *block, tg__anchor *out)
{
    TG_ENSURE(block->payload_size >= ANCHOR_SIZE, TG_ERR_CORRUPT);
    out->stamp = tg__get_u64(block->payload);
    out->mono_ns = (int64_t)tg__get_u64(block->payload + 8);
    out->boot_ns = (int64_t)tg__get_u64(block->payload + 16);
    out->utc_ns = (int64_t)tg__get_u64(block->payload + 24);
    return TG_OK;
}

size_t tg__note_encode(const tg__note *note, unsigned char *out)
{
    tg__put_u32(out, note->kind);
    tg__put_u32(out + 4, (uint32_t)note->error);
    tg__put_u32(out + 8, note->thread);
    tg__put_u32(out + 12, 0);
    tg__put_u64(out + 16, note->count);
    tg__put_u64(out + 24, (uint64_t)note->from_mono_ns);
    tg__put_u64(out + 32, (uint64_t)note->to_mono_ns);
    tg__put_u64(out + 40, note->lost);
    return NOTE_SIZE;
}

tg_err tg__note_decode(const tg__block *block, tg__note *out)
{
    TG_ENSURE(block->payload_size >= NOTE_FIXED, TG_ERR_CORRUPT);
    out->kind = tg__get_u32(block->payload);
    out->error = (int32_t)tg__get_u32(block->payload + 4);
    out->thread = tg__get_u32(block->payload + 8);
    out->count = tg__get_u64(block->payload + 16);
    out->from_mono_ns = (int64_t)tg__get_u64(block->payload + 24);
    out->to_mono_ns = (int64_t)tg__get_u64(block->payload + 32);
    out->lost = block->payload_size >= NOTE_SIZE ? tg__get_u64(block->payload + 40) : 0;
    return TG_OK;
}

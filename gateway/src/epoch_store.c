#include "epoch_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/crc32c.h>

#include "entropy.h"

#define FILE_SIZE_MAX 256u

static tg_err save(const tg__epoch_store *store, uint32_t next_epoch, tg__cause *cause)
{
    char text[FILE_SIZE_MAX];
    const int body = snprintf(text, sizeof text,
                              "tickglass-epochs 1\nlineage %016" PRIx64 "\nnext %" PRIu32 "\n",
                              store->lineage, next_epoch);
    const uint32_t crc = tg__crc32c(0, text, (size_t)body);
    const int tail = snprintf(text + body, sizeof text - (size_t)body, "crc %08" PRIx32 "\n", crc);
    return tg__file_write(store->path, text, (size_t)(body + tail), 0600, cause);
}

static tg_err damaged(const tg__epoch_store *store, unsigned line, const char *what,
                      tg__cause *cause)
{
    return tg__cause_set(
        cause, TG_ERR_EPOCH_STORE,
        "%s:%u: %s: restore it, or use another --state-dir (epochs that were given "
        "out must not be given again)",
        store->path, line, what);
}

/* The hexadecimal or decimal number behind prefix on the line at *at; moves *at to the next line.
 */
static bool read_number(const char **at, const char *prefix, unsigned base, uint64_t *out)
{
    const size_t length = strlen(prefix);
    if (strncmp(*at, prefix, length) != 0) {
        return false;
    }
    const char *digit = *at + length;
    uint64_t value = 0;
    unsigned count = 0;
    for (; *digit != '\n'; digit++, count++) {
        const char *const digits = "0123456789abcdef";
        const char *found = *digit == '\0' ? NULL : memchr(digits, *digit, base);
        if (found == NULL || count == 16) {
            return false;
        }
        value = value * base + (uint64_t)(found - digits);
    }
    *at = digit + 1;
    *out = value;
    return count > 0;
}

static tg_err parse(tg__epoch_store *store, const char *text, tg__cause *cause)
{
    static const char header[] = "tickglass-epochs 1\n";
    const char *at = text;
    uint64_t next = 0;
    uint64_t crc = 0;
    if (strncmp(at, header, sizeof header - 1) != 0) {
        return damaged(store, 1, "is not an epoch file of version 1", cause);
    }
    at += sizeof header - 1;
    if (!read_number(&at, "lineage ", 16, &store->lineage)) {
        return damaged(store, 2, "does not name a lineage", cause);
    }
    if (!read_number(&at, "next ", 10, &next) || next < 1 || next > UINT32_MAX) {
        return damaged(store, 3, "does not name the next epoch", cause);
    }
    const uint32_t expected = tg__crc32c(0, text, (size_t)(at - text));
    if (!read_number(&at, "crc ", 16, &crc) || crc != expected || *at != '\0') {
        return damaged(store, 4, "the checksum does not match", cause);
    }
    store->next_epoch = (uint32_t)next;
    return TG_OK;
}

tg_err tg__epoch_store_open(tg__epoch_store *store, const tg__state_dir *dir, tg__cause *cause)
{
    char text[FILE_SIZE_MAX];
    size_t size = 0;
    memset(store, 0, sizeof *store);
    TG_TRY(tg__state_dir_path(dir, "epochs", store->path, cause));
    const tg_err err = tg__file_read(store->path, text, sizeof text, &size, cause);
    if (err == TG_ERR_NOT_FOUND) {
        TG_TRY(tg__entropy_get(&store->lineage, sizeof store->lineage, cause));
        store->next_epoch = 1;
        return save(store, store->next_epoch, cause);
    }
    TG_TRY(err);
    return parse(store, text, cause);
}

tg_err tg__epoch_store_next(tg__epoch_store *store, uint32_t *epoch, tg__cause *cause)
{
    if (store->next_epoch == UINT32_MAX) {
        return tg__cause_set(cause, TG_ERR_EPOCH_STORE, "%s: no epoch is left", store->path);
    }
    TG_TRY(save(store, store->next_epoch + 1, cause));
    *epoch = store->next_epoch++;
    return TG_OK;
}

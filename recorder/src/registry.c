#include "registry.h"

#include <string.h>

#include <tickglass/record_inline.h>

#include "dictionary.h"
#include "recorder_state.h"

/* Static, so that a first call allocates nothing, and pages that no site reaches cost nothing.
 * Sites stay for the life of the process: a library that is closed and opened again finds its own
 * by content, because its tg__site variables begin at 0 again. */
static struct {
    pthread_mutex_t lock;
    tg_recorder *recorders;
    uint64_t last_serial;
    uint32_t site_count;
    uint32_t used;
    uint32_t offsets[TG__SITES_MAX + 1];
    uint32_t hashes[TG__SITES_MAX + 1];
    _Alignas(8) unsigned char bytes[TG__DICTIONARY_BYTES];
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Thread_local tg__thread_cache tg_record_thread TG__TLS_MODEL;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&registry.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&registry.lock);
}

/* The rings are shared with the parent: a child that wrote into them would tear its records. The
 * forking thread is the only one in the child, so its cache is the only one to forget. */
static void after_fork_in_child(void)
{
    for (tg_recorder *recorder = registry.recorders; recorder != NULL; recorder = recorder->next) {
        atomic_store_explicit(&recorder->forked, 1,
                              memory_order_relaxed); /* single-threaded here */
    }
    tg_record_thread.serial = 0;
    tg_record_thread.producer = NULL;
    (void)pthread_mutex_unlock(&registry.lock);
}

static uint32_t hash_entry(const unsigned char *bytes, size_t size)
{
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a; only narrows the search */
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    }
    return hash;
}

/* The id of the site in the dictionary, adding it to the registry's and to every recorder's; 0 if
 * there is no room. Locked. */
static uint32_t intern(tg__site_info *info)
{
    unsigned char *entry = registry.bytes + registry.used;
    info->id = 0; /* not compared */
    const size_t size = tg__site_encode(info, entry, sizeof registry.bytes - registry.used);
    if (size == 0) {
        return 0;
    }
    enum {
        AFTER_ID = 8
    };
    const uint32_t hash = hash_entry(entry + AFTER_ID, size - AFTER_ID);
    for (uint32_t id = 1; id <= registry.site_count; id++) {
        const unsigned char *other = registry.bytes + registry.offsets[id];
        if (registry.hashes[id] == hash && memcmp(other, entry, 4) == 0 &&
            memcmp(other + AFTER_ID, entry + AFTER_ID, size - AFTER_ID) == 0) {
            return id;
        }
    }
    if (registry.site_count == TG__SITES_MAX) {
        return 0;
    }
    info->id = ++registry.site_count;
    (void)tg__site_encode(info, entry, sizeof registry.bytes - registry.used);
    registry.offsets[info->id] = registry.used;
    registry.hashes[info->id] = hash;
    registry.used += (uint32_t)size;
    for (tg_recorder *recorder = registry.recorders; recorder != NULL; recorder = recorder->next) {
        if (atomic_load_explicit(&recorder->forked, memory_order_relaxed) != 0) {
            continue; /* its dictionary is the parent's, who gives this id to another site */
        }
        tg__rings *rings = &recorder->rings;
        memcpy(rings->dictionary + registry.offsets[info->id], entry, size);
        /* Pairs with the writer's acquire; a killed process leaves complete entries only. */
        atomic_store_explicit(&rings->header->dictionary_size, registry.used, memory_order_release);
    }
    return info->id;
}

static void intern_own(uint32_t id, const char *format, const uint8_t *types, uint8_t count)
{
    static const char file[] = "tickglass";
    tg__site_info info = {.line = id,
                          .level = id == TG__SITE_HISTOGRAM ? TG_RECORD_INFO : TG_RECORD_WARNING,
                          .argument_count = count,
                          .types = types,
                          .file = file,
                          .format = format,
                          .file_size = sizeof file - 1,
                          .format_size = (uint16_t)strlen(format)};
    (void)intern(&info); /* the first three always fit */
}

static void prepare_registry(void)
{
    static const uint8_t lost[] = {TG__TYPE_U64, TG__TYPE_U64, TG__TYPE_U64, TG__TYPE_U64};
    static const uint8_t piece[] = {TG__TYPE_TEXT, TG__TYPE_I64, TG__TYPE_I64,
                                    TG__TYPE_U32,  TG__TYPE_U32, TG__TYPE_BLOB};
    intern_own(TG__SITE_DROPPED, "%llu records dropped, %llu so far, stamps %llu to %llu", lost, 4);
    intern_own(TG__SITE_OVERWRITTEN,
               "%llu oldest records overwritten, %llu so far, stamps %llu to %llu", lost, 4);
    intern_own(TG__SITE_HISTOGRAM, "histogram %s from %lld to %lld ns, piece %u of %u: %p", piece,
               6);
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void tg__registry_lock(void)
{
    (void)pthread_mutex_lock(&registry.lock);
}

void tg__registry_unlock(void)
{
    (void)pthread_mutex_unlock(&registry.lock);
}

void tg__registry_add(tg_recorder *recorder)
{
    if (registry.site_count == 0) {
        prepare_registry();
    }
    recorder->hot.serial = ++registry.last_serial;
    memcpy(recorder->rings.dictionary, registry.bytes, registry.used);
    atomic_store_explicit(&recorder->rings.header->dictionary_size, registry.used,
                          memory_order_release); /* pairs with the writer's acquire */
    recorder->next = registry.recorders;
    registry.recorders = recorder;
}

void tg__registry_remove(tg_recorder *recorder)
{
    for (tg_recorder **link = &registry.recorders; *link != NULL; link = &(*link)->next) {
        if (*link == recorder) {
            *link = recorder->next;
            return;
        }
    }
}

tg_recorder *tg__registry_find(uint64_t serial)
{
    tg_recorder *recorder = registry.recorders;
    while (recorder != NULL && recorder->hot.serial != serial) {
        recorder = recorder->next;
    }
    return recorder;
}

uint32_t tg_record_site_register(tg__site *site)
{
    const size_t file_size = strlen(site->file);
    const size_t format_size = strlen(site->format);
    /* The end of a path says more than its beginning. */
    const size_t skip = file_size > TG__SITE_FILE_MAX ? file_size - TG__SITE_FILE_MAX : 0;
    if (format_size > TG__SITE_FORMAT_MAX) {
        return 0;
    }
    tg__site_info info = {.line = site->line,
                          .level = site->level,
                          .argument_count = site->argument_count,
                          .types = site->types + 1,
                          .file = site->file + skip,
                          .format = site->format,
                          .file_size = (uint16_t)(file_size - skip),
                          .format_size = (uint16_t)format_size};
    tg__registry_lock();
    const uint32_t id = intern(&info);
    tg__registry_unlock();
    /* Pairs with the acquire in TG__RECORD: a record's entry is complete before the record is. */
    atomic_store_explicit(&site->id, id, memory_order_release);
    return id;
}

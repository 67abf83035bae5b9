/* A library with a call site of its own, for registry_test.c to load and unload. */
#include <tickglass/recorder.h>

TG_API void plugin_record(tg_recorder *recorder, uint32_t number);

void plugin_record(tg_recorder *recorder, uint32_t number)
{
    TG_RECORD(recorder, TG_RECORD_INFO, "from a library, number %u", number);
}

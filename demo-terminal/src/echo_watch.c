#include "echo_watch.h"

#define KIND_ECHO_REPLY 0x02u
#define REPLY_SIZE      17u /* kind, cookie, the gateway's time; may grow */

void echo_watch_message(echo_watch *watch, const void *bytes, size_t size, int64_t received_mono_ns)
{
    const unsigned char *at = bytes;
    if (size < REPLY_SIZE || at[0] != KIND_ECHO_REPLY) {
        return;
    }
    watch->cookie = 0;
    for (unsigned i = 0; i < 8; i++) {
        watch->cookie |= (uint64_t)at[1 + i] << (8 * i);
    }
    watch->received_mono_ns = received_mono_ns;
    watch->waiting = true;
}

bool echo_watch_take(echo_watch *watch, const tg_client *client, echo_times *out)
{
    if (!watch->waiting) {
        return false;
    }
    watch->waiting = false;
    tg_client_counters counters = {.struct_size = sizeof counters};
    /* This is the thread that counts: both numbers are of one echo. */
    if (tg_client_counters_get(client, &counters) != TG_OK || counters.rtt_ns < 0 ||
        counters.rtt_mono_ns != watch->received_mono_ns) {
        return false;
    }
    *out = (echo_times){watch->cookie, watch->received_mono_ns - counters.rtt_ns,
                        watch->received_mono_ns};
    return true;
}

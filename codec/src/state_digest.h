/** The digest of a channel's state, with the rows of a frame laid over it. PROTOCOL.md 6.5. */
#ifndef TG_STATE_DIGEST_H
#define TG_STATE_DIGEST_H

#include <tickglass/internal/channel.h>

/* updates are ordered by slot. */
uint32_t tg__state_digest(const tg__channel *channel, const tg__update *updates, uint32_t count);

#endif

/* One message through our codec, told as the vector files tell it. */
#ifndef VECTOR_MESSAGE_H
#define VECTOR_MESSAGE_H

#include "vector_channel.h"

/*
 * Decodes the bytes and, if they are valid, applies them to the channel. The result, which the
 * caller deletes, is {message, channel} (the latter for data messages) or {error, offset, row}.
 */
cJSON *vector_outcome(vector_channel *channel, bool from_gateway, const uint8_t *bytes,
                      size_t size);

#endif

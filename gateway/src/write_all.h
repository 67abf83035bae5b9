/** write() until everything is written. */
#ifndef TG_GATEWAY_WRITE_ALL_H
#define TG_GATEWAY_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>

/* False: errno says why, and a part may have been written. */
bool tg__write_all(int fd, const void *bytes, size_t size);

#endif

/** What the system knows about a connection's socket. */
#ifndef TG_GATEWAY_TCP_SOCKET_H
#define TG_GATEWAY_TCP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps what lies in the kernel small, for it cannot be conflated any more. False: errno says why.
 */
bool tg__tcp_socket_cap(int fd);

/* Bytes that the other machine has not acknowledged, sent or not; 0 if that is not known. */
size_t tg__tcp_socket_waiting(int fd);

/* The connection is gone in both directions, as after a RST; after a FIN one is still there. */
bool tg__tcp_socket_is_closed(int fd);

#endif

/* struct tcp_info is Linux's own. */
#define _DEFAULT_SOURCE

#include "tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define SEND_BUFFER_SIZE 16384 /* bytes */
#define UNSENT_MAX       8192  /* writable only while less than this has not left the machine */

static bool set_option(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

bool tg__tcp_socket_cap(int fd)
{
    return set_option(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER_SIZE) &&
           set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_MAX);
}

size_t tg__tcp_socket_waiting(int fd)
{
    int waiting = 0;
    return ioctl(fd, TIOCOUTQ, &waiting) == 0 && waiting > 0 ? (size_t)waiting : 0;
}

bool tg__tcp_socket_is_closed(int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state == TCP_CLOSE;
}

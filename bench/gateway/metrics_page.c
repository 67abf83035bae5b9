#include "metrics_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int connect_to(uint16_t port)
{
    struct sockaddr_in address;
    const struct timeval limit = {5, 0};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
                    connect(fd, (struct sockaddr *)&address, sizeof address) != 0)) {
        const int cause = errno;
        (void)close(fd);
        errno = cause;
        return -1;
    }
    return fd;
}

bool metrics_page_get(uint16_t port, char *page, size_t size, why *reason)
{
    static const char request[] = "GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
    const int fd = connect_to(port);
    if (fd < 0 || send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0) {
        (void)why_say(reason, "the metrics page: %s", strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    size_t length = 0;
    ssize_t got = 1;
    while (got > 0 && length < size - 1) {
        got = recv(fd, page + length, size - 1 - length, 0);
        length += got > 0 ? (size_t)got : 0;
    }
    page[length] = '\0';
    (void)close(fd);
    const char *const body = strstr(page, "\r\n\r\n");
    const char *const status = strchr(page, ' ');
    if (body == NULL || status == NULL || strncmp(status, " 200", 4) != 0) {
        return why_say(reason, "the metrics page answers \"%.*s\"", (int)strcspn(page, "\r\n"),
                       page);
    }
    memmove(page, body + 4, strlen(body + 4) + 1);
    return true;
}

bool metrics_page_sum(const char *page, const char *name, double *out)
{
    const size_t length = strlen(name);
    bool found = false;
    *out = 0;
    for (const char *line = page; line != NULL && *line != '\0';) {
        const char behind = strncmp(line, name, length) == 0 ? line[length] : '\0';
        const char *const end = strchr(line, '\n');
        if (behind == ' ' || behind == '{') {
            const char *const closed = behind == '{' ? strchr(line, '}') : line + length - 1;
            if (closed != NULL) {
                *out += strtod(closed + 1, NULL);
                found = true;
            }
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return found;
}

#include "metrics_page.h"

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 30000

/* The port that the gateway's log names. */
static uint16_t port_of(metrics_page *page, const gateway_process *gateway)
{
    static const char where[] = "metrics at http://127.0.0.1:";
    FILE *file = fopen(gateway->log, "r");
    assert_non_null(file);
    page->text[fread(page->text, 1, sizeof page->text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    const char *at = strstr(page->text, where);
    assert_non_null(at);
    return (uint16_t)strtoul(at + sizeof where - 1, NULL, 10);
}

void metrics_page_read(metrics_page *page, const gateway_process *gateway)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(port_of(page, gateway)),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, request, sizeof request - 1, 0), sizeof request - 1);
    size_t size = 0;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
        assert_true(size + 1 < sizeof page->text);
        const ssize_t got = recv(fd, page->text + size, sizeof page->text - size - 1, 0);
        assert_true(got >= 0);
        if (got == 0) {
            break;
        }
        size += (size_t)got;
    }
    page->text[size] = '\0';
    (void)close(fd);
    assert_memory_equal(page->text, "HTTP/1.1 200 OK\r\n", 17);
}

double metrics_page_value(const metrics_page *page, const char *sample)
{
    char line[256];
    (void)snprintf(line, sizeof line, "\ntickglass_gateway_%s ", sample);
    const char *at = strstr(page->text, line);
    if (at == NULL) {
        fail_msg("there is no %s", sample);
        return -1;
    }
    return strtod(at + strlen(line), NULL);
}

double metrics_page_sum(const metrics_page *page, const char *name)
{
    char start[256];
    double sum = 0;
    unsigned found = 0;
    (void)snprintf(start, sizeof start, "\ntickglass_gateway_%s", name);
    for (const char *at = strstr(page->text, start); at != NULL; at = strstr(at, start)) {
        at += strlen(start);
        if (*at == ' ' || *at == '{') { /* else a longer name */
            const char *const value = *at == ' ' ? at : strstr(at, "} ");
            assert_non_null(value);
            sum += strtod(value + (*at == ' ' ? 0 : 1), NULL);
            found++;
        }
    }
    assert_true(found > 0);
    return sum;
}

/* A descriptor that is not the server's own and ends its wait when there is something to read. */
#include "websocket_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* libwebsockets closes what it has adopted: it gets a copy, and the caller keeps his. */
tg_err tg__websocket_server_watch(tg__websocket_server *server, int fd, tg__cause *cause)
{
    lws_sock_file_fd_type copy = {.filefd = fcntl(fd, F_DUPFD_CLOEXEC, 0)};
    tg__websocket_server_unwatch(server);
    if (copy.filefd < 0) {
        return tg__cause_set(cause, TG_ERR_IO, "a descriptor cannot be watched: %s",
                             strerror(errno));
    }
    server->watch =
        lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, copy, NULL, NULL);
    if (server->watch == NULL) {
        (void)close(copy.filefd); /* only what it has taken is its own */
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "a descriptor cannot be watched");
    }
    return TG_OK;
}

void tg__websocket_server_unwatch(tg__websocket_server *server)
{
    if (server->watch != NULL) {
        lws_wsi_close(server->watch, LWS_TO_KILL_SYNC); /* says so, which clears the pointer */
    }
}

/* Faults on request, for tests and rehearsals: a connection that is open and dead, or breaks. */
#include "websocket_state.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <tickglass/internal/control_flow.h>

#include "log.h"

#define KEEP_US 400000 /* less than the shortest time after which libwebsockets would ping */

/* libwebsockets pings and hangs up by itself: it is told that the client is well. */
void tg__websocket_keep_half_open(tg__websocket_session *own)
{
    lws_validity_confirmed(own->wsi);
    lws_set_timer_usecs(own->wsi, KEEP_US);
}

static void set_half_open(tg__websocket_session *own, bool on)
{
    own->half_open = on;
    (void)lws_rx_flow_control(own->wsi, on ? 0 : 1);
    if (on) {
        tg__websocket_keep_half_open(own);
    } else {
        /* Nobody has listened: its silence begins now. */
        own->heard_mono_ns = tg__websocket_moment(tg__websocket_server_of(own->wsi)).mono_ns;
        (void)lws_callback_on_writable(own->wsi);
    }
}

uint32_t tg__websocket_fault_half_open(tg__websocket_server *server, uint64_t number, bool on)
{
    uint32_t count = 0;
    for (const tg__peer *peer = server->hub->first_peer; peer != NULL; peer = peer->next) {
        if (number == 0 || peer->number == number) {
            set_half_open(peer->owner, on);
            count++;
        }
    }
    return count;
}

void tg__websocket_fault_reset_all(tg__websocket_server *server)
{
    const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    for (const tg__peer *peer = server->hub->first_peer; peer != NULL; peer = peer->next) {
        tg__websocket_session *own = peer->owner;
        own->seen = TG__END_FAULT;
        if (connect(lws_get_socket_fd(own->wsi), &nowhere, sizeof nowhere) != 0) {
            tg__log("%s: cannot be reset: %s", own->address, strerror(errno));
        }
    }
}

tg_err tg__websocket_fault_change_certificate(tg__websocket_server *server, tg__cause *cause)
{
    TG_TRY(tg__certificate_renew(server->options.certificate, time(NULL), cause));
    return tg__websocket_server_reload_certificate(server, cause);
}

/* Who may come in: path, subprotocol, rate, token. */
#include "websocket_state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "log.h"
#include "wipe.h"

static bool has_path(tg__websocket_server *server, struct lws *wsi)
{
    const int length = lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_GET_URI);
    return length > 0 && strcmp(server->header, TG__UPGRADE_PATH) == 0;
}

/* One of the comma-separated names is ours. */
static bool offers_subprotocol(tg__websocket_server *server, struct lws *wsi)
{
    const int length = lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_PROTOCOL);
    const char *at = length > 0 ? server->header : "";
    while (*at != '\0') {
        at += strspn(at, ", \t");
        const size_t name = strcspn(at, ", \t");
        if (name == strlen(TG__SUBPROTOCOL) && memcmp(at, TG__SUBPROTOCOL, name) == 0) {
            return true;
        }
        at += name;
    }
    return false;
}

/* Leaves in server->admitted what the token gives, or that its verdict is still to come. */
static void ask_door(tg__websocket_server *server, struct lws *wsi)
{
    static const char scheme[] = "Bearer ";
    static const tg__door_answer nothing = {.verdict = TG__TOKEN_MALFORMED};
    const int length =
        lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_HTTP_AUTHORIZATION);
    const size_t skip = sizeof scheme - 1;
    server->admitted = nothing;
    if (length > 0 && (size_t)length > skip && strncasecmp(server->header, scheme, skip) == 0) {
        server->admitted = tg__door_ask(server->door, server->header + skip, (size_t)length - skip,
                                        tg__websocket_moment(server).utc_ns);
    }
    /* libwebsockets' own copy, in its block of headers, is out of our reach. */
    tg__wipe(server->header, sizeof server->header);
}

static bool is_admitting(const tg__websocket_server *server)
{
    return !server->refuses_new && !server->paused && server->hub != NULL &&
           server->hub->peer_count < server->options.peers_max;
}

typedef struct refusal {
    unsigned status; /* 0: allowed */
    const char *why;
} refusal;

static refusal judge_upgrade(tg__websocket_server *server, struct lws *wsi)
{
    if (!has_path(server, wsi)) {
        return (refusal){HTTP_STATUS_NOT_FOUND, "no such path"};
    }
    if (!offers_subprotocol(server, wsi)) {
        return (refusal){HTTP_STATUS_BAD_REQUEST, "the subprotocol is not offered"};
    }
    if (server->hub == NULL || server->paused) {
        return (refusal){HTTP_STATUS_SERVICE_UNAVAILABLE, "there is nothing to serve"};
    }
    if (server->refuses_new) {
        return (refusal){HTTP_STATUS_SERVICE_UNAVAILABLE, "this gateway goes away"};
    }
    if (server->hub->peer_count + server->waiting_count >= server->options.peers_max) {
        return (refusal){HTTP_STATUS_SERVICE_UNAVAILABLE, "no room for another connection"};
    }
    if (!tg__token_bucket_take(&server->upgrades, tg__websocket_moment(server).mono_ns)) {
        return (refusal){HTTP_STATUS_SERVICE_UNAVAILABLE, "over the admission rate"};
    }
    ask_door(server, wsi);
    const tg__token_verdict verdict = server->admitted.verdict;
    return (refusal){tg__door_status(verdict), tg__token_verdict_text(verdict)};
}

static int answer(struct lws *wsi, unsigned status, uint32_t retry_after_s)
{
    uint8_t buffer[LWS_PRE + 512];
    uint8_t *const start = buffer + LWS_PRE;
    uint8_t *const end = buffer + sizeof buffer - 1;
    uint8_t *at = start;
    char seconds[16];
    const int digits = snprintf(seconds, sizeof seconds, "%u", (unsigned)retry_after_s);
    if (lws_add_http_header_status(wsi, status, &at, end) != 0 ||
        lws_add_http_header_content_length(wsi, 0, &at, end) != 0 ||
        (retry_after_s > 0 &&
         lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_RETRY_AFTER, (const uint8_t *)seconds,
                                      digits, &at, end) != 0) ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    return 1;
}

int tg__websocket_confirm_upgrade(struct lws *wsi)
{
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    const refusal refused = judge_upgrade(server, wsi);
    tg__upgrade_counts_add(&server->upgrade_counts, refused.status);
    if (refused.status == 0) {
        return 0;
    }
    const uint32_t retry_after_s =
        refused.status == HTTP_STATUS_SERVICE_UNAVAILABLE
            ? tg__retry_spread_next(&server->retry_spread, tg__websocket_moment(server).mono_ns)
            : 0;
    char address[TG__ADDRESS_SIZE] = "?";
    (void)lws_get_peer_simple(wsi, address, sizeof address);
    tg__log("%s: upgrade refused with status %u: %s", address, refused.status, refused.why);
    return answer(wsi, refused.status, retry_after_s);
}

int tg__websocket_answer_http(struct lws *wsi, const char *path)
{
    unsigned status = HTTP_STATUS_NOT_FOUND;
    if (strcmp(path, TG__READY_PATH) == 0) {
        status = is_admitting(tg__websocket_server_of(wsi)) ? HTTP_STATUS_OK
                                                            : HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    return answer(wsi, status, 0) < 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

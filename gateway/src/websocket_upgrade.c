/* Who may come in: path, subprotocol, rate, token. */
#include "websocket_state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "log.h"

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

static bool has_token(tg__websocket_server *server, struct lws *wsi)
{
    static const char scheme[] = "Bearer ";
    const int length =
        lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_HTTP_AUTHORIZATION);
    const size_t skip = sizeof scheme - 1;
    const bool good =
        length > 0 && (size_t)length > skip && strncasecmp(server->header, scheme, skip) == 0 &&
        tg__bearer_matches(server->options.bearer, server->header + skip, (size_t)length - skip);
    memset(server->header, 0, sizeof server->header);
    return good;
}

static bool is_admitting(const tg__websocket_server *server)
{
    return !server->refuses_new && !server->paused && server->hub != NULL &&
           server->hub->peer_count < server->options.peers_max;
}

/* 0: allowed. */
static unsigned judge_upgrade(tg__websocket_server *server, struct lws *wsi,
                              uint32_t *retry_after_s)
{
    *retry_after_s = 0;
    if (!has_path(server, wsi)) {
        return HTTP_STATUS_NOT_FOUND;
    }
    if (!offers_subprotocol(server, wsi)) {
        return HTTP_STATUS_BAD_REQUEST;
    }
    if (!is_admitting(server) ||
        !tg__token_bucket_take(&server->upgrades, tg__websocket_moment(server).mono_ns)) {
        *retry_after_s = tg__token_bucket_wait_s(&server->upgrades);
        return HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    return has_token(server, wsi) ? 0 : HTTP_STATUS_UNAUTHORIZED;
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
    uint32_t retry_after_s = 0;
    const unsigned status = judge_upgrade(server, wsi, &retry_after_s);
    tg__upgrade_counts_add(&server->upgrade_counts, status);
    if (status == 0) {
        return 0;
    }
    char address[TG__ADDRESS_SIZE] = "?";
    (void)lws_get_peer_simple(wsi, address, sizeof address);
    tg__log("%s: upgrade refused with status %u", address, status);
    return answer(wsi, status, retry_after_s);
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

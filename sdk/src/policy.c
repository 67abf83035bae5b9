#include "policy.h"

#include <stddef.h>

#include <tickglass/internal/control.h>

typedef struct code_row {
    uint16_t first; /* a code is judged by the first row whose range holds it */
    uint16_t last;
    tg__policy_row row;
} code_row;

/* Who is told that there are too many does not come back at once, even if no time was given. */
#define ADMISSION_MS 1000u

/* clang-format off */
static const code_row close_rows[] = {
    {1000, 1000, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway closed the session", 0}},
    {1001, 1001, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway goes away", 0}},
    {1002, 1003, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway calls our message a protocol error", 0}},
    {1004, 1006, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the connection was lost", 0}},
    {1007, 1008, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway refuses our message", 0}},
    {1009, 1009, {TG__POLICY_RETRY_SLOW, TG_ERR_FRAME_SIZE,      "a message was too big", 0}},
    {1010, 1010, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway misses an extension", 0}},
    {1011, 1011, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway met an internal error", 0}},
    {1012, 1012, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway restarts", 0}},
    {1013, 1013, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway is overloaded", ADMISSION_MS}},
    {4001, 4001, {TG__POLICY_RENEW,      TG_ERR_UNAUTHORIZED,    "the token expired", 0}},
    {4003, 4003, {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the gateway forbids this session", 0}},
    {4004, 4004, {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the session was logged out", 0}},
    {4008, 4008, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "this client reads too slowly", 0}},
    {4010, 4010, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway calls our message bad", 0}},
    {0,   65535, {TG__POLICY_RETRY_SLOW, TG_ERR_DISCONNECTED,    "the gateway closed with a code of its own", 0}},
};

static const code_row http_rows[] = {
    {300, 399,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway redirects, which is not followed", 0}},
    {401, 401,   {TG__POLICY_RENEW,      TG_ERR_UNAUTHORIZED,    "the gateway refused the token", 0}},
    {403, 403,   {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the gateway forbids this token", 0}},
    {408, 408,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway did not get the request in time", 0}},
    {425, 425,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway wants the request later", 0}},
    {429, 429,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway limits attempts", ADMISSION_MS}},
    {400, 499,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway refused the upgrade", 0}},
    {503, 503,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway admits nobody now", ADMISSION_MS}},
    {502, 504,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway is not available", 0}},
    {500, 599,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway failed", 0}},
    {0, 65535,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the answer is not that of a gateway", 0}},
};

static const code_row proxy_rows[] = {
    {407, 407,   {TG__POLICY_STOP,       TG_ERR_REFUSED,         "the proxy does not accept our user name and password", 0}},
    {408, 408,   {TG__POLICY_RETRY,      TG_ERR_CONNECT,         "the proxy did not get the request in time", 0}},
    {429, 429,   {TG__POLICY_RETRY,      TG_ERR_CONNECT,         "the proxy limits attempts", ADMISSION_MS}},
    {502, 504,   {TG__POLICY_RETRY,      TG_ERR_CONNECT,         "the proxy could not reach the gateway", 0}},
    {100, 599,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the proxy refused the connection", 0}},
    {0, 65535,   {TG__POLICY_RETRY,      TG_ERR_CONNECT,         "the proxy did not lead to the gateway", 0}},
};

static const tg__policy_row cause_rows[TG__CAUSE_COUNT] = {
    [TG__CAUSE_RESOLVE]     = {TG__POLICY_RETRY,      TG_ERR_CONNECT,      "the name could not be resolved", 0},
    [TG__CAUSE_CONNECT]     = {TG__POLICY_RETRY,      TG_ERR_CONNECT,      "the gateway could not be reached", 0},
    [TG__CAUSE_TLS]         = {TG__POLICY_RETRY_SLOW, TG_ERR_TLS,          "the TLS session could not be made", 0},
    [TG__CAUSE_CERTIFICATE] = {TG__POLICY_RETRY_SLOW, TG_ERR_CERTIFICATE,  "the gateway's certificate was refused", 0},
    [TG__CAUSE_UPGRADE]     = {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,      "the peer does not speak " TG__SUBPROTOCOL, 0},
    [TG__CAUSE_LOST]        = {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED, "the connection was lost", 0},
    [TG__CAUSE_TIMEOUT]     = {TG__POLICY_RETRY,      TG_ERR_TIMEOUT,      "the gateway did not answer in time", 0},
    [TG__CAUSE_PEER_FAULT]  = {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,     "the gateway broke the protocol", 0},
    [TG__CAUSE_TOKEN]       = {TG__POLICY_RETRY_SLOW, TG_ERR_UNAUTHORIZED, "no token could be had", 0},
    [TG__CAUSE_STOPPED]     = {TG__POLICY_STOP,       TG_OK,               "stopped", 0},
};
/* clang-format on */

static tg__policy_row row_of_code(const code_row *rows, uint16_t code)
{
    /* The last row of each table holds every code. */
    size_t i = 0;
    while (code < rows[i].first || code > rows[i].last) {
        i++;
    }
    return rows[i].row;
}

tg__policy_row tg__policy_of(const tg__closed *closed)
{
    if (closed->cause == TG__CAUSE_CLOSE_CODE) {
        return row_of_code(close_rows, closed->code);
    }
    if (closed->cause == TG__CAUSE_HTTP_STATUS) {
        return row_of_code(http_rows, closed->code);
    }
    if (closed->cause == TG__CAUSE_PROXY) {
        return row_of_code(proxy_rows, closed->code);
    }
    return cause_rows[closed->cause < TG__CAUSE_COUNT ? closed->cause : TG__CAUSE_LOST];
}

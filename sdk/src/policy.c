#include "policy.h"

#include <stddef.h>

#include <tickglass/internal/control.h>

typedef struct code_row {
    uint16_t first; /* a code is judged by the first row whose range holds it */
    uint16_t last;
    tg__policy_row row;
} code_row;

/* clang-format off */
static const code_row close_rows[] = {
    {1000, 1000, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway closed the session"}},
    {1001, 1001, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway goes away"}},
    {1002, 1003, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway calls our message a protocol error"}},
    {1004, 1006, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the connection was lost"}},
    {1007, 1008, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway refuses our message"}},
    {1009, 1009, {TG__POLICY_RETRY_SLOW, TG_ERR_FRAME_SIZE,      "a message was too big"}},
    {1010, 1010, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway misses an extension"}},
    {1011, 1011, {TG__POLICY_RETRY_SLOW, TG_ERR_DISCONNECTED,    "the gateway met an internal error"}},
    {1012, 1012, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "the gateway restarts"}},
    {1013, 1013, {TG__POLICY_RETRY_SLOW, TG_ERR_DISCONNECTED,    "the gateway is overloaded"}},
    {4001, 4001, {TG__POLICY_RENEW,      TG_ERR_UNAUTHORIZED,    "the token expired"}},
    {4003, 4003, {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the gateway forbids this session"}},
    {4004, 4004, {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the session was logged out"}},
    {4008, 4008, {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED,    "this client reads too slowly"}},
    {4010, 4010, {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,        "the gateway calls our message bad"}},
    {0,   65535, {TG__POLICY_RETRY_SLOW, TG_ERR_DISCONNECTED,    "the gateway closed with a code of its own"}},
};

static const code_row http_rows[] = {
    {300, 399,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway redirects, which is not followed"}},
    {401, 401,   {TG__POLICY_RENEW,      TG_ERR_UNAUTHORIZED,    "the gateway refused the token"}},
    {403, 403,   {TG__POLICY_STOP,       TG_ERR_UNAUTHORIZED,    "the gateway forbids this token"}},
    {407, 407,   {TG__POLICY_STOP,       TG_ERR_REFUSED,         "a proxy wants credentials"}},
    {408, 408,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway did not get the request in time"}},
    {425, 425,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway wants the request later"}},
    {429, 429,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway limits attempts"}},
    {400, 499,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway refused the upgrade"}},
    {503, 503,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway admits nobody now"}},
    {502, 504,   {TG__POLICY_RETRY,      TG_ERR_REFUSED,         "the gateway is not available"}},
    {500, 599,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the gateway failed"}},
    {0, 65535,   {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,         "the answer is not that of a gateway"}},
};

static const tg__policy_row cause_rows[TG__CAUSE_COUNT] = {
    [TG__CAUSE_RESOLVE]     = {TG__POLICY_RETRY,      TG_ERR_CONNECT,      "the name could not be resolved"},
    [TG__CAUSE_CONNECT]     = {TG__POLICY_RETRY,      TG_ERR_CONNECT,      "the gateway could not be reached"},
    [TG__CAUSE_TLS]         = {TG__POLICY_RETRY_SLOW, TG_ERR_TLS,          "the TLS session could not be made"},
    [TG__CAUSE_CERTIFICATE] = {TG__POLICY_RETRY_SLOW, TG_ERR_CERTIFICATE,  "the gateway's certificate was refused"},
    [TG__CAUSE_UPGRADE]     = {TG__POLICY_RETRY_SLOW, TG_ERR_REFUSED,      "the peer does not speak " TG__SUBPROTOCOL},
    [TG__CAUSE_LOST]        = {TG__POLICY_RETRY,      TG_ERR_DISCONNECTED, "the connection was lost"},
    [TG__CAUSE_TIMEOUT]     = {TG__POLICY_RETRY,      TG_ERR_TIMEOUT,      "the gateway did not answer in time"},
    [TG__CAUSE_PEER_FAULT]  = {TG__POLICY_RETRY_SLOW, TG_ERR_PROTOCOL,     "the gateway broke the protocol"},
    [TG__CAUSE_STOPPED]     = {TG__POLICY_STOP,       TG_OK,               "stopped"},
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
    return cause_rows[closed->cause < TG__CAUSE_COUNT ? closed->cause : TG__CAUSE_LOST];
}

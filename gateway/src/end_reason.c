#include "end_reason.h"

#include <tickglass/internal/control.h>

const char *tg__end_reason_text(tg__end_reason reason)
{
    static const char *const texts[TG__END_REASONS] = {
        [TG__END_CLIENT_CLOSE] = "client_close",
        [TG__END_LOST] = "lost",
        [TG__END_RESET] = "reset",
        [TG__END_TIMEOUT] = "timeout",
        [TG__END_SLOW] = "slow",
        [TG__END_DRAIN] = "drain",
        [TG__END_PROTOCOL] = "protocol",
        [TG__END_CREDENTIALS] = "credentials",
        [TG__END_RESOURCES] = "resources",
        [TG__END_SERVER_STOP] = "server_stop",
        [TG__END_FAULT] = "fault",
    };
    return texts[reason];
}

tg__end_reason tg__end_reason_of(uint16_t close_code, tg__end_reason seen)
{
    switch (close_code) {
    case 0:
        return seen;
    case TG__CLOSE_NORMAL:
    case TG__CLOSE_GOING_AWAY:
        return TG__END_SERVER_STOP;
    case TG__CLOSE_SERVICE_RESTART:
        return TG__END_DRAIN;
    case TG__CLOSE_TRY_AGAIN_LATER:
        return TG__END_RESOURCES;
    case TG__CLOSE_TOKEN_EXPIRED:
    case TG__CLOSE_FORBIDDEN:
    case TG__CLOSE_LOGGED_OUT:
        return TG__END_CREDENTIALS;
    case TG__CLOSE_SLOW_CONSUMER:
        return TG__END_SLOW;
    default:
        return TG__END_PROTOCOL;
    }
}

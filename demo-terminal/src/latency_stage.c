#include "latency_stage.h"

const char *latency_stage_label(latency_stage stage)
{
    switch (stage) {
    case LATENCY_DECODE:
        return "decode";
    case LATENCY_COMMIT:
        return "commit";
    case LATENCY_WAIT:
        return "wait for pass";
    case LATENCY_DRAW:
        return "draw";
    case LATENCY_PRESENT:
        return "present";
    case LATENCY_RECEIVED_TO_HANDED:
        return "received \xE2\x86\x92 handed off";
    case LATENCY_EXCHANGE_TO_HANDED:
        return "exchange \xE2\x86\x92 handed off";
    case LATENCY_STAGE_COUNT:
        break;
    }
    return "";
}

const char *latency_stage_tag(latency_stage stage)
{
    switch (stage) {
    case LATENCY_DECODE:
        return "terminal_decode";
    case LATENCY_COMMIT:
        return "terminal_commit";
    case LATENCY_WAIT:
        return "terminal_wait";
    case LATENCY_DRAW:
        return "terminal_draw";
    case LATENCY_PRESENT:
        return "terminal_present";
    case LATENCY_RECEIVED_TO_HANDED:
        return "terminal_received_to_handed";
    case LATENCY_EXCHANGE_TO_HANDED:
        return "terminal_exchange_to_handed";
    case LATENCY_STAGE_COUNT:
        break;
    }
    return "";
}

/*
 * News of publications, from the thread that publishes to the owner of the screen: which there are,
 * and whether the owner is to be woken for them. Each wake costs both threads calls of the system,
 * and ticks of the priority channel come in bursts of hundreds a second, of which 120 are drawn:
 * the owner looks by himself when the next may be.
 */
#ifndef TG_TERMINAL_NEWS_GATE_H
#define TG_TERMINAL_NEWS_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum news_kind {
    NEWS_OF_ROWS = 1,
    NEWS_OF_PRIORITY = 2 /* of the priority channel, and nothing else */
} news_kind;

/* Zeroed: nothing has come, and nothing is awaited. Sums of kinds. */
typedef struct news_gate {
    _Atomic unsigned told;
    _Atomic unsigned awaited;
} news_gate;

/* True: the owner awaits them and is to be woken. Thread: any. */
bool news_gate_tell(news_gate *gate, news_kind kind);

/* Before a sleep: what is to end it. True: some of it is there already. Thread: owner. */
bool news_gate_await(news_gate *gate, unsigned kinds);

/* What was told since the last call, awaited or not. Thread: owner. */
unsigned news_gate_take(news_gate *gate);

#endif

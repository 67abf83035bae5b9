#include "news_gate.h"

/* Who tells writes told and reads awaited, the owner the other way round: sequentially consistent,
 * so that at least one of them sees what the other wrote. Otherwise news could come and the owner
 * sleep. */

bool news_gate_tell(news_gate *gate, news_kind kind)
{
    (void)atomic_fetch_or_explicit(&gate->told, (unsigned)kind, memory_order_seq_cst);
    return (atomic_load_explicit(&gate->awaited, memory_order_seq_cst) & (unsigned)kind) != 0;
}

bool news_gate_await(news_gate *gate, unsigned kinds)
{
    atomic_store_explicit(&gate->awaited, kinds, memory_order_seq_cst);
    return (atomic_load_explicit(&gate->told, memory_order_seq_cst) & kinds) != 0;
}

unsigned news_gate_take(news_gate *gate)
{
    /* Acquire: what was published before it was told is seen by who takes it. */
    return atomic_exchange_explicit(&gate->told, 0, memory_order_acquire);
}

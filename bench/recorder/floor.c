#include "floor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "timing.h"

#define LINE 64u

floor_ring *floor_open(void)
{
    floor_ring *ring = aligned_alloc(LINE, (sizeof *ring + LINE - 1) & ~(size_t)(LINE - 1));
    if (ring == NULL) {
        return NULL;
    }
    memset(ring, 0, sizeof *ring);
    ring->bytes = aligned_alloc(LINE, FLOOR_RING_SIZE);
    if (ring->bytes == NULL) {
        free(ring);
        return NULL;
    }
    memset(ring->bytes, 1, FLOOR_RING_SIZE); /* no page fault is measured */
    return ring;
}

void floor_close(floor_ring *ring)
{
    free(ring->bytes);
    free(ring);
}

typedef struct floor_writer {
    floor_ring *ring;
    uint64_t end;
    int fd;
    bool failed;
} floor_writer;

static void *write_out(void *arg)
{
    floor_writer *writer = arg;
    uint64_t head = 0;
    while (head < writer->end) {
        const uint64_t tail =
            atomic_load_explicit(&writer->ring->tail, memory_order_acquire); /* floor_put */
        const uint64_t lap_end = (head | (FLOOR_RING_SIZE - 1)) + 1;
        const uint64_t stop = tail < lap_end ? tail : lap_end;
        if (stop == head) {
            (void)sched_yield();
            continue;
        }
        const ssize_t wrote =
            write(writer->fd, writer->ring->bytes + (head & (FLOOR_RING_SIZE - 1)),
                  (size_t)(stop - head));
        writer->failed = writer->failed || wrote != (ssize_t)(stop - head);
        head = stop;
        atomic_store_explicit(&writer->ring->head, head, memory_order_release); /* the producer */
    }
    return NULL;
}

double floor_sustained(const char *path, uint32_t count)
{
    floor_writer writer = {floor_open(), (uint64_t)count * sizeof(floor_record), -1, false};
    writer.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pthread_t thread;
    if (writer.ring == NULL || writer.fd < 0 ||
        pthread_create(&thread, NULL, write_out, &writer) != 0) {
        return -1;
    }
    const int64_t begin_ns = bench_now_ns();
    for (uint32_t i = 0; i < count; i++) {
        while (writer.ring->at - writer.ring->head_seen > FLOOR_RING_SIZE - sizeof(floor_record)) {
            writer.ring->head_seen = atomic_load_explicit(&writer.ring->head, memory_order_acquire);
            (void)sched_yield(); /* with fewer processors than threads a spin starves the writer */
        }
        floor_put(writer.ring, bench_cycles(), i, 1842750 + (int64_t)(i % 16), 1843000, i);
    }
    (void)pthread_join(thread, NULL);
    const double ns = (double)(bench_now_ns() - begin_ns) / count;
    (void)close(writer.fd);
    floor_close(writer.ring);
    return writer.failed ? -1 : ns;
}

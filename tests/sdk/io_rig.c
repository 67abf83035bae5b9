#include "io_rig.h"

#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control.h>

static void on_dialled(void *ctx, uint32_t generation)
{
    const io_rig *rig = ctx;
    assert_int_equal(generation, 7);
    assert_int_equal(rig->requested, 0);
}

static void on_requested(void *ctx, uint32_t generation)
{
    io_rig *rig = ctx;
    assert_int_equal(generation, 7);
    assert_int_equal(rig->connected, 0);
    rig->requested++;
}

static void on_connected(void *ctx, uint32_t generation, const char *peer)
{
    io_rig *rig = ctx;
    assert_non_null(strstr(peer, "127.0.0.1 port "));
    assert_int_equal(generation, 7);
    assert_int_equal(rig->requested, 1); /* the token went before */
    rig->connected++;
}

static void on_message(void *ctx, uint32_t generation, const uint8_t *bytes, size_t size,
                       int64_t received_mono_ns)
{
    io_rig *rig = ctx;
    assert_true(received_mono_ns > 0);
    rig->after_leaving = rig->after_leaving || rig->left;
    rig->messages++;
    rig->message_bytes += size;
    rig->last_size = size < sizeof rig->last ? size : sizeof rig->last;
    memcpy(rig->last, bytes, rig->last_size);
    if (rig->reaction == IO_RIG_DROP) {
        tg__io_drop(rig->io, generation);
        rig->left = true;
    } else if (rig->reaction == IO_RIG_CLOSE) {
        tg__io_close_connection(rig->io, generation, TG__CLOSE_BAD_MESSAGE);
        rig->left = true;
    }
}

static void on_progress(void *ctx, uint32_t generation, size_t size)
{
    io_rig *rig = ctx;
    assert_int_equal(generation, 7);
    rig->after_leaving = rig->after_leaving || rig->left;
    rig->progress = size;
}

static void on_closed(void *ctx, uint32_t generation, const tg__closed *closed)
{
    io_rig *rig = ctx;
    assert_int_equal(generation, 7);
    rig->after_leaving = rig->after_leaving || rig->left;
    rig->closed_count++;
    rig->closed = *closed;
    tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock)); /* so that tg__io_service() returns */
}

static void on_timer(void *ctx)
{
    io_rig *rig = ctx;
    rig->timer = true;
    rig->messages_at_timer = rig->messages;
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

io_rig *io_rig_start(raw_script script)
{
    static io_rig rig;
    memset(&rig, 0, sizeof rig);
    raw_server_start(&rig.server, script);
    rig.clock = tg_clock_system();
    tg__io_options options;
    memset(&options, 0, sizeof options);
    char url[64];
    (void)snprintf(url, sizeof url, "ws://127.0.0.1:%u", (unsigned)rig.server.port);
    tg__url parsed;
    assert_int_equal(tg__url_parse(url, &parsed), TG_OK);
    options.urls = &parsed;
    options.url_count = 1;
    assert_int_equal(tg__credential_init(&rig.credential, "the-token", true), TG_OK);
    options.credential = &rig.credential;
    options.message_size_max = IO_RIG_MESSAGE_MAX;
    options.clock = &rig.clock;
    options.handler =
        (tg__io_handler){on_dialled, on_requested, on_connected, on_message, on_progress,
                         on_closed,  on_timer,     on_wake,      &rig};
    assert_int_equal(tg__io_open(&options, &rig.io), TG_OK);
    tg__io_connect(rig.io, 7, 0);
    return &rig;
}

void io_rig_serve(io_rig *rig)
{
    const int64_t until = tg_clock_mono_ns(&rig->clock) + INT64_C(60000000000);
    while (rig->closed_count == 0 && !(rig->left && tg__io_leaving(rig->io) == 0)) {
        tg__io_timer(rig->io, tg_clock_mono_ns(&rig->clock) + 100000000);
        tg__io_service(rig->io, true);
        assert_true(tg_clock_mono_ns(&rig->clock) < until);
    }
}

void io_rig_finish(io_rig *rig)
{
    assert_false(rig->after_leaving);
    assert_true(rig->closed_count <= 1);
    tg__io_close(rig->io);
    tg__credential_deinit(&rig->credential);
    raw_server_stop(&rig->server);
}

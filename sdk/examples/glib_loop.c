/* In a GMainContext, and so in GTK: the client is a GSource like any other. */
#include <glib.h>

#include "price_watch.h"

typedef struct client_source {
    GSource base;
    price_watch *watch;
    GMainLoop *loop;
    gpointer tag;
} client_source;

static gboolean prepare(GSource *base, gint *timeout_ms)
{
    client_source *source = (client_source *)base;
    *timeout_ms = price_watch_timeout_ms(source->watch, 1000);
    return *timeout_ms == 0;
}

static gboolean check(GSource *base)
{
    client_source *source = (client_source *)base;
    return g_source_query_unix_fd(base, source->tag) != 0 ||
           price_watch_timeout_ms(source->watch, 1000) == 0;
}

static gboolean dispatch(GSource *base, GSourceFunc callback, gpointer ctx)
{
    client_source *source = (client_source *)base;
    (void)callback;
    (void)ctx;
    if (!price_watch_step(source->watch)) {
        g_main_loop_quit(source->loop);
    }
    return G_SOURCE_CONTINUE;
}

static void run(price_watch *watch, int fd)
{
    static GSourceFuncs functions = {.prepare = prepare, .check = check, .dispatch = dispatch};
    GSource *base = g_source_new(&functions, sizeof(client_source));
    client_source *source = (client_source *)base;
    source->watch = watch;
    source->loop = g_main_loop_new(NULL, FALSE);
    source->tag = g_source_add_unix_fd(base, fd, G_IO_IN);
    (void)g_source_attach(base, NULL);
    g_main_loop_run(source->loop);
    g_source_destroy(base);
    g_main_loop_unref(source->loop);
    g_source_unref(base);
}

int main(int argc, char **argv) /* URL CA-FILE TOKEN */
{
    price_watch watch;
    int fd = -1;
    bool good = price_watch_open(&watch, argc, argv) && tg_client_fd(watch.client, &fd) == TG_OK;
    if (good) {
        run(&watch, fd);
        good = watch.shown == watch.wanted;
    }
    price_watch_close(&watch);
    return good ? 0 : 1;
}

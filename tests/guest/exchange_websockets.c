/** The host's own WebSocket is the system's libwebsockets, on OpenSSL: an echo over loopback TLS.
 */
#include "exchange.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <libwebsockets.h>
#include <openssl/pem.h>

#include "openssl_certificate.h"

#define MESSAGE       "what the host says"
#define TIMEOUT_S     20
#define PEM_SIZE      4096
#define PROTOCOL_NAME "guest-echo"

/* One exchange; lws gives it to every callback as the context's user pointer. */
struct exchange {
    bool echoed;
    bool failed;
    char why[128];
    char certificate[PEM_SIZE];
    char key[PEM_SIZE];
};

const char *guest_exchange_library(void)
{
    return lws_get_library_version();
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    struct exchange *e = lws_context_user(lws_get_context(wsi));
    unsigned char message[LWS_PRE + sizeof MESSAGE];
    (void)user;
    if (reason == LWS_CALLBACK_CLIENT_CONNECTION_ERROR) {
        e->failed = true;
        (void)snprintf(e->why, sizeof e->why, "%s", in != NULL ? (const char *)in : "no reason");
    } else if (reason == LWS_CALLBACK_CLIENT_ESTABLISHED || reason == LWS_CALLBACK_RECEIVE) {
        lws_callback_on_writable(wsi);
    } else if (reason == LWS_CALLBACK_CLIENT_WRITEABLE || reason == LWS_CALLBACK_SERVER_WRITEABLE) {
        memcpy(message + LWS_PRE, MESSAGE, sizeof MESSAGE);
        return lws_write(wsi, message + LWS_PRE, sizeof MESSAGE, LWS_WRITE_BINARY) < 0 ? -1 : 0;
    } else if (reason == LWS_CALLBACK_CLIENT_RECEIVE) {
        e->echoed = size == sizeof MESSAGE && memcmp(in, MESSAGE, size) == 0;
        e->failed = !e->echoed;
    }
    return 0;
}

static bool pem_of(struct exchange *e)
{
    EVP_PKEY *key = NULL;
    X509 *certificate = NULL;
    BIO *text = BIO_new(BIO_s_mem());
    bool good = text != NULL && guest_certificate_make("localhost", &key, &certificate) &&
                PEM_write_bio_X509(text, certificate) == 1;
    if (good) {
        const int n = BIO_read(text, e->certificate, PEM_SIZE - 1);
        good = n > 0 && PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL) == 1;
    }
    good = good && BIO_read(text, e->key, PEM_SIZE - 1) > 0;
    BIO_free(text);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return good;
}

static struct lws_context *context_open(struct exchange *e, const struct lws_protocols *protocols)
{
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.user = e;
    info.gid = -1;
    info.uid = -1;
    info.server_ssl_cert_mem = e->certificate;
    info.server_ssl_cert_mem_len = (unsigned int)strlen(e->certificate);
    info.server_ssl_private_key_mem = e->key;
    info.server_ssl_private_key_mem_len = (unsigned int)strlen(e->key);
    info.client_ssl_ca_mem = e->certificate;
    info.client_ssl_ca_mem_len = (unsigned int)strlen(e->certificate);
    struct lws_context *context = lws_create_context(&info);
    struct lws_vhost *vhost = context != NULL ? lws_get_vhost_by_name(context, "default") : NULL;
    if (vhost == NULL) {
        lws_context_destroy(context);
        return NULL;
    }
    struct lws_client_connect_info to;
    memset(&to, 0, sizeof to);
    to.context = context;
    to.vhost = vhost;
    to.address = "127.0.0.1";
    to.port = lws_get_vhost_port(vhost);
    to.path = "/";
    to.host = "localhost";
    to.origin = "localhost";
    to.protocol = PROTOCOL_NAME;
    to.ssl_connection = LCCSCF_USE_SSL;
    if (lws_client_connect_via_info(&to) == NULL) {
        e->failed = true;
    }
    return context;
}

int guest_exchange(char *why, size_t size)
{
    static struct exchange e;
    static const struct lws_protocols protocols[] = {
        {.name = PROTOCOL_NAME, .callback = on_event, .rx_buffer_size = 1024},
        {.name = NULL},
    };
    memset(&e, 0, sizeof e);
    lws_set_log_level(LLL_ERR, NULL);
    if (!pem_of(&e)) {
        (void)snprintf(why, size, "libwebsockets: no certificate");
        return -1;
    }
    struct lws_context *context = context_open(&e, protocols);
    if (context == NULL) {
        (void)snprintf(why, size, "libwebsockets: no context");
        return -1;
    }
    const time_t deadline = time(NULL) + TIMEOUT_S;
    while (!e.echoed && !e.failed && time(NULL) < deadline) {
        (void)lws_service(context, 0);
    }
    lws_context_destroy(context);
    if (!e.echoed) {
        (void)snprintf(why, size, "libwebsockets: %s", e.failed ? e.why : "timed out");
    }
    return e.echoed ? 0 : -1;
}

#include "tls_context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <tickglass/internal/control_flow.h>

#include "secret_file.h"
#include "wipe.h"

#define KEY_SIZE      32u
#define KEY_NAME_SIZE 4u
#define PEM_SIZE      65536u
#define NS_PER_S      INT64_C(1000000000)
#define NO_PERIOD     INT64_MIN
/* Over the period, so that mbedTLS never makes a key of its own, which no other gateway has. */
#define KEY_LIFETIME_S (TG__TICKET_PERIOD_S + 600)
/* A handshake that was under way when its certificate was replaced has ended after so long: the
 * server hangs up on it much earlier. */
#define RETIRED_S INT64_C(60)

/* A certificate and its key. */
typedef struct generation {
    struct generation *older;
    int64_t retired_mono_ns;
    mbedtls_x509_crt chain;
    mbedtls_pk_context key;
} generation;

struct tg__tls_context {
    const tg__certificate *certificate;
    char ticket_key_path[TG__PATH_SIZE];
    generation *newest;
    uint8_t secret[TG__SECRET_SIZE];
    int64_t period;
    mbedtls_ssl_ticket_context tickets;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    tg__tls_counts counts;
};

/* libwebsockets passes nothing through to mbedtls_ssl_setup() that could name the server. */
static _Thread_local tg__tls_context *current;

static tg_err tls_fault(tg__cause *cause, const char *what, int code)
{
    return tg__cause_set(cause, TG_ERR_TLS, "%s: mbedTLS error -0x%04x", what, (unsigned)-code);
}

/* ---- the certificate ---- */

static void free_generations(generation *first)
{
    while (first != NULL) {
        generation *older = first->older;
        mbedtls_x509_crt_free(&first->chain);
        mbedtls_pk_free(&first->key);
        free(first);
        first = older;
    }
}

static tg_err read_certificate(tg__tls_context *tls, generation *made, char *pem, tg__cause *cause)
{
    const tg__certificate *files = tls->certificate;
    size_t size = 0;
    TG_TRY(tg__file_read(files->certificate_path, pem, PEM_SIZE, &size, cause));
    if (mbedtls_x509_crt_parse(&made->chain, (const unsigned char *)pem, size + 1) != 0) {
        return tg__cause_set(cause, TG_ERR_CERTIFICATE, "%s: is not a PEM certificate",
                             files->certificate_path);
    }
    TG_TRY(tg__file_read(files->key_path, pem, PEM_SIZE, &size, cause));
    const int code = mbedtls_pk_parse_key(&made->key, (const unsigned char *)pem, size + 1, NULL, 0,
                                          mbedtls_ctr_drbg_random, &tls->random);
    if (code != 0 || mbedtls_pk_check_pair(&made->chain.pk, &made->key, mbedtls_ctr_drbg_random,
                                           &tls->random) != 0) {
        return tg__cause_set(cause, TG_ERR_CERTIFICATE, "%s: is not the PEM key of %s",
                             files->key_path, files->certificate_path);
    }
    return TG_OK;
}

static tg_err load_generation(tg__tls_context *tls, generation **out, tg__cause *cause)
{
    *out = NULL;
    char *pem = malloc(PEM_SIZE);
    generation *made = calloc(1, sizeof *made);
    tg_err err = TG_OK;
    if (pem == NULL || made == NULL) {
        free(made);
        made = NULL;
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the certificate");
    } else {
        mbedtls_x509_crt_init(&made->chain);
        mbedtls_pk_init(&made->key);
        err = read_certificate(tls, made, pem, cause);
        tg__wipe(pem, PEM_SIZE);
    }
    free(pem);
    if (err != TG_OK) {
        free_generations(made);
        return err;
    }
    *out = made;
    return TG_OK;
}

static void install(tg__tls_context *tls, generation *made, int64_t mono_ns)
{
    made->older = tls->newest;
    tls->newest = made;
    tls->counts.certificates++;
    if (made->older == NULL) {
        return;
    }
    made->older->retired_mono_ns = mono_ns;
    for (generation **link = &made->older; *link != NULL; link = &(*link)->older) {
        if (mono_ns - (*link)->retired_mono_ns >= RETIRED_S * NS_PER_S) {
            free_generations(*link); /* it and all that are older */
            *link = NULL;
            break;
        }
    }
}

/* After the client's hello, before anything is sent. */
static int choose_certificate(mbedtls_ssl_context *ssl)
{
    const mbedtls_ssl_config *config = mbedtls_ssl_context_get_config(ssl);
    const tg__tls_context *tls =
        mbedtls_ssl_conf_get_user_data_p((mbedtls_ssl_config *)(uintptr_t)config);
    /* First NULL: a name in the hello has made libwebsockets put its own there, that of the start.
     */
    const int code = mbedtls_ssl_set_hs_own_cert(ssl, NULL, NULL);
    return code != 0 ? code
                     : mbedtls_ssl_set_hs_own_cert(ssl, &tls->newest->chain, &tls->newest->key);
}

/* ---- tickets ---- */

static bool parse_secret(const char *text, size_t size, uint8_t out[TG__SECRET_SIZE])
{
    if (size != TG__SECRET_SIZE * 2 &&
        !(size == TG__SECRET_SIZE * 2 + 1 && text[size - 1] == '\n')) {
        return false;
    }
    for (size_t i = 0; i < TG__SECRET_SIZE * 2; i++) {
        const char c = text[i];
        const bool digit = c >= '0' && c <= '9';
        if (!digit && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        const unsigned value = (unsigned)(digit ? c - '0' : c - 'a' + 10);
        out[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : out[i / 2] | value);
    }
    return true;
}

static tg_err read_secret(const char *path, uint8_t out[TG__SECRET_SIZE], tg__cause *cause)
{
    char text[TG__SECRET_SIZE * 2 + 8];
    size_t size = 0;
    struct stat status;
    TG_TRY(tg__file_read(path, text, sizeof text, &size, cause));
    const bool good = parse_secret(text, size, out);
    tg__wipe(text, sizeof text);
    if (!good) {
        return tg__cause_set(cause, TG_ERR_FORMAT, "%s: is not one line of 64 hexadecimal digits",
                             path);
    }
    if (stat(path, &status) != 0 || (status.st_mode & 077) != 0) {
        return tg__cause_set(cause, TG_ERR_FORMAT,
                             "%s: others may read it, and with it recorded sessions: chmod 600",
                             path);
    }
    return TG_OK;
}

static tg_err find_secret(tg__tls_context *tls, const tg__state_dir *dir, const char *path,
                          tg__cause *cause)
{
    if (path != NULL) {
        if (strlen(path) >= sizeof tls->ticket_key_path) {
            return tg__cause_set(cause, TG_ERR_INVALID_ARGUMENT, "--ticket-key-file is too long");
        }
        memcpy(tls->ticket_key_path, path, strlen(path) + 1);
        return read_secret(path, tls->secret, cause);
    }
    TG_TRY(tg__state_dir_path(dir, "ticket.key", tls->ticket_key_path, cause));
    const tg_err err = read_secret(tls->ticket_key_path, tls->secret, cause);
    if (err != TG_ERR_NOT_FOUND) {
        return err;
    }
    TG_TRY(tg__secret_file_make(tls->ticket_key_path, cause));
    return read_secret(tls->ticket_key_path, tls->secret, cause);
}

/* A piece of the secret that is of one period and one purpose. */
static int derive(const tg__tls_context *tls, uint8_t purpose, int64_t period,
                  uint8_t out[KEY_SIZE])
{
    uint8_t label[9] = {purpose};
    for (unsigned i = 0; i < 8; i++) {
        label[1 + i] = (uint8_t)((uint64_t)period >> (8 * i));
    }
    return mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), tls->secret,
                           sizeof tls->secret, label, sizeof label, out);
}

static int use_period(tg__tls_context *tls, int64_t period)
{
    uint8_t name[KEY_SIZE];
    uint8_t key[KEY_SIZE];
    int code = derive(tls, 'n', period, name);
    if (code == 0) {
        code = derive(tls, 'k', period, key);
    }
    if (code == 0) {
        code = mbedtls_ssl_ticket_rotate(&tls->tickets, name, KEY_NAME_SIZE, key, sizeof key,
                                         KEY_LIFETIME_S);
    }
    tg__wipe(key, sizeof key);
    return code;
}

/* If it fails, which needs memory to be exhausted, the keys stay those of the period before. */
static void rotate_keys(tg__tls_context *tls, int64_t period)
{
    if ((tls->period == period - 1 || use_period(tls, period - 1) == 0) &&
        use_period(tls, period) == 0) {
        tls->period = period;
    }
}

static int write_ticket(void *context, const mbedtls_ssl_session *session, unsigned char *start,
                        const unsigned char *end, size_t *size, uint32_t *lifetime_s)
{
    tg__tls_context *tls = context;
    const int code = mbedtls_ssl_ticket_write(&tls->tickets, session, start, end, size, lifetime_s);
    tls->counts.tickets_given += code == 0;
    return code;
}

static int read_ticket(void *context, mbedtls_ssl_session *session, unsigned char *ticket,
                       size_t size)
{
    tg__tls_context *tls = context;
    const int code = mbedtls_ssl_ticket_parse(&tls->tickets, session, ticket, size);
    tls->counts.tickets_taken += code == 0;
    tls->counts.tickets_refused += code != 0;
    return code;
}

/* ---- the seam ---- */

int __real_mbedtls_ssl_setup(mbedtls_ssl_context *ssl, const mbedtls_ssl_config *config);
int __wrap_mbedtls_ssl_setup(mbedtls_ssl_context *ssl, const mbedtls_ssl_config *config);

int __wrap_mbedtls_ssl_setup(mbedtls_ssl_context *ssl, const mbedtls_ssl_config *config)
{
    tg__tls_context *tls = current;
    if (tls != NULL && mbedtls_ssl_conf_get_endpoint(config) == MBEDTLS_SSL_IS_SERVER) {
        /* It is the caller's own, made for this connection a moment ago. */
        mbedtls_ssl_config *own = (mbedtls_ssl_config *)(uintptr_t)config;
        mbedtls_ssl_conf_set_user_data_p(own, tls);
        mbedtls_ssl_conf_cert_cb(own, choose_certificate);
        mbedtls_ssl_conf_session_tickets_cb(own, write_ticket, read_ticket, tls);
        mbedtls_ssl_conf_tls13_key_exchange_modes(
            own, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ALL);
    }
    return __real_mbedtls_ssl_setup(ssl, config);
}

void tg__tls_context_enter(tg__tls_context *tls, int64_t utc_ns)
{
    const int64_t period = utc_ns / NS_PER_S / TG__TICKET_PERIOD_S;
    if (period != tls->period) {
        rotate_keys(tls, period);
    }
    current = tls;
}

void tg__tls_context_leave(void)
{
    current = NULL;
}

/* ---- life ---- */

static tg_err open_context(tg__tls_context *tls, const tg__state_dir *dir,
                           const char *ticket_key_path, tg__cause *cause)
{
    static const char purpose[] = "tickglass-gateway tickets";
    generation *made = NULL;
    if (psa_crypto_init() != PSA_SUCCESS) {
        return tg__cause_set(cause, TG_ERR_TLS, "mbedTLS could not be started");
    }
    int code = mbedtls_ctr_drbg_seed(&tls->random, mbedtls_entropy_func, &tls->entropy,
                                     (const unsigned char *)purpose, sizeof purpose - 1);
    if (code == 0) {
        code = mbedtls_ssl_ticket_setup(&tls->tickets, mbedtls_ctr_drbg_random, &tls->random,
                                        MBEDTLS_CIPHER_AES_256_GCM, KEY_LIFETIME_S);
    }
    if (code != 0) {
        return tls_fault(cause, "session tickets", code);
    }
    TG_TRY(find_secret(tls, dir, ticket_key_path, cause));
    TG_TRY(load_generation(tls, &made, cause));
    install(tls, made, 0);
    return TG_OK;
}

tg_err tg__tls_context_open(const tg__certificate *certificate, const tg__state_dir *dir,
                            const char *ticket_key_path, tg__tls_context **out, tg__cause *cause)
{
    *out = NULL;
    tg__tls_context *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the TLS context");
    }
    tls->certificate = certificate;
    tls->period = NO_PERIOD;
    mbedtls_ssl_ticket_init(&tls->tickets);
    mbedtls_entropy_init(&tls->entropy);
    mbedtls_ctr_drbg_init(&tls->random);
    const tg_err err = open_context(tls, dir, ticket_key_path, cause);
    if (err != TG_OK) {
        tg__tls_context_close(tls);
        return err;
    }
    *out = tls;
    return TG_OK;
}

void tg__tls_context_close(tg__tls_context *tls)
{
    if (tls == NULL) {
        return;
    }
    free_generations(tls->newest);
    mbedtls_ssl_ticket_free(&tls->tickets);
    mbedtls_ctr_drbg_free(&tls->random);
    mbedtls_entropy_free(&tls->entropy);
    tg__wipe(tls->secret, sizeof tls->secret);
    free(tls);
}

tg_err tg__tls_context_reload(tg__tls_context *tls, int64_t mono_ns, tg__cause *cause)
{
    uint8_t secret[TG__SECRET_SIZE];
    generation *made = NULL;
#ifdef TG_WITHOUT_TLS_SEAM
    return tg__cause_set(cause, TG_ERR_UNSUPPORTED,
                         "this build uses the system's libwebsockets, whose certificate stays");
#endif
    TG_TRY(read_secret(tls->ticket_key_path, secret, cause));
    tg_err err = load_generation(tls, &made, cause);
    if (err == TG_OK) {
        install(tls, made, mono_ns);
        if (memcmp(secret, tls->secret, sizeof secret) != 0) {
            memcpy(tls->secret, secret, sizeof secret);
            tls->period = NO_PERIOD; /* both keys anew at the next entry */
        }
    }
    tg__wipe(secret, sizeof secret);
    return err;
}

const tg__tls_counts *tg__tls_context_counts(const tg__tls_context *tls)
{
    return &tls->counts;
}

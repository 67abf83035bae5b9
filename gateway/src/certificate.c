#include "certificate.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>

#include <tickglass/internal/control_flow.h>

#include "wipe.h"

#define PEM_SIZE       4096u
#define SERIAL_SIZE    16u
#define DAY_S          ((time_t)24 * 60 * 60)
#define CERTIFICATE_S  (397 * DAY_S) /* the longest that common clients accept */
#define BACKDATED_S    DAY_S         /* for clients whose clock is behind */
#define RENEW_BEFORE_S (7 * DAY_S)
#define CA_NAME        "CN=tickglass development CA"
#define SERVER_NAME    "CN=localhost"

typedef struct generator {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    char not_before[16];
    char not_after[16];
} generator;

static tg_err tls_fault(tg__cause *cause, const char *what, int code)
{
    char text[128];
    mbedtls_strerror(code, text, sizeof text);
    return tg__cause_set(cause, TG_ERR_TLS, "%s: %s (-0x%04x)", what, text, (unsigned)-code);
}

static tg_err format_time(time_t at, char out[16])
{
    struct tm utc;
    TG_ENSURE(gmtime_r(&at, &utc) != NULL, TG_ERR_OVERFLOW);
    TG_ENSURE(strftime(out, 16, "%Y%m%d%H%M%S", &utc) == 14, TG_ERR_OVERFLOW);
    return TG_OK;
}

static tg_err generator_init(generator *g, time_t now, tg__cause *cause)
{
    static const char purpose[] = "tickglass-gateway certificate";
    mbedtls_entropy_init(&g->entropy);
    mbedtls_ctr_drbg_init(&g->random);
    TG_TRY(format_time(now - BACKDATED_S, g->not_before));
    TG_TRY(format_time(now + CERTIFICATE_S, g->not_after));
    const int code = mbedtls_ctr_drbg_seed(&g->random, mbedtls_entropy_func, &g->entropy,
                                           (const unsigned char *)purpose, sizeof purpose - 1);
    return code == 0 ? TG_OK : tls_fault(cause, "random numbers", code);
}

static void generator_deinit(generator *g)
{
    mbedtls_ctr_drbg_free(&g->random);
    mbedtls_entropy_free(&g->entropy);
}

static tg_err make_key(generator *g, mbedtls_pk_context *key, tg__cause *cause)
{
    int code = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    if (code == 0) {
        code = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key),
                                   mbedtls_ctr_drbg_random, &g->random);
    }
    return code == 0 ? TG_OK : tls_fault(cause, "making a key", code);
}

static int set_server_extensions(mbedtls_x509write_cert *writer)
{
    static const unsigned char v4[] = {127, 0, 0, 1};
    static const unsigned char v6[16] = {[15] = 1};
    static const char host[] = "localhost";
    mbedtls_x509_san_list names[3];
    memset(names, 0, sizeof names);
    names[0].node.type = MBEDTLS_X509_SAN_DNS_NAME;
    names[0].node.san.unstructured_name.p = (unsigned char *)(uintptr_t)host;
    names[0].node.san.unstructured_name.len = sizeof host - 1;
    names[0].next = &names[1];
    names[1].node.type = MBEDTLS_X509_SAN_IP_ADDRESS;
    names[1].node.san.unstructured_name.p = (unsigned char *)(uintptr_t)v4;
    names[1].node.san.unstructured_name.len = sizeof v4;
    names[1].next = &names[2];
    names[2].node.type = MBEDTLS_X509_SAN_IP_ADDRESS;
    names[2].node.san.unstructured_name.p = (unsigned char *)(uintptr_t)v6;
    names[2].node.san.unstructured_name.len = sizeof v6;
    int code = mbedtls_x509write_crt_set_subject_alternative_name(writer, names);
    if (code == 0) {
        code = mbedtls_x509write_crt_set_basic_constraints(writer, 0, -1);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_key_usage(writer, MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
    }
    if (code == 0) {
        const mbedtls_asn1_sequence usage = {
            .buf = {.tag = MBEDTLS_ASN1_OID,
                    .len = MBEDTLS_OID_SIZE(MBEDTLS_OID_SERVER_AUTH),
                    .p = (unsigned char *)(uintptr_t)MBEDTLS_OID_SERVER_AUTH}};
        code = mbedtls_x509write_crt_set_ext_key_usage(writer, &usage);
    }
    return code;
}

static int set_ca_extensions(mbedtls_x509write_cert *writer)
{
    int code = mbedtls_x509write_crt_set_basic_constraints(writer, 1, 0);
    if (code == 0) {
        code = mbedtls_x509write_crt_set_key_usage(writer, MBEDTLS_X509_KU_KEY_CERT_SIGN |
                                                               MBEDTLS_X509_KU_CRL_SIGN);
    }
    return code;
}

static int fill_writer(generator *g, mbedtls_x509write_cert *writer, const char *subject)
{
    unsigned char serial[SERIAL_SIZE];
    int code = mbedtls_ctr_drbg_random(&g->random, serial, sizeof serial);
    serial[0] = (unsigned char)((serial[0] & 0x7fu) | 0x40u); /* positive, without a leading 0 */
    mbedtls_x509write_crt_set_version(writer, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(writer, MBEDTLS_MD_SHA256);
    if (code == 0) {
        code = mbedtls_x509write_crt_set_serial_raw(writer, serial, sizeof serial);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_subject_name(writer, subject);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_issuer_name(writer, CA_NAME);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_validity(writer, g->not_before, g->not_after);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_subject_key_identifier(writer);
    }
    if (code == 0) {
        code = mbedtls_x509write_crt_set_authority_key_identifier(writer);
    }
    return code;
}

/* A certificate for key, signed by ca_key; the CA's own if both are the same. */
static tg_err write_certificate(generator *g, mbedtls_pk_context *key, mbedtls_pk_context *ca_key,
                                unsigned char pem[PEM_SIZE], tg__cause *cause)
{
    mbedtls_x509write_cert writer;
    mbedtls_x509write_crt_init(&writer);
    mbedtls_x509write_crt_set_subject_key(&writer, key);
    mbedtls_x509write_crt_set_issuer_key(&writer, ca_key);
    const bool is_ca = key == ca_key;
    int code = fill_writer(g, &writer, is_ca ? CA_NAME : SERVER_NAME);
    if (code == 0) {
        code = is_ca ? set_ca_extensions(&writer) : set_server_extensions(&writer);
    }
    if (code == 0) {
        code =
            mbedtls_x509write_crt_pem(&writer, pem, PEM_SIZE, mbedtls_ctr_drbg_random, &g->random);
    }
    mbedtls_x509write_crt_free(&writer);
    return code == 0 ? TG_OK : tls_fault(cause, "making a certificate", code);
}

static tg_err write_pem(const char *path, const unsigned char *pem, mode_t mode, tg__cause *cause)
{
    return tg__file_write(path, pem, strlen((const char *)pem), mode, cause);
}

static tg_err write_key(const char *path, const mbedtls_pk_context *key, tg__cause *cause)
{
    unsigned char secret[PEM_SIZE];
    const int code = mbedtls_pk_write_key_pem(key, secret, sizeof secret);
    const tg_err err =
        code == 0 ? write_pem(path, secret, 0600, cause) : tls_fault(cause, "writing a key", code);
    tg__wipe(secret, sizeof secret);
    return err;
}

/* The server's: a new key, and its certificate signed by ca_key. */
static tg_err make_server_files(const tg__certificate *m, generator *g, mbedtls_pk_context *ca_key,
                                mbedtls_pk_context *key, tg__cause *cause)
{
    unsigned char certificate[PEM_SIZE];
    TG_TRY(make_key(g, key, cause));
    TG_TRY(write_certificate(g, key, ca_key, certificate, cause));
    TG_TRY(write_key(m->key_path, key, cause));
    return write_pem(m->certificate_path, certificate, 0644, cause);
}

static tg_err make_files(const tg__certificate *m, generator *g, mbedtls_pk_context *ca_key,
                         mbedtls_pk_context *key, tg__cause *cause)
{
    unsigned char ca[PEM_SIZE];
    TG_TRY(make_key(g, ca_key, cause));
    TG_TRY(write_certificate(g, ca_key, ca_key, ca, cause));
    TG_TRY(write_key(m->ca_key_path, ca_key, cause)); /* first: the others are ours to replace */
    TG_TRY(make_server_files(m, g, ca_key, key, cause));
    /* The CA last: as long as it is missing, the next start begins anew. */
    return write_pem(m->ca_path, ca, 0644, cause);
}

static tg_err make(const tg__certificate *m, time_t now, tg__cause *cause)
{
    generator g;
    mbedtls_pk_context ca_key;
    mbedtls_pk_context key;
    mbedtls_pk_init(&ca_key);
    mbedtls_pk_init(&key);
    tg_err err = generator_init(&g, now, cause);
    if (err == TG_OK) {
        err = make_files(m, &g, &ca_key, &key, cause);
    }
    mbedtls_pk_free(&key);
    mbedtls_pk_free(&ca_key);
    generator_deinit(&g);
    return err;
}

/* ---- checking what is there ---- */

typedef struct loaded {
    mbedtls_x509_crt ca;
    mbedtls_x509_crt certificate;
    mbedtls_pk_context key;
} loaded;

static tg_err bad_file(tg__cause *cause, const char *path, const char *what)
{
    return tg__cause_set(cause, TG_ERR_CERTIFICATE,
                         "%s: %s: restore it, or remove ca.pem, server.pem and server.key to have "
                         "new ones made",
                         path, what);
}

static tg_err load_certificate(const char *path, mbedtls_x509_crt *out, tg__cause *cause)
{
    char pem[PEM_SIZE * 4];
    size_t size = 0;
    TG_TRY(tg__file_read(path, pem, sizeof pem, &size, cause));
    if (mbedtls_x509_crt_parse(out, (const unsigned char *)pem, size + 1) != 0) {
        return bad_file(cause, path, "is not a PEM certificate");
    }
    return TG_OK;
}

static tg_err load_key(generator *g, const char *path, mbedtls_pk_context *out, tg__cause *cause)
{
    char pem[PEM_SIZE];
    size_t size = 0;
    TG_TRY(tg__file_read(path, pem, sizeof pem, &size, cause));
    const int code = mbedtls_pk_parse_key(out, (const unsigned char *)pem, size + 1, NULL, 0,
                                          mbedtls_ctr_drbg_random, &g->random);
    tg__wipe(pem, sizeof pem);
    return code == 0 ? TG_OK : bad_file(cause, path, "is not a PEM private key");
}

static tg_err load(const tg__certificate *m, generator *g, loaded *l, tg__cause *cause)
{
    TG_TRY(load_certificate(m->ca_path, &l->ca, cause));
    TG_TRY(load_certificate(m->certificate_path, &l->certificate, cause));
    TG_TRY(load_key(g, m->key_path, &l->key, cause));
    uint32_t flags = 0;
    const int code =
        mbedtls_x509_crt_verify(&l->certificate, &l->ca, NULL, NULL, &flags, NULL, NULL);
    const uint32_t in_time = MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE;
    if (code != 0 && (flags & ~in_time) != 0) {
        return bad_file(cause, m->certificate_path, "was not signed by ca.pem");
    }
    if (mbedtls_pk_check_pair(&l->certificate.pk, &l->key, mbedtls_ctr_drbg_random, &g->random) !=
        0) {
        return bad_file(cause, m->key_path, "does not belong to server.pem");
    }
    return TG_OK;
}

static int compare_times(const mbedtls_x509_time *a, const char text[16])
{
    char own[64];
    (void)snprintf(own, sizeof own, "%04d%02d%02d%02d%02d%02d", a->year, a->mon, a->day, a->hour,
                   a->min, a->sec);
    return strcmp(own, text);
}

static tg_err needs_renewal(const loaded *l, time_t now, bool *out)
{
    char soon[16];
    char current[16];
    TG_TRY(format_time(now + RENEW_BEFORE_S, soon));
    TG_TRY(format_time(now, current));
    *out = compare_times(&l->certificate.valid_to, soon) < 0 ||
           compare_times(&l->ca.valid_to, soon) < 0 ||
           compare_times(&l->certificate.valid_from, current) > 0;
    return TG_OK;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Only what was made here, or is not there at all, is made anew; ca.key says that it was. */
static tg_err check_replaceable(const tg__certificate *m, const char *why, tg__cause *cause)
{
    if (is_there(m->ca_key_path) ||
        (!is_there(m->ca_path) && !is_there(m->certificate_path) && !is_there(m->key_path))) {
        return TG_OK;
    }
    return tg__cause_set(cause, TG_ERR_CERTIFICATE,
                         "%s: %s, and without %s it was not made here: put right what is yours, or "
                         "remove ca.pem, server.pem and server.key to have new ones made",
                         m->certificate_path, why, m->ca_key_path);
}

/* *usable is false if there is nothing, or it comes to its end. */
static tg_err check(const tg__certificate *m, time_t now, bool *usable, tg__cause *cause)
{
    generator g;
    loaded l;
    bool renew = false;
    mbedtls_x509_crt_init(&l.ca);
    mbedtls_x509_crt_init(&l.certificate);
    mbedtls_pk_init(&l.key);
    tg_err err = generator_init(&g, now, cause);
    if (err == TG_OK) {
        err = load(m, &g, &l, cause);
    }
    if (err == TG_OK) {
        err = needs_renewal(&l, now, &renew);
    }
    if (err == TG_OK && renew) {
        err = check_replaceable(m, "it or its CA's ends within a week", cause);
    } else if (err == TG_ERR_NOT_FOUND) {
        err = check_replaceable(m, "a file that belongs to it is missing", cause);
        renew = true;
    }
    *usable = err == TG_OK && !renew;
    mbedtls_pk_free(&l.key);
    mbedtls_x509_crt_free(&l.certificate);
    mbedtls_x509_crt_free(&l.ca);
    generator_deinit(&g);
    return err;
}

tg_err tg__certificate_open(tg__certificate *files, const tg__state_dir *dir, time_t now,
                            tg__cause *cause)
{
    memset(files, 0, sizeof *files);
    TG_TRY(tg__state_dir_path(dir, "ca.pem", files->ca_path, cause));
    TG_TRY(tg__state_dir_path(dir, "ca.key", files->ca_key_path, cause));
    TG_TRY(tg__state_dir_path(dir, "server.pem", files->certificate_path, cause));
    TG_TRY(tg__state_dir_path(dir, "server.key", files->key_path, cause));
    if (psa_crypto_init() != PSA_SUCCESS) {
        return tg__cause_set(cause, TG_ERR_TLS, "mbedTLS could not be started");
    }
    bool usable = false;
    TG_TRY(check(files, now, &usable, cause));
    if (usable) {
        return TG_OK;
    }
    TG_TRY(make(files, now, cause));
    files->made = true;
    return TG_OK;
}

tg_err tg__certificate_renew(const tg__certificate *files, time_t now, tg__cause *cause)
{
    generator g;
    mbedtls_pk_context ca_key;
    mbedtls_pk_context key;
    mbedtls_pk_init(&ca_key);
    mbedtls_pk_init(&key);
    tg_err err = generator_init(&g, now, cause);
    if (err == TG_OK) {
        err = load_key(&g, files->ca_key_path, &ca_key, cause);
    }
    if (err == TG_OK) {
        err = make_server_files(files, &g, &ca_key, &key, cause);
    }
    mbedtls_pk_free(&key);
    mbedtls_pk_free(&ca_key);
    generator_deinit(&g);
    return err;
}

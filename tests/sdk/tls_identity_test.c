/* A client's certificate and key from files as openssl writes them. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tls_folder.h"
#include "tls_identity.h"

#define PASSWORD "open sesame"

static tls_folder folder;

/* Paths of the test's folder; NULL stays NULL. */
static tg_err load(const char *certificate, const char *key, const char *password,
                   tg__tls_identity *out, char why[256])
{
    char certificate_path[96];
    char key_path[96];
    (void)snprintf(certificate_path, sizeof certificate_path, "%s",
                   tls_folder_file(&folder, certificate));
    if (key != NULL) {
        (void)snprintf(key_path, sizeof key_path, "%s", tls_folder_file(&folder, key));
    }
    why[0] = '\0';
    return tg__tls_identity_load(certificate_path, key != NULL ? key_path : NULL, password, out,
                                 why, 256);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void every_form_of_a_key_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *certificate;
        const char *key;
        const char *password;
    } rows[] = {
        {"client.pem", "client.key", NULL},
        {"client.pem", "client.key", PASSWORD}, /* not needed */
        {"client.pem", "client.pkcs8", PASSWORD},
        {"client.pem", "client.traditional", PASSWORD},
        {"client_rsa.pem", NULL, PASSWORD},
        {"client_rsa.pem", "client_rsa.pem", PASSWORD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[256];
        tg__tls_identity id;
        if (load(rows[i].certificate, rows[i].key, rows[i].password, &id, why) != TG_OK) {
            fail_msg("row %zu: %s", i, why);
        }
        assert_int_equal(count(id.chain_pem, "BEGIN CERTIFICATE"), 2); /* with its intermediate */
        assert_int_equal(count(id.chain_pem, "PRIVATE KEY"), 0);
        assert_int_equal(id.chain_pem_size, strlen(id.chain_pem) + 1);
        assert_int_equal(id.key_der[0], 0x30); /* a sequence: nothing of it is encrypted */
        assert_true(id.key_der_size > 64);
        tg__tls_identity_release(&id);
        assert_null(id.key_der);
        tg__tls_identity_release(&id);
    }
}

static void what_does_not_fit_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *certificate;
        const char *key;
        const char *password;
        const char *why;
    } rows[] = {
        {"client.pem", "client.pkcs8", "wrong", "the password does not open the key in "},
        {"client.pem", "client.traditional", "wrong", "the password does not open the key in "},
        {"client_rsa.pem", NULL, "wrong", "the password does not open the key in "},
        {"client.pem", "client.pkcs8", NULL, " is encrypted, and there is no password"},
        {"client.pem", "client.traditional", NULL, " is encrypted, and there is no password"},
        {"client.pem", "server.key", NULL, " does not belong to the certificate in "},
        {"client_rsa.pem", "client.key", NULL, " does not belong to the certificate in "},
        {"client.pem", NULL, NULL, "no client key in "},
        {"client.pem", "ca.conf", NULL, "no client key in "},
        {"client.key", NULL, NULL, "no client certificate in "},
        {"missing.pem", "client.key", NULL, "missing.pem: No such file or directory"},
        {"client.pem", "missing.key", NULL, "missing.key: No such file or directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[256];
        tg__tls_identity id;
        if (load(rows[i].certificate, rows[i].key, rows[i].password, &id, why) !=
                TG_ERR_CERTIFICATE ||
            strstr(why, rows[i].why) == NULL) {
            fail_msg("row %zu: %s", i, why);
        }
        assert_null(id.chain_pem);
        assert_null(id.key_der);
        assert_null(strstr(why, "wrong")); /* a password is in no text */
    }
}

static void a_broken_certificate_among_others_is_not_left_out(void **state)
{
    (void)state;
    FILE *const file = fopen(tls_folder_file(&folder, "client.pem"), "a");
    assert_non_null(file);
    assert_true(fputs("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    char why[256];
    tg__tls_identity id;
    assert_int_equal(load("client.pem", "client.key", NULL, &id, why), TG_ERR_CERTIFICATE);
    assert_non_null(strstr(why, "1 certificates in "));
}

static int start(void **state)
{
    (void)state;
    tls_folder_make(&folder);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    tls_folder_remove(&folder);
    return 0;
}

int main(void)
{
    if (!tls_folder_is_possible()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_key_is_read),
        cmocka_unit_test(what_does_not_fit_is_refused_and_named),
        cmocka_unit_test(a_broken_certificate_among_others_is_not_left_out),
    };
    return cmocka_run_group_tests_name("sdk.tls_identity", tests, start, stop);
}

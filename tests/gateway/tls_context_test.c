#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lockstep.h"

#define NS INT64_C(1000000000)

static jwt_maker maker;
static char keys[4096];
static lockstep l;
static step_client a;
static step_client b;

static int make_issuer(void **state)
{
    (void)state;
    jwt_maker_open(&maker);
    jwt_maker_keys(&maker, keys, sizeof keys);
    return 0;
}

static int end_issuer(void **state)
{
    (void)state;
    jwt_maker_close(&maker);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    lockstep_open(&l, keys, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lockstep_close(&l);
    return 0;
}

/* Joins, and reads until a ticket has come. */
static void join_for_ticket(step_client *c, lockstep *at, const char *ca, bool tls12,
                            const step_client *earlier)
{
    char answer[2048];
    step_client_open(c, at, ca, tls12);
    if (earlier != NULL) {
        step_client_resume(c, earlier);
    }
    assert_true(step_client_handshake(c));
    assert_int_equal(step_client_upgrade(c, "own-secret", answer, sizeof answer), 101);
    (void)step_client_drain(c);
    assert_true(c->has_session);
}

static void who_comes_back_with_a_ticket_needs_no_certificate(void **state)
{
    (void)state;
    for (unsigned tls12 = 0; tls12 < 2; tls12++) {
        const uint64_t taken = tg__tls_context_counts(l.tls)->tickets_taken;
        join_for_ticket(&a, &l, l.certificate.ca_path, tls12 == 1, NULL);
        assert_int_equal(a.certificates_seen, 2); /* the server's and its CA's */
        join_for_ticket(&b, &l, l.certificate.ca_path, tls12 == 1, &a);
        assert_int_equal(b.certificates_seen, 0);
        assert_int_equal(tg__tls_context_counts(l.tls)->tickets_taken, taken + 1);
        step_client_close(&b);
        step_client_close(&a);
    }
}

static void gateways_with_one_secret_take_each_others_tickets(void **state)
{
    (void)state;
    static lockstep other;
    char path[256];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&l.folder, "ticket.key"));
    lockstep_open(&other, keys, path);
    join_for_ticket(&a, &l, l.certificate.ca_path, false, NULL);
    join_for_ticket(&b, &other, l.certificate.ca_path, false, &a);
    assert_int_equal(b.certificates_seen, 0);
    step_client_close(&b);
    lockstep_close(&other);
    lockstep_open(&other, keys, path);
    other.ahead_ns = TG__TICKET_PERIOD_S * NS; /* started in the period after */
    join_for_ticket(&b, &other, l.certificate.ca_path, false, &a);
    assert_int_equal(b.certificates_seen, 0);
    step_client_close(&b);
    lockstep_close(&other);
    lockstep_open(&other, keys, NULL); /* a secret of its own */
    step_client_open(&b, &other, other.certificate.ca_path, false);
    step_client_resume(&b, &a);
    assert_true(step_client_handshake(&b));
    assert_int_equal(b.certificates_seen, 2);
    assert_int_equal(tg__tls_context_counts(other.tls)->tickets_refused, 1);
    step_client_close(&b);
    lockstep_close(&other);
    step_client_close(&a);
}

static void ticket_keys_change_and_the_one_before_is_still_taken(void **state)
{
    (void)state;
    join_for_ticket(&a, &l, l.certificate.ca_path, true, NULL);
    l.ahead_ns += TG__TICKET_PERIOD_S * NS;
    join_for_ticket(&b, &l, l.certificate.ca_path, true, &a);
    assert_int_equal(b.certificates_seen, 0);
    step_client_close(&b);
    l.ahead_ns += TG__TICKET_PERIOD_S * NS;
    join_for_ticket(&b, &l, l.certificate.ca_path, true, &a);
    assert_int_equal(b.certificates_seen, 2);
    step_client_close(&b);
    step_client_close(&a);
}

static void copy_file(const char *from, const char *to)
{
    char text[8192];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    assert_true(in != NULL && out != NULL);
    const size_t size = fread(text, 1, sizeof text, in);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    (void)fclose(in);
}

static void a_new_certificate_is_for_new_connections(void **state)
{
    (void)state;
    char first_ca[256];
    tg__cause cause;
    static step_client half;
    static const char *const one[][2] = {{"ORION", "A"}};
    (void)snprintf(first_ca, sizeof first_ca, "%s", scratch_path(&l.folder, "first.pem"));
    copy_file(l.certificate.ca_path, first_ca);
    assert_int_equal(step_client_join(&a, &l, "own-secret"), 101);
    (void)step_client_await(&a, TG__KIND_WELCOME);
    /* One that has got its certificate and not answered yet. */
    step_client_open(&half, &l, first_ca, true);
    assert_int_equal(step_client_try_handshake(&half), MBEDTLS_ERR_SSL_WANT_READ);
    lockstep_settle(&l);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(unlink(l.certificate.key_path), 0);
        assert_int_equal(tg__certificate_open(&l.certificate, &l.dir, time(NULL), &cause), TG_OK);
        assert_true(l.certificate.made);
        assert_int_equal(tg__websocket_server_reload_certificate(l.server, &cause), TG_OK);
    }
    assert_true(step_client_handshake(&half)); /* against the first CA */
    step_client_open(&b, &l, first_ca, false);
    assert_false(step_client_handshake(&b));
    step_client_close(&b);
    step_client_open(&b, &l, l.certificate.ca_path, false);
    assert_true(step_client_handshake(&b));
    step_client_close(&b);
    step_client_subscribe(&a, one, 1);
    (void)step_client_await(&a, TG__KIND_ANSWER);
    (void)step_client_drain(&a);
    l.ahead_ns += 61 * NS; /* the retired ones are freed with the next */
    assert_int_equal(tg__websocket_server_reload_certificate(l.server, &cause), TG_OK);
    step_client_close(&half);
    step_client_close(&a);
}

static void a_bad_certificate_changes_nothing_and_says_why(void **state)
{
    (void)state;
    tg__cause cause;
    scratch_write(&l.folder, "server.key", "no key\n", 7);
    assert_int_equal(tg__websocket_server_reload_certificate(l.server, &cause), TG_ERR_CERTIFICATE);
    assert_non_null(strstr(cause.text, "server.key"));
    assert_int_equal(step_client_join(&a, &l, "own-secret"), 101);
    step_client_close(&a);
}

static void the_secret_of_tickets_is_nobody_elses(void **state)
{
    (void)state;
    tg__tls_context *tls = NULL;
    tg__cause cause;
    struct stat status;
    const char *path = scratch_path(&l.folder, "ticket.key");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(tg__tls_context_open(&l.certificate, &l.dir, NULL, &tls, &cause),
                     TG_ERR_FORMAT);
    assert_non_null(strstr(cause.text, "chmod 600"));
    assert_int_equal(tg__tls_context_open(&l.certificate, &l.dir, "/nowhere", &tls, &cause),
                     TG_ERR_NOT_FOUND);
    scratch_write(&l.folder, "short.key", "0123\n", 5);
    assert_int_equal(tg__tls_context_open(&l.certificate, &l.dir,
                                          scratch_path(&l.folder, "short.key"), &tls, &cause),
                     TG_ERR_FORMAT);
    assert_null(tls);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(who_comes_back_with_a_ticket_needs_no_certificate),
        CASE(gateways_with_one_secret_take_each_others_tickets),
        CASE(ticket_keys_change_and_the_one_before_is_still_taken),
        CASE(a_new_certificate_is_for_new_connections),
        CASE(a_bad_certificate_changes_nothing_and_says_why),
        CASE(the_secret_of_tickets_is_nobody_elses),
    };
    return cmocka_run_group_tests_name("gateway.tls_context", tests, make_issuer, end_issuer);
}

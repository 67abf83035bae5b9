/*
 * Without ca_file the system's trust store decides. The store of this process alone is another one:
 * a mount namespace with the gateway's authority in the place of the system's file.
 */
#include "tg_cmocka.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "client_rig.h"
#include "gateway_fixture.h"

#define SKIPPED 77
#define STORE   "/etc/ssl/certs/ca-certificates.crt"

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        return false;
    }
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* As root, or as the root of a user namespace of our own. */
static bool have_own_mounts(void)
{
    const unsigned uid = getuid();
    if (unshare(CLONE_NEWNS) != 0) {
        char map[32];
        (void)snprintf(map, sizeof map, "%u %u 1", uid, uid);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !write_text("/proc/self/uid_map", map)) {
            return false;
        }
    }
    return access(STORE, R_OK) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static tg_client_options options_without_file(void)
{
    tg_client_options opt = gateway_fixture_options(gateway.url);
    opt.ca_file = NULL;
    return opt;
}

static void the_systems_store_does_not_trust_a_stranger(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = options_without_file();
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    assert_int_equal(last.err, TG_ERR_CERTIFICATE);
    assert_non_null(strstr(last.text, "authority"));
    client_rig_close(&rig);
}

static void what_the_systems_store_holds_is_trusted(void **state)
{
    (void)state;
    assert_int_equal(mount(gateway.ca, STORE, NULL, MS_BIND, NULL), 0);
    client_rig rig;
    tg_client_options opt = options_without_file();
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    client_rig_close(&rig);
}

int main(void)
{
    if (!have_own_mounts()) {
        (void)printf("skipped: no mount namespace can be made here, or " STORE " is not there\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_systems_store_does_not_trust_a_stranger),
        cmocka_unit_test(what_the_systems_store_holds_is_trusted),
    };
    return cmocka_run_group_tests_name("sdk.client_system_trust", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}

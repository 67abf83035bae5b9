/*
 * A link that goes dead without a word, as when a cable is pulled behind a switch: no reset, no
 * FIN, packets just do not arrive. Gateway and client live in network namespaces of their own with
 * a veth pair between them. Skips, and says so, where the system does not let us make any.
 */
#include "tg_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "../integration/gateway_process.h"
#include "client_rig.h"

#define ARGUMENTS_MAX 16
#define SKIPPED       77

static gateway_process gateway;
static int gateway_space = -1;
static int client_space = -1;

static int own_space(void)
{
    return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static bool write_text(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) {
        (void)close(file);
    }
    return good;
}

/* Who is not root becomes it in a user namespace, if the system allows that. */
static bool enter_new_space(void)
{
    if (unshare(CLONE_NEWNET) == 0) {
        return true;
    }
    char user[64];
    char group[64];
    (void)snprintf(user, sizeof user, "0 %u 1", (unsigned)getuid());
    (void)snprintf(group, sizeof group, "0 %u 1", (unsigned)getgid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
           write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", user) &&
           write_text("/proc/self/gid_map", group);
}

static bool await(pid_t child)
{
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* "ip" and its arguments in a namespace. */
static bool ip(int space, const char *const *arguments)
{
    const char *argv[ARGUMENTS_MAX] = {"ip"};
    for (size_t i = 0; arguments[i] != NULL && i + 2 < ARGUMENTS_MAX; i++) {
        argv[i + 1] = arguments[i];
    }
    const pid_t child = fork();
    if (child == 0) {
        if (setns(space, CLONE_NEWNET) == 0) {
            (void)execvp("ip", (char *const *)argv);
            (void)execv("/sbin/ip", (char *const *)argv);
        }
        _exit(127);
    }
    return await(child);
}

#define IP(space, ...) ip(space, (const char *const[]){__VA_ARGS__, NULL})

/* 127.0.0.1 may come and go over this interface: the gateway's certificate names no other address.
 */
static bool let_loopback_through(int space, const char *interface)
{
    char path[96];
    (void)snprintf(path, sizeof path, "/proc/sys/net/ipv4/conf/%s/route_localnet", interface);
    const pid_t child = fork();
    if (child == 0) {
        _exit(setns(space, CLONE_NEWNET) == 0 && write_text(path, "1") ? 0 : 1);
    }
    return await(child);
}

/* The process ends up in the client's namespace, where lo stays down. */
static bool lay_cable(void)
{
    char other[16];
    (void)snprintf(other, sizeof other, "%d", (int)gateway.pid);
    if (unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    client_space = own_space();
    return client_space >= 0 &&
           IP(client_space, "link", "add", "tgclient", "type", "veth", "peer", "name", "tggate",
              "netns", other) &&
           IP(client_space, "addr", "add", "10.203.0.1/30", "dev", "tgclient") &&
           IP(gateway_space, "addr", "add", "10.203.0.2/30", "dev", "tggate") &&
           let_loopback_through(client_space, "tgclient") &&
           let_loopback_through(gateway_space, "tggate") &&
           IP(client_space, "link", "set", "tgclient", "up") &&
           IP(gateway_space, "link", "set", "tggate", "up") &&
           IP(client_space, "route", "add", "127.0.0.1/32", "via", "10.203.0.2", "dev", "tgclient",
              "src", "10.203.0.1");
}

/* --- the session --- */

static bool has_lost_the_link(const client_rig *rig)
{
    return rig->last.err == TG_ERR_TIMEOUT;
}

static bool tries_again(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(rig->client, &counters) == TG_OK && counters.attempts >= 2;
}

static bool is_live_again(const client_rig *rig)
{
    return rig->live_count >= 2 && rig->state == TG_SESSION_LIVE && client_rig_rows_are_live(rig);
}

static void a_dead_link_is_noticed_all_is_stale_and_the_session_comes_back(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = gateway.url;
    opt.ca_file = gateway.ca;
    opt.token = gateway.token;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_is_live);
    tg_sub_id subs[CLIENT_RIG_NAMES];
    client_rig_subscribe_some(&rig, subs);
    client_rig_await(&rig, client_rig_rows_are_live);
    (void)pthread_mutex_lock(&rig.lock);
    rig.live_count = 1;
    (void)pthread_mutex_unlock(&rig.lock);

    /* The far end's: ours stays up, so that nobody tells the client's socket. */
    assert_true(IP(gateway_space, "link", "set", "tggate", "down"));
    client_rig_await(&rig, has_lost_the_link);
    const tg_event last = client_rig_last(&rig);
    assert_non_null(strstr(last.text, "nothing received for 5000 ms")); /* not TCP's own patience */
    client_rig_await(&rig, client_rig_rows_are_stale);
    client_rig_await(&rig, tries_again);
    assert_true(client_rig_rows_are_stale(&rig));

    assert_true(IP(gateway_space, "link", "set", "tggate", "up"));
    client_rig_await(&rig, is_live_again);
    client_rig_close(&rig);
}

int main(void)
{
    bool good = enter_new_space();
    if (good) {
        gateway_space = own_space();
        good = IP(gateway_space, "link", "set", "lo", "up");
    }
    if (good && !gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL)) {
        return 1;
    }
    if (!good || !lay_cable()) {
        (void)printf("skipped: network namespaces with a veth pair cannot be made here\n");
        (void)gateway_process_stop(&gateway);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_link_is_noticed_all_is_stale_and_the_session_comes_back),
    };
    const int failed = cmocka_run_group_tests_name("sdk.half_open", tests, NULL, NULL);
    (void)gateway_process_stop(&gateway);
    return failed;
}

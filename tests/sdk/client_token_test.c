/* Tokens that run out, against the real gateway: JWTs of seconds, made by an issuer of this test.
 */
#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "../gateway/jwt_maker.h"
#include "../integration/gateway_process.h"
#include "client_rig.h"

#define SIGNATURE_SIZE 32 /* characters of a token's end that are looked for */
#define MASK           0x5a
#define OUTPUT_SIZE    (1u << 20)
#define NEEDLES_MAX    32u

static gateway_process gateway;
static jwt_maker issuer;

/* What the provider gives; used on the network thread, or on the test's in turn. */
typedef struct provider {
    client_rig rig;     /* first: the rig's callbacks find it by ctx */
    long lifetime_s[8]; /* of the n-th token; the last repeats. Negative: expired */
    const char *venues; /* of tokens from the second on; NULL: "\"*\"" */
    bool later;         /* the test answers, not the callback */
    unsigned asked;
    tg_token_reason reasons[32];
    /* Where secrets must not be. */
    char output[OUTPUT_SIZE]; /* texts of events, bytes of messages */
    size_t output_used;
    unsigned char needle[NEEDLES_MAX]
                        [SIGNATURE_SIZE]; /* masked: the scan must not find this very array */
    unsigned needles;
} provider;

static const char *make_token(provider *p, unsigned n)
{
    const unsigned last = (unsigned)(sizeof p->lifetime_s / sizeof p->lifetime_s[0]) - 1;
    unsigned at = n < last ? n : last;
    while (at > 0 && p->lifetime_s[at] == 0) {
        at--;
    }
    char claims[256];
    (void)snprintf(claims, sizeof claims, "{\"sub\":\"t%u\",\"exp\":%ld,\"venues\":[%s]}", n,
                   (long)time(NULL) + p->lifetime_s[at],
                   n > 0 && p->venues != NULL ? p->venues : "\"*\"");
    const char *token = jwt_maker_es256(&issuer, claims);
    const char *end = token + strlen(token) - SIGNATURE_SIZE;
    /* A slow machine may have more of them refused than there is room for: the latest one is kept.
     */
    p->needles += p->needles < NEEDLES_MAX;
    for (unsigned i = 0; i < SIGNATURE_SIZE; i++) {
        p->needle[p->needles - 1][i] = (unsigned char)(end[i] ^ MASK);
    }
    return token;
}

static void give_token(provider *p, tg_client *client, unsigned n)
{
    assert_int_equal(tg_client_token(client, make_token(p, n)), TG_OK);
    memset(issuer.token, 0, sizeof issuer.token);
}

static void on_token_wanted(void *ctx, tg_client *client, tg_token_reason reason)
{
    provider *p = ctx;
    (void)pthread_mutex_lock(&p->rig.lock);
    const unsigned n = p->asked++;
    p->reasons[n % 32] = reason;
    (void)pthread_cond_broadcast(&p->rig.changed);
    (void)pthread_mutex_unlock(&p->rig.lock);
    if (!p->later) {
        give_token(p, client, n);
    }
}

static void open_client(provider *p, tg_client_options *opt)
{
    tg_client_options_init(opt);
    opt->url = gateway.url;
    opt->ca_file = gateway.ca;
    opt->backoff_first_ms = 20;
    opt->backoff_cap_ms = 50;
    opt->token_provider = on_token_wanted;
    client_rig_open(&p->rig, opt);
}

static provider *make(long first_s, long second_s)
{
    provider *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->lifetime_s[0] = first_s;
    p->lifetime_s[1] = second_s;
    return p;
}

static tg_client_counters counters_of(const provider *p)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(p->rig.client, &counters), TG_OK);
    return counters;
}

static bool was_asked_four_times(const client_rig *rig)
{
    return ((const provider *)(const void *)rig)->asked >= 4;
}

static bool was_asked(const client_rig *rig)
{
    return ((const provider *)(const void *)rig)->asked >= 1;
}

static void a_session_outlives_its_tokens_without_a_reconnect(void **state)
{
    (void)state;
    provider *p = make(2, 2);
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, client_rig_is_live);
    client_rig_await(&p->rig, was_asked_four_times);
    assert_int_equal(tg_client_state(p->rig.client), TG_SESSION_LIVE);
    const tg_client_counters counters = counters_of(p);
    assert_true(counters.tokens_renewed >= 2);
    assert_true(counters.token_requests >= 4);
    assert_int_equal(counters.connects, 1);
    assert_int_equal(counters.attempts, 1);
    assert_int_equal(counters.gaps, 0);
    assert_int_equal(p->reasons[0], TG_TOKEN_CONNECT);
    assert_int_equal(p->reasons[3], TG_TOKEN_RENEW);
    assert_int_equal(tg_client_token(p->rig.client, "a b"), TG_ERR_INVALID_ARGUMENT);
    client_rig_close(&p->rig);
    free(p);
}

static bool has_attempted_six_times(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(rig->client, &counters), TG_OK);
    return counters.attempts >= 6;
}

/* Nobody listens: the token is still there for the gateway that comes back. */
static void a_gateway_that_is_away_costs_the_provider_one_token(void **state)
{
    (void)state;
    const int closed = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    assert_int_equal(bind(closed, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(closed, (struct sockaddr *)&address, &size), 0);
    char nobody[64];
    (void)snprintf(nobody, sizeof nobody, "wss://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    provider *p = make(60, 60);
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = nobody;
    opt.ca_file = gateway.ca;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    opt.token_provider = on_token_wanted;
    client_rig_open(&p->rig, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, has_attempted_six_times);
    assert_int_equal(counters_of(p).token_requests, 1);
    client_rig_close(&p->rig);
    assert_int_equal(p->asked, 1);
    free(p);
    (void)close(closed);
}

static void a_provider_may_answer_later_from_another_thread(void **state)
{
    (void)state;
    provider *p = make(60, 60);
    p->later = true;
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_token(p->rig.client, "unasked"), TG_ERR_STATE);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, was_asked);
    assert_int_equal(tg_client_state(p->rig.client), TG_SESSION_CONNECTING);
    give_token(p, p->rig.client, 0);
    client_rig_await(&p->rig, client_rig_is_live);
    client_rig_close(&p->rig);
    free(p);
}

static void a_refused_token_is_renewed_and_the_session_comes(void **state)
{
    (void)state;
    provider *p = make(-100, 60);
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, client_rig_is_live);
    const tg_event last = client_rig_last(&p->rig);
    assert_int_equal(last.err, TG_ERR_UNAUTHORIZED);
    assert_non_null(strstr(last.text, "401"));
    assert_non_null(strstr(last.text, "another token"));
    assert_int_equal(p->reasons[0], TG_TOKEN_CONNECT);
    assert_int_equal(p->reasons[1], TG_TOKEN_REFUSED);
    const tg_client_counters counters = counters_of(p);
    assert_int_equal(counters.tokens_refused, 1);
    assert_int_equal(counters.attempts, 2);
    client_rig_close(&p->rig);
    free(p);
}

static void a_provider_that_keeps_giving_expired_tokens_never_hammers(void **state)
{
    (void)state;
    provider *p = make(-100, -100);
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, was_asked_four_times);
    const tg_client_counters counters = counters_of(p);
    assert_int_equal(counters.connects, 0);
    assert_true(counters.attempts <= counters.token_requests);
    tg_client_stop(p->rig.client);
    client_rig_await(&p->rig, client_rig_is_idle);
    client_rig_close(&p->rig);
    free(p);
}

static bool was_asked_three_times(const client_rig *rig)
{
    return ((const provider *)(const void *)rig)->asked >= 3;
}

static void a_refused_renewal_leaves_the_session_live(void **state)
{
    (void)state;
    provider *p = make(6, -100);
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, was_asked_three_times); /* refused, and tried again */
    assert_int_equal(tg_client_state(p->rig.client), TG_SESSION_LIVE);
    bool told = false;
    tg_event event;
    while (tg_client_event(p->rig.client, &event) == TG_OK) {
        told = told || (event.kind == TG_EVENT_TOKEN && event.err == TG_ERR_UNAUTHORIZED &&
                        event.state == TG_SESSION_LIVE);
    }
    assert_true(told);
    assert_int_equal(counters_of(p).connects, 1);
    client_rig_close(&p->rig);
    free(p);
}

static bool has_found(const client_rig *rig)
{
    return rig->found_complete;
}

static bool has_answers(const client_rig *rig)
{
    return rig->answers >= rig->found && rig->state == TG_SESSION_LIVE;
}

static bool is_not_entitled(const client_rig *rig)
{
    return rig->answers > rig->found;
}

static void find_one(provider *p, const char *after_venue)
{
    (void)pthread_mutex_lock(&p->rig.lock);
    p->rig.found = 0;
    p->rig.found_complete = false;
    (void)pthread_mutex_unlock(&p->rig.lock);
    uint32_t request = 0;
    assert_int_equal(tg_client_find(p->rig.client, NULL, NULL, after_venue,
                                    after_venue != NULL ? "~~~~" : NULL, 1, &request),
                     TG_OK);
    client_rig_await(&p->rig, has_found);
    assert_int_equal(p->rig.found, 1);
}

static bool was_asked_twice(const client_rig *rig)
{
    return ((const provider *)(const void *)rig)->asked >= 2;
}

static void lost_rights_are_told_for_each_instrument(void **state)
{
    (void)state;
    provider *p = make(4, 60);
    p->later = true;
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, was_asked);
    give_token(p, p->rig.client, 0);
    client_rig_await(&p->rig, client_rig_is_live);
    find_one(p, NULL);
    tg_sub_id sub;
    assert_int_equal(tg_client_subscribe(p->rig.client, p->rig.venues[0], p->rig.symbols[0], &sub),
                     TG_OK);
    client_rig_await(&p->rig, has_answers);
    char lost[TG_VENUE_NAME_SIZE];
    memcpy(lost, p->rig.venues[0], sizeof lost);
    find_one(p, lost);
    assert_string_not_equal(p->rig.venues[0], lost);
    char venues[TG_VENUE_NAME_SIZE + 2];
    (void)snprintf(venues, sizeof venues, "\"%s\"", p->rig.venues[0]);
    p->venues = venues;
    /* The renewed token covers another venue only: the gateway has the client join anew for that,
     * with a token of the same rights, and the instrument is answered. */
    client_rig_await(&p->rig, was_asked_twice);
    give_token(p, p->rig.client, 1);
    client_rig_await(&p->rig, was_asked_three_times);
    give_token(p, p->rig.client, 2);
    client_rig_await(&p->rig, is_not_entitled);
    tg_instrument_id id;
    assert_int_equal(tg_client_subscription(p->rig.client, sub, &id), TG_ERR_NOT_ENTITLED);
    client_rig_close(&p->rig);
    free(p);
}

static void a_token_for_nothing_ends_the_client(void **state)
{
    (void)state;
    provider *p = make(60, 60);
    p->venues = "";
    p->asked = 1; /* so that the first one has no venues */
    tg_client_options opt;
    open_client(p, &opt);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, client_rig_is_idle);
    const tg_event last = client_rig_last(&p->rig);
    assert_int_equal(last.err, TG_ERR_UNAUTHORIZED);
    assert_non_null(strstr(last.text, "403"));
    client_rig_close(&p->rig);
    free(p);
}

/* --- no secret leaves --- */

static void keep_output(provider *p, const void *bytes, size_t size)
{
    if (size <= OUTPUT_SIZE - p->output_used) {
        memcpy(p->output + p->output_used, bytes, size);
        p->output_used += size;
    }
}

static void on_text(void *ctx, const tg_event *event)
{
    provider *p = ctx;
    (void)pthread_mutex_lock(&p->rig.lock);
    keep_output(p, event, sizeof *event);
    p->rig.events++;
    p->rig.state = event->state;
    (void)pthread_cond_broadcast(&p->rig.changed);
    (void)pthread_mutex_unlock(&p->rig.lock);
}

static void on_bytes(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    provider *p = ctx;
    (void)received_mono_ns;
    (void)pthread_mutex_lock(&p->rig.lock);
    keep_output(p, bytes, size);
    (void)pthread_mutex_unlock(&p->rig.lock);
}

static bool is_needle(const provider *p, unsigned n, const unsigned char *at)
{
    unsigned i = 0;
    while (i < SIGNATURE_SIZE && (at[i] ^ MASK) == p->needle[n][i]) {
        i++;
    }
    return i == SIGNATURE_SIZE;
}

static unsigned count_needles(const provider *p, unsigned from, const void *memory, size_t size)
{
    unsigned found = 0;
    const unsigned char *bytes = memory;
    for (size_t at = 0; at + SIGNATURE_SIZE <= size; at++) {
        for (unsigned n = from; n < p->needles; n++) {
            found += is_needle(p, n, bytes + at);
        }
    }
    return found;
}

/* Copies in this process's writable memory: what a core dump would hold. */
static unsigned count_in_memory(const provider *p, unsigned from)
{
    if (TG_TEST_SANITIZED) {
        print_message("not scanned: a sanitizer's shadow memory is terabytes\n");
        return 0;
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    FILE *memory = fopen("/proc/self/mem", "r");
    if (maps == NULL || memory == NULL) {
        skip();
    }
    /* No buffer of stdio may become a copy. */
    (void)setvbuf(memory, NULL, _IONBF, 0);
    unsigned found = 0;
    char line[512];
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long first = 0;
        unsigned long end = 0;
        char mode[8] = "";
        if (sscanf(line, "%lx-%lx %7s", &first, &end, mode) != 3 || strncmp(mode, "rw", 2) != 0) {
            continue;
        }
        static unsigned char page[4096 + SIGNATURE_SIZE];
        for (unsigned long at = first; at < end; at += 4096) {
            const size_t want = end - at < sizeof page ? end - at : sizeof page;
            if ((at + 4096 > (unsigned long)page && at < (unsigned long)page + sizeof page) ||
                fseek(memory, (long)at, SEEK_SET) != 0 || fread(page, 1, want, memory) != want) {
                continue;
            }
            /* Starts within the page only, so that none is counted twice. */
            const size_t starts =
                want < 4096 + SIGNATURE_SIZE - 1 ? want : 4096 + SIGNATURE_SIZE - 1;
            found += count_needles(p, from, page, starts);
        }
        memset(page, 0, sizeof page);
    }
    (void)fclose(memory);
    (void)fclose(maps);
    return found;
}

/* Whether a core file lies where the process was that dies, and nowhere else. */
static bool cores_are_files(void)
{
    char pattern[128] = "|";
    FILE *file = fopen("/proc/sys/kernel/core_pattern", "re");
    if (file != NULL) {
        (void)fgets(pattern, sizeof pattern, file);
        (void)fclose(file);
    }
    return pattern[0] != '|' && strchr(pattern, '/') == NULL;
}

/* A child that has all of this process's memory dies of abort() in an empty folder. */
static bool dump_core(char *folder)
{
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
        (void)signal(SIGABRT, SIG_DFL);
        if (chdir(folder) == 0 && setrlimit(RLIMIT_CORE, &all) == 0) {
            abort();
        }
        _exit(1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

static unsigned count_in_file(const provider *p, unsigned from, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0);
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(bytes != MAP_FAILED);
    (void)close(fd);
    const unsigned found = count_needles(p, from, bytes, (size_t)info.st_size);
    (void)munmap(bytes, (size_t)info.st_size);
    return found;
}

/* In a core dump of the session. */
static void check_core(const provider *p)
{
    if (TG_TEST_SANITIZED || !cores_are_files()) {
        print_message("no core dump is scanned: %s\n", TG_TEST_SANITIZED
                                                           ? "a sanitizer's memory is terabytes"
                                                           : "core_pattern leads it elsewhere");
        return;
    }
    char folder[] = "tg_core_XXXXXX";
    assert_true(dump_core(folder));
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    unsigned cores = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[sizeof folder + sizeof entry->d_name];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            const unsigned copies = count_in_file(p, 0, path);
            const unsigned renewed = count_in_file(p, 2, path);
            (void)unlink(path);
            cores++;
            print_message("copies of tokens in a core dump: %u\n", copies);
            assert_true(copies <= 1); /* libwebsockets' */
            assert_int_equal(renewed, 0);
        }
    }
    (void)closedir(entries);
    assert_int_equal(rmdir(folder), 0);
    if (cores == 0) {
        print_message("no core dump is scanned: the system wrote none\n");
    }
}

static void no_output_holds_a_token(void **state)
{
    (void)state;
    char path[] = "tg_stderr_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(file, STDERR_FILENO) >= 0);

    /* Refused, connected, renewed, refused again, lost: whatever says something of a token. */
    provider *p = make(-100, 2);
    p->lifetime_s[2] = 2;
    p->lifetime_s[3] = -100;
    tg_client_options opt;
    open_client(p, &opt);
    tg_reader_close(p->rig.reader);
    tg_client_close(p->rig.client);
    opt.on_event = on_text;
    opt.on_message = on_bytes;
    assert_int_equal(tg_client_open(&opt, &p->rig.client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(p->rig.client), &p->rig.reader), TG_OK);
    assert_int_equal(tg_client_start(p->rig.client), TG_OK);
    client_rig_await(&p->rig, was_asked_four_times);
    client_rig_await(&p->rig, client_rig_is_live);
    /* Of an upgrade, libwebsockets keeps the request in its service buffer; of renewals, nothing.
     */
    const unsigned copies = count_in_memory(p, 0);
    const unsigned renewed = count_in_memory(p, 2);
    check_core(p);
    char text[512];
    tg_client_last_error(p->rig.client, text, sizeof text);
    keep_output(p, text, sizeof text);
    const tg_client_counters counters = counters_of(p);
    keep_output(p, &counters, sizeof counters);
    client_rig_close(&p->rig);
    const unsigned copies_after = count_in_memory(p, 0);

    (void)fflush(stderr);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept);
    struct stat printed;
    assert_int_equal(fstat(file, &printed), 0);
    (void)close(file);
    (void)unlink(path);
    assert_int_equal(printed.st_size, 0);
    assert_true(p->needles >= 3 && p->output_used > 1000);
    assert_int_equal(count_needles(p, 0, p->output, p->output_used), 0);
    /* The scan can find something. */
    (void)make_token(p, 9);
    assert_true(count_needles(p, 0, issuer.token, strlen(issuer.token)) == 1);
    print_message("copies of tokens: %u in session, %u after close\n", copies, copies_after);
    assert_true(copies <= 1 && copies_after <= 1);
    assert_int_equal(renewed, 0);
    free(p);
}

static int start(void **state)
{
    (void)state;
    static char keys[4096];
    static char path[] = "tg_keys_XXXXXX";
    jwt_maker_open(&issuer);
    jwt_maker_keys(&issuer, keys, sizeof keys);
    const int file = mkstemp(path);
    if (file < 0 || write(file, keys, strlen(keys)) != (ssize_t)strlen(keys)) {
        return -1;
    }
    (void)close(file);
    const char *const arguments[] = {"--jwt-keys", path, NULL};
    const bool good = gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments);
    (void)unlink(path);
    return good ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    jwt_maker_close(&issuer);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_outlives_its_tokens_without_a_reconnect),
        cmocka_unit_test(a_gateway_that_is_away_costs_the_provider_one_token),
        cmocka_unit_test(a_provider_may_answer_later_from_another_thread),
        cmocka_unit_test(a_refused_token_is_renewed_and_the_session_comes),
        cmocka_unit_test(a_provider_that_keeps_giving_expired_tokens_never_hammers),
        cmocka_unit_test(a_refused_renewal_leaves_the_session_live),
        cmocka_unit_test(lost_rights_are_told_for_each_instrument),
        cmocka_unit_test(a_token_for_nothing_ends_the_client),
        cmocka_unit_test(no_output_holds_a_token),
    };
    return cmocka_run_group_tests_name("sdk.client_token", tests, start, stop);
}

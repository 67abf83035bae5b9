/* Against a real gateway: the client asks, file and command answer. */
#include "token_source.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "tg_cmocka.h"

#include "../gateway/jwt_maker.h"
#include "../gateway/scratch_folder.h"
#include "../integration/gateway_process.h"

#define LIMIT_NS INT64_C(60000000000)

static gateway_process gateway;
static jwt_maker issuer;
static scratch_folder folder;

typedef struct rig {
    settings *from;
    token_source *source;
    tg_client *client;
    unsigned troubles; /* of the source's thread; read after it has been stopped */
} rig;

static void provide(void *ctx, tg_client *client, tg_token_reason reason)
{
    token_source_ask(((rig *)ctx)->source, client, reason);
}

static void count_trouble(void *ctx)
{
    ((rig *)ctx)->troubles++;
}

static void rig_open(rig *self, const char *token_file, const char *command)
{
    static complaints wrong;
    memset(self, 0, sizeof *self);
    memset(&wrong, 0, sizeof wrong);
    const terminal_options options = {
        .url = gateway.url, .token_file = token_file, .token_command = command};
    char why[300] = "";
    assert_int_equal(settings_open(&options, &self->from, &wrong), TG_OK);
    assert_int_equal(
        token_source_open(self->from, count_trouble, self, &self->source, why, sizeof why), TG_OK);
    tg_client_options client;
    tg_client_options_init(&client);
    client.url = gateway.url;
    client.ca_file = gateway.ca;
    client.token_provider = provide;
    client.ctx = self;
    client.backoff_first_ms = 20;
    client.backoff_cap_ms = 50;
    assert_int_equal(tg_client_open(&client, &self->client), TG_OK);
    assert_int_equal(tg_client_start(self->client), TG_OK);
}

static void rig_close(rig *self)
{
    token_source_stop(self->source);
    tg_client_close(self->client);
    token_source_close(self->source);
    settings_close(self->from);
}

static bool is_live(rig *self)
{
    return tg_client_state(self->client) == TG_SESSION_LIVE;
}

static bool was_refused(rig *self)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(self->client, &counters) == TG_OK && counters.tokens_refused > 1;
}

static char trouble[TOKEN_TROUBLE_SIZE];

static bool has_trouble(rig *self)
{
    token_source_trouble(self->source, trouble);
    return trouble[0] != '\0';
}

static void await(rig *self, bool (*condition)(rig *))
{
    const tg_clock clock = tg_clock_system();
    const int64_t until_ns = tg_clock_mono_ns(&clock) + LIMIT_NS;
    while (!condition(self)) {
        assert_true(tg_clock_mono_ns(&clock) < until_ns);
        (void)poll(NULL, 0, 5);
    }
}

static void write_token(const char *token)
{
    scratch_write(&folder, "token", token, strlen(token));
}

static void the_file_is_read_again_whenever_a_token_is_wanted(void **state)
{
    (void)state;
    rig self;
    write_token("not-the-token\n");
    rig_open(&self, scratch_path(&folder, "token"), NULL);
    await(&self, was_refused);
    await(&self, has_trouble);
    assert_non_null(strstr(trouble, "has not changed since its token was refused"));
    write_token(gateway.token);
    await(&self, is_live);
    token_source_trouble(self.source, trouble);
    assert_string_equal(trouble, "");
    rig_close(&self);
    assert_true(self.troubles >= 2);
}

/* A token of two seconds, always fresh: as a program beside the terminal keeps it. */
static bool was_renewed_twice(rig *self)
{
    char claims[128];
    (void)snprintf(claims, sizeof claims, "{\"sub\":\"t\",\"exp\":%ld,\"venues\":[\"*\"]}",
                   (long)time(NULL) + 2);
    const char *token = jwt_maker_es256(&issuer, claims);
    scratch_write(&folder, "fresh", token, strlen(token));
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "fresh"));
    assert_int_equal(rename(path, scratch_path(&folder, "token")), 0);
    tg_client_counters counters = {.struct_size = sizeof counters};
    return self->client != NULL && tg_client_counters_get(self->client, &counters) == TG_OK &&
           counters.tokens_renewed >= 2;
}

static void a_session_goes_on_with_what_the_file_holds_later(void **state)
{
    (void)state;
    rig self = {.client = NULL};
    (void)was_renewed_twice(&self); /* writes the first */
    rig_open(&self, scratch_path(&folder, "token"), NULL);
    await(&self, was_renewed_twice);
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(self.client, &counters), TG_OK);
    assert_int_equal(counters.connects, 1);
    assert_int_equal(self.troubles, 0);
    rig_close(&self);
}

static void a_file_that_went_away_is_told_until_it_is_back(void **state)
{
    (void)state;
    rig self;
    write_token("not-the-token\n");
    rig_open(&self, scratch_path(&folder, "token"), NULL);
    await(&self, was_refused);
    assert_int_equal(unlink(scratch_path(&folder, "token")), 0);
    const tg_clock clock = tg_clock_system();
    const int64_t until_ns = tg_clock_mono_ns(&clock) + LIMIT_NS;
    while (strstr(trouble, "No such file") == NULL) {
        assert_true(tg_clock_mono_ns(&clock) < until_ns);
        token_source_trouble(self.source, trouble);
    }
    write_token(gateway.token);
    await(&self, is_live);
    rig_close(&self);
}

static void a_command_is_run_again_whenever_a_token_is_wanted(void **state)
{
    (void)state;
    rig self;
    char command[300];
    (void)unlink(scratch_path(&folder, "ran"));
    write_token(gateway.token);
    /* The first time it has none. */
    (void)snprintf(
        command, sizeof command,
        "cd %s; if [ -e ran ]; then cat token; else touch ran; echo none yet >&2; exit 7; fi",
        folder.path);
    rig_open(&self, NULL, command);
    await(&self, is_live);
    rig_close(&self);
    assert_int_equal(self.troubles, 2);
}

static void what_is_no_token_is_told_without_telling_it(void **state)
{
    (void)state;
    rig self;
    rig_open(&self, NULL, "printf 'canary \\303\\244'");
    await(&self, has_trouble);
    while (strstr(trouble, "visible ASCII") == NULL) {
        await(&self, has_trouble);
    }
    assert_null(strstr(trouble, "canary"));
    rig_close(&self);
}

static void closing_ends_a_command_that_hangs(void **state)
{
    (void)state;
    rig self;
    char command[300];
    (void)unlink(scratch_path(&folder, "started"));
    (void)snprintf(command, sizeof command, "touch %s; while :; do :; done",
                   scratch_path(&folder, "started"));
    rig_open(&self, NULL, command);
    while (access(scratch_path(&folder, "started"), F_OK) != 0) {
        (void)poll(NULL, 0, 5);
    }
    rig_close(&self);
    assert_int_equal(self.troubles, 0);
}

static void a_file_without_a_token_is_told_at_once(void **state)
{
    (void)state;
    static complaints wrong;
    settings *from = NULL;
    token_source *source = NULL;
    char why[300] = "";
    terminal_options options = {.url = gateway.url, .token_file = "nowhere/token"};
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    assert_int_equal(token_source_open(from, NULL, NULL, &source, why, sizeof why), TG_ERR_IO);
    assert_null(source);
    assert_string_equal(why, "token_file: nowhere/token: No such file or directory");
    settings_close(from);
    options.token_file = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    assert_int_equal(token_source_open(from, NULL, NULL, &source, why, sizeof why), TG_OK);
    assert_null(source);
    token_source_stop(NULL);
    token_source_close(NULL);
    settings_close(from);
}

static int start(void **state)
{
    (void)state;
    static char keys[4096];
    scratch_folder_open(&folder);
    jwt_maker_open(&issuer);
    jwt_maker_keys(&issuer, keys, sizeof keys);
    scratch_write(&folder, "keys", keys, strlen(keys));
    const char *const arguments[] = {"--jwt-keys", scratch_path(&folder, "keys"), NULL};
    return gateway_process_start(&gateway, TG_TEST_GATEWAY, arguments) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    jwt_maker_close(&issuer);
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_read_again_whenever_a_token_is_wanted),
        cmocka_unit_test(a_session_goes_on_with_what_the_file_holds_later),
        cmocka_unit_test(a_file_that_went_away_is_told_until_it_is_back),
        cmocka_unit_test(a_command_is_run_again_whenever_a_token_is_wanted),
        cmocka_unit_test(what_is_no_token_is_told_without_telling_it),
        cmocka_unit_test(closing_ends_a_command_that_hangs),
        cmocka_unit_test(a_file_without_a_token_is_told_at_once),
    };
    return cmocka_run_group_tests(tests, start, stop);
}

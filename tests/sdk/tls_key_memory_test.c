/*
 * Where a client's private key is once the client is open: in the TLS stack, which signs with it,
 * and nowhere else; its password is nowhere at all.
 */
#include "tg_cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "tls_folder.h"
#include "tls_trust.h"

#define PASSWORD "open sesame" /* constants are not writable, and so not looked through */
/* The end of it: the beginning of a freed block is overwritten in any case. */
#define KEY_SIZE 16u
#define MASK     0x5a
#define PAGE     4096u

static tls_folder folder;
/* Masked: the search must not find these. */
static unsigned char masked_key[KEY_SIZE];      /* as files have it */
static unsigned char masked_reversed[KEY_SIZE]; /* as a little-endian machine computes with it */
static unsigned char masked_password[sizeof PASSWORD - 1];

static bool is_here(const unsigned char *at, const unsigned char *masked, size_t size)
{
    size_t i = 0;
    while (i < size && at[i] == (masked[i] ^ MASK)) {
        i++;
    }
    return i == size;
}

static unsigned count_in(const unsigned char *bytes, size_t starts, const unsigned char *masked,
                         size_t size)
{
    unsigned found = 0;
    for (size_t i = 0; i < starts; i++) {
        found += is_here(bytes + i, masked, size);
    }
    return found;
}

/* Copies in the writable memory of this process. */
static unsigned count_copies(const unsigned char *masked, size_t size)
{
    static unsigned char page[PAGE + KEY_SIZE];
    char line[512];
    unsigned found = 0;
    FILE *const maps = fopen("/proc/self/maps", "r");
    const int memory = open("/proc/self/mem", O_RDONLY);
    assert_true(maps != NULL && memory >= 0);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long first = 0;
        unsigned long end = 0;
        char mode[8] = "";
        if (sscanf(line, "%lx-%lx %7s", &first, &end, mode) != 3 || strncmp(mode, "rw", 2) != 0) {
            continue;
        }
        for (unsigned long at = first; at < end; at += PAGE) {
            const size_t want = end - at < sizeof page ? end - at : sizeof page;
            const bool is_page =
                at + sizeof page > (unsigned long)page && at < (unsigned long)page + sizeof page;
            if (!is_page && pread(memory, page, want, (off_t)at) == (ssize_t)want) {
                /* Starts within the page only, so that none is counted twice. */
                found += count_in(page, want > PAGE ? PAGE : want - size + 1, masked, size);
            }
        }
        memset(page, 0, sizeof page);
    }
    (void)close(memory);
    (void)fclose(maps);
    return found;
}

static void the_parsed_key_is_the_only_copy(const char *key_file)
{
    char ca[96];
    char certificate[96];
    char key[96];
    (void)snprintf(ca, sizeof ca, "%s", tls_folder_file(&folder, "root.pem"));
    (void)snprintf(certificate, sizeof certificate, "%s", tls_folder_file(&folder, "client.pem"));
    (void)snprintf(key, sizeof key, "%s", tls_folder_file(&folder, key_file));
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "wss://localhost:1";
    opt.ca_file = ca;
    opt.client_cert_file = certificate;
    opt.client_key_file = key;
    opt.client_key_password = PASSWORD;
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    assert_int_equal(count_copies(masked_key, sizeof masked_key), 0);
    assert_int_equal(count_copies(masked_password, sizeof masked_password), 0);
    assert_int_equal(count_copies(masked_reversed, sizeof masked_reversed), 1);
    tg_client_close(client);
    assert_int_equal(count_copies(masked_reversed, sizeof masked_reversed), 0);
}

static void of_a_key_only_the_parsed_form_stays_and_goes_with_the_client(void **state)
{
    (void)state;
    the_parsed_key_is_the_only_copy("client.pkcs8");
    the_parsed_key_is_the_only_copy("client.traditional");
    the_parsed_key_is_the_only_copy("client.key");
}

static void the_search_finds_what_is_there(void **state)
{
    (void)state;
    unsigned char *const copy = malloc(KEY_SIZE); /* far from what the search itself uses */
    assert_non_null(copy);
    for (size_t i = 0; i < KEY_SIZE; i++) {
        copy[i] = masked_key[i] ^ MASK;
    }
    assert_int_equal(count_copies(masked_key, sizeof masked_key), 1);
    tg__wipe(copy, KEY_SIZE);
    free(copy);
    assert_int_equal(count_copies(masked_key, sizeof masked_key), 0);
}

static int start(void **state)
{
    (void)state;
    static const char password[] = PASSWORD;
    tls_folder_make(&folder);
    const int fd = open(tls_folder_file(&folder, "client.scalar"), O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, masked_key, KEY_SIZE), KEY_SIZE);
    (void)close(fd);
    for (size_t i = 0; i < KEY_SIZE; i++) {
        masked_key[i] ^= MASK;
    }
    for (size_t i = 0; i < KEY_SIZE; i++) {
        masked_reversed[i] = masked_key[KEY_SIZE - 1 - i];
    }
    for (size_t i = 0; i < sizeof masked_password; i++) {
        masked_password[i] = (unsigned char)(password[i] ^ MASK);
    }
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
        cmocka_unit_test(the_search_finds_what_is_there),
        cmocka_unit_test(of_a_key_only_the_parsed_form_stays_and_goes_with_the_client),
    };
    return cmocka_run_group_tests_name("sdk.tls_key_memory", tests, start, stop);
}

#include "tls_folder.h"

#include "tg_cmocka.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kept_folder.h"

bool tls_folder_is_possible(void)
{
    if (access("/usr/bin/openssl", X_OK) == 0 || access("/usr/local/bin/openssl", X_OK) == 0) {
        return true;
    }
    (void)printf("SKIP: openssl is not installed\n");
    return false;
}

static void await_success(pid_t pid)
{
    int status = -1;
    assert_true(pid > 0);
    while (waitpid(pid, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    assert_int_equal(status, 0);
}

void tls_folder_make(tls_folder *folder)
{
    memset(folder, 0, sizeof *folder);
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/tickglass-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    kept_folder_made(folder->path);
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execl("/bin/sh", "sh", TG_CERTIFICATE_SCRIPT, folder->path, (char *)NULL);
        _exit(127);
    }
    await_success(pid);
}

const char *tls_folder_file(tls_folder *folder, const char *name)
{
    (void)snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

void tls_folder_line(tls_folder *folder, const char *name, char *line, size_t size)
{
    FILE *const file = fopen(tls_folder_file(folder, name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, (int)size, file));
    (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

void tls_folder_remove(tls_folder *folder)
{
    if (folder->path[0] == '\0') {
        return;
    }
    DIR *const entries = opendir(folder->path);
    assert_non_null(entries);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    (void)closedir(entries);
    assert_int_equal(rmdir(folder->path), 0);
    folder->path[0] = '\0';
}

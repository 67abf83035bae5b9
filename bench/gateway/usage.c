#include "usage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BYTES_PER_MIB 1048576.0

static bool read_first_line(const char *path, char *line, size_t size)
{
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const bool good = fgets(line, (int)size, file) != NULL;
    (void)fclose(file);
    return good;
}

/* 0 where the kernel keeps no such account. */
static double waited_s(pid_t pid)
{
    char path[64];
    double sum_ns = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *const tasks = opendir(path);
    for (struct dirent *task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        char line[128];
        char file[320];
        unsigned long long waited_ns = 0;
        (void)snprintf(file, sizeof file, "/proc/%ld/task/%.200s/schedstat", (long)pid,
                       task->d_name);
        if (task->d_name[0] != '.' && read_first_line(file, line, sizeof line) &&
            sscanf(line, "%*u %llu", &waited_ns) == 1) {
            sum_ns += (double)waited_ns;
        }
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return sum_ns / 1e9;
}

bool usage_of(pid_t pid, usage *out)
{
    char path[64];
    char line[1024];
    unsigned long user = 0;
    unsigned long system_ticks = 0;
    long resident = 0;
    memset(out, 0, sizeof *out);
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!read_first_line(path, line, sizeof line)) {
        return false;
    }
    /* The name, in parentheses, may hold anything: fields are counted from behind it. */
    const char *const behind = strrchr(line, ')');
    if (behind == NULL || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                                 &user, &system_ticks) != 2) {
        return false;
    }
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    if (!read_first_line(path, line, sizeof line) || sscanf(line, "%*d %ld", &resident) != 1) {
        return false;
    }
    out->wait_s = waited_s(pid);
    out->cpu_s = (double)(user + system_ticks) / (double)sysconf(_SC_CLK_TCK);
    out->rss_mib = (double)resident * (double)sysconf(_SC_PAGESIZE) / BYTES_PER_MIB;
    return true;
}

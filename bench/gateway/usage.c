#include "usage.h"

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
    out->cpu_s = (double)(user + system_ticks) / (double)sysconf(_SC_CLK_TCK);
    out->rss_mib = (double)resident * (double)sysconf(_SC_PAGESIZE) / BYTES_PER_MIB;
    return true;
}

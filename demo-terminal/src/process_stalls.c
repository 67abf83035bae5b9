#include "process_stalls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct process_stalls {
    int schedstat; /* of the thread that the process began with, which is the owner; -1: none */
    process_sample before;
    bool has_before;
    stall_tally tally;
    size_t count;
    size_t next; /* where the next one goes */
    uint64_t forgotten;
    stall list[PROCESS_STALLS_SIZE];
};

void stall_tally_add(stall_tally *into, const stall_tally *more)
{
    into->slow_passes += more->slow_passes;
    into->late_wakes += more->late_wakes;
    into->major_faults += more->major_faults;
    into->minor_faults += more->minor_faults;
    into->involuntary_switches += more->involuntary_switches;
    into->run_wait_ns += more->run_wait_ns;
    into->run_wait_known = into->run_wait_known || more->run_wait_known;
    if (more->longest_pass_ns > into->longest_pass_ns) {
        into->longest_pass_ns = more->longest_pass_ns;
    }
    if (more->longest_late_ns > into->longest_late_ns) {
        into->longest_late_ns = more->longest_late_ns;
    }
}

tg_err process_stalls_open(process_stalls **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    /* Linux only; elsewhere nothing is said about waiting for a processor. */
    (*out)->schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    return TG_OK;
}

void process_stalls_close(process_stalls *self)
{
    if (self == NULL) {
        return;
    }
    if (self->schedstat >= 0) {
        (void)close(self->schedstat);
    }
    free(self);
}

/* "nanoseconds on a processor, nanoseconds of waiting for one, time slices". */
static bool read_run_wait(int file, int64_t *out)
{
    char text[96];
    const ssize_t size = file >= 0 ? pread(file, text, sizeof text - 1, 0) : -1;
    if (size <= 0) {
        return false;
    }
    text[size] = '\0';
    const char *second = strchr(text, ' ');
    if (second == NULL) {
        return false;
    }
    char *end = NULL;
    const long long wait = strtoll(second, &end, 10);
    *out = wait;
    return end != second && wait >= 0;
}

process_sample process_stalls_look(process_stalls *self)
{
    process_sample sample = {0};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        sample.major_faults = (uint64_t)usage.ru_majflt;
        sample.minor_faults = (uint64_t)usage.ru_minflt;
        sample.involuntary_switches = (uint64_t)usage.ru_nivcsw;
    }
    sample.run_wait_known = read_run_wait(self->schedstat, &sample.run_wait_ns);
    return sample;
}

static void list(process_stalls *self, const stall *entry)
{
    self->list[self->next] = *entry;
    self->next = (self->next + 1) % PROCESS_STALLS_SIZE;
    if (self->count < PROCESS_STALLS_SIZE) {
        self->count++;
    } else {
        self->forgotten++;
    }
}

void process_stalls_take(process_stalls *self, const process_sample *sample, int64_t now_mono_ns)
{
    const process_sample before = self->before;
    self->before = *sample;
    if (!self->has_before) {
        self->has_before = true;
        return;
    }
    const uint64_t major = sample->major_faults - before.major_faults;
    const uint64_t minor = sample->minor_faults - before.minor_faults;
    self->tally.major_faults += major;
    self->tally.minor_faults += minor;
    self->tally.involuntary_switches += sample->involuntary_switches - before.involuntary_switches;
    if (major > 0) {
        list(self, &(stall){.kind = STALL_MAJOR_FAULTS, .mono_ns = now_mono_ns, .count = major});
    }
    if (minor >= STALL_MINOR_FAULTS) {
        list(self,
             &(stall){.kind = STALL_MINOR_FAULTS_BURST, .mono_ns = now_mono_ns, .count = minor});
    }
    if (sample->run_wait_known && before.run_wait_known) {
        const int64_t waited_ns = sample->run_wait_ns - before.run_wait_ns;
        self->tally.run_wait_known = true;
        self->tally.run_wait_ns += waited_ns;
        if (waited_ns >= STALL_RUN_WAIT_NS) {
            list(self,
                 &(stall){.kind = STALL_RUN_WAIT, .mono_ns = now_mono_ns, .length_ns = waited_ns});
        }
    }
}

void process_stalls_pass(process_stalls *self, int64_t from_mono_ns, int64_t to_mono_ns)
{
    const int64_t length_ns = to_mono_ns - from_mono_ns;
    if (length_ns > self->tally.longest_pass_ns) {
        self->tally.longest_pass_ns = length_ns;
    }
    if (length_ns > STALL_PASS_NS) {
        self->tally.slow_passes++;
        list(self, &(stall){STALL_SLOW_PASS, to_mono_ns, length_ns, 0});
    }
}

void process_stalls_wake(process_stalls *self, int64_t asked_mono_ns, int64_t woke_mono_ns)
{
    const int64_t late_ns = woke_mono_ns - asked_mono_ns;
    if (late_ns > self->tally.longest_late_ns) {
        self->tally.longest_late_ns = late_ns;
    }
    if (late_ns > STALL_LATE_NS) {
        self->tally.late_wakes++;
        list(self, &(stall){STALL_LATE_WAKE, woke_mono_ns, late_ns, 0});
    }
}

stall_tally process_stalls_end_tally(process_stalls *self)
{
    const stall_tally ended = self->tally;
    self->tally = (stall_tally){0};
    return ended;
}

size_t process_stalls_count(const process_stalls *self)
{
    return self->count;
}

const stall *process_stalls_at(const process_stalls *self, size_t index)
{
    return &self->list[(self->next + PROCESS_STALLS_SIZE - 1 - index) % PROCESS_STALLS_SIZE];
}

uint64_t process_stalls_forgotten(const process_stalls *self)
{
    return self->forgotten;
}

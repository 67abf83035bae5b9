/* For children that a test starts: a test that is killed or aborts must not leave them behind. */
#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Call first thing in the child, with the parent's pid as it was before the fork. */
static inline void child_ends_with_parent(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(125); /* it was gone before we asked */
    }
}

#endif

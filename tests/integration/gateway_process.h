/* A real tickglass-gateway as a child process, for tests: started, awaited, ended by its own pid.
 */
#ifndef GATEWAY_PROCESS_H
#define GATEWAY_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct gateway_process {
    pid_t pid;
    int port;
    char folder[64]; /* scratch folder with the state directory, removed at the end */
    char ca[96];
    char url[64];
    char token[256]; /* empty if it was given another one's with --token-file */
    char log[96];    /* what the gateway wrote to stderr */
    int watch;       /* of the folder, from begin to await */
} gateway_process;

/*
 * Starts the program with the given extra arguments (NULL-terminated, may be NULL) on a free port
 * of 127.0.0.1 and waits until it accepts. Prints the gateway's own words and returns false if it
 * does not within a minute.
 */
bool gateway_process_start(gateway_process *gateway, const char *program,
                           const char *const *arguments);

/* The two steps of it, for many that start side by side. After a false begin there is nothing to
 * await; an await that returns false has ended the process. */
bool gateway_process_begin(gateway_process *gateway, const char *program,
                           const char *const *arguments);
bool gateway_process_await(gateway_process *gateway);

/* SIGKILL and wait; the folder stays. */
void gateway_process_kill(gateway_process *gateway);

/* Starts it again in its folder, with the same state but on another port, after it has ended. */
bool gateway_process_resume(gateway_process *gateway, const char *program,
                            const char *const *arguments);

/* SIGTERM, wait, and start it again on the same port with the same state: as an operator does it.
 * Does not wait until it accepts. */
bool gateway_process_restart(gateway_process *gateway, const char *program);

/* SIGTERM, wait, remove the folder. The exit status as waitpid() gives it. Idempotent. */
int gateway_process_stop(gateway_process *gateway);

#endif

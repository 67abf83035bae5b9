/** A tickglass session as an embedding application runs one. */
#ifndef GUEST_SESSION_H
#define GUEST_SESSION_H

#include <stddef.h>

typedef struct session session;

/** @retval NULL  why says what went wrong */
session *session_open(const char *url, const char *ca_file, const char *token, char *why,
                      size_t size);

/**
 * Wait until an instrument of the gateway's directory is drawn from a live view.
 * @retval -1  why says what went wrong
 */
int session_wait_for_ticks(session *s, char *why, size_t size);

void session_close(session *s);

#endif

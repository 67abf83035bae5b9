/* The first instruments of the gateway's directory, page by page. */
#ifndef TG_TERMINAL_DIRECTORY_H
#define TG_TERMINAL_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>

typedef struct directory directory;

/* Bounded: after limit instruments it asks for no more. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err directory_open(size_t limit, directory **out);
/* The client must be closed before. NULL is allowed. Thread: owner. */
void directory_close(directory *dir);

/* For tg_client_options.on_found. True: a page has ended. Thread: network. */
bool directory_found(directory *dir, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more);

/*
 * Ask for what is still to be had. connects counts sessions: what was asked in an earlier one gets
 * no answer any more. Thread: owner.
 */
void directory_poll(directory *dir, tg_client *client, uint64_t connects);

/* The next instrument that was found; false: none now. Thread: owner. */
bool directory_next(directory *dir, char venue[TG_VENUE_NAME_SIZE], char symbol[TG_SYMBOL_SIZE]);

#endif

/* What goes to the recorder: received messages, what was handed to the window system, latencies. */
#ifndef TG_TERMINAL_SESSION_RECORD_H
#define TG_TERMINAL_SESSION_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/market.h>

#include "glass_times.h"

typedef struct session_record session_record;

/* TG_ERR_IO (errno says why; an existing file is never overwritten), TG_ERR_NO_MEMORY. Thread:
 * owner. */
TG_MUST_CHECK tg_err session_record_open(const char *path, session_record **out);

/*
 * The end of the file. TG_ERR_IO: something could not be written, why says what. NULL is allowed.
 * No callback may record any more. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err session_record_close(session_record *record, char *why, size_t why_size);

/* All of these do nothing if record is NULL. */

/* Thread: network. */
void session_record_message(session_record *record, const void *bytes, size_t size,
                            int64_t received_mono_ns);

/* A version of an instrument was drawn and handed over in this pass. Thread: owner. */
void session_record_row(session_record *record, uint64_t view_number, const char *venue,
                        const char *symbol, tg_version version);

/* Thread: owner. */
void session_record_pass(session_record *record, uint64_t view_number, size_t cell_count,
                         const pass_stamps *stamps);

/* The histograms of the whole run. Thread: owner. */
void session_record_times(session_record *record, const glass_times *times, int64_t from_mono_ns,
                          int64_t to_mono_ns);

#endif

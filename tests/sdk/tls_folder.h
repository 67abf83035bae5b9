/* A scratch folder with the certificates and keys that make_certificates.sh lists, for tests. */
#ifndef TLS_FOLDER_H
#define TLS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tls_folder {
    char path[64];
    char file[96]; /* the latest result of tls_folder_file() */
} tls_folder;

/* False, and a line that says so: this machine lacks the openssl command. */
bool tls_folder_is_possible(void);

void tls_folder_make(tls_folder *folder);
/* Its file of that name; valid until the next call. */
const char *tls_folder_file(tls_folder *folder, const char *name);
/* The first line of a file, without its end. */
void tls_folder_line(tls_folder *folder, const char *name, char *line, size_t size);
/* Idempotent. */
void tls_folder_remove(tls_folder *folder);

#endif

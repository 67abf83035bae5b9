/**
 * The development CA and server certificate that a gateway makes for itself.
 *
 * DIR/ca.pem, DIR/server.pem and DIR/server.key (0600): EC P-256, for localhost, 127.0.0.1 and ::1,
 * signed by the CA. DIR/ca.key (0600) stays, so that the server's can be renewed under the same CA;
 * when it comes to its end, both are made anew.
 */
#ifndef TG_GATEWAY_CERTIFICATE_H
#define TG_GATEWAY_CERTIFICATE_H

#include <stdbool.h>
#include <time.h>

#include "state_dir.h"

typedef struct tg__certificate {
    char ca_path[TG__PATH_SIZE];
    char ca_key_path[TG__PATH_SIZE];
    char certificate_path[TG__PATH_SIZE];
    char key_path[TG__PATH_SIZE];
    bool made; /* by this call */
} tg__certificate;

/*
 * Makes what is missing, or within a week of its end at now; checks that the three files belong
 * together. TG_ERR_CERTIFICATE: a file is damaged or belongs to others, or comes to its end and was
 * not made here, for want of ca.key (cause names it);
 * TG_ERR_TLS: mbedTLS failed; TG_ERR_IO.
 */
TG_MUST_CHECK tg_err tg__certificate_open(tg__certificate *files, const tg__state_dir *dir,
                                          time_t now, tg__cause *cause);

/*
 * Another key and certificate for the server, under the same CA: who trusts that trusts them, too.
 * In use only when they have been read again. TG_ERR_NOT_FOUND: there is no ca.key; as above.
 */
TG_MUST_CHECK tg_err tg__certificate_renew(const tg__certificate *files, time_t now,
                                           tg__cause *cause);

#endif

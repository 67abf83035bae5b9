/**
 * Who may come in, and to what: the gateway's own token, or a JWT of an issuer whose keys it has.
 *
 * What can be seen without a signature is decided at once (form, alg, kid, times, issuer, audience,
 * venues), and so is a token that was verified or found false before. Any other is given to the
 * verifier's thread: its verdict is told later, to whoever owns the ticket then. All functions
 * belong to the thread of the event loop; they neither block nor allocate.
 */
#ifndef TG_GATEWAY_DOOR_H
#define TG_GATEWAY_DOOR_H

#include "bearer.h"
#include "jwt_keys.h"
#include "token_cache.h"
#include "token_verifier.h"

#define TG__DOOR_CACHE       8192u /* verified tokens, until they expire */
#define TG__DOOR_FALSE_CACHE 2048u /* false signatures */
#define TG__DOOR_FALSE_S     60    /* for so long, as keys do not change in between */
#define TG__REVOCATIONS_MAX  256u

typedef struct tg__door_options {
    const tg__bearer *bearer;       /* outlives the door; gives every venue, for ever */
    const tg__directory *directory; /* sealed; NULL: tg__door_serve() comes before any question */
    tg__jwt_keys *keys;             /* NULL: only the bearer token; the door's until it is closed */
    const char *issuer;             /* NULL: any */
    const char *audience;           /* NULL: any */
    /* Called from the verifier's thread when there is a verdict: must only wake the loop. */
    void (*wake)(void *ctx);
    void *ctx;
} tg__door_options;

typedef struct tg__door_counts {
    uint64_t hits;                             /* of a verified token in the cache */
    uint64_t misses;                           /* had to be verified */
    uint64_t negative_hits;                    /* known to be false */
    uint64_t verified;                         /* by the thread, with either outcome */
    uint64_t refused[TG__TOKEN_VERDICT_COUNT]; /* by cause */
} tg__door_counts;

typedef struct tg__door tg__door;

typedef struct tg__door_answer {
    tg__token_verdict verdict;
    uint64_t ticket;             /* not 0: admitted as far as can be seen; wait for the verdict */
    tg__entitlement entitlement; /* if admitted */
} tg__door_answer;

/* TG_ERR_NO_MEMORY; TG_ERR_IO: no thread. */
TG_MUST_CHECK tg_err tg__door_open(const tg__door_options *options, tg__door **out);
/* Ends the thread, and with it the calls of wake; who waits gets no verdict any more. Idempotent.
 */
void tg__door_stop(tg__door *door);
void tg__door_close(tg__door *door); /* NULL is allowed */

/*
 * The instruments are others from now on, and so are the ids of venues: what was remembered of
 * tokens and revoked is forgotten, and who still waits is told TG__TOKEN_BUSY.
 */
void tg__door_serve(tg__door *door, const tg__directory *directory);

/* TG__TOKEN_NO_VENUE also when everything that the token gave has been revoked. */
tg__door_answer tg__door_ask(tg__door *door, const char *token, size_t size, int64_t utc_ns);

/* Who waits for a ticket; NULL: nobody any more. Must be NULL before an owner goes. */
void tg__door_own(tg__door *door, uint64_t ticket, void *owner);

/*
 * The next verdict of the thread. *owner may be NULL: it is only remembered then. answer->ticket is
 * that of the question. False: there is none.
 */
bool tg__door_next(tg__door *door, int64_t utc_ns, void **owner, tg__door_answer *answer);

/*
 * From now on no token of subject (NULL: of anybody; "": of those that name none, as the gateway's
 * own) gives the venue (NULL: any). Who is in already is the hub's to restrict: tg__hub_revoke()
 * does both. TG_ERR_NOT_FOUND: no such venue; TG_ERR_FULL; TG_ERR_INVALID_ARGUMENT: subject is too
 * long.
 */
TG_MUST_CHECK tg_err tg__door_revoke(tg__door *door, const char *subject, const char *venue);
/* Takes from entitlement what has been revoked. */
void tg__door_restrict(const tg__door *door, tg__entitlement *entitlement);

const tg__door_counts *tg__door_counts_of(const tg__door *door);

/* What an upgrade is answered with: 0 (admitted), 401, 403, 503. */
unsigned tg__door_status(tg__token_verdict verdict);

#endif

#include "door.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "bits.h"
#include "wipe.h"

#define NS_PER_S INT64_C(1000000000)

typedef struct revocation {
    bool anybody;
    char subject[TG__SUBJECT_SIZE];
    uint8_t kept[sizeof((tg__entitlement *)0)->venues]; /* what it leaves */
} revocation;

struct tg__door {
    tg__door_options options;
    tg__jwt_rules rules;
    tg__token_cache verified; /* only with keys, as are the next two */
    tg__token_cache false_ones;
    tg__token_verifier *verifier;
    void *owners[TG__VERIFIER_QUEUE]; /* by ticket */
    uint64_t last_ticket;
    uint64_t outdated_ticket; /* up to this one they were given for another directory */
    uint32_t revocation_count;
    revocation revocations[TG__REVOCATIONS_MAX];
    tg__door_counts counts;
};

tg_err tg__door_open(const tg__door_options *options, tg__door **out)
{
    *out = NULL;
    tg__door *door = calloc(1, sizeof *door);
    TG_ENSURE(door != NULL, TG_ERR_NO_MEMORY);
    door->options = *options;
    door->rules.directory = options->directory;
    door->rules.issuer = options->issuer;
    door->rules.audience = options->audience;
    tg_err err = TG_OK;
    if (options->keys != NULL) {
        err = tg__token_cache_init(&door->verified, TG__DOOR_CACHE);
        if (err == TG_OK) {
            err = tg__token_cache_init(&door->false_ones, TG__DOOR_FALSE_CACHE);
        }
        if (err == TG_OK) {
            err = tg__token_verifier_open(options->keys, options->wake, options->ctx,
                                          &door->verifier);
        }
    }
    if (err != TG_OK) {
        tg__door_close(door);
        return err;
    }
    *out = door;
    return TG_OK;
}

void tg__door_stop(tg__door *door)
{
    tg__token_verifier_close(door->verifier);
    door->verifier = NULL;
}

void tg__door_close(tg__door *door)
{
    if (door == NULL) {
        return;
    }
    tg__door_stop(door);
    tg__token_cache_deinit(&door->verified);
    tg__token_cache_deinit(&door->false_ones);
    free(door);
}

void tg__door_serve(tg__door *door, const tg__directory *directory)
{
    door->options.directory = directory;
    door->rules.directory = directory;
    door->outdated_ticket = door->last_ticket;
    door->revocation_count = 0;
    tg__token_cache_clear(&door->verified);
}

/* ---- revocations ---- */

static tg_err venue_to_revoke(const tg__door *door, const char *venue, revocation *entry)
{
    memset(entry->kept, 0, sizeof entry->kept);
    if (venue == NULL) {
        return TG_OK;
    }
    memset(entry->kept, 0xff, sizeof entry->kept);
    tg_venue_id id = 0;
    TG_ENSURE(tg__directory_find_venue(door->options.directory, venue, &id), TG_ERR_NOT_FOUND);
    tg__bit_clear(entry->kept, id);
    return TG_OK;
}

static bool is_about(const revocation *entry, const char *subject)
{
    return entry->anybody || strcmp(entry->subject, subject) == 0;
}

static revocation *revocation_of(tg__door *door, const revocation *wanted)
{
    for (uint32_t i = 0; i < door->revocation_count; i++) {
        revocation *entry = &door->revocations[i];
        if (entry->anybody == wanted->anybody && strcmp(entry->subject, wanted->subject) == 0) {
            return entry;
        }
    }
    return NULL;
}

tg_err tg__door_revoke(tg__door *door, const char *subject, const char *venue)
{
    revocation wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.anybody = subject == NULL;
    if (subject != NULL) {
        TG_ENSURE(strlen(subject) < sizeof wanted.subject, TG_ERR_INVALID_ARGUMENT);
        memcpy(wanted.subject, subject, strlen(subject) + 1);
    }
    TG_TRY(venue_to_revoke(door, venue, &wanted));
    revocation *entry = revocation_of(door, &wanted);
    if (entry == NULL) {
        TG_ENSURE(door->revocation_count < TG__REVOCATIONS_MAX, TG_ERR_FULL);
        door->revocations[door->revocation_count++] = wanted;
        return TG_OK;
    }
    for (size_t i = 0; i < sizeof entry->kept; i++) {
        entry->kept[i] = (uint8_t)(entry->kept[i] & wanted.kept[i]);
    }
    return TG_OK;
}

void tg__door_restrict(const tg__door *door, tg__entitlement *entitlement)
{
    for (uint32_t i = 0; i < door->revocation_count; i++) {
        if (is_about(&door->revocations[i], entitlement->subject)) {
            tg__entitlement_intersect(entitlement, door->revocations[i].kept);
        }
    }
}

/* ---- questions ---- */

static tg__door_answer refuse(tg__door *door, tg__token_verdict verdict)
{
    tg__door_answer answer;
    memset(&answer, 0, sizeof answer);
    answer.verdict = verdict;
    door->counts.refused[verdict]++;
    return answer;
}

/* What is left of it after the revocations. */
static tg__door_answer admit(tg__door *door, const tg__entitlement *entitlement)
{
    tg__door_answer answer;
    memset(&answer, 0, sizeof answer);
    answer.entitlement = *entitlement;
    tg__door_restrict(door, &answer.entitlement);
    return tg__entitlement_is_empty(&answer.entitlement) ? refuse(door, TG__TOKEN_NO_VENUE)
                                                         : answer;
}

static tg__door_answer give_to_verifier(tg__door *door, const char *token,
                                        const tg__fingerprint *fingerprint, const tg__jwt *jwt)
{
    tg__door_answer answer = admit(door, &jwt->entitlement);
    if (answer.verdict != TG__TOKEN_ADMITTED) {
        return answer;
    }
    answer.ticket = door->verifier == NULL
                        ? 0
                        : tg__token_verifier_give(door->verifier, token, fingerprint, jwt);
    if (answer.ticket == 0) {
        return refuse(door, TG__TOKEN_BUSY);
    }
    door->counts.misses++;
    door->last_ticket = answer.ticket;
    tg__door_own(door, answer.ticket, NULL);
    return answer;
}

static tg__door_answer ask_about_new(tg__door *door, const char *token, size_t size,
                                     const tg__fingerprint *fingerprint, int64_t utc_s)
{
    tg__jwt jwt;
    tg__token_verdict verdict = tg__jwt_read(token, size, &door->rules, &jwt);
    if (verdict == TG__TOKEN_ADMITTED) {
        verdict = tg__jwt_check_times(&jwt, utc_s);
    }
    if (verdict == TG__TOKEN_ADMITTED && !tg__jwt_keys_has(door->options.keys, &jwt)) {
        verdict = TG__TOKEN_UNKNOWN_KEY;
    }
    const tg__door_answer answer = verdict == TG__TOKEN_ADMITTED
                                       ? give_to_verifier(door, token, fingerprint, &jwt)
                                       : refuse(door, verdict);
    tg__wipe(&jwt, sizeof jwt);
    return answer;
}

tg__door_answer tg__door_ask(tg__door *door, const char *token, size_t size, int64_t utc_ns)
{
    const int64_t utc_s = utc_ns / NS_PER_S;
    tg__fingerprint fingerprint;
    if (tg__bearer_matches(door->options.bearer, token, size)) {
        const tg__entitlement all = tg__entitlement_of_all(door->options.directory->venue_count);
        return admit(door, &all);
    }
    if (door->options.keys == NULL) {
        return refuse(door, TG__TOKEN_NOT_OURS);
    }
    if (size > TG__TOKEN_SIZE_MAX || tg__fingerprint_of(token, size, &fingerprint) != TG_OK) {
        return refuse(door, TG__TOKEN_MALFORMED);
    }
    if (tg__token_cache_find(&door->false_ones, &fingerprint, utc_s) != NULL) {
        door->counts.negative_hits++;
        return refuse(door, TG__TOKEN_SIGNATURE);
    }
    const tg__token_entry *known = tg__token_cache_find(&door->verified, &fingerprint, utc_s);
    if (known != NULL) {
        door->counts.hits++;
        return admit(door, &known->entitlement);
    }
    return ask_about_new(door, token, size, &fingerprint, utc_s);
}

/* ---- verdicts ---- */

void tg__door_own(tg__door *door, uint64_t ticket, void *owner)
{
    if (ticket != 0) {
        door->owners[ticket % TG__VERIFIER_QUEUE] = owner;
    }
}

bool tg__door_next(tg__door *door, int64_t utc_ns, void **owner, tg__door_answer *answer)
{
    const tg__token_job *job =
        door->verifier == NULL ? NULL : tg__token_verifier_collect(door->verifier);
    if (job == NULL) {
        return false;
    }
    const int64_t utc_s = utc_ns / NS_PER_S;
    const uint64_t ticket = job->ticket;
    const tg__token_entry entry = {
        .fingerprint = job->fingerprint,
        .until_s =
            job->good ? job->jwt.entitlement.expires_s + TG__JWT_SKEW_S : utc_s + TG__DOOR_FALSE_S,
        .entitlement = job->jwt.entitlement,
    };
    door->counts.verified++;
    if (job->good && ticket <= door->outdated_ticket) {
        *answer = refuse(door, TG__TOKEN_BUSY);
    } else {
        tg__token_cache_put(job->good ? &door->verified : &door->false_ones, &entry, utc_s);
        *answer = job->good ? admit(door, &entry.entitlement) : refuse(door, TG__TOKEN_SIGNATURE);
    }
    answer->ticket = ticket;
    *owner = door->owners[ticket % TG__VERIFIER_QUEUE];
    tg__token_verifier_done(door->verifier);
    return true;
}

const tg__door_counts *tg__door_counts_of(const tg__door *door)
{
    return &door->counts;
}

unsigned tg__door_status(tg__token_verdict verdict)
{
    if (verdict == TG__TOKEN_ADMITTED) {
        return 0;
    }
    return verdict == TG__TOKEN_NO_VENUE ? 403 : verdict == TG__TOKEN_BUSY ? 503 : 401;
}

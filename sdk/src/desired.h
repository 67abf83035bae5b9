/*
 * What the application wants and what the gateway has been told.
 *
 * An interest is one view's claim on one instrument name; a want is a name with at least one
 * interest, or one that the gateway still has to forget. Wants survive the connection; what the
 * gateway holds does not. A change that is under way is never overtaken: the want remembers it and
 * the next request follows from the state after the answer.
 *
 * No I/O and no clock; nothing allocates after init.
 */
#ifndef TG_SDK_DESIRED_H
#define TG_SDK_DESIRED_H

#include <tickglass/client.h>
#include <tickglass/internal/control.h>

#define TG__INTEREST_CAPACITY_MAX 65536u /* a tg_sub_id keeps its slot in 16 bits */
#define TG__NO_WANT               UINT32_MAX

/* What tg__desired_take() names a want by: its place, and which of the place's tenants it is. */
typedef uint32_t tg__want_number;

/* Slot of a subscription: the low half of its id. The high half is the slot's generation. */
static inline uint32_t tg__sub_slot(tg_sub_id sub)
{
    return sub.v & 0xffffu;
}

typedef enum tg__want_state {
    TG__WANT_FREE,
    TG__WANT_UNASKED, /* not yet asked for in this session */
    TG__WANT_ASKED,   /* SUBSCRIBE is under way */
    TG__WANT_HELD,    /* in the gateway's set */
    TG__WANT_LEAVING, /* UNSUBSCRIBE is under way */
    TG__WANT_REFUSED  /* answered, and not in the set */
} tg__want_state;

typedef struct tg__want {
    tg__want_state state;
    tg_err err;          /* of the answer: TG_OK, or why not; TG_ERR_STATE before one */
    tg_instrument_id id; /* TG_INSTRUMENT_NONE until known in this dictionary generation */
    uint32_t interests;  /* how many */
    uint32_t first;      /* interest, as slot + 1 */
    uint32_t next_free;
    uint32_t visible; /* of the interests, how many are on screen */
    uint16_t tenant;  /* of the place; never UINT16_MAX, so that no number is TG__NO_WANT */
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} tg__want;

typedef struct tg__interest {
    tg_sub_id sub;      /* v = 0: the slot is free */
    uint32_t want;      /* TG__NO_WANT: there was no room for another name */
    uint32_t next;      /* of the same want, as slot + 1 */
    uint32_t next_told; /* list of answers that were not handed out, as slot + 1 */
    bool told_pending;
    bool hidden; /* not on screen */
} tg__interest;

typedef struct tg__desired {
    tg__want *wants;
    tg__interest *interests;
    uint32_t *index;        /* open addressing over names: want + 1, 0: empty */
    tg_instrument_id *held; /* ascending ids that the gateway has for us */
    uint32_t want_capacity;
    uint32_t interest_capacity;
    uint32_t index_mask;
    uint32_t held_count;
    uint32_t free_want; /* want + 1 */
    uint32_t want_count;
    uint32_t interest_count;
    uint32_t unasked;      /* wants in TG__WANT_UNASKED */
    uint32_t under_way;    /* in TG__WANT_ASKED or TG__WANT_LEAVING */
    uint32_t unwanted;     /* in TG__WANT_HELD without an interest */
    uint32_t first_untold; /* interest with an answer to hand out, as slot + 1 */
    uint32_t last_untold;
    bool held_again; /* an id is held by more than one want: renames may do that */
} tg__desired;

/* TG_ERR_NO_MEMORY, TG_ERR_INVALID_ARGUMENT. */
TG_MUST_CHECK tg_err tg__desired_init(tg__desired *desired, uint32_t want_capacity,
                                      uint32_t interest_capacity);
void tg__desired_deinit(tg__desired *desired);

/*
 * A new interest. TG_ERR_INVALID_ARGUMENT: sub is 0 or its slot is outside the table; TG_ERR_STATE:
 * the slot is taken; TG_ERR_FULL: no room for another name (the interest exists and was told so).
 */
TG_MUST_CHECK tg_err tg__desired_add(tg__desired *desired, tg_sub_id sub, const char *venue,
                                     const char *symbol);
/* TG_ERR_NOT_FOUND: no such interest. */
TG_MUST_CHECK tg_err tg__desired_remove(tg__desired *desired, tg_sub_id sub);

/* What an interest wants; NULL: there is no such interest, or no room for its name. */
const tg__want *tg__desired_want(const tg__desired *desired, tg_sub_id sub);

/* A session starts: the gateway holds nothing of ours. Ids stay known only if keep_ids. */
void tg__desired_begin(tg__desired *desired, bool keep_ids);

/* A new interest is on screen until this says otherwise. TG_ERR_NOT_FOUND: no such interest. */
TG_MUST_CHECK tg_err tg__desired_set_visible(tg__desired *desired, tg_sub_id sub, bool visible);

/*
 * The next wants to SUBSCRIBE (ask) or UNSUBSCRIBE: at most capacity, marked as under way. Of those
 * to ask for, the ones that are on screen come first.
 * numbers[i] names the want in tg__desired_answer(), names[i] is what to send.
 */
uint32_t tg__desired_take(tg__desired *desired, bool ask, tg__want_number *numbers, tg__name *names,
                          uint32_t capacity);

/*
 * The gateway's result for a want that tg__desired_take() gave; nothing happens if its place has
 * another tenant since. False: another answer follows.
 */
bool tg__desired_answer(tg__desired *desired, tg__want_number number, const tg__result *result);

/* The gateway has room again: what it refused for its limit is to be asked for anew. */
void tg__desired_ask_again(tg__desired *desired);

/* The dictionary says that this id has another symbol now, or is out of use. */
void tg__desired_rename(tg__desired *desired, tg_instrument_id id, const char *symbol);
void tg__desired_tombstone(tg__desired *desired, tg_instrument_id id);

/* Nothing is to be asked, given back or under way. */
bool tg__desired_settled(const tg__desired *desired);

/* The gateway has it for us, by our own account. */
bool tg__desired_holds(const tg__desired *desired, tg_instrument_id id);

/* Digest of the ids that the gateway holds for us by our own account. */
uint32_t tg__desired_digest(const tg__desired *desired);

typedef struct tg__sub_answer {
    tg_sub_id sub;
    tg_err err;
    tg_instrument_id id;
} tg__sub_answer;

/* The next answer for an interest that was not handed out; false: there is none. */
bool tg__desired_next_told(tg__desired *desired, tg__sub_answer *answer);

#endif

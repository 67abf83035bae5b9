#include "bus_session.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "sim_universe.h"

void tg__bus_session_deinit(tg__bus_session *session)
{
    tg__directory_deinit(&session->directory);
    free(session->cut);
    free(session->updates);
    memset(session, 0, sizeof *session);
}

static tg_err wrong(tg__cause *cause, tg_err err, const char *what)
{
    return tg__cause_set(cause, err, "bus: %s", what);
}

static tg_err take_hello(tg__bus_session *session, const tg__bus_hello *hello, tg__cause *cause)
{
    if (session->has_hello) {
        return wrong(cause, TG_ERR_PROTOCOL, "a second hello");
    }
    if (hello->simulated && hello->instrument_count != TG__SIM_INSTRUMENTS) {
        return wrong(cause, TG_ERR_PROTOCOL, "the simulated market of another build");
    }
    const size_t count = (size_t)hello->instrument_count + 1;
    session->cut = calloc(count, sizeof *session->cut);
    session->updates = calloc(count, sizeof *session->updates);
    if (session->cut == NULL || session->updates == NULL) {
        return wrong(cause, TG_ERR_NO_MEMORY, "no memory for the market");
    }
    session->hello = *hello;
    session->has_hello = true;
    session->directory.generation = hello->dictionary_generation;
    return TG_OK;
}

/* Ids are given in the order of adding: they must come in that order. */
static bool add_entry(tg__bus_session *session, const tg__dictionary_entry *entry)
{
    tg__directory *directory = &session->directory;
    if (entry->op == TG__DICTIONARY_VENUE) {
        tg_venue_id id = 0;
        return entry->as.venue.id == directory->venue_count &&
               directory->venue_count < session->hello.venue_count &&
               tg__directory_venue(directory, entry->as.venue.name, &id) == TG_OK &&
               id == entry->as.venue.id;
    }
    tg_instrument_id id = 0;
    return entry->op == TG__DICTIONARY_ADD && entry->as.instrument.id == directory->count &&
           directory->count < session->hello.instrument_count &&
           tg__directory_add(directory, &entry->as.instrument, &id) == TG_OK;
}

static tg_err take_dictionary(tg__bus_session *session, tg__bus_message *message, tg__cause *cause)
{
    tg__dictionary_entry entry;
    if (session->follows || message->as.dictionary.generation != session->directory.generation) {
        return wrong(cause, TG_ERR_PROTOCOL, "a dictionary that does not belong here");
    }
    while (tg__dictionary_next(&message->as.dictionary.reader, &entry)) {
        if (!add_entry(session, &entry)) {
            return wrong(cause, TG_ERR_PROTOCOL, "a dictionary entry out of order");
        }
    }
    return TG_OK;
}

static void collect(tg__bus_session *session, tg__bus_images *images)
{
    session->update_count = 0;
    while (tg__bus_image_next(images, &session->updates[session->update_count])) {
        session->update_count++;
    }
}

static tg_err take_cut(tg__bus_session *session, tg__bus_cut *cut, tg__cause *cause)
{
    if (!session->follows) {
        if (session->directory.count != session->hello.instrument_count ||
            session->directory.venue_count != session->hello.venue_count) {
            return wrong(cause, TG_ERR_PROTOCOL, "the directory ended early");
        }
        if (tg__directory_seal(&session->directory) != TG_OK) {
            return wrong(cause, TG_ERR_NO_MEMORY, "no memory for the directory");
        }
        session->follows = true;
    } else if (cut->boundary != session->boundary + 1) {
        return wrong(cause, TG_ERR_BOUNDARY, "a boundary is missing");
    }
    collect(session, &cut->images);
    for (uint32_t i = 0; i < session->update_count; i++) {
        const tg__update *update = &session->updates[i];
        const tg_version version = tg_image_version(&update->image);
        if (tg_version_compare(version, session->cut[update->id]) <= 0) {
            return wrong(cause, TG_ERR_VERSION, "a version does not rise");
        }
        session->cut[update->id] = version;
    }
    session->boundary = cut->boundary;
    return TG_OK;
}

static tg_err take_ticks(tg__bus_session *session, tg__bus_images *ticks, tg__cause *cause)
{
    if (!session->follows) {
        return wrong(cause, TG_ERR_PROTOCOL, "ticks before the first boundary");
    }
    collect(session, ticks);
    for (uint32_t i = 0; i < session->update_count; i++) {
        const tg__update *update = &session->updates[i];
        if (tg_version_compare(tg_image_version(&update->image), session->cut[update->id]) < 0) {
            return wrong(cause, TG_ERR_VERSION, "a tick is older than the last boundary");
        }
    }
    return TG_OK;
}

tg_err tg__bus_session_take(tg__bus_session *session, tg__bus_message *message, tg__cause *cause)
{
    if (!session->has_hello && message->kind != TG__BUS_HELLO) {
        return wrong(cause, TG_ERR_PROTOCOL, "no hello came first");
    }
    switch (message->kind) {
    case TG__BUS_HELLO:
        return take_hello(session, &message->as.hello, cause);
    case TG__BUS_DICTIONARY:
        return take_dictionary(session, message, cause);
    case TG__BUS_CUT:
        return take_cut(session, &message->as.cut, cause);
    case TG__BUS_TICKS:
        return take_ticks(session, &message->as.ticks, cause);
    case TG__BUS_VENUE_STATE:
        return session->follows
                   ? TG_OK
                   : wrong(cause, TG_ERR_PROTOCOL, "a venue's state before the first boundary");
    }
    return TG_ERR_MESSAGE_KIND;
}

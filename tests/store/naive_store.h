/*
 * What the store promises, written down the slow and simple way: a map that is copied whole with
 * each publication. Shares nothing with the store but the types of market.h.
 */
#ifndef TG_NAIVE_STORE_H
#define TG_NAIVE_STORE_H

#include <tickglass/internal/store_writer.h>

enum {
    naive_rows = 40,
    naive_names = 24,
    naive_venues = 3,
    /* Of the store: enough for every orphan and every known id, so that none is given up, and the
     * last ones for ids that have a row of their own. */
    naive_store_rows = 2 * naive_rows + naive_venues * naive_names
};

typedef struct naive_row {
    bool known;
    bool has_value;
    bool not_entitled;
    bool restarted;
    bool link_doubt;  /* not proved since the last loss on the link */
    bool venue_doubt; /* not proved since the venue's */
    bool contradicted;
    uint64_t lineage;
    uint32_t epoch_min;
    tg_version version;
    tg_image image;
    tg_instrument entry;
    int64_t received_mono_ns;
    int64_t proved_mono_ns;
    int64_t ts_gateway_ns;
    uint64_t changed_in;
    struct {
        bool has_place; /* among the TG__BOOK_MAX */
        bool has_value;
        bool link_doubt;
        bool venue_doubt;
        bool contradicted;
        uint64_t lineage;
        tg_version version;
        tg_book book;
        int64_t proved_mono_ns;
        uint64_t changed_in;
    } depth;
} naive_row;

typedef struct naive_view {
    uint64_t number;
    int64_t published_mono_ns;
    tg__link_state link;
    bool late;
    tg_quality doubt;
    int64_t alive_mono_ns;
    int64_t timeout_ns;
    bool venue_stale[naive_venues];
    char venue_name[naive_venues][TG_VENUE_NAME_SIZE];
    naive_row row[naive_rows]; /* its id is naive_id(index) */
} naive_view;

typedef struct naive_store {
    naive_view now;
    naive_view published;
    naive_row orphan[naive_venues][naive_names]; /* by venue name and symbol; known: there is one */
    bool removed[naive_rows];
    bool venue_doubted[naive_venues]; /* since the restart */
    uint64_t lineage;
    uint32_t generation;
    tg_store_counters counters;
} naive_store;

/* Ids all over their range, several in one bucket, some below the number of rows. */
static inline tg_instrument_id naive_id(unsigned row)
{
    switch (row % 3) {
    case 0:
        return (tg_instrument_id)(row * 512);
    case 1:
        return (tg_instrument_id)(row + naive_store_rows - naive_rows);
    default:
        return (tg_instrument_id)(65534 - row);
    }
}

/* What stands behind the last dash: symbols and venues are names with a number. */
unsigned naive_name_of(const char *symbol);

void naive_open(naive_store *naive);
void naive_name_venue(naive_store *naive, unsigned venue, const char *name);
tg_err naive_define(naive_store *naive, unsigned row, const tg_instrument *entry);
tg_err naive_rename(naive_store *naive, unsigned row, const char *symbol);
tg_err naive_remove(naive_store *naive, unsigned row);
tg_err naive_rescale(naive_store *naive, unsigned row, const tg_instrument *entry);
void naive_restart(naive_store *naive, uint64_t lineage, uint32_t generation);
tg__admission naive_admit(naive_store *naive, unsigned row, const tg_image *image, uint64_t covered,
                          const tg__arrival *arrival);
tg_err naive_admit_book(naive_store *naive, unsigned row, tg_version version, const tg_book *book,
                        const tg__arrival *arrival, tg__admission *admission);
void naive_set_link(naive_store *naive, tg__link_state link, int64_t now_mono_ns);
void naive_set_venue_stale(naive_store *naive, unsigned venue, bool stale);
void naive_publish(naive_store *naive, int64_t now_mono_ns);

tg_quality naive_quality(const naive_view *view, const naive_row *row, int64_t now_mono_ns);
tg_quality naive_depth_quality(const naive_view *view, const naive_row *row, int64_t now_mono_ns);
bool naive_books_equal(const tg_book *a, const tg_book *b);

#endif

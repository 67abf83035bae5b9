/* A playback of a tape of the test's own, with everything behind it but sockets. */
#ifndef TG_TESTS_PLAYBACK_FIXTURE_H
#define TG_TESTS_PLAYBACK_FIXTURE_H

#include "playback.h"
#include "scratch_folder.h"

#define MS                   INT64_C(1000000)
#define PLAYBACK_RESOLUTION  1000u
#define PLAYBACK_BOUNDARY_NS (10 * MS)

typedef struct playback_fixture {
    scratch_folder folder;
    tg__state_dir dir;
    tg__epoch_store epochs;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__bearer bearer;
    tg__door *door;
    tg__hub *hub;
    tg__playback playback;
    tg__moment now;
    tg__cause cause;
    unsigned wakes;
} playback_fixture;

/* The second handler is late by 6 to 9 ms. */
void playback_fixture_open(playback_fixture *f, const char *tape, uint32_t speed_milli,
                           unsigned feeds);
/* Every peer must have been torn down. */
void playback_fixture_close(playback_fixture *f);

void playback_fixture_run(playback_fixture *f, uint32_t budget);

const tg_image *playback_fixture_image(const playback_fixture *f, tg_instrument_id id);

#endif

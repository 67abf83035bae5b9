/*
 * What was on the glass comes out of the record again: messages, versions and names suffice.
 *
 * The terminal runs in this process. The linker leads what the glass check read back from the draw
 * lists, row by row and pass by pass, through here on its way; afterwards the texts are made anew
 * out of the file alone, by the codec's decoder and without a store or a session.
 */
#include "terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/dictionary.h>
#include <tickglass/internal/frame.h>
#include <tickglass/price_text.h>

#include "../gateway/scratch_folder.h"
#include "../integration/gateway_process.h"
#include "glass_check.h"
#include "record_reader.h"
#include "row_text.h"
#include "session_record.h"

#define READ_MAX    8192
#define IMAGES_MAX  16384
#define SET_MAX     64
#define SLOTS_MAX   16
#define TEXT_SIZE   48
#define TEXTS       5
#define INSTRUMENTS 4

glass_verdict __real_glass_check_row(glass_check *check, size_t slot, const glass_row *row);
glass_verdict __wrap_glass_check_row(glass_check *check, size_t slot, const glass_row *row);
void __real_session_record_glass(session_record *record, uint64_t pass, size_t slot,
                                 tg_version version, int verdict);
void __wrap_session_record_glass(session_record *record, uint64_t pass, size_t slot,
                                 tg_version version, int verdict);

static const column_id columns[TEXTS] = {COLUMN_BID_SIZE, COLUMN_BID, COLUMN_ASK, COLUMN_ASK_SIZE,
                                         COLUMN_LAST};

/* A row as it stood on the glass after a pass. */
typedef struct read_row {
    uint64_t pass;
    size_t slot;
    char name[TG_VENUE_NAME_SIZE + TG_SYMBOL_SIZE];
    char text[TEXTS][TEXT_SIZE];
} read_row;

static read_row pending;
static read_row glass[READ_MAX];
static size_t glass_count;

glass_verdict __wrap_glass_check_row(glass_check *check, size_t slot, const glass_row *row)
{
    const char *const texts[TEXTS] = {row->bid_size, row->bid, row->ask, row->ask_size, row->last};
    memset(&pending, 0, sizeof pending);
    pending.slot = slot;
    (void)snprintf(pending.name, sizeof pending.name, "%s:%s", row->venue, row->symbol);
    for (size_t i = 0; i < TEXTS; i++) {
        (void)snprintf(pending.text[i], TEXT_SIZE, "%s", texts[i] != NULL ? texts[i] : "");
    }
    return __real_glass_check_row(check, slot, row);
}

void __wrap_session_record_glass(session_record *record, uint64_t pass, size_t slot,
                                 tg_version version, int verdict)
{
    assert_int_equal(slot, pending.slot);
    assert_true(glass_count < READ_MAX);
    pending.pass = pass;
    glass[glass_count++] = pending;
    __real_session_record_glass(record, pass, slot, version, verdict);
}

/* --- the record --- */

typedef struct known_image {
    tg_instrument_id id;
    tg_image image;
} known_image;

static struct replay {
    tg__channel channel;
    tg_instrument_id ids[SET_MAX];
    tg_image images[SET_MAX];
    tg__update updates[SET_MAX];
    tg_venue venues[SET_MAX];
    size_t venue_count;
    tg_instrument instruments[SET_MAX];
    size_t instrument_count;
    known_image known[IMAGES_MAX]; /* every version that came */
    size_t known_count;
    char names[SLOTS_MAX][TG_VENUE_NAME_SIZE + TG_SYMBOL_SIZE];
    tg_version shown[SLOTS_MAX];
    uint64_t pass; /* what is said now is said of it */
    size_t judged; /* of glass */
    size_t texts;  /* that were compared */
} replay;

static void keep(const tg__update *update)
{
    assert_true(replay.known_count < IMAGES_MAX);
    replay.known[replay.known_count++] = (known_image){update->id, update->image};
}

static void take_entry(const tg__dictionary_entry *entry)
{
    if (entry->op == TG__DICTIONARY_VENUE) {
        assert_true(replay.venue_count < SET_MAX);
        replay.venues[replay.venue_count++] = entry->as.venue;
    } else if (entry->op == TG__DICTIONARY_ADD) {
        assert_true(replay.instrument_count < SET_MAX);
        replay.instruments[replay.instrument_count++] = entry->as.instrument;
    }
}

static void take_dictionary(const uint8_t *bytes, size_t size)
{
    uint32_t generation = 0;
    tg__fault fault;
    tg__dictionary_reader reader;
    tg__dictionary_entry entry;
    assert_int_equal(tg__dictionary_decode(bytes, size, &generation, &reader, &fault), TG_OK);
    while (tg__dictionary_next(&reader, &entry)) {
        take_entry(&entry);
    }
}

static void take_frame(uint8_t kind, const uint8_t *bytes, size_t size)
{
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason;
    if (kind == TG__KIND_SNAPSHOT) {
        assert_int_equal(tg__snapshot_decode(bytes, size, replay.channel.time_resolution_ns, &frame,
                                             &reason, replay.updates, SET_MAX, &fault),
                         TG_OK);
        tg__channel_replace(&replay.channel, &frame, replay.updates);
    } else {
        assert_int_equal(
            tg__delta_decode(&replay.channel, bytes, size, &frame, replay.updates, SET_MAX, &fault),
            TG_OK);
        tg__channel_apply(&replay.channel, &frame, replay.updates);
    }
    for (uint32_t i = 0; i < frame.count; i++) {
        keep(&replay.updates[i]);
    }
}

/* Of the instrument that is opened. */
static void take_ticks(const uint8_t *bytes, size_t size)
{
    int64_t ts_gateway_ns = 0;
    tg__fault fault;
    tg__ticks_reader reader;
    tg__tick tick;
    assert_int_equal(tg__ticks_decode(bytes, size, replay.channel.time_resolution_ns,
                                      &ts_gateway_ns, &reader, &fault),
                     TG_OK);
    while (tg__ticks_next(&reader, &tick)) {
        keep(&tick.update);
    }
}

static void take_message(const record_argument *message)
{
    uint8_t kind = 0;
    assert_int_equal(tg__message_kind(message->bytes, message->size, &kind), TG_OK);
    if (kind == TG__KIND_WELCOME) {
        tg__welcome welcome;
        tg__fault fault;
        assert_int_equal(tg__welcome_decode(message->bytes, message->size, &welcome, &fault),
                         TG_OK);
        tg__channel_init(&replay.channel, replay.ids, replay.images, SET_MAX,
                         welcome.time_resolution_ns);
    } else if (kind == TG__KIND_DICTIONARY) {
        take_dictionary(message->bytes, message->size);
    } else if (kind == TG__KIND_SNAPSHOT || kind == TG__KIND_DELTA) {
        take_frame(kind, message->bytes, message->size);
    } else if (kind == TG__KIND_TICKS) {
        take_ticks(message->bytes, message->size);
    }
}

static const char *venue_of(const tg_instrument *instrument)
{
    for (size_t i = 0; i < replay.venue_count; i++) {
        if (replay.venues[i].id == instrument->venue) {
            return replay.venues[i].name;
        }
    }
    return "";
}

static const tg_instrument *instrument_named(const char *name)
{
    char full[sizeof replay.names[0]];
    for (size_t i = 0; i < replay.instrument_count; i++) {
        (void)snprintf(full, sizeof full, "%s:%s", venue_of(&replay.instruments[i]),
                       replay.instruments[i].symbol);
        if (strcmp(full, name) == 0) {
            return &replay.instruments[i];
        }
    }
    fail_msg("the record does not say what %s is", name);
    return NULL;
}

static tg_row row_of(const tg_instrument *instrument, tg_version version)
{
    tg_row row = {.quality = TG_QUALITY_LIVE};
    for (size_t i = replay.known_count; i > 0; i--) {
        const known_image *known = &replay.known[i - 1];
        if (known->id == instrument->id && known->image.epoch == version.epoch &&
            known->image.seq == version.seq) {
            row.image = known->image;
            return row;
        }
    }
    fail_msg("no message of the record has %s in version %" PRIu64, instrument->symbol,
             version.seq);
    return row;
}

/* What the record says is what was read back. */
static void judge(const read_row *is)
{
    char text[ROW_TEXT_CELL_SIZE];
    assert_true(is->slot < SLOTS_MAX);
    assert_string_equal(is->name, replay.names[is->slot]);
    const tg_instrument *instrument = instrument_named(is->name);
    const tg_row row = row_of(instrument, replay.shown[is->slot]);
    const watch_view view = {.instrument = instrument, .row = &row, .word = ""};
    for (size_t i = 0; i < TEXTS; i++) {
        if (is->text[i][0] == '\0') {
            continue; /* a column that had no room */
        }
        row_text_cell(columns[i], &view, text);
        if (text[0] == '\0') {
            (void)snprintf(text, sizeof text, TG_PRICE_TEXT_NULL);
        }
        if (strcmp(text, is->text[i]) != 0) {
            fail_msg("pass %" PRIu64 ", %s, %s: \"%s\" stood on the glass, the record says \"%s\"",
                     is->pass, is->name, column_name(columns[i]), is->text[i], text);
        }
        replay.texts++;
    }
}

static void end_pass(void)
{
    while (replay.judged < glass_count && glass[replay.judged].pass == replay.pass) {
        judge(&glass[replay.judged++]);
    }
}

static void copy_name(const tg_record_entry *record)
{
    const size_t slot = (size_t)record_number(record, 0);
    const record_argument venue = record_argument_of(record, 1);
    const record_argument symbol = record_argument_of(record, 2);
    assert_true(slot < SLOTS_MAX);
    (void)snprintf(replay.names[slot], sizeof replay.names[slot], "%.*s:%.*s", (int)venue.size,
                   (const char *)venue.bytes, (int)symbol.size, (const char *)symbol.bytes);
}

static void replay_record(const char *path)
{
    record_reader reader;
    tg_record_entry record;
    record_reader_open(&reader, path);
    while (record_reader_next(&reader, &record)) {
        if (record_contains(&record, " handed off view ")) {
            end_pass();
            replay.pass = (uint64_t)record_number(&record, 0);
        } else if (record_contains(&record, " is %s:%s")) {
            copy_name(&record);
        } else if (record_contains(&record, " shows slot ")) {
            const size_t slot = (size_t)record_number(&record, 1);
            assert_true(slot < SLOTS_MAX);
            replay.shown[slot] = (tg_version){.epoch = (uint32_t)record_number(&record, 2),
                                              .seq = (uint64_t)record_number(&record, 3)};
        } else if (record_contains(&record, "message %p")) {
            const record_argument message = record_argument_of(&record, 0);
            take_message(&message);
        }
    }
    end_pass();
    record_reader_close(&reader);
}

/* --- the run --- */

static scratch_folder folder;

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 7;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % limit);
}

/* Four instruments over three seconds; one of them around zero. */
static void write_tape(void)
{
    static char text[400000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "ts_ns,venue,symbol,kind,price_decimal_text,"
                                     "qty_decimal_text,exchange_seq\n");
    int64_t bid[INSTRUMENTS] = {6181300, 268190, 2, 100};
    for (int64_t ms = 0; ms < 3000; ms += 3) {
        const unsigned i = random_below(INSTRUMENTS);
        const int64_t ts_ns = INT64_C(1700000000000000000) + ms * 1000000;
        bid[i] += (int64_t)random_below(9) - 4;
        const char *const kinds[] = {"bid", "ask", "trade"};
        for (int k = 0; k < 3; k++) {
            const int64_t price = bid[i] + (k > 0 ? 3 : 0);
            const int64_t size = price < 0 ? -price : price;
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%" PRId64 ",TEST,INS%u,%s,%s%" PRId64 ".%02" PRId64
                                       ",%u,%" PRId64 "\n",
                                       ts_ns, i, kinds[k], price < 0 ? "-" : "", size / 100,
                                       size % 100, 1 + random_below(900), 1000 + ms);
        }
    }
    scratch_write(&folder, "tape.csv", text, length);
}

/* What the reader does meanwhile changes which rows stand there. */
static const char steps[] = "wait rows 4\n"
                            "key Ctrl-s\n"
                            "type ins1\n"
                            "key Esc\n"
                            "key Ctrl-r\n"
                            "key Down\n"
                            "resize 1400x700\n"
                            "key Ctrl-l\n";

static terminal_exit run(const gateway_process *gateway, const char *record)
{
    char token_file[128];
    char script[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    (void)snprintf(script, sizeof script, "%s", scratch_path(&folder, "script"));
    const terminal_options options = {.url = gateway->url,
                                      .ca_file = gateway->ca,
                                      .token_file = token_file,
                                      .record = record,
                                      .script = script,
                                      .headless = true,
                                      .seconds = 5};
    static complaints wrong;
    settings *from = NULL;
    state_keeper keeper;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    const terminal_exit code = terminal_run(&options, from, &keeper);
    settings_close(from);
    return code;
}

static void every_text_that_was_read_back_comes_out_of_the_record(void **state)
{
    (void)state;
    char tape[160];
    char record[160];
    scratch_folder_open(&folder);
    write_tape();
    scratch_write(&folder, "script", steps, sizeof steps - 1);
    (void)snprintf(tape, sizeof tape, "%s", scratch_path(&folder, "tape.csv"));
    (void)snprintf(record, sizeof record, "%s", scratch_path(&folder, "glass.tgrec"));
    const char *const play[] = {"--tape", tape, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    assert_int_equal(run(&gateway, record), TERMINAL_FINE);
    (void)gateway_process_stop(&gateway);
    replay_record(record);
    assert_int_equal(replay.judged, glass_count);
    assert_true(glass_count > 100);
    assert_true(replay.texts > 3 * glass_count);
    scratch_folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_that_was_read_back_comes_out_of_the_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

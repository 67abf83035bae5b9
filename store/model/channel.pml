/*
 * Lanes, boundaries, group chains, joins, gaps, epochs and two nodes, for Spin: PROTOCOL.md 6 and 12.
 *
 * One venue numbers its ticks; a value is the number of its tick, so that a value that goes down is a
 * price that goes back. Two handlers bring the ticks, one behind the other and once from further
 * behind (a restart); the sequencer restarts once. Nodes follow its cuts at their own pace, and
 * so do the groups of a node, of the sets {0, 1} and {1}. The client moves from the one set to the
 * other and from one node to another, whenever it likes: where the new node and the new group are
 * by then, before or behind the old ones, is chosen when it comes there.
 *
 * Checked in every interleaving: no shown value and no shown version is ever lower than one before;
 * no delta is applied on a base that it was not made for; no row lands on another instrument; when
 * nothing more happens, the client has the newest cut, and what it follows is not stale.
 * Seeded faults, each of which must be found: JOIN_AT_NEWEST (a joiner's rows are cut at the node's
 * newest boundary instead of the group's last), EPOCH_BY_HANDLER (a handler that restarts beside its
 * twin raises the epoch), EQUAL_IS_OLD (an equal version does not confirm), NO_ADMISSION (the store
 * takes what comes), NO_SET_DIGEST (a delta is read by the set that was asked for).
 */
#ifndef TICKS
#define TICKS 2
#endif
#define BOUNDARIES 3 /* cut 0 is the empty state */
#define QUEUE      2

#define FIRST_SET  3 /* bit 0: instrument 0, bit 1: instrument 1 */
#define SECOND_SET 2

/* Of the lane. A version is 16 x epoch + seq. */
byte epoch = 1;
byte seq[2];
byte last_id[2];
byte value[2];
byte version[2];

/* Global cuts. */
byte newest = 0;
byte cut_value[10];   /* [2 x boundary + instrument] */
byte cut_version[10];

/* Of the node: its newest cut. Of the client's group there: where its chain is, and its set. */
byte node_at = 0;
byte group_at = 0;
byte group = 0; /* 0: FIRST_SET, 1: SECOND_SET */
bool joined = false;
bool gap_due = false;

mtype = { SNAPSHOT, DELTA, RESYNC, SUBSCRIBE };

/* kind, base, boundary, set, and for both slots: changed, instrument, value or step, version, base value */
chan wire = [QUEUE] of { mtype, byte, byte, byte, bool, byte, byte, byte, byte, bool, byte, byte, byte, byte };
chan asked = [2] of { mtype, byte };

/* Of the client: its channel, and its store. */
byte at = 0;
byte set = 0;
byte wanted = FIRST_SET;
byte image[2];
byte shown[2];
byte shown_version[2];
bool stale[2];
bool asked_resync = false;
bool moved = false;

inline offer(instrument, id)
{
    if
    :: id > last_id[instrument] ->
        last_id[instrument] = id;
        seq[instrument]++;
        value[instrument] = id;
        version[instrument] = 16 * epoch + seq[instrument]
    :: else -> skip /* seen, or older */
    fi
}

/* After the last cut nobody asks for what the lane has: states that differ in it alone are one. */
inline forget()
{
    a = 0; b = 0; restarted = false; lost = false; other = false; epoch = 0;
    seq[0] = 0; seq[1] = 0; last_id[0] = 0; last_id[1] = 0;
    value[0] = 0; value[1] = 0; version[0] = 0; version[1] = 0
}

proctype sequencer()
{
    byte a = 0;
    byte b = 0;
    bool restarted = false;
    bool lost = false;
    bool other = false;
    do
    :: atomic { a < TICKS -> a++; offer(0, a) }
    :: atomic { b < a -> b++; offer(0, b) }
    :: atomic {
        !restarted && b > 0 -> restarted = true; b--; /* comes back further behind */
#ifdef EPOCH_BY_HANDLER
        epoch++; last_id[0] = 0
#endif
       }
    :: atomic { !lost -> lost = true; epoch++ } /* the lane restarts; ids are not forgotten */
    :: atomic { !other -> other = true; offer(1, 1) }
    :: atomic {
        newest < BOUNDARIES ->
        newest++;
        cut_value[2 * newest] = value[0]; cut_value[2 * newest + 1] = value[1];
        cut_version[2 * newest] = version[0]; cut_version[2 * newest + 1] = version[1];
        if
        :: newest == BOUNDARIES -> forget(); break
        :: else -> skip
        fi
       }
    od
}

#define ROWS_AT(boundary) (2 * (boundary))

inline push_snapshot(boundary, rows)
{
    if
    :: group == 0 -> wire!SNAPSHOT, 0, boundary, FIRST_SET,
            true, 0, cut_value[ROWS_AT(rows)], cut_version[ROWS_AT(rows)], 0,
            true, 1, cut_value[ROWS_AT(rows) + 1], cut_version[ROWS_AT(rows) + 1], 0
    :: else -> wire!SNAPSHOT, 0, boundary, SECOND_SET,
            true, 1, cut_value[ROWS_AT(rows) + 1], cut_version[ROWS_AT(rows) + 1], 0,
            false, 0, 0, 0, 0
    fi
}

#define CHANGED(i, from, to) (cut_version[ROWS_AT(from) + i] != cut_version[ROWS_AT(to) + i])
#define STEP(i, from, to)    ((cut_value[ROWS_AT(to) + i] - cut_value[ROWS_AT(from) + i]) & 255)

inline push_delta(from, to)
{
    if
    :: group == 0 -> wire!DELTA, from, to, FIRST_SET,
            CHANGED(0, from, to), 0, STEP(0, from, to), cut_version[ROWS_AT(to)], cut_value[ROWS_AT(from)],
            CHANGED(1, from, to), 1, STEP(1, from, to), cut_version[ROWS_AT(to) + 1], cut_value[ROWS_AT(from) + 1]
    :: else -> wire!DELTA, from, to, SECOND_SET,
            CHANGED(1, from, to), 1, STEP(1, from, to), cut_version[ROWS_AT(to) + 1], cut_value[ROWS_AT(from) + 1],
            false, 0, 0, 0, 0
    fi
}

#ifdef JOIN_AT_NEWEST
#define JOINER_ROWS node_at
#else
#define JOINER_ROWS group_at
#endif

/* Any cut from the first one to newest. */
inline choose_cut(cut, last)
{
    cut = 0;
    do
    :: cut < last -> cut++
    :: break
    od
}

proctype node()
{
    mtype kind;
    byte what;
end:
    do
    :: atomic { node_at < newest -> node_at++ }
    :: atomic { /* the group's frame, from where its chain is */
        joined && group_at < node_at ->
        if
        :: gap_due -> skip
        :: !gap_due && full(wire) -> gap_due = true
        :: !gap_due && nfull(wire) -> push_delta(group_at, node_at)
        fi;
        group_at = node_at
       }
    :: atomic { /* everything that was queued has left: restate */
        gap_due && empty(wire) ->
        gap_due = false;
        push_snapshot(group_at, group_at)
       }
    :: atomic {
        nempty(asked) -> asked?kind, what;
        if
        :: kind == SUBSCRIBE -> group = what; joined = true; choose_cut(group_at, node_at)
        :: else -> skip
        fi;
        if
        :: gap_due -> skip
        :: !gap_due && full(wire) -> gap_due = true
        :: !gap_due && nfull(wire) -> push_snapshot(group_at, JOINER_ROWS)
        fi;
        kind = SNAPSHOT; what = 0
       }
    od
}

inline admit(instrument, new_version, new_value)
{
#ifdef NO_ADMISSION
    if
    :: true ->
#else
    if
    :: new_version > shown_version[instrument] ->
#endif
        assert(new_version >= shown_version[instrument]);
        assert(new_value >= shown[instrument]);
        shown_version[instrument] = new_version;
        shown[instrument] = new_value;
        stale[instrument] = false
#ifndef EQUAL_IS_OLD
    :: new_version == shown_version[instrument] ->
        assert(new_value == shown[instrument]);
        stale[instrument] = false
#endif
    :: else -> skip
    fi
}

/* The instrument that the client takes a slot's row for. */
#define SLOT_0(ids) ((ids) == FIRST_SET -> 0 : 1)

inline take_delta_row(slot_of, changed, instrument, step, row_version, base_value)
{
    if
    :: changed ->
        assert(slot_of == instrument);
        assert(image[slot_of] == base_value);
        image[slot_of] = (image[slot_of] + step) & 255;
        admit(slot_of, row_version, image[slot_of])
    :: else -> stale[slot_of] = stale[slot_of]
    fi
}

proctype client()
{
    mtype kind;
    byte base, to, ids;
    bool c0, c1;
    byte i0, v0, n0, g0, i1, v1, n1, g1;
    bool changed_set = false;
end:
    do
    :: atomic {
        nempty(wire) ->
        wire?kind, base, to, ids, c0, i0, v0, n0, g0, c1, i1, v1, n1, g1;
        if
        :: kind == SNAPSHOT ->
            at = to; set = ids; asked_resync = false;
            image[i0] = v0; admit(i0, n0, v0);
            if
            :: c1 -> image[i1] = v1; admit(i1, n1, v1)
            :: else -> skip
            fi
#ifdef NO_SET_DIGEST
        :: kind == DELTA && base == at ->
            take_delta_row(SLOT_0(wanted), c0, i0, v0, n0, g0);
            take_delta_row(1, c1, i1, v1, n1, g1);
            at = to
        :: kind == DELTA && base != at ->
#else
        :: kind == DELTA && base == at && ids == set ->
            take_delta_row(SLOT_0(set), c0, i0, v0, n0, g0);
            take_delta_row(1, c1, i1, v1, n1, g1);
            at = to
        :: kind == DELTA && (base != at || ids != set) ->
#endif
            stale[0] = true; stale[1] = true;
            if
            :: !asked_resync && nfull(asked) -> asked_resync = true; asked!RESYNC, 0
            :: asked_resync || full(asked) -> skip
            fi
        fi;
        kind = SNAPSHOT; base = 0; to = 0; ids = 0;
        c0 = false; i0 = 0; v0 = 0; n0 = 0; g0 = 0; c1 = false; i1 = 0; v1 = 0; n1 = 0; g1 = 0
       }
    :: atomic {
        !changed_set && joined && nfull(asked) ->
        changed_set = true; wanted = SECOND_SET; asked!SUBSCRIBE, 1
       }
    :: atomic { /* the connection is lost: what was under way is gone */
        !moved ->
        moved = true; joined = false; gap_due = false; asked_resync = false;
        do
        :: nempty(wire) -> wire?kind, base, to, ids, c0, i0, v0, n0, g0, c1, i1, v1, n1, g1
        :: empty(wire) -> break
        od;
        do
        :: nempty(asked) -> asked?kind, base
        :: empty(asked) -> break
        od;
        kind = SNAPSHOT; base = 0; to = 0; ids = 0;
        c0 = false; i0 = 0; v0 = 0; n0 = 0; g0 = 0; c1 = false; i1 = 0; v1 = 0; n1 = 0; g1 = 0;
        stale[0] = true; stale[1] = true; set = 0; at = 0;
        choose_cut(node_at, newest);
        asked!SUBSCRIBE, (wanted == FIRST_SET -> 0 : 1)
       }
    od
}

/* Nothing more happens: what is followed is alive and the newest. */
proctype judge()
{
    timeout ->
    assert(newest == BOUNDARIES);
    assert(set == wanted);
    assert(at == BOUNDARIES);
    assert(!stale[1]);
    assert(shown_version[1] == cut_version[ROWS_AT(BOUNDARIES) + 1]);
    assert(set == SECOND_SET || !stale[0]);
    assert(set == SECOND_SET || shown_version[0] == cut_version[ROWS_AT(BOUNDARIES)])
}

init {
    atomic {
        asked!SUBSCRIBE, 0;
        run sequencer();
        run node();
        run client();
        run judge()
    }
}

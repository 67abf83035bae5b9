/*
 * Announce, choose, settle, publish, reuse: the protocol of store/src/pin.h, and the cells that
 * versions share (store/src/table.h), for Spin.
 *
 * Readers and the writer may stop for ever between any two steps. Checked in every interleaving:
 * neither a version that a reader holds nor a cell that it shows is ever written; no reader sees a
 * view older than one before; the writer always finds a free version and a free cell; nobody waits
 * for anybody (a wait would be an invalid end state). Seeded faults, each of which must be found:
 * NO_ANNOUNCE, NO_SETTLE, TOO_FEW_VERSIONS, CELL_OF_HELD, CELL_OF_CURRENT.
 */
#ifndef READERS
#define READERS 2
#endif
#define PINS         2
#define PUBLICATIONS 3
#define ROWS         2
#ifdef TOO_FEW_VERSIONS
#define VERSIONS (READERS + 1)
#else
#define VERSIONS (READERS + 2)
#endif

#define FREE      255
#define ANNOUNCED 254

byte slot[READERS] = FREE;
byte current = 0;
byte content[VERSIONS] = 0;   /* number of the publication in it */
byte reading[READERS] = FREE; /* for the assertions alone: what the reader reads from */

/* Planes are as many as versions. Of row r, version v shows the cell in plane[v * ROWS + r]. */
byte plane[VERSIONS * ROWS] = 0;

#define MAY_STOP if :: true -> goto stopped :: true -> skip fi

proctype reader(byte me)
{
    byte chosen;
    byte seen = 0;
    byte pins = 0;

    do
    :: pins < PINS ->
        MAY_STOP;
#ifndef NO_ANNOUNCE
        slot[me] = ANNOUNCED;
        MAY_STOP;
#endif
        chosen = current;
        MAY_STOP;
        atomic { /* a compare-and-swap */
#ifdef NO_ANNOUNCE
            slot[me] = chosen;
#else
            if
            :: slot[me] == ANNOUNCED -> slot[me] = chosen
            :: else -> chosen = slot[me]
            fi;
#endif
            reading[me] = chosen
        };
        assert(content[chosen] >= seen);
        seen = content[chosen];
        MAY_STOP;
        assert(content[chosen] == seen);
        reading[me] = FREE;
        slot[me] = FREE;
        pins++
    :: else -> break
    od;
stopped:
    skip
}

proctype writer()
{
    byte pending = 1;
    byte number = 1;
    byte at;
    byte looked;
    byte row;
    byte cell;
    bool held[VERSIONS];  /* as seen by the last scan; the current one is held */
    bool taken[VERSIONS]; /* planes in which a held version has the row's cell */

    held[0] = true;
    do
    :: number <= PUBLICATIONS ->
        MAY_STOP;
        atomic { /* one row, any of them, gets a new cell: whoever reads from it would see it torn */
            if
            :: row = 0
            :: row = 1
            fi;
            at = 0;
            do
            :: at < VERSIONS ->
                if
#ifdef CELL_OF_HELD
                :: at == current -> taken[plane[at * ROWS + row]] = true
#else
#ifdef CELL_OF_CURRENT
                :: held[at] && at != current -> taken[plane[at * ROWS + row]] = true
#else
                :: held[at] -> taken[plane[at * ROWS + row]] = true
#endif
#endif
                :: else -> skip
                fi;
                at++
            :: else -> break
            od;
            cell = 0;
            do
            :: cell < VERSIONS && taken[cell] -> cell++
            :: else -> break
            od;
            assert(cell < VERSIONS); /* one is always free */
            at = 0;
            do
            :: at < READERS ->
                assert(reading[at] != pending);
                assert(reading[at] == FREE || plane[reading[at] * ROWS + row] != cell);
                at++
            :: else -> break
            od;
            plane[pending * ROWS + row] = cell;
            content[pending] = number;
            row = 0; /* what is not needed any more would only multiply the states */
            cell = 0;
            at = 0;
            do
            :: at < VERSIONS -> taken[at] = false; at++
            :: else -> break
            od;
            at = 0
        };
        MAY_STOP;
        current = pending;
        atomic {
            at = 0;
            do
            :: at < VERSIONS -> held[at] = (at == pending); at++
            :: else -> break
            od;
            at = 0
        };
        do
        :: at < READERS ->
            MAY_STOP;
            looked = slot[at];
            if
            :: looked == ANNOUNCED ->
#ifdef NO_SETTLE
                skip
#else
                MAY_STOP;
                atomic { /* the same compare-and-swap */
                    if
                    :: slot[at] == ANNOUNCED -> slot[at] = current; looked = current
                    :: else -> looked = slot[at]
                    fi
                }
#endif
            :: else -> skip
            fi;
            if
            :: looked < VERSIONS -> held[looked] = true
            :: else -> skip
            fi;
            at++
        :: else -> break
        od;
        atomic {
            pending = 0;
            do
            :: pending < VERSIONS && held[pending] -> pending++
            :: else -> break
            od;
            assert(pending < VERSIONS); /* one is always free */
            /* Catching up: it shows the cells that the published version shows. */
            row = 0;
            do
            :: row < ROWS -> plane[pending * ROWS + row] = plane[current * ROWS + row]; row++
            :: else -> break
            od;
            row = 0;
            at = 0;
            looked = 0;
            number++
        }
    :: else -> break
    od;
stopped:
    skip
}

init {
    byte me = 0;
    atomic {
        do
        :: me < READERS -> run reader(me); me++
        :: else -> break
        od;
        run writer()
    }
}

/*
 * Announce, choose, settle, publish, reuse: the protocol of store/src/pin.h, for Spin.
 *
 * Readers and the writer may stop for ever between any two steps. Checked in every interleaving:
 * a version that a reader holds is never written; no reader sees a view older than one before; the
 * writer always finds a free version; nobody waits for anybody (a wait would be an invalid end
 * state). Seeded faults, each of which must be found: NO_ANNOUNCE, NO_SETTLE, TOO_FEW_VERSIONS.
 */
#ifndef READERS
#define READERS 2
#endif
#define PINS         2
#define PUBLICATIONS 3
#ifdef TOO_FEW_VERSIONS
#define VERSIONS (READERS + 1)
#else
#define VERSIONS (READERS + 2)
#endif

#define FREE      255
#define ANNOUNCED 254

byte slot[READERS] = FREE;
byte current = 0;
byte content[VERSIONS] = 0;    /* number of the publication in it */
byte reading[READERS] = FREE;  /* for the assertions alone: what the reader reads from */

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
    bool held[VERSIONS];

    do
    :: number <= PUBLICATIONS ->
        MAY_STOP;
        atomic { /* the write: whoever reads from pending now would see it torn */
            at = 0;
            do
            :: at < READERS -> assert(reading[at] != pending); at++
            :: else -> break
            od;
            content[pending] = number
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

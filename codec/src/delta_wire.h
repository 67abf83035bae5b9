/** What encoder and decoder of DELTA share. PROTOCOL.md section 8. */
#ifndef TG_DELTA_WIRE_H
#define TG_DELTA_WIRE_H

enum {
    TG__DELTA_STATE_DIGEST = 1,
    TG__DELTA_SLOT_GAPS = 2, /* changed slots as a list of gaps; else as a bitmap */
    TG__DELTA_FLAGS_KNOWN = 3
};

#define TG__TAIL_FIELD_FIRST 8u /* fields from here on are in no shape; a tail carries them */

#endif

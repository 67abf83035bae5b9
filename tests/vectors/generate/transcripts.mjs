// Session transcripts: what happens over several messages (PROTOCOL.md sections 4 to 6, 9, 11, 12).
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { Player } from '../js/transcript.mjs';
import { ADD, RENAME, SCALE, TOMBSTONE, VENUE, dictionaryOf, entry, foundOf, instrument } from './dictionary.mjs';
import { RESYNC, SUBSCRIBE, UNSUBSCRIBE, answerOf, byId, byName, findOf, limitsOf, requestOf, tokenAnswer, tokenOf, venueState, welcomeOf } from './control.mjs';
import { absolute, book, snapshotOf, ticksOf } from './snapshot.mjs';
import { crc32c } from '../js/wire.mjs';
import * as w from './bytes.mjs';

const GENERAL = 0x7f;
const digest = (ids) => crc32c(Uint8Array.from(ids.flatMap(w.u16)));

/** A frame from boundary `base` on; rows are {slot, bytes}. */
const frame = (ids, base, rows = [], { back = 1, ts = 400, flags = 0, tail = [] } = {}) => w.message(w.u8(0x84), w.u8(flags), w.u32(base + back), w.digestOf(ids), w.varint(back), w.zigzag(ts),
  w.varint(rows.length), rows.length === 0 ? [] : [bitmap(ids.length, rows.map((r) => r.slot)), rows.map(() => GENERAL), rows.map((r) => r.bytes)], tail);
function bitmap(size, slots) {
  const map = Array(Math.ceil(size / 8)).fill(0);
  for (const s of slots) map[s >> 3] |= 1 << (s & 7);
  return map;
}
/** Bid price moves. */
const bid = (slot, change, step = 1) => ({ slot, bytes: [w.varint(2), w.varint(step), w.zigzag(change)] });
const row = (id, epoch, seq, bidPrice) => w.part(absolute(id, epoch, seq, 0, { 0: bidPrice }));

class Transcript {
  constructor(name, cites, about) {
    this.name = name;
    this.about = about;
    this.cites = cites;
    this.steps = [];
    this.player = new Player();
  }
  step(step, note, claim) {
    const got = this.player.play(step);
    for (const [key, value] of Object.entries(claim ?? {})) assert.deepStrictEqual(got[key], value, `${this.name}: ${note}: ${key}`);
    this.steps.push({ ...step, note, expect: got });
    return got;
  }
  connect(note = 'a new connection') { return this.step({ event: 'connect' }, note); }
  gateway(note, bytes, ...effects) { return this.step({ from: 'gateway', bytes: Buffer.from(bytes).toString('hex') }, note, { effects }); }
  client(note, bytes) { return this.step({ from: 'client', bytes: Buffer.from(bytes).toString('hex') }, note); }
  close(note, code, reason, claim) { return this.step({ from: 'gateway', close: code, reason }, note, claim); }
  /** What is shown of an instrument: its bid and whether that is live. */
  shows(id, bidPrice, live) {
    const { instruments } = this.player.session.view();
    const seen = instruments.find((i) => i.id === id);
    assert.deepStrictEqual([seen?.image?.fields.bid_price ?? null, seen?.live], [bidPrice === null ? null : String(bidPrice), live], `${this.name}: what is shown of ${id}`);
  }
}

const entries = (...ids) => dictionaryOf(3, entry(VENUE, w.u8(0), w.text('OKX')), ...ids.map((id) => entry(ADD, instrument({ id, symbol: `SYM${id}`, epoch: 1 }))));

/** A session with these ids at boundary 100, each with a bid of 100 x id at version (1, 10). */
function joined(t, ids, more = {}) {
  t.connect();
  t.gateway('the session starts', welcomeOf(more));
  t.client('subscribe', requestOf(SUBSCRIBE, { request: 1 }, ...ids.map((id) => byName('OKX', `SYM${id}`))));
  t.gateway('entries come before their answer', entries(...ids));
  t.gateway('the answer', answerOf({ request: 1, size: ids.length, digest: digest(ids) }, ...ids.map((id) => [0, id])), { effect: 'answered', codes: ids.map(() => 'ok') });
  t.gateway('the set and its images', snapshotOf({ boundary: 100, ts: 10000 }, ids, ids.map((id) => row(id, 1, 10, 100 * id))), { effect: 'rows', admitted: ids.length });
}

const all = [];
const make = (name, cites, about, fill) => {
  const t = new Transcript(name, cites, about);
  fill(t);
  all.push(t);
};

make('join', ['M4', 'M19', 'M20', 'M22', 'M28', 'M29', 'M33'], 'WELCOME, subscribe, entries, answer, snapshot, frames, heartbeat', (t) => {
  joined(t, [3, 7, 9]);
  t.gateway('a frame of two rows', frame([3, 7, 9], 100, [bid(0, 1), bid(2, -901)]), { effect: 'rows', admitted: 2 });
  t.shows(9, -1, true);
  t.gateway('a heartbeat', frame([3, 7, 9], 101));
  t.client('an unknown symbol and a known one', requestOf(SUBSCRIBE, { request: 2 }, byName('OKX', 'NONE'), byId(3)));
  t.gateway('one refusal does not affect the other', answerOf({ request: 2, size: 3, digest: digest([3, 7, 9]) }, [1, 65535], [0, 3]), { effect: 'answered', codes: ['unknown', 'ok'] });
  t.gateway('a frame goes back over several boundaries', frame([3, 7, 9], 102, [bid(1, 5, 3)], { back: 40 }), { effect: 'rows', admitted: 1 });
});

make('change_of_set', ['M5', 'M20', 'M22', 'M29'], 'A frame in flight that fits the old set: {3, 7, 9} loses 7 while slot 1 of it still means 7', (t) => {
  joined(t, [3, 7, 9]);
  t.client('unsubscribe from 7', requestOf(UNSUBSCRIBE, { request: 2 }, byId(7)));
  t.gateway('a frame in flight: slot 1 is 7, not 9', frame([3, 7, 9], 100, [bid(1, 11)]), { effect: 'rows', admitted: 1 });
  t.shows(7, 711, true);
  t.shows(9, 900, true);
  t.gateway('the answer changes no set', answerOf({ request: 2, size: 2, digest: digest([3, 9]) }, [0, 7]), { effect: 'answered', codes: ['ok'] });
  t.gateway('another one in flight', frame([3, 7, 9], 101, [bid(1, 1)]), { effect: 'rows', admitted: 1 });
  t.shows(7, 712, true);
  t.gateway('the new set', snapshotOf({ boundary: 102, ts: 10800 }, [3, 9], [row(3, 1, 10, 300), row(9, 1, 11, 905)]), { effect: 'rows', confirmed: 1, admitted: 1 });
  t.gateway('slot 1 is 9 now', frame([3, 9], 102, [bid(1, 1)]), { effect: 'rows', admitted: 1 });
  t.shows(9, 906, true);
  t.gateway('a frame of the old set is a gap, whatever its slots', frame([3, 7, 9], 103, [bid(1, 1)]), { effect: 'asks_resync' });
  t.shows(9, 906, false);
});

make('gap', ['M5', 'M20', 'M26', 'M30'], 'A lost frame is noticed by the next, everything is marked, one RESYNC asked, and frames that do not fit are thrown away meanwhile', (t) => {
  joined(t, [3, 9]);
  t.gateway('the frame to 101 is lost; this one goes on from it', frame([3, 9], 101, [bid(0, 1)]), { effect: 'asks_resync' });
  t.shows(3, 300, false);
  t.client('the whole channel', requestOf(RESYNC, { request: 2 }));
  t.gateway('a frame that does not fit either', frame([3, 9], 102, [bid(1, 1)]), { effect: 'dropped' });
  t.gateway('the images', snapshotOf({ reason: 1, boundary: 103, ts: 11200 }, [3, 9], [row(3, 1, 12, 302), row(9, 1, 10, 900)]), { effect: 'rows', admitted: 1, confirmed: 1 });
  t.shows(3, 302, true);
  t.shows(9, 900, true);
  t.gateway('frames fit again', frame([3, 9], 103, [bid(0, 1)]), { effect: 'rows', admitted: 1 });
  t.gateway('the gateway dropped frames: it says so and restates all', snapshotOf({ reason: 2, boundary: 120, ts: 20000 }, [3, 9], [row(3, 1, 20, 310), row(9, 2, 1, 5)]), { effect: 'rows', admitted: 2 });
  t.gateway('a snapshot may step back; the store does not', snapshotOf({ reason: 1, boundary: 119, ts: 19600 }, [3, 9], [row(3, 1, 19, 309), row(9, 2, 1, 5)]), { effect: 'rows', older: 1, confirmed: 1 });
  t.gateway('and its frames are relative to it', frame([3, 9], 119, [bid(0, 2, 2)]), { effect: 'rows', admitted: 1 });
  t.shows(3, 311, true);
});

make('lost_before_quiet', ['M20', 'M33'], 'The loss of the last frame before a quiet spell: the heartbeat tells', (t) => {
  joined(t, [3]);
  t.gateway('a heartbeat', frame([3], 100));
  t.gateway('the frame to 102 is lost; the heartbeat from it does not fit', frame([3], 102), { effect: 'asks_resync' });
  t.shows(3, 300, false);
});

make('damaged_messages', ['M5', 'M7', 'M23', 'M24', 'M35'], 'A message that is refused changes nothing; what repairs it depends on its kind', (t) => {
  joined(t, [3, 9]);
  t.gateway('a limit that is not possible is only counted', limitsOf(1, 1, 1, 0), { effect: 'ignored' });
  t.gateway('the second row overflows: the first has no effect either', frame([3, 9], 100, [bid(0, 1), { slot: 1, bytes: [w.varint(2), w.varint(1), w.zigzag(w.I64_MAX)] }]), { effect: 'asks_resync' });
  t.shows(3, 300, false);
  t.gateway('the images', snapshotOf({ reason: 1, boundary: 101, ts: 10400 }, [3, 9], [row(3, 1, 11, 301), row(9, 1, 10, 900)]), { effect: 'rows', admitted: 1, confirmed: 1 });
  t.gateway('a state digest that does not match', frame([3, 9], 101, [bid(0, 1)], { flags: 1, tail: w.u32(1) }), { effect: 'asks_resync' });
  t.shows(3, 301, false);
  t.gateway('a snapshot with the digest of another set repairs nothing', snapshotOf({ reason: 1, boundary: 102, digest: 1 }, [3], [row(3, 1, 12, 302)]), { effect: 'dropped' });
  t.gateway('the images', snapshotOf({ reason: 1, boundary: 102, ts: 10800 }, [3, 9], [row(3, 1, 12, 302), row(9, 1, 10, 900)]), { effect: 'rows', admitted: 1, confirmed: 1 });
});

make('damaged_entries', ['M5', 'M35'], 'What images cannot restate ends the session when it cannot be read', (t) => {
  joined(t, [3, 9]);
  t.gateway('ticks that are damaged may have been news', ticksOf({}, w.part([3, 0, 1])), { effect: 'asks_resync' });
  t.gateway('entries that cannot be read may have been a rename', dictionaryOf(3, entry(RENAME, w.u16(3), w.text(''))), { effect: 'ended', close: 4010 });
  t.gateway('nothing counts after that', frame([3, 9], 100), { effect: 'dropped' });
});

make('venue_stale', ['M15'], 'A venue goes stale and comes back; a condition of a later version is stale, too', (t) => {
  joined(t, [3]);
  t.gateway('no feed of the venue is alive', venueState(0, 1, 101));
  t.shows(3, 300, false);
  t.gateway('frames go on', frame([3], 100));
  t.shows(3, 300, false);
  t.gateway('live again, but what came meanwhile may be old', venueState(0, 0, 102));
  t.shows(3, 300, false);
  t.client('is it?', requestOf(RESYNC, { request: 2 }, byId(3)));
  t.gateway('it is as it was', ticksOf({ ts: 10800 }, row(3, 1, 10, 300)), { effect: 'rows', confirmed: 1 });
  t.shows(3, 300, true);
  t.gateway('another venue', venueState(1, 1, 103));
  t.shows(3, 300, true);
  t.gateway('condition 7', venueState(0, 7, 104));
  t.shows(3, 300, false);
});

make('scale_change', ['M18', 'M30'], 'Other exponents from epoch 5 on: the values at the old ones go, rows of older epochs are refused', (t) => {
  joined(t, [3, 9]);
  t.gateway('SCALE', dictionaryOf(3, entry(SCALE, instrument({ id: 3, symbol: 'SYM3', priceExponent: -4, epoch: 5 }))));
  t.shows(3, null, false);
  t.gateway('a row of the old epoch', frame([3, 9], 100, [bid(0, 1)]), { effect: 'rows', old_epoch: 1 });
  t.shows(3, null, false);
  t.gateway('an old tick on the priority channel', ticksOf({ ts: 10500 }, row(3, 1, 12, 302)), { effect: 'rows', old_epoch: 1 });
  t.gateway('the first row of the new epoch, told against the old image', frame([3, 9], 101, [{ slot: 0, bytes: [w.varint(3), w.u8(3), w.varint(4), w.varint(1), w.varint(1), w.zigzag(30200 - 301)] }]), { effect: 'rows', admitted: 1 });
  t.shows(3, 30200, true);
  t.shows(9, 900, true);
  t.gateway('other tick sizes alone leave the values', dictionaryOf(3, entry(SCALE, instrument({ id: 9, symbol: 'SYM9', epoch: 6, bands: [[0, 5]] }))));
  t.shows(9, 900, true);
  t.gateway('but older epochs are refused all the same', frame([3, 9], 102, [bid(1, 1)]), { effect: 'rows', old_epoch: 1 });
  t.shows(9, 900, true);
});

make('scaled_while_away', ['M18', 'M30'], 'What SCALE would have said is said by the entry of the next session', (t) => {
  joined(t, [3]);
  t.connect('the connection is lost');
  t.gateway('same lineage, same generation', welcomeOf());
  t.client('subscribe', requestOf(SUBSCRIBE, { request: 1 }, byId(3)));
  t.gateway('the entry as it is now', dictionaryOf(3, entry(ADD, instrument({ id: 3, symbol: 'SYM3', priceExponent: -3, epoch: 5 }))));
  t.shows(3, null, false);
  t.gateway('the answer', answerOf({ request: 1, size: 1, digest: digest([3]) }, [0, 3]), { effect: 'answered', codes: ['ok'] });
  t.gateway('its image', snapshotOf({ boundary: 100, ts: 10000 }, [3], [row(3, 5, 1, 3000)]), { effect: 'rows', admitted: 1 });
  t.shows(3, 3000, true);
});

make('rename_and_tombstone', ['M17'], 'The same instrument under another symbol; an id that is out of use is never given again', (t) => {
  joined(t, [3, 9]);
  t.gateway('RENAME keeps the image', dictionaryOf(3, entry(RENAME, w.u16(3), w.text('比特币'))));
  t.shows(3, 300, true);
  t.gateway('an id that was never defined', dictionaryOf(3, entry(RENAME, w.u16(400), w.text('X'))));
  t.gateway('TOMBSTONE', dictionaryOf(3, entry(TOMBSTONE, w.u16(9))));
  t.shows(9, null, false);
  t.gateway('its rows have no place', frame([3, 9], 100, [bid(1, 1)]), { effect: 'rows', unknown_id: 1 });
  t.gateway('an entry restated unchanged', dictionaryOf(3, entry(ADD, instrument({ id: 3, symbol: '比特币', epoch: 1 }))));
  t.gateway('the id for another instrument', dictionaryOf(3, entry(ADD, instrument({ id: 9, symbol: 'OTHER', epoch: 1 }))), { effect: 'ended', close: 4010 });
});

make('id_reused', ['M17'], 'An id that names another instrument in the same generation', (t) => {
  joined(t, [3]);
  t.gateway('another symbol', dictionaryOf(3, entry(ADD, instrument({ id: 3, symbol: 'OTHER', epoch: 1 }))), { effect: 'ended', close: 4010 });
});

make('new_generation', ['M17', 'M36'], 'A new generation frees all ids: the client joins anew, and nothing of the old one is shown', (t) => {
  joined(t, [3]);
  t.gateway('entries of another generation', dictionaryOf(4, entry(ADD, instrument({ id: 3, symbol: 'OTHER' }))), { effect: 'ended', close: 1000 });
  t.connect();
  t.gateway('the same lineage, the new generation', welcomeOf({ generation: 4 }), { effect: 'generation_changed' });
  t.shows(3, null, undefined);
  t.client('a search', findOf({ request: 5 }, 'S', '', '', ''));
  t.gateway('a page of this generation', foundOf({ request: 5, generation: 4 }));
  t.gateway('and one of the next', foundOf({ request: 5, generation: 5 }), { effect: 'ended', close: 1000 });
});

make('reconnect', ['M30', 'M31'], 'Another gateway of the same lineage: entries and images stay, are not live until confirmed, and never step back', (t) => {
  joined(t, [3, 9]);
  t.connect('the connection is lost');
  t.shows(3, 300, false);
  t.gateway('another instance, same lineage, same generation', welcomeOf({ instance: 12, boundary: 90 }));
  t.shows(3, 300, false);
  t.client('subscribe', requestOf(SUBSCRIBE, { request: 1 }, byId(3), byId(9)));
  t.gateway('the answer', answerOf({ request: 1, size: 2, digest: digest([3, 9]) }, [0, 3], [0, 9]), { effect: 'answered', codes: ['ok', 'ok'] });
  t.gateway('one confirmed, one older than what is known', snapshotOf({ boundary: 90, ts: 20000 }, [3, 9], [row(3, 1, 10, 300), row(9, 1, 9, 899)]), { effect: 'rows', confirmed: 1, older: 1 });
  t.shows(3, 300, true);
  t.shows(9, 900, false);
  t.gateway('equal version, other values', frame([3, 9], 90, [bid(1, -5)]), { effect: 'rows', integrity_fault: 1 });
  t.shows(9, 900, false);
});

make('other_lineage', ['M31'], 'Another lineage: every image is cleared and the change is reported', (t) => {
  joined(t, [3]);
  t.connect();
  t.gateway('another lineage', welcomeOf({ lineage: 78 }), { effect: 'lineage_changed' });
  t.shows(3, null, undefined);
  t.client('subscribe', requestOf(SUBSCRIBE, { request: 1 }, byName('OKX', 'SYM3')));
  t.gateway('its entry', dictionaryOf(3, entry(ADD, instrument({ id: 3, symbol: 'SYM3', epoch: 0 }))));
  t.gateway('a lower version is news here', snapshotOf({ boundary: 1, ts: 1 }, [3], [row(3, 1, 2, 5)]), { effect: 'rows', admitted: 1 });
  t.shows(3, 5, true);
});

make('unknown_kinds', ['M4', 'M10', 'M12'], 'What a later version may add', (t) => {
  joined(t, [3]);
  t.gateway('an optional kind', w.message(w.u8(0x7f), [1, 2, 3]), { effect: 'ignored' });
  t.gateway('an optional operation', dictionaryOf(3, entry(0x10, [1, 2, 3])));
  t.gateway('a field of a later version', frame([3], 100, [{ slot: 0, bytes: [w.varint(2 * (1 + 2 ** 19)), w.varint(1), w.zigzag(1), w.zigzag(77)] }]), { effect: 'rows', admitted: 1 });
  t.gateway('that field becomes null', frame([3], 101, [{ slot: 0, bytes: [w.varint(1), w.u8(4), w.varint(1), w.varint(2 ** 19)] }]), { effect: 'rows', admitted: 1 });
  t.shows(3, 301, true);
  t.gateway('a mandatory kind', w.message(w.u8(0xf0)), { effect: 'ended', close: 4010 });
});

make('not_welcome', ['M13', 'M36'], 'What ends a session at its start', (t) => {
  t.connect();
  t.gateway('an optional kind may come', w.message(w.u8(0x20)), { effect: 'ignored' });
  t.gateway('a heartbeat before WELCOME', frame([], 100), { effect: 'ended', close: 4010 });
  t.connect();
  t.gateway('a feature that is not known and mandatory', welcomeOf({ features: 1n << 40n }), { effect: 'ended', close: 4010 });
  t.connect();
  t.gateway('a WELCOME that cannot be read', welcomeOf({ resolution: 0 }), { effect: 'ended', close: 4010 });
  t.connect();
  t.gateway('unknown optional features do not matter', welcomeOf({ features: 0xfffffffe }));
  t.gateway('a second WELCOME', welcomeOf(), { effect: 'ended', close: 4010 });
});

make('token', ['M4'], 'A token is renewed in session; a refused renewal leaves the earlier one in force until it expires', (t) => {
  joined(t, [3], { token: 60 });
  t.client('a new token', tokenOf('eyJhbGciOi.eyJleHAiOjE3.c2lnbmF0dXJl'));
  t.gateway('accepted', tokenAnswer(1, 3600), { effect: 'token_renewed', lifetime_s: 3600 });
  t.client('another', tokenOf('not-a-good-one'));
  t.gateway('refused', tokenAnswer(0, 1200), { effect: 'token_refused', lifetime_s: 1200 });
  t.gateway('data goes on', frame([3], 100, [bid(0, 1)]), { effect: 'rows', admitted: 1 });
  t.close('it expires', 4001, '{"reconnect_after_ms":0}', { action: 'renew_token', reconnect_after_ms: 0 });
});

make('priority', ['M19', 'M27', 'M30'], 'Ticks between frames are shown at once and never touch the conflated image', (t) => {
  joined(t, [3, 9]);
  t.client('on the priority channel', requestOf(SUBSCRIBE, { channel: 1, request: 2 }, byId(3)));
  t.gateway('the answer', answerOf({ channel: 1, request: 2, size: 1, digest: digest([3]) }, [0, 3]), { effect: 'answered', codes: ['ok'] });
  t.gateway('a tick ahead of the frame, with its book', ticksOf({ ts: 10100 }, w.part(absolute(3, 1, 12, 1, { 0: 305 }), book([[305, 2], [-1, 4]], [[306, 1]]))), { effect: 'rows', admitted: 1 });
  t.shows(3, 305, true);
  t.gateway('the frame tells its rows against 300, not 305: what it yields is older', frame([3, 9], 100, [bid(0, 1), bid(1, 1)]), { effect: 'rows', older: 1, admitted: 1 });
  t.shows(3, 305, true);
  t.gateway('and the next against 301', frame([3, 9], 101, [bid(0, 4)]), { effect: 'rows', confirmed: 1 });
  t.gateway('one more', frame([3, 9], 102, [bid(0, -1)]), { effect: 'rows', admitted: 1 });
  t.shows(3, 304, true);
});

make('resync_of_names', ['M20', 'M27', 'M30'], 'RESYNC with names: absolute rows, without an ANSWER, and no change of the channel', (t) => {
  joined(t, [3, 9]);
  t.client('one instrument', requestOf(RESYNC, { request: 2 }, byId(3)));
  t.gateway('its row', ticksOf({ ts: 10000 }, row(3, 1, 10, 300)), { effect: 'rows', confirmed: 1 });
  t.gateway('frames fit as before', frame([3, 9], 100, [bid(0, 1)]), { effect: 'rows', admitted: 1 });
});

make('limits_and_answers', ['M14', 'M28'], 'Limits change in session; pending and refused names', (t) => {
  joined(t, [3]);
  t.gateway('smaller messages from here on', limitsOf(2, 1, 64, 10));
  t.client('three names', requestOf(SUBSCRIBE, { request: 2 }, byName('OKX', 'A'), byName('OKX', 'B'), byName('OKX', 'C')));
  t.gateway('pending, too fast, over the limit', answerOf({ request: 2, size: 1, digest: digest([3]) }, [4, 65535], [5, 65535], [3, 65535]), { effect: 'answered', codes: ['pending', 'too_fast', 'limit'] });
  t.gateway('the other answer to it', answerOf({ request: 2, size: 1, digest: digest([3]) }, [2, 65535], [5, 65535], [3, 65535]), { effect: 'answered', codes: ['not_entitled', 'too_fast', 'limit'] });
  t.gateway('an answer to nothing', answerOf({ request: 99, size: 1, digest: digest([3]) }, [0, 3]), { effect: 'ignored' });
  t.gateway('a message over the limit', w.message(w.u8(0x7f), Array(64).fill(0)), { effect: 'ended', close: 1009 });
});

make('closing', ['M16'], 'Close codes and refused upgrades: what a client does, and not before when', (t) => {
  const rows = [[1000, 'retry'], [1001, 'retry'], [1006, 'retry'], [1011, 'retry'], [1012, 'retry'], [1013, 'retry'], [4008, 'retry'], [1002, 'retry_slowly'], [1003, 'retry_slowly'],
    [1007, 'retry_slowly'], [1009, 'retry_slowly'], [4010, 'retry_slowly'], [400, 'retry_slowly'], [404, 'retry_slowly'], [4001, 'renew_token'], [401, 'renew_token'], [4003, 'stop'], [4004, 'stop'],
    [403, 'stop'], [429, 'retry_not_before'], [503, 'retry_not_before']];
  for (const [code, action] of rows) t.close(`${code}`, code, '{"reconnect_after_ms":1840}', { action, reconnect_after_ms: 1840 });
  for (const [note, reason, told] of [
    ['no reason', '', null], ['text', 'going away', null], ['other members are ignored', '{"why":{"a":[1,"}"]},"reconnect_after_ms":5,"x":null}', 5], ['another member', '{"retry":5}', null],
    ['a negative one', '{"reconnect_after_ms":-1}', null], ['text instead of a number', '{"reconnect_after_ms":"5"}', null], ['more than 32 bits', '{"reconnect_after_ms":99999999999}', 4294967295],
    ['cut', '{"reconnect_after_ms":18', null], ['124 bytes', `{"x":"${'y'.repeat(93)}","reconnect_after_ms":5}`, null], ['123 bytes', `{"x":"${'y'.repeat(92)}","reconnect_after_ms":5}`, 5],
  ]) t.close(note, 1012, reason, { action: 'retry', reconnect_after_ms: told });
});

make('encoder', ['M19', 'M20', 'M23', 'M24', 'M25', 'M32'], 'A snapshot and 60 frames as the encoder of this project wrote them, over a wrap of the low half of boundaries, each with its state digest', (t) => {
  const recording = readFileSync(new URL('encoder_frames.hex', import.meta.url), 'utf8').trim().split('\n');
  t.connect();
  t.gateway('the session starts', welcomeOf({ boundary: 0xfffffff0n }));
  for (const [n, bytes] of recording.entries()) {
    const got = t.step({ from: 'gateway', bytes }, n === 0 ? 'the images' : `frame ${n}`);
    assert(got.error === undefined && got.effects.length === (got.message.row_count > 0 ? 1 : 0), `encoder: message ${n}: ${JSON.stringify(got)}`);
  }
});

export const transcripts = all;

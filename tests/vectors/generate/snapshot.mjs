// SNAPSHOT and TICKS: PROTOCOL.md sections 7, 9 and 10.
import { Family } from './family.mjs';
import { image, start } from './delta.mjs';
import * as w from './bytes.mjs';

const RES = 100000n;
const FIELD_NAMES = ['bid_price', 'ask_price', 'bid_quantity', 'ask_quantity', 'ts_exchange_ns', 'last_price', 'last_quantity', 'volume',
  'open', 'high', 'low', 'previous_close', 'settlement', 'open_interest', 'limit_up', 'limit_down', 'trading_status'];

/** An absolute row; `fields` by number, times in units. */
export const absolute = (id, epoch, seq, covered, fields = {}, mask = undefined) => [
  w.u16(id), w.varint(epoch), w.varint(seq), w.varint(covered),
  w.varint(mask ?? Object.keys(fields).reduce((m, n) => m + 2 ** Number(n), 0)),
  Object.keys(fields).map(Number).sort((a, b) => a - b).map((n) => w.zigzag(fields[n])),
];
export const snapshotOf = ({ reason = 0, boundary = 5, ts = 0, digest, count }, ids, rows) => w.message(
  w.u8(0x83), w.u8(reason), w.u64(boundary), digest === undefined ? w.digestOf(ids) : w.u32(digest), w.zigzag(ts), w.varint(count ?? rows.length), rows,
);
const told = (id, epoch, seq, covered, fields) => ({
  id, epoch, seq: String(seq), covered: String(covered),
  fields: Object.fromEntries(Object.entries(fields).map(([n, v]) => [FIELD_NAMES[n], String(Number(n) === 4 ? BigInt(v) * RES : v)])),
});
const FIRST = 16; // offset of the first row's length

export function snapshot() {
  const f = new Family('snapshot', 'SNAPSHOT (PROTOCOL.md section 9) and absolute rows (section 7)');
  const before = start([image(1, 7, 1000, { bid_price: 5 }), image(7, 7, 3, { ask_price: 9 })]);
  f.good('the empty set', ['M22', 'M26'], 'gateway', snapshotOf({}, [], []), { row_count: 0, rows: [] }, before);
  for (const reason of [0, 1, 2]) {
    f.good(`reason ${reason} replaces set, images and boundary`, ['M22', 'M26'], 'gateway',
      snapshotOf({ reason, boundary: 3 }, [7], [w.part(absolute(7, 7, 3, 0, { 0: -3763 }))]), { reason, boundary: '3', rows: [told(7, 7, 3, 0, { 0: -3763 })] }, before);
  }
  f.good('never published', ['M26', 'M11'], 'gateway', snapshotOf({}, [65534], [w.part(absolute(65534, 0, 0, 0))]), { rows: [told(65534, 0, 0, 0, {})] }, before);
  const all = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, n % 3 === 0 ? -n : n % 3 === 1 ? n * 1000003 : 0]));
  f.good('every field', ['M11', 'M19'], 'gateway', snapshotOf({ ts: -400 }, [3], [w.part(absolute(3, 1, 2, 9, all))]), { rows: [told(3, 1, 2, 9, all)], ts_gateway_ns: '-40000000' }, before);
  for (let n = 0; n < 17; n++) {
    f.good(`field ${n} alone, zero and not null`, ['M11'], 'gateway', snapshotOf({}, [3], [w.part(absolute(3, 1, 2, 1, { [n]: 0 }))]), { rows: [told(3, 1, 2, 1, { [n]: 0 })] }, before);
  }
  const wide = { 0: w.I64_MAX, 1: w.I64_MIN, 2: (1n << 53n) + 1n, 3: -((1n << 53n) + 1n), 5: 999999999700000n, 6: 1, 7: 123456789012345678n };
  f.good('64-bit limits, 18 decimals, over 2^53', ['M7', 'M11'], 'gateway',
    snapshotOf({ boundary: w.U64_MAX }, [3], [w.part(absolute(3, 0xffffffff, w.U64_MAX, w.U64_MAX, wide))]), { rows: [told(3, 0xffffffff, w.U64_MAX, w.U64_MAX, wide)] }, before);
  f.good('unknown fields are read past', ['M12'], 'gateway',
    snapshotOf({}, [3], [w.part(absolute(3, 1, 2, 1, { 0: 5, 17: -1, 25: w.I64_MIN, 31: 7 }))]), { unknown_fields: 3, rows: [told(3, 1, 2, 1, { 0: 5 })] }, before);
  f.good('a row longer than known', ['M10'], 'gateway', snapshotOf({}, [3, 4], [w.part(absolute(3, 1, 2, 1, { 0: 5 }), w.u8(9), w.u8(0xff)), w.part(absolute(4, 1, 1, 1))]),
    { rows: [told(3, 1, 2, 1, { 0: 5 }), told(4, 1, 1, 1, {})] }, before);
  for (const size of [1, 8, 9, 8192]) {
    const ids = Array.from({ length: size }, (_, n) => 7 * n + 1);
    f.good(`a set of ${size}`, ['M26'], 'gateway', snapshotOf({}, ids, ids.map((id) => w.part(absolute(id, 1, id, 0, { 0: id })))), { row_count: size }, before);
  }
  const row = (id) => w.part(absolute(id, 1, 1, 0));
  f.bad('reason 3', ['M5'], 'gateway', snapshotOf({ reason: 3 }, [], []), ['FLAGS', 1], before);
  f.bad('the digest of another set', ['M26', 'M5'], 'gateway', snapshotOf({}, [1], [row(2)]), ['SET_DIGEST', 10], before);
  f.bad('the digest of the empty set is 0', ['M26'], 'gateway', snapshotOf({ digest: 0xffffffff }, [], []), ['SET_DIGEST', 10], before);
  f.bad('ids that fall', ['M26'], 'gateway', snapshotOf({}, [3, 2], [row(3), row(2)]), ['SET_ORDER', FIRST + 8, 1], before);
  f.bad('an id twice', ['M26'], 'gateway', snapshotOf({}, [3, 3], [row(3), row(3)]), ['SET_ORDER', FIRST + 8, 1], before);
  f.bad('id 65535', ['M26'], 'gateway', snapshotOf({}, [65535], [row(65535)]), ['VALUE_RANGE', FIRST + 1, 0], before);
  f.bad('more rows than a set may have', ['M26'], 'gateway', snapshotOf({ count: 8193 }, [], []), ['COUNT_LIMIT', 15], before);
  f.bad('more rows announced than there are', ['M10'], 'gateway', snapshotOf({ count: 2 }, [3], [row(3)]), ['TRUNCATED', FIRST + 7, 1], before);
  f.bad('a byte behind the last row', ['M10'], 'gateway', w.message(...snapshotOf({}, [3], [row(3)]), 0), ['TRAILING_BYTES', FIRST + 7], before);
  f.bad('a row longer than the message', ['M10'], 'gateway', snapshotOf({}, [3], [[w.varint(200), absolute(3, 1, 1, 0)]]), ['TRUNCATED', FIRST, 0], before);
  f.bad('a row of 64-bit length', ['M10'], 'gateway', snapshotOf({}, [3], [[w.varint(w.U64_MAX), absolute(3, 1, 1, 0)]]), ['TRUNCATED', FIRST, 0], before);
  f.bad('a row that ends in its values', ['M10'], 'gateway', snapshotOf({}, [3], [w.part(absolute(3, 1, 1, 0, {}, 1))]), ['TRUNCATED', FIRST + 7, 0], before);
  f.bad('a mask over 32 bits', ['M6'], 'gateway', snapshotOf({}, [3], [w.part(absolute(3, 1, 1, 0, {}, 1n << 32n))]), ['VALUE_RANGE', FIRST + 6, 0], before);
  f.bad('an epoch over 32 bits', ['M6'], 'gateway', snapshotOf({}, [3], [w.part(absolute(3, 1n << 32n, 1, 0))]), ['VALUE_RANGE', FIRST + 3, 0], before);
  f.bad('an exchange time that leaves i64', ['M7'], 'gateway', snapshotOf({}, [3], [w.part(absolute(3, 1, 1, 0, { 4: w.I64_MAX }))]), ['DELTA_OVERFLOW', FIRST + 7, 0], before);
  f.bad('a gateway time that leaves i64', ['M7'], 'gateway', snapshotOf({ ts: w.I64_MIN }, [], []), ['DELTA_OVERFLOW', 14], before);
  f.cuts('a snapshot of two', ['M5', 'M10'], 'gateway', snapshotOf({ ts: 400 }, [3, 300], [w.part(absolute(3, 1, 2, 1, { 0: -70 })), w.part(absolute(300, 1, 1, 0, { 4: 99999 }))]), before);
  for (const resolution of [1, 1000000000]) {
    const other = { ...before, resolution_ns: resolution };
    f.good(`time resolution ${resolution} ns`, ['M9'], 'gateway', snapshotOf({ ts: 7 }, [3], [w.part(absolute(3, 1, 2, 1, { 4: -3 }))]), { ts_gateway_ns: String(7 * resolution) }, other);
  }
  return f;
}

export const ticksOf = ({ flags = 0, ts = 0, count }, ...rows) => w.message(w.u8(0x85), w.u8(flags), w.zigzag(ts), w.varint(count ?? rows.length), rows);
export const book = (bids, asks) => [w.u8(bids.length), w.u8(asks.length), [...bids, ...asks].map(([step, quantity]) => [w.zigzag(step), w.zigzag(quantity)])];

export function ticks() {
  const f = new Family('ticks', 'TICKS (PROTOCOL.md section 10)');
  const before = start([image(3, 7, 1000, { bid_price: 5 })]);
  const same = (name, cites, bytes, claim = {}) => f.good(name, ['M27', ...cites], 'gateway', bytes, claim, before);
  same('no tick', [], ticksOf({}), { rows: [] });
  same('ticks of one instrument twice, in any order of ids', ['M19'], ticksOf({ ts: 3 }, w.part(absolute(9, 1, 5, 1, { 0: 7 })), w.part(absolute(3, 7, 1001, 2, { 0: 8 })), w.part(absolute(9, 1, 6, 1, { 0: 0 }))));
  const tick = absolute(3, 7, 1001, 1, { 0: 100, 1: 101 });
  same('without a book', [], ticksOf({}, w.part(tick)));
  same('an empty book', ['M11'], ticksOf({}, w.part(tick, book([], []))));
  const ten = Array.from({ length: 10 }, (_, n) => [n === 0 ? 100 : -1, n]);
  same('ten levels a side', [], ticksOf({}, w.part(tick, book(ten, ten.map(([s, q]) => [-s, q])))));
  same('one side only, negative and zero prices', ['M11'], ticksOf({}, w.part(tick, book([], [[-5, 3], [5, 0], [5, -1]]))));
  same('levels at the limits', ['M7'], ticksOf({}, w.part(tick, book([[w.I64_MAX, w.I64_MIN], [w.I64_MIN, w.I64_MAX]], [[w.I64_MIN, 0], [w.I64_MAX, 0]]))));
  same('a tick longer than known', ['M10'], ticksOf({}, w.part(tick, book([[1, 1]], []), w.u8(7), w.u8(0x80)), w.part(tick)));
  same('unknown fields', ['M12'], ticksOf({}, w.part(absolute(3, 7, 1001, 1, { 0: 1, 20: 5 }))));
  same('8192 ticks', [], ticksOf({}, ...Array.from({ length: 8192 }, (_, n) => w.part(absolute(n, 1, 1, 1)))), { row_count: 8192 });
  const bad = (name, cites, bytes, fault) => f.bad(name, cites, 'gateway', bytes, fault, before);
  bad('flags', ['M10'], ticksOf({ flags: 1 }), ['FLAGS', 1]);
  bad('too many ticks', ['M5'], ticksOf({ count: 8193 }), ['COUNT_LIMIT', 3]);
  bad('a price that leaves i64', ['M7'], ticksOf({}, w.part(tick, book([[w.I64_MAX, 0], [1, 0]], []))), ['DELTA_OVERFLOW', 5 + tick.flat(9).length + 2 + 11, 0]);
  bad('11 bid levels', ['M5'], ticksOf({}, w.part(tick, [11, 0])), ['COUNT_LIMIT', 5 + tick.flat(9).length, 0]);
  bad('11 ask levels', ['M5'], ticksOf({}, w.part(tick, [0, 11])), ['COUNT_LIMIT', 5 + tick.flat(9).length + 1, 0]);
  bad('a book of one byte', ['M10'], ticksOf({}, w.part(tick, [0])), ['TRUNCATED', 5 + tick.flat(9).length + 1, 0]);
  bad('a level short', ['M10'], ticksOf({}, w.part(tick, [1, 0, 2])), ['TRUNCATED', 5 + tick.flat(9).length + 3, 0]);
  bad('id 65535', ['M5'], ticksOf({}, w.part(absolute(65535, 1, 1, 1))), ['VALUE_RANGE', 5, 0]);
  bad('a bad tick behind a good one', ['M5'], ticksOf({}, w.part(tick), w.part(absolute(4, 1, 1, 1, {}, 1))), ['TRUNCATED', 4 + 1 + tick.flat(9).length + 1 + 6, 1]);
  bad('a byte behind the last tick', ['M10'], w.message(...ticksOf({}, w.part(tick)), 0), ['TRAILING_BYTES', 5 + tick.flat(9).length]);
  f.cuts('two ticks and a book', ['M5', 'M10'], 'gateway', ticksOf({}, w.part(tick, book([[1, 1]], [[2, 300]])), w.part(tick)), before);
  return f;
}

// DELTA: PROTOCOL.md section 8.
import { Family } from './family.mjs';
import { QUOTE_SHAPES, TRADE_SHAPES } from '../js/shapes.mjs';
import { channelOf } from '../js/vector.mjs';
import { stateDigest } from '../js/channel.mjs';
import * as w from './bytes.mjs';

const RES = 100000n;
const SECOND = 1000000000n;
const QUOTE = ['bid_price', 'ask_price', 'bid_quantity', 'ask_quantity'];
const TRADE = ['last_price', 'last_quantity', 'volume'];
const STEP_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24];
const DISTANCE_BITS = [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32];
const GENERAL = 0x7f;

export const start = (images, more = {}) => ({ resolution_ns: 100000, boundary: '100', ts_gateway_ns: '0', images, ...more });
export const image = (id, epoch, seq, fields = {}) => ({
  id, epoch, seq: String(seq), fields: Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, String(v)])),
});

/** A frame on `channel`; `parts` are what stands behind the count. */
export function frame(channel, { flags = 0, boundary, back = 1, ts = 0, count, digest }, ...parts) {
  const c = channelOf(channel);
  return w.message(
    w.u8(0x84), w.u8(flags), w.u32(boundary ?? c.boundary + BigInt(back)), w.u32(digest ?? c.digest), w.varint(back), w.zigzag(ts),
    w.varint(count), parts,
  );
}
/** A frame of one general row on a set of one instrument. */
const one = (channel, ...row) => frame(channel, { count: 1 }, w.u8(1), w.u8(GENERAL), row);
const HEAD = 15; // offset of the general row in such a frame

const row = (id, epoch, seq, covered, fields) => ({ id, epoch, seq: String(seq), covered: String(covered), fields: image(0, 0, 0, fields).fields });

function envelope(f) {
  const channel = start([image(1, 7, 1000, { bid_price: 5 })]);
  const empty = start([]);
  f.good('heartbeat on the empty set', ['M20', 'M33'], 'gateway', frame(empty, { count: 0 }), { boundary: '101', row_count: 0 }, empty);
  f.good('heartbeat on a set of one', ['M33'], 'gateway', frame(channel, { count: 0 }), { boundary: '101' }, channel);
  f.good('a frame may go back over many boundaries', ['M20'], 'gateway', frame(channel, { count: 0, back: 100000 }), { boundary: '100100' }, channel);
  f.good('gateway time may go backwards', ['M9'], 'gateway', frame(channel, { count: 0, ts: -7 }), { ts_gateway_ns: '-700000' }, channel);
  f.bad('back 0', ['M20'], 'gateway', frame(channel, { count: 0, back: 0, boundary: 100 }), ['BOUNDARY', 10], channel);
  f.bad('back over the boundary', ['M20'], 'gateway', frame(channel, { count: 0, back: 102, boundary: 101 }), ['BOUNDARY', 10], channel);
  f.bad('a base before the channel', ['M20', 'M5'], 'gateway', frame(channel, { count: 0, back: 2, boundary: 101 }), ['BASE_MISMATCH', 10], channel);
  f.bad('a base behind the channel', ['M20'], 'gateway', frame(channel, { count: 0, back: 1, boundary: 102 }), ['BASE_MISMATCH', 10], channel);
  f.bad('another set', ['M20', 'M22'], 'gateway', frame(channel, { count: 0, digest: 0 }), ['SET_MISMATCH', 6], channel);
  f.bad('another set and another base', ['M20'], 'gateway', frame(channel, { count: 0, back: 2, boundary: 101, digest: 0 }), ['BASE_MISMATCH', 10], channel);
  f.bad('rows of a frame that does not fit are not looked at', ['M20'], 'gateway',
    frame(channel, { count: 1, back: 2, boundary: 101 }, 0xff, 0xff), ['BASE_MISMATCH', 10], channel);
  for (const bit of [2, 3, 4, 5, 6, 7]) {
    f.bad(`flag bit ${bit}`, ['M10'], 'gateway', frame(channel, { flags: 1 << bit, count: 0 }), ['FLAGS', 1], channel);
  }
  f.bad('gap flag without rows', ['M24'], 'gateway', frame(channel, { flags: 2, count: 0 }), ['FLAGS', 1], channel);
  f.bad('a byte behind a heartbeat', ['M10', 'M24'], 'gateway', frame(channel, { count: 0 }, 0), ['TRAILING_BYTES', 13], channel);
  f.bad('more rows than the set', ['M24'], 'gateway', frame(channel, { count: 2 }, 3, 0, 0), ['COUNT_LIMIT', 12], channel);
  f.bad('rows on the empty set', ['M24'], 'gateway', frame(empty, { count: 1 }), ['COUNT_LIMIT', 12], empty);
  const late = start([], { ts_gateway_ns: String((w.I64_MAX / RES) * RES) });
  f.good('the last gateway time that fits', ['M7'], 'gateway', frame(start([], { ts_gateway_ns: String((w.I64_MAX / RES - 1n) * RES) }), { count: 0, ts: 1 }), {}, start([], { ts_gateway_ns: String((w.I64_MAX / RES - 1n) * RES) }));
  f.bad('gateway time leaves i64', ['M7'], 'gateway', frame(late, { count: 0, ts: 1 }), ['DELTA_OVERFLOW', 11], late);
  f.bad('gateway time in units leaves i64', ['M7'], 'gateway', frame(empty, { count: 0, ts: w.I64_MAX }), ['DELTA_OVERFLOW', 11], empty);
  const near = (boundary) => start([], { boundary: String(boundary) });
  f.good('the low half wraps', ['M20'], 'gateway', frame(near(0xffffffffn), { count: 0 }), { boundary: '4294967296' }, near(0xffffffffn));
  f.good('a boundary of 64 bits', ['M20'], 'gateway', frame(near(w.U64_MAX - 1n), { count: 0 }), { boundary: String(w.U64_MAX) }, near(w.U64_MAX - 1n));
  f.good('one less than half the range ahead', ['M20'], 'gateway', frame(near(1n << 40n), { count: 0, back: 0x7fffffff }), { boundary: String((1n << 40n) + 0x7fffffffn) }, near(1n << 40n));
  f.bad('the nearest boundary is one behind', ['M20'], 'gateway', frame(near(1n << 40n), { count: 0, boundary: 0xffffffff }), ['BASE_MISMATCH', 10], near(1n << 40n));
  f.bad('of two that are equally near the lower one is meant', ['M20'], 'gateway', frame(near(1n << 40n), { count: 0, back: 2 ** 31 }), ['BASE_MISMATCH', 10], near(1n << 40n));
  f.good('a boundary below 0 is not near', ['M20'], 'gateway', frame(near(5), { count: 0, back: 2 ** 31 }), { boundary: String(2 ** 31 + 5) }, near(5));
  f.bad('back of 64 bits', ['M20', 'M7'], 'gateway', frame(near(5), { count: 0, back: w.U64_MAX, boundary: 6 }), ['BOUNDARY', 10], near(5));
}

function generalRows(f) {
  const full = { bid_price: 10, ask_price: 11, bid_quantity: 3, ask_quantity: 0, ts_exchange_ns: SECOND, last_price: -3763 };
  const c = start([image(9, 7, 1000, full)]);
  f.good('price moves, zero and negative prices', ['M11'], 'gateway', one(c, w.varint(2 * 3), w.varint(1), w.zigzag(-10), w.zigzag(-12)),
    { rows: [row(9, 7, 1001, 1, { ...full, bid_price: 0, ask_price: -1 })] }, c);
  f.good('null becomes zero', ['M11'], 'gateway', one(c, w.varint(2 * (1 << 8)), w.varint(1), w.zigzag(0)),
    { rows: [row(9, 7, 1001, 1, { ...full, open: 0 })] }, c);
  f.good('zero becomes null', ['M11'], 'gateway', one(c, w.varint(1), w.u8(4), w.varint(1), w.varint(1 << 3)), {}, c);
  f.good('null becomes a value, a value becomes null', ['M11'], 'gateway',
    one(c, w.varint(2 * (1 << 6) + 1), w.u8(4), w.varint(1), w.varint(1 << 5), w.zigzag(25)), {}, c);
  f.good('a row of nothing but a version', ['M32'], 'gateway', one(c, w.varint(0), w.varint(4)), { rows: [row(9, 7, 1004, 4, full)] }, c);
  f.good('covered given', ['M32'], 'gateway', one(c, w.varint(1), w.u8(2), w.varint(4), w.varint(3)), { rows: [row(9, 7, 1004, 3, full)] }, c);
  f.good('epoch raised', ['M18', 'M32'], 'gateway', one(c, w.varint(3), w.u8(3), w.varint(2), w.varint(1), w.varint(1), w.zigzag(1)),
    { rows: [row(9, 9, 1, 1, { ...full, bid_price: 11 })] }, c);
  f.good('epoch raised to its last', ['M7'], 'gateway', one(c, w.varint(1), w.u8(3), w.varint(0xffffffff - 7), w.varint(w.U64_MAX), w.varint(1)), {}, c);
  f.good('all three extensions', ['M11', 'M32'], 'gateway', one(c, w.varint(2 * 2 + 1), w.u8(7), w.varint(1), w.varint(5), w.varint(5), w.varint(1), w.zigzag(4)), {}, c);
  f.good('exchange time in units', ['M9'], 'gateway', one(c, w.varint(2 * 16), w.varint(1), w.zigzag(-3)), {}, c);
  f.good('unknown fields are read past and counted', ['M12'], 'gateway',
    one(c, w.varint(2 * (1 + 2 ** 17 + 2 ** 31)), w.varint(1), w.zigzag(1), w.zigzag(w.I64_MIN), w.zigzag(0)), { unknown_fields: 2 }, c);
  f.good('an unknown field becomes null', ['M12'], 'gateway', one(c, w.varint(1), w.u8(4), w.varint(1), w.varint(2 ** 20)), {}, c);
  f.good('a trading status of a later version is carried as it is', ['M19'], 'gateway', one(c, w.varint(2 * 2 ** 16), w.varint(1), w.zigzag(99)), {}, c);
  f.bad('extensions of no bit', ['M10'], 'gateway', one(c, w.varint(3), w.u8(0), w.varint(1), w.zigzag(1)), ['FLAGS', HEAD + 1, 0], c);
  for (const bit of [3, 4, 5, 6, 7]) {
    f.bad(`extension bit ${bit}`, ['M10'], 'gateway', one(c, w.varint(3), w.u8(2 + (1 << bit)), w.varint(1), w.varint(1), w.zigzag(1)), ['FLAGS', HEAD + 1, 0], c);
  }
  f.bad('epoch raised without covered', ['M10'], 'gateway', one(c, w.varint(3), w.u8(1), w.varint(1), w.varint(1), w.zigzag(1)), ['VERSION', HEAD + 1, 0], c);
  f.bad('epoch step 0', ['M30'], 'gateway', one(c, w.varint(3), w.u8(3), w.varint(0), w.varint(1), w.varint(1), w.zigzag(1)), ['VERSION', HEAD + 2, 0], c);
  f.bad('epoch leaves u32', ['M7'], 'gateway', one(c, w.varint(3), w.u8(3), w.varint(0xffffffff - 6), w.varint(1), w.varint(1), w.zigzag(1)), ['VERSION', HEAD + 2, 0], c);
  f.bad('epoch step of 64 bits', ['M7'], 'gateway', one(c, w.varint(3), w.u8(3), w.varint(w.U64_MAX), w.varint(1), w.varint(1), w.zigzag(1)), ['VERSION', HEAD + 2, 0], c);
  f.bad('seq 0 of a raised epoch', ['M30'], 'gateway', one(c, w.varint(3), w.u8(3), w.varint(1), w.varint(0), w.varint(1), w.zigzag(1)), ['VERSION', HEAD + 3, 0], c);
  f.bad('seq stays', ['M30'], 'gateway', one(c, w.varint(2), w.varint(0), w.zigzag(1)), ['VERSION', HEAD + 1, 0], c);
  f.bad('covered 0', ['M32'], 'gateway', one(c, w.varint(3), w.u8(2), w.varint(1), w.varint(0), w.zigzag(1)), ['VERSION', HEAD + 3, 0], c);
  f.bad('nulls of no field', ['M11'], 'gateway', one(c, w.varint(1), w.u8(4), w.varint(1), w.varint(0)), ['FIELD_MASK', HEAD + 3, 0], c);
  f.bad('a null becomes null', ['M11'], 'gateway', one(c, w.varint(1), w.u8(4), w.varint(1), w.varint(1 << 8)), ['FIELD_MASK', HEAD + 3, 0], c);
  f.bad('a field is changed and null', ['M11'], 'gateway', one(c, w.varint(3), w.u8(4), w.varint(1), w.varint(1), w.zigzag(1)), ['FIELD_MASK', HEAD + 3, 0], c);
  f.bad('an unknown field is changed and null', ['M11', 'M12'], 'gateway',
    one(c, w.varint(2 * 2 ** 20 + 1), w.u8(4), w.varint(1), w.varint(2 ** 20), w.zigzag(1)), ['FIELD_MASK', HEAD + 6, 0], c);
  f.bad('a change of 0', ['M11'], 'gateway', one(c, w.varint(2), w.varint(1), w.zigzag(0)), ['FIELD_MASK', HEAD + 2, 0], c);
  f.bad('a mask over 32 bits', ['M6'], 'gateway', one(c, w.varint(1n << 33n), w.varint(1)), ['FIELD_MASK', HEAD, 0], c);
  f.bad('a byte behind the last row', ['M24', 'M10'], 'gateway', one(c, w.varint(2), w.varint(1), w.zigzag(1), 0), ['TRAILING_BYTES', HEAD + 3], c);
  f.cuts('a general row', ['M24'], 'gateway', one(c, w.varint(2 * (1 << 6) + 1), w.u8(7), w.varint(1), w.varint(300), w.varint(300), w.varint(1 << 5), w.zigzag(-1000)), c);
}

function limitsOf64Bits(f) {
  for (const [what, old, change] of [
    ['highest', w.I64_MAX - 1n, 1n], ['lowest', w.I64_MIN + 1n, -1n], ['highest to lowest but one', w.I64_MAX, w.I64_MIN],
    ['lowest to -1', w.I64_MIN, w.I64_MAX], ['over 2^53', (1n << 53n) + 1n, 2n],
  ]) {
    const c = start([image(9, 7, 1000, { bid_price: old })]);
    f.good(`price ${what}`, ['M7', 'M19'], 'gateway', one(c, w.varint(2), w.varint(1), w.zigzag(change)),
      { rows: [row(9, 7, 1001, 1, { bid_price: old + change })] }, c);
  }
  for (const value of [w.I64_MAX, w.I64_MIN, 999999999700000n, 1n, 123456789012345678n]) {
    const c = start([image(9, 7, 1000)]);
    f.good(`null becomes ${value}`, ['M11'], 'gateway', one(c, w.varint(2), w.varint(1), w.zigzag(value)), { rows: [row(9, 7, 1001, 1, { bid_price: value })] }, c);
  }
  for (const [what, old, change] of [['over the highest', w.I64_MAX, 1n], ['under the lowest', w.I64_MIN, -1n], ['twice the lowest', w.I64_MIN, w.I64_MIN]]) {
    const c = start([image(9, 7, 1000, { bid_price: old, bid_quantity: old })]);
    f.bad(`price ${what}`, ['M7'], 'gateway', one(c, w.varint(2), w.varint(1), w.zigzag(change)), ['DELTA_OVERFLOW', HEAD + 2, 0], c);
    const wide = frame(c, { count: 1 }, w.u8(1), w.u8(55), w.u8(0), w.zigzag(0), w.packed([[w.zigzagCode(change < -9n ? -9n : change), 32], [0, 0]]));
    f.bad(`shaped price ${what}`, ['M7'], 'gateway', wide, ['DELTA_OVERFLOW', HEAD + 2, 0], c);
  }
  const top = start([image(9, 7, w.U64_MAX - 1n)]);
  f.good('the last seq', ['M7'], 'gateway', one(top, w.varint(0), w.varint(1)), { rows: [row(9, 7, w.U64_MAX, 1, {})] }, top);
  f.bad('seq wraps', ['M7'], 'gateway', one(top, w.varint(0), w.varint(2)), ['VERSION', HEAD + 1, 0], top);
  f.bad('seq wraps by its whole range', ['M7'], 'gateway', one(top, w.varint(0), w.varint(w.U64_MAX)), ['VERSION', HEAD + 1, 0], top);
  f.bad('seq of a shaped row wraps', ['M7'], 'gateway', frame(top, { count: 1 }, w.u8(1), w.u8(0), w.u8(1), w.zigzag(0), w.u8(1), w.u8(0)),
    ['VERSION', HEAD + 3, 0], top);
  const time = start([image(9, 7, 1, { ts_exchange_ns: w.I64_MAX / RES * RES })]);
  f.bad('exchange time leaves i64', ['M7'], 'gateway', one(time, w.varint(32), w.varint(1), w.zigzag(1)), ['DELTA_OVERFLOW', HEAD + 2, 0], time);
  f.bad('exchange time in units leaves i64', ['M7'], 'gateway', one(time, w.varint(32), w.varint(1), w.zigzag(w.I64_MIN)), ['DELTA_OVERFLOW', HEAD + 2, 0], time);
  const early = start([image(9, 7, 1)], { ts_gateway_ns: String(w.I64_MIN / RES * RES) });
  f.bad('reference time leaves i64', ['M7'], 'gateway', frame(early, { count: 1 }, w.u8(1), w.u8(0), w.u8(0), w.zigzag(1), w.u8(0)), ['DELTA_OVERFLOW', HEAD + 1], early);
  f.bad('lag in units leaves i64', ['M7'], 'gateway', frame(early, { count: 1 }, w.u8(1), w.u8(0), w.u8(0), w.zigzag(w.I64_MAX), w.u8(0)), ['DELTA_OVERFLOW', HEAD + 1], early);
  f.bad('reference time minus distance leaves i64', ['M7'], 'gateway', frame(early, { count: 1 }, w.u8(1), w.u8(0), w.u8(0x10), w.zigzag(0), w.u8(1), w.u8(0)),
    ['DELTA_OVERFLOW', HEAD + 3, 0], early);
  for (const [what, varint] of [
    ['over long', [0x80, 0x00]], ['over long by a zero behind nine', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]],
    ['of 65 bits', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]],
    ['of eleven bytes', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00]],
  ]) {
    f.bad(`seq as a varint ${what}`, ['M6'], 'gateway', one(top, w.varint(0), varint), ['VARINT', HEAD + 1, 0], top);
  }
  f.bad('nulls over 32 bits', ['M6'], 'gateway', one(top, w.varint(1), w.u8(4), w.varint(1), w.varint(1n << 32n)), ['VALUE_RANGE', HEAD + 3, 0], top);
  f.bad('count over 32 bits', ['M6'], 'gateway', frame(top, { count: 1n << 32n }), ['VALUE_RANGE', 12], top);
}

/** New values that use a width of bits wholly: zigzag codes of all ones, or of the top bit alone. */
const codeOf = (width, odd) => (width === 0 ? 0n : odd ? (1n << BigInt(width)) - 1n : 1n << BigInt(width - 1));
const unzigzag = (v) => (v & 1n ? -((v + 1n) >> 1n) : v >> 1n);

function shapes(f) {
  const fields = { bid_price: 184275, ask_price: 184300, bid_quantity: -7, ask_quantity: 0, last_price: 5, last_quantity: 1n << 53n, volume: 0 };
  const after = (widths, names, n, from) => Object.fromEntries(widths.map((width, k) => [names[k], BigInt(from[names[k]] ?? 0) + unzigzag(codeOf(width, (n + k) % 2 === 0))]));
  const make = (n, quote, trade) => {
    const c = start([image(3, 1, 50, fields)], { ts_gateway_ns: String(SECOND) });
    const codes = trade === null ? [w.u8(n)] : [w.u8(0x80 + n), w.u8(trade)];
    const widths = [...quote.map((width, k) => [codeOf(width, (n + k) % 2 === 0), width])];
    const tradeWidths = trade === null ? [] : TRADE_SHAPES[trade];
    widths.push(...tradeWidths.map((width, k) => [codeOf(width, (trade + k) % 2 === 0), width]));
    const bytes = frame(c, { count: 1, ts: 400 }, w.u8(1), codes, w.u8(0), w.zigzag(20), w.packed(widths));
    const want = { ...fields, ...after(quote, QUOTE, n, fields), ...(trade === null ? {} : after(tradeWidths, TRADE, trade, fields)), ts_exchange_ns: SECOND + 38000000n };
    return [c, bytes, want];
  };
  QUOTE_SHAPES.forEach((quote, n) => {
    const [c, bytes, want] = make(n, quote, null);
    f.good(`quote shape ${n}`, ['M25', 'M19'], 'gateway', bytes, { rows: [row(3, 1, 51, 1, ordered(want))] }, c);
  });
  for (let trade = 1; trade < TRADE_SHAPES.length; trade++) {
    const n = (trade * 7) % QUOTE_SHAPES.length;
    const [c, bytes, want] = make(n, QUOTE_SHAPES[n], trade);
    f.good(`trade shape ${trade} behind quote shape ${n}`, ['M25', 'M19'], 'gateway', bytes, { rows: [row(3, 1, 51, 1, ordered(want))] }, c);
  }
  const c = start([image(3, 1, 50, fields)]);
  f.good('trade shape 0 with a tail', ['M25'], 'gateway',
    frame(c, { count: 1 }, w.u8(1), w.u8(0x80), w.u8(0x80), w.u8(0), w.zigzag(0), w.varint(1), w.zigzag(4)), {}, c);
  f.bad('trade shape 0 without a tail', ['M25'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(0x80), w.u8(0), w.u8(0), w.zigzag(0)), ['ROW_SHAPE', HEAD], c);
  for (const code of [101, 126]) {
    f.bad(`quote shape ${code}`, ['M25'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(code), w.u8(0), w.zigzag(0)), ['ROW_SHAPE', 14], c);
    f.bad(`quote shape ${code} with a trade`, ['M25'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(code + 128), w.u8(1), w.u8(0), w.zigzag(0)), ['ROW_SHAPE', 14], c);
  }
  f.bad('code 0xff', ['M25'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(0xff), w.u8(1), w.u8(0), w.zigzag(0)), ['ROW_SHAPE', 14], c);
  for (const code of [47, 127, 128 + 47, 255]) {
    f.bad(`trade code ${code}`, ['M25'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(0x80), w.u8(code), w.u8(0), w.zigzag(0)), ['ROW_SHAPE', 15], c);
  }
  const nothing = start([image(3, 1, 50)]);
  f.good('bits of 0 leave null as it is', ['M11'], 'gateway', frame(nothing, { count: 1 }, w.u8(1), w.u8(100), w.u8(0), w.zigzag(0), Array(16).fill(0)),
    { rows: [row(3, 1, 51, 1, { ts_exchange_ns: 0 })] }, nothing);
  f.good('bits on null make a value', ['M11'], 'gateway', frame(nothing, { count: 1 }, w.u8(1), w.u8(6), w.u8(0), w.zigzag(0), [2]), {}, nothing);
}

/** Fields in the order in which a vector lists them. */
const ordered = (fields) => Object.fromEntries(['bid_price', 'ask_price', 'bid_quantity', 'ask_quantity', 'ts_exchange_ns', 'last_price', 'last_quantity', 'volume']
  .filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));

function widths(f) {
  for (let nibble = 0; nibble < 16; nibble++) {
    const c = start([image(3, 1, 50), image(4, 1, 60)], { ts_gateway_ns: String(1000n * SECOND) });
    const step = (1n << BigInt(STEP_BITS[nibble])) - 1n;
    const steps = w.packed([[step, STEP_BITS[nibble]], [0, STEP_BITS[nibble]]]);
    f.good(`step width ${nibble}`, ['M24', 'M32'], 'gateway', frame(c, { count: 2 }, w.u8(3), [0, 0], w.u8(nibble), w.zigzag(0), steps),
      { rows: [row(3, 1, 51n + step, step + 1n, { ts_exchange_ns: 1000n * SECOND }), row(4, 1, 61, 1, { ts_exchange_ns: 1000n * SECOND })] }, c);
    const far = (1n << BigInt(DISTANCE_BITS[nibble])) - 1n;
    const distances = w.packed([[0, 1], [far, DISTANCE_BITS[nibble]], [1, 1], [0, DISTANCE_BITS[nibble]]]);
    f.good(`distance width ${nibble}`, ['M24', 'M9'], 'gateway', frame(c, { count: 2 }, w.u8(3), [0, 0], w.u8(16 * nibble + 1), w.zigzag(0), distances),
      { rows: [row(3, 1, 51, 1, { ts_exchange_ns: 1000n * SECOND - far * RES }), row(4, 1, 62, 2, { ts_exchange_ns: 1000n * SECOND })] }, c);
  }
  const c = start([image(3, 1, 50, { bid_price: 7 })]);
  f.good('bits behind the columns are ignored', ['M24'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(0), w.u8(1), w.zigzag(0), w.u8(0xfe)),
    { rows: [row(3, 1, 51, 1, { bid_price: 7, ts_exchange_ns: 0 })] }, c);
  f.good('negative lag', ['M9'], 'gateway', frame(c, { count: 1 }, w.u8(1), w.u8(0), w.u8(0), w.zigzag(-5)),
    { rows: [row(3, 1, 51, 1, { bid_price: 7, ts_exchange_ns: 500000 })] }, c);
  f.cuts('a shaped row with trade and tail', ['M24'], 'gateway',
    frame(c, { count: 1 }, w.u8(1), [0x80 + 8, 0x80 + 1], w.u8(0x11), w.zigzag(300), w.u8(3), [0x21, 0x43], w.varint(3), w.zigzag(1), w.zigzag(300)), c);
  const three = start([image(3, 1, 50, { bid_price: 7 }), image(4, 1, 50), image(5, 1, 50)]);
  f.good('shaped, general, shaped with a tail', ['M24'], 'gateway',
    frame(three, { count: 3 }, w.u8(7), [6, GENERAL, 0x80], [0x80], w.u8(0), w.zigzag(0), w.u8(4), [w.varint(2), w.varint(9), w.zigzag(12)], [w.varint(1 << 8), w.zigzag(2)]), {}, three);
  f.bad('an announced value is not there', ['M24'], 'gateway', frame(three, { count: 2 }, w.u8(3), [6, 16], w.u8(0), w.zigzag(0), [4]), ['TRUNCATED', 18], three);
  f.bad('a byte more than announced', ['M24'], 'gateway', frame(three, { count: 2 }, w.u8(3), [6, 6], w.u8(0), w.zigzag(0), [4, 4, 4]), ['TRAILING_BYTES', 20], three);
}

function tails(f) {
  const c = start([image(3, 1, 50, { open: 5, high: 9, trading_status: 1 })]);
  const tail = (...bytes) => frame(c, { count: 1 }, w.u8(1), [0x80, 0x80], w.u8(0), w.zigzag(0), bytes);
  const at = HEAD + 3;
  f.good('a tail over all fields from 8 on', ['M12', 'M25'], 'gateway', tail(w.varint(0xffffff), Array.from({ length: 24 }, (_, n) => w.zigzag(n % 2 ? -n - 1 : n + 1))), { unknown_fields: 15 }, c);
  f.good('a tail to 64-bit limits', ['M7'], 'gateway', tail(w.varint(4), w.zigzag(w.I64_MIN)), {}, c);
  f.bad('an empty tail', ['M25'], 'gateway', tail(w.varint(0)), ['FIELD_MASK', at, 0], c);
  f.bad('a tail over field 31', ['M12'], 'gateway', tail(w.varint(1 << 24), w.zigzag(1)), ['FIELD_MASK', at, 0], c);
  f.bad('a tail of 64 bits', ['M12'], 'gateway', tail(w.varint(w.U64_MAX), w.zigzag(1)), ['FIELD_MASK', at, 0], c);
  f.bad('a tail with a change of 0', ['M11'], 'gateway', tail(w.varint(1), w.zigzag(0)), ['FIELD_MASK', at + 1, 0], c);
  f.good('a tail makes null zero', ['M11'], 'gateway', tail(w.varint(4), w.zigzag(0)), {}, c);
  f.bad('a tail leaves i64', ['M7'], 'gateway', tail(w.varint(1), w.zigzag(w.I64_MAX)), ['DELTA_OVERFLOW', at + 1, 0], c);
}

function slotsOf(f) {
  for (const size of [1, 8, 9, 16, 17, 100, 8192]) {
    const c = { resolution_ns: 100000, boundary: '100', ts_gateway_ns: '0', set: { first: 0, count: size } };
    const bytes = Math.ceil(size / 8);
    const bitmap = (slots) => {
      const map = Array(bytes).fill(0);
      for (const s of slots) map[s >> 3] |= 1 << (s & 7);
      return map;
    };
    const few = [...new Set([0, size >> 1, size - 1])];
    const generals = few.map((s) => [w.varint(2), w.varint(1), w.zigzag(s - 5 || 1)]);
    f.good(`bitmap on a set of ${size}`, ['M24', 'M20'], 'gateway', frame(c, { count: few.length }, bitmap(few), few.map(() => GENERAL), generals), {}, c);
    f.good(`gaps on a set of ${size}`, ['M24', 'M20'], 'gateway',
      frame(c, { flags: 2, count: few.length }, few.map((s, n) => w.varint(n === 0 ? s : s - few[n - 1] - 1)), few.map(() => GENERAL), generals), {}, c);
    f.good(`every slot of a set of ${size}`, ['M24'], 'gateway',
      frame(c, { flags: 1, count: size }, Array(size >> 3).fill(0xff), size % 8 ? [(1 << (size % 8)) - 1] : [], Array(size).fill(6), w.u8(0), w.zigzag(0), Array.from({ length: size }, (_, n) => 1 + (n % 250)),
        w.u32(digestAfter(c, (images) => images.forEach((i, n) => {
          i.seq += 1n;
          i.fields[0] = unzigzag(BigInt(1 + (n % 250)));
          i.fields[4] = 0n;
        })))), { row_count: size }, c);
    f.good(`every slot of a set of ${size} as gaps`, ['M24'], 'gateway', frame(c, { flags: 2, count: size }, Array(size).fill(0), Array(size).fill(0), w.u8(0), w.zigzag(0)), {}, c);
    f.bad(`a gap behind a set of ${size}`, ['M24'], 'gateway', frame(c, { flags: 2, count: 1 }, w.varint(size), GENERAL, w.varint(0), w.varint(1)), ['SLOT', 13], c);
    if (size % 8) {
      f.bad(`a bit behind a set of ${size}`, ['M24'], 'gateway', frame(c, { count: 1 }, bitmap([size]), GENERAL, w.varint(0), w.varint(1)), ['SLOT', 13], c);
    }
    f.bad(`no bit in the map of ${size}`, ['M24'], 'gateway', frame(c, { count: 1 }, bitmap([]), GENERAL, w.varint(0), w.varint(1)), ['SLOT', 13], c);
  }
  const nine = { resolution_ns: 100000, boundary: '100', ts_gateway_ns: '0', set: { first: 0, count: 9 } };
  f.bad('more bits than rows', ['M24'], 'gateway', frame(nine, { count: 1 }, [3, 0], GENERAL, w.varint(0), w.varint(1)), ['SLOT', 13], nine);
  f.bad('a gap of 64 bits', ['M24', 'M7'], 'gateway', frame(nine, { flags: 2, count: 1 }, w.varint(w.U64_MAX), GENERAL, w.varint(0), w.varint(1)), ['SLOT', 13], nine);
  f.bad('a second gap of 64 bits', ['M24', 'M7'], 'gateway', frame(nine, { flags: 2, count: 2 }, 0, w.varint(w.U64_MAX), [GENERAL, GENERAL], [0, 1, 0, 1]), ['SLOT', 14], nine);
  f.bad('an over long gap', ['M6'], 'gateway', frame(nine, { flags: 2, count: 1 }, [0x80, 0], GENERAL, w.varint(0), w.varint(1)), ['VARINT', 13], nine);
}

function digestAfter(start_, change) {
  const c = channelOf(start_);
  change(c.images);
  return stateDigest(c.images);
}

function digests(f) {
  const c = start([image(9, 7, 1000, { bid_price: -5, ts_exchange_ns: SECOND }), image(65534, 0xffffffff, w.U64_MAX, { trading_status: 1 })]);
  const told = digestAfter(c, ([first]) => {
    first.seq = 1001n;
    first.fields[0] = 0n;
  });
  const bytes = (digest) => frame(c, { flags: 1, count: 1 }, w.u8(1), w.u8(GENERAL), w.varint(2), w.varint(1), w.zigzag(5), w.u32(digest));
  f.good('state digest', ['M23'], 'gateway', bytes(told), {}, c);
  f.bad('state digest of another state', ['M23', 'M5'], 'gateway', bytes(told ^ 1), ['STATE_DIGEST', HEAD + 3], c);
  f.good('heartbeat with a state digest', ['M23'], 'gateway', frame(c, { flags: 1, count: 0 }, w.u32(digestAfter(c, () => {}))), {}, c);
  f.bad('heartbeat with another state digest', ['M23'], 'gateway', frame(c, { flags: 1, count: 0 }, w.u32(1)), ['STATE_DIGEST', 13], c);
  const empty = start([]);
  f.good('state digest of the empty set', ['M23'], 'gateway', frame(empty, { flags: 1, count: 0 }, w.u32(0)), {}, empty);
  f.bad('state digest missing', ['M23', 'M24'], 'gateway', frame(empty, { flags: 1, count: 0 }), ['TRUNCATED', 13], empty);
  f.bad('a byte behind the state digest', ['M24'], 'gateway', frame(empty, { flags: 1, count: 0 }, w.u32(0), 0), ['TRAILING_BYTES', 17], empty);
  f.cuts('a row and a state digest', ['M23', 'M24'], 'gateway', bytes(told), c);
}

export function delta() {
  const f = new Family('delta', 'DELTA (PROTOCOL.md section 8): envelope, general rows, 64-bit limits, widths, tails, slots, state digests');
  envelope(f);
  generalRows(f);
  limitsOf64Bits(f);
  widths(f);
  tails(f);
  slotsOf(f);
  digests(f);
  return f;
}

export function deltaShapes() {
  const f = new Family('delta_shapes', 'Every quote shape and every trade shape of PROTOCOL.md 8.4, and the codes that name none');
  shapes(f);
  return f;
}

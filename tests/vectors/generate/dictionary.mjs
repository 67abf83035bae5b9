// DICTIONARY and FOUND: PROTOCOL.md sections 5 and 11.4.
import { Family } from './family.mjs';
import * as w from './bytes.mjs';

const BTC = {
  id: 1, venue: 0, assetClass: 1, format: 0, priceExponent: -2, quantityExponent: -8, flags: 0, epoch: 7, cadence: 5000, multiplier: 1, multiplierExponent: 0,
  bands: [[0, 1]], symbol: 'BTC-USDT', currency: 'USDT',
};
export const instrument = (more = {}) => {
  const i = { ...BTC, ...more };
  return [
    w.u16(i.id), w.u8(i.venue), w.u8(i.assetClass), w.u8(i.format), w.u8(i.priceExponent), w.u8(i.quantityExponent), w.u8(i.flags), w.varint(i.epoch),
    w.varint(i.cadence), w.zigzag(i.multiplier), w.u8(i.multiplierExponent), w.u8(i.bandCount ?? i.bands.length),
    i.bands.map(([from, tick]) => [w.zigzag(from), w.zigzag(tick)]), w.text(i.symbol), w.text(i.currency),
  ];
};
export const entry = (operation, ...body) => [w.u8(operation), w.part(body)];
export const VENUE = 0x80;
export const ADD = 0x81;
export const RENAME = 0x82;
export const TOMBSTONE = 0x83;
export const SCALE = 0x84;
export const dictionaryOf = (generation, ...entries) => w.message(w.u8(0x81), w.u8(0), w.u32(generation), w.varint(entries.length), entries);

/** Offset of items of the first instrument in such a message, behind operation and length. */
const AT = { id: 9, venue: 11, priceExponent: 14, quantityExponent: 15, flags: 16, epoch: 17, cadence: 18, multiplier: 20, multiplierExponent: 21, bands: 22, firstBand: 23 };

function entries(f) {
  const good = (name, cites, ...list) => f.good(name, cites, 'gateway', dictionaryOf(3, ...list));
  good('no entry', ['M17']);
  good('a venue', ['M8'], entry(VENUE, w.u8(254), w.text('OKX')));
  good('a venue name of 31 bytes', ['M8'], entry(VENUE, w.u8(0), w.text('v'.repeat(31))));
  good('add', ['M17'], entry(ADD, instrument()));
  good('scale', ['M18'], entry(SCALE, instrument({ epoch: 0xffffffff, priceExponent: -18, quantityExponent: 18, multiplier: w.I64_MIN, multiplierExponent: -18 })));
  good('rename', ['M17'], entry(RENAME, w.u16(1), w.text('比特币/USDT')));
  good('tombstone', ['M17'], entry(TOMBSTONE, w.u16(65534)));
  good('several operations', ['M17'], entry(VENUE, w.u8(0), w.text('OKX')), entry(ADD, instrument()), entry(RENAME, w.u16(1), w.text('XBT')), entry(TOMBSTONE, w.u16(1)));
  good('eight bands', ['M7'], entry(ADD, instrument({ bands: [[w.I64_MIN, 1], [-5, 2], [0, 3], [1, 4], [2, 5], [3, w.I64_MAX], [4, 7], [w.I64_MAX, 8]] })));
  good('a symbol of 63 bytes, no currency', ['M8'], entry(ADD, instrument({ symbol: 's'.repeat(63), currency: '' })));
  good('a symbol of 23 bytes in CJK, four-byte letters', ['M8'], entry(ADD, instrument({ symbol: '国債先物2026年9月限𠮷', currency: 'JPY' })));
  good('a currency of 11 bytes', ['M8'], entry(ADD, instrument({ currency: 'c'.repeat(11) })));
  good('delayed, and flag bits that are ignored', ['M10'], entry(ADD, instrument({ flags: 0xff })));
  good('classes and formats of later versions read as 0', ['M10'], entry(ADD, instrument({ assetClass: 8, format: 5 })));
  for (let n = 0; n < 8; n++) good(`asset class ${n}`, ['M10'], entry(ADD, instrument({ assetClass: n, format: n % 5 })));
  good('an entry longer than known', ['M10'], entry(ADD, instrument(), w.u8(1), w.u8(2)), entry(RENAME, w.u16(1), w.text('A'), w.u8(0xff)), entry(TOMBSTONE, w.u16(9), w.u8(0)));
  good('unknown optional operations are skipped and counted', ['M10'], entry(0x00), entry(0x7f, w.u8(0xff)), entry(TOMBSTONE, w.u16(9)));
  f.good('4096 entries', ['M17'], 'gateway', dictionaryOf(3, ...Array.from({ length: 4096 }, () => entry(1))));
}

function refusals(f) {
  const bad = (name, cites, list, fault) => f.bad(name, cites, 'gateway', dictionaryOf(3, ...list), fault);
  bad('an unknown operation from 0x80 on', ['M10', 'M5'], [entry(TOMBSTONE, w.u16(9)), entry(0x85)], ['MANDATORY_UNKNOWN', 11, 1]);
  bad('operation 0xff', ['M10'], [entry(0xff)], ['MANDATORY_UNKNOWN', 7, 0]);
  bad('venue 255', ['M17'], [entry(VENUE, w.u8(255), w.text('A'))], ['VALUE_RANGE', 9, 0]);
  bad('an instrument of venue 255', ['M17'], [entry(ADD, instrument({ venue: 255 }))], ['VALUE_RANGE', AT.venue, 0]);
  for (const [name, operation, body] of [['add', ADD, instrument({ id: 65535 })], ['rename', RENAME, [w.u16(65535), w.text('A')]], ['tombstone', TOMBSTONE, w.u16(65535)]]) {
    bad(`${name} of id 65535`, ['M17'], [entry(operation, body)], ['VALUE_RANGE', 9, 0]);
  }
  bad('no venue name', ['M8'], [entry(VENUE, w.u8(0), w.text(''))], ['STRING', 10, 0]);
  bad('a venue name of 32 bytes', ['M8'], [entry(VENUE, w.u8(0), w.text('v'.repeat(32)))], ['STRING', 10, 0]);
  bad('no symbol', ['M8'], [entry(RENAME, w.u16(1), w.text(''))], ['STRING', 11, 0]);
  bad('a symbol of 64 bytes', ['M8'], [entry(RENAME, w.u16(1), w.text('s'.repeat(64)))], ['STRING', 11, 0]);
  bad('a currency of 12 bytes', ['M8'], [entry(ADD, instrument({ currency: 'c'.repeat(12) }))], ['STRING', AT.firstBand + 2 + 9, 0]);
  for (const [name, bytes] of [
    ['a lone continuation byte', [0x41, 0x80]], ['a surrogate', [0xed, 0xa0, 0x80]], ['an over long letter', [0xc0, 0xaf]], ['over U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a cut letter', [0x41, 0xe6, 0xaf]], ['byte 0xff', [0xff]], ['U+0000', [0x41, 0x00]], ['a line feed', [0x41, 0x0a]], ['U+007F', [0x7f]], ['U+0085', [0xc2, 0x85]], ['U+009F', [0xc2, 0x9f]],
  ]) {
    bad(`a symbol with ${name}`, ['M8'], [entry(RENAME, w.u16(1), w.u8(bytes.length), bytes)], ['STRING', 11, 0]);
  }
  f.good('U+00A0, U+FEFF and U+10FFFF are letters like others', ['M8'], 'gateway', dictionaryOf(3, entry(RENAME, w.u16(1), w.text('\u00a0\ufeff\u{10ffff}'))));
  for (const [name, key] of [['price', 'priceExponent'], ['quantity', 'quantityExponent'], ['multiplier', 'multiplierExponent']]) {
    for (const exponent of [-19, 19]) bad(`${name} exponent ${exponent}`, ['M17'], [entry(ADD, instrument({ [key]: exponent }))], ['VALUE_RANGE', AT[key], 0]);
  }
  bad('no band', ['M17'], [entry(ADD, instrument({ bands: [] }))], ['COUNT_LIMIT', AT.bands, 0]);
  bad('nine bands', ['M17'], [entry(ADD, instrument({ bands: Array.from({ length: 9 }, (_, n) => [n, 1]) }))], ['COUNT_LIMIT', AT.bands, 0]);
  bad('tick size 0', ['M17'], [entry(ADD, instrument({ bands: [[0, 0]] }))], ['VALUE_RANGE', AT.firstBand + 1, 0]);
  bad('tick size -1', ['M17'], [entry(ADD, instrument({ bands: [[0, 1], [1, -1]] }))], ['VALUE_RANGE', AT.firstBand + 3, 0]);
  bad('bands that fall', ['M17'], [entry(ADD, instrument({ bands: [[5, 1], [4, 1]] }))], ['VALUE_RANGE', AT.firstBand + 2, 0]);
  bad('two bands from one price', ['M17'], [entry(ADD, instrument({ bands: [[5, 1], [5, 2]] }))], ['VALUE_RANGE', AT.firstBand + 2, 0]);
  bad('an epoch over 32 bits', ['M6'], [entry(ADD, instrument({ epoch: 1n << 32n }))], ['VALUE_RANGE', AT.epoch, 0]);
  bad('a cadence over 32 bits', ['M6'], [entry(ADD, instrument({ cadence: 1n << 32n }))], ['VALUE_RANGE', AT.cadence, 0]);
  f.bad('flags', ['M10'], 'gateway', w.message(w.u8(0x81), w.u8(1), w.u32(3), w.varint(0)), ['FLAGS', 1]);
  f.bad('4097 entries', ['M5'], 'gateway', w.message(w.u8(0x81), w.u8(0), w.u32(3), w.varint(4097)), ['COUNT_LIMIT', 6]);
  f.bad('a byte behind the last entry', ['M10'], 'gateway', w.message(...dictionaryOf(3, entry(TOMBSTONE, w.u16(1))), 0), ['TRAILING_BYTES', 11]);
  f.bad('an entry longer than the message', ['M10'], 'gateway', w.message(w.u8(0x81), w.u8(0), w.u32(3), w.varint(1), w.u8(TOMBSTONE), w.varint(3), w.u16(1)), ['TRUNCATED', 8, 0]);
  f.bad('a text longer than its entry', ['M10'], 'gateway', dictionaryOf(3, entry(RENAME, w.u16(1), w.u8(5), w.utf8('ABC')), entry(TOMBSTONE, w.u16(1))), ['TRUNCATED', 11, 0]);
  f.cuts('a venue and an instrument', ['M5', 'M10'], 'gateway', dictionaryOf(3, entry(VENUE, w.u8(0), w.text('OKX')), entry(ADD, instrument())));
}

export function dictionary() {
  const f = new Family('dictionary', 'DICTIONARY (PROTOCOL.md section 5): every operation, every bound of an entry, texts');
  entries(f);
  refusals(f);
  return f;
}

export const foundOf = ({ flags = 0, request = 9, generation = 3 }, ...list) => w.message(w.u8(0x01), w.u8(flags), w.u32(request), w.u32(generation), w.varint(list.length), list);

export function found(f) {
  f.good('FOUND: nothing', ['M10'], 'gateway', foundOf({}), { more: false, entries: [] });
  f.good('FOUND: a page and more', ['M10'], 'gateway', foundOf({ flags: 1 }, entry(VENUE, w.u8(0), w.text('OKX')), entry(ADD, instrument())), { more: true });
  f.good('FOUND: flag bits that are ignored', ['M10'], 'gateway', foundOf({ flags: 0xfe }), { more: false });
  f.bad('FOUND: an entry from 0x85 on', ['M10'], 'gateway', foundOf({}, entry(0x85)), ['MANDATORY_UNKNOWN', 11, 0]);
  f.cuts('FOUND', ['M5'], 'gateway', foundOf({}, entry(VENUE, w.u8(0), w.text('OKX'))));
}

// A channel: its set, images and boundary, and the messages that change it (PROTOCOL.md sections 6 to 10).
import { Cursor, U64_MAX, crc32c, nearestBoundary, unzigzag } from './wire.mjs';
import { QUOTE_FIELDS, QUOTE_SHAPES, TRADE_FIELDS, TRADE_SHAPES } from './shapes.mjs';

export const FIELDS = [
  'bid_price', 'ask_price', 'bid_quantity', 'ask_quantity', 'ts_exchange_ns', 'last_price', 'last_quantity',
  'volume', 'open', 'high', 'low', 'previous_close', 'settlement', 'open_interest', 'limit_up', 'limit_down',
  'trading_status',
];
const TIME = 4;
const EPOCH_MAX = 0xffffffff;
const STEP_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24];
const DISTANCE_BITS = [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32];
const SET_MAX = 8192;
const GENERAL = 0x7f;

export const emptyImage = (id) => ({ id, epoch: 0, seq: 0n, fields: Array(FIELDS.length).fill(null) });
const copy = ({ id, epoch, seq, fields }) => ({ id, epoch, seq, fields: [...fields] });

export function setDigest(ids) {
  const bytes = new Uint8Array(2 * ids.length);
  ids.forEach((id, n) => bytes.set([id & 0xff, id >> 8], 2 * n));
  return crc32c(bytes);
}

/** 6.5 */
export function stateDigest(images) {
  const bytes = [];
  const put = (value, size) => {
    for (let n = 0, v = BigInt.asUintN(8 * size, BigInt(value)); n < size; n++, v >>= 8n) bytes.push(Number(v & 0xffn));
  };
  for (const image of images) {
    put(image.id, 2);
    put(image.epoch, 4);
    put(image.seq, 8);
    put(image.fields.reduce((mask, v, n) => (v === null ? mask : mask | (1 << n)), 0), 4);
    for (const value of image.fields) if (value !== null) put(value, 8);
  }
  return crc32c(bytes);
}

const bitsOf = (mask) => Array.from({ length: 32 }, (_, n) => n).filter((n) => (mask / 2 ** n) & 1);

/** Section 7. */
function absoluteRow(c, resolution) {
  const row = emptyImage(c.id());
  row.epoch = c.varint32();
  row.seq = c.varint();
  row.covered = c.varint();
  for (const n of bitsOf(c.varint32())) {
    if (n >= FIELDS.length) {
      c.zigzag();
      c.unknownFields++;
    } else {
      row.fields[n] = n === TIME ? c.time(resolution) : c.zigzag();
    }
  }
  return row;
}

/** The values of a general row or a tail; `from` is the number of the mask's lowest field. */
function changedFields(c, row, mask, from, resolution) {
  for (const bit of bitsOf(mask)) {
    const n = from + bit;
    const start = c.at;
    if (n >= FIELDS.length) {
      c.zigzag();
      c.unknownFields++;
      continue;
    }
    const change = n === TIME ? c.time(resolution) : c.zigzag();
    const old = row.fields[n];
    if (change === 0n && old !== null) c.refuse('FIELD_MASK', start);
    row.fields[n] = c.i64Within((old ?? 0n) + change, start);
  }
}

function advance(c, row, step, offset) {
  row.seq += step;
  if (row.seq > U64_MAX) c.refuse('VERSION', offset);
}

/** 8.5 */
function generalRow(c, row, resolution) {
  const start = c.at;
  const head = c.varint();
  if (head >= 1n << 33n) c.refuse('FIELD_MASK', start);
  const mask = Number(head >> 1n);
  let extensions = 0;
  if (head & 1n) {
    const at = c.at;
    extensions = c.u8();
    if (extensions === 0 || extensions > 7) c.refuse('FLAGS', at);
    if ((extensions & 3) === 1) c.refuse('VERSION', at);
  }
  const old = row.seq;
  if (extensions & 1) {
    let at = c.at;
    const step = c.varint();
    if (step === 0n || step > BigInt(EPOCH_MAX - row.epoch)) c.refuse('VERSION', at);
    row.epoch += Number(step);
    at = c.at;
    row.seq = c.varint();
    if (row.seq === 0n) c.refuse('VERSION', at);
  } else {
    const at = c.at;
    const step = c.varint();
    if (step === 0n) c.refuse('VERSION', at);
    advance(c, row, step, at);
  }
  if (extensions & 2) {
    const at = c.at;
    row.covered = c.varint();
    if (row.covered === 0n) c.refuse('VERSION', at);
  } else {
    row.covered = row.seq - old;
  }
  if (extensions & 4) {
    const at = c.at;
    const nulls = c.varint32();
    if (nulls === 0) c.refuse('FIELD_MASK', at);
    for (const n of bitsOf(nulls)) {
      if ((mask / 2 ** n) & 1) c.refuse('FIELD_MASK', at);
      if (n >= FIELDS.length) continue;
      if (row.fields[n] === null) c.refuse('FIELD_MASK', at);
      row.fields[n] = null;
    }
  }
  changedFields(c, row, mask, 0, resolution);
}

/** 8.6 */
function tail(c, row, resolution) {
  const start = c.at;
  const mask = c.varint();
  if (mask === 0n || mask >= 1n << 24n) c.refuse('FIELD_MASK', start);
  changedFields(c, row, Number(mask), 8, resolution);
}

/** Bits from `at` on, lowest first. */
class Bits {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.bit = 8 * at;
  }
  take(width) {
    let value = 0n;
    for (let n = 0; n < width; n++, this.bit++) {
      if ((this.bytes[this.bit >> 3] >> (this.bit & 7)) & 1) value |= 1n << BigInt(n);
    }
    return value;
  }
}

/** 8.1 */
function slots(c, asGaps, count, size) {
  const found = [];
  if (asGaps) {
    for (let n = 0, next = 0; n < count; n++) {
      const at = c.at;
      const slot = BigInt(next) + c.varint();
      if (slot >= BigInt(size)) c.refuse('SLOT', at);
      found.push(Number(slot));
      next = Number(slot) + 1;
    }
    return found;
  }
  const start = c.take(Math.ceil(size / 8));
  for (let slot = 0; slot < 8 * Math.ceil(size / 8); slot++) {
    if (!((c.bytes[start + (slot >> 3)] >> (slot & 7)) & 1)) continue;
    if (slot >= size) c.refuse('SLOT', start);
    found.push(slot);
  }
  if (found.length !== count) c.refuse('SLOT', start);
  return found;
}

/** 8.2: for each row its quote and trade shape and whether it has a tail; null for a general row. */
function codes(c, count) {
  const start = c.take(count);
  const kinds = [];
  for (let n = 0; n < count; n++) {
    const code = c.bytes[start + n];
    if (code === GENERAL) {
      kinds.push(null);
      continue;
    }
    const quote = QUOTE_SHAPES[code & 0x7f];
    if (quote === undefined) c.refuse('ROW_SHAPE', start + n);
    kinds.push({ quote, hasTrade: code > 0x7f, trade: null, hasTail: false });
  }
  const traded = kinds.filter((kind) => kind?.hasTrade);
  const from = c.take(traded.length);
  traded.forEach((kind, n) => {
    const code = c.bytes[from + n];
    kind.trade = TRADE_SHAPES[code & 0x7f];
    if (kind.trade === undefined || code === 0) c.refuse('ROW_SHAPE', from + n);
    kind.hasTail = code > 0x7f;
  });
  return kinds;
}

const bitSum = (widths) => widths.reduce((sum, w) => sum + w, 0);

/** 8.3 and 8.4 for all shaped rows; the length of everything is known before any of it is read (M24). */
function shapedRows(c, kinds, rows, ts, resolution) {
  const shaped = kinds.map((kind, n) => [kind, rows[n], n]).filter(([kind]) => kind !== null);
  if (shaped.length === 0) return;
  const widths = c.u8();
  const stepBits = STEP_BITS[widths & 15];
  const distanceBits = DISTANCE_BITS[widths >> 4];
  const lagAt = c.at;
  const reference = c.i64Within(ts - c.time(resolution), lagAt);
  const columnsSize = Math.ceil((shaped.length * (stepBits + distanceBits)) / 8);
  const valuesSize = shaped.reduce((sum, [kind]) => sum + (bitSum(kind.quote) + bitSum(kind.trade ?? [])) / 8, 0);
  const columns = new Bits(c.bytes, c.take(columnsSize));
  const values = new Bits(c.bytes, c.take(valuesSize));
  for (const [kind, row, n] of shaped) {
    c.row = n;
    const valuesAt = values.bit >> 3;
    row.covered = columns.take(stepBits) + 1n;
    advance(c, row, row.covered, valuesAt);
    const distance = c.i64Within(columns.take(distanceBits) * resolution, valuesAt);
    row.fields[TIME] = c.i64Within(reference - distance, valuesAt);
    const part = (shape, fields) => shape.forEach((width, k) => {
      const change = unzigzag(values.take(width));
      if (change !== 0n) row.fields[fields[k]] = c.i64Within((row.fields[fields[k]] ?? 0n) + change, valuesAt);
    });
    part(kind.quote, QUOTE_FIELDS);
    if (kind.trade !== null) part(kind.trade, TRADE_FIELDS);
  }
  c.row = null;
}

export class Channel {
  /** @param resolution time_resolution_ns as a BigInt */
  constructor(resolution, { boundary = 0n, ts = 0n, images = [] } = {}) {
    this.resolution = resolution;
    this.boundary = boundary;
    this.ts = ts;
    this.images = images;
    this.digest = setDigest(images.map((i) => i.id));
  }
  get ids() {
    return this.images.map((i) => i.id);
  }

  /** Section 8. The message is read whole; only commit() changes the channel (M5). */
  delta(bytes) {
    const c = new Cursor(bytes, 1);
    const flagsAt = c.at;
    const flags = c.u8();
    if (flags > 3) c.refuse('FLAGS', flagsAt);
    const boundary = nearestBoundary(c.u32(), this.boundary);
    const digestAt = c.at;
    const digest = c.u32();
    const backAt = c.at;
    const back = c.varint();
    if (back === 0n || back > boundary) c.refuse('BOUNDARY', backAt);
    if (boundary - back !== this.boundary) c.refuse('BASE_MISMATCH', backAt);
    if (digest !== this.digest) c.refuse('SET_MISMATCH', digestAt);
    const tsAt = c.at;
    const ts = c.i64Within(this.ts + c.time(this.resolution), tsAt);
    const count = c.count(this.images.length);
    if (count === 0 && flags & 2) c.refuse('FLAGS', flagsAt);
    const images = [...this.images];
    const rows = [];
    if (count > 0) {
      const where = slots(c, (flags & 2) !== 0, count, images.length);
      const kinds = codes(c, count);
      for (const slot of where) {
        images[slot] = copy(images[slot]);
        rows.push(images[slot]);
      }
      shapedRows(c, kinds, rows, ts, this.resolution);
      kinds.forEach((kind, n) => {
        c.row = n;
        if (kind === null) generalRow(c, rows[n], this.resolution);
        else if (kind.hasTail) tail(c, rows[n], this.resolution);
      });
      c.row = null;
    }
    if (flags & 1) {
      const at = c.at;
      const told = c.u32();
      if (told !== stateDigest(images)) c.refuse('STATE_DIGEST', at);
    }
    c.finish();
    return { message: { kind: 'DELTA', boundary, ts, unknown_fields: c.unknownFields, rows }, commit: () => Object.assign(this, { boundary, ts, images }) };
  }

  /** Section 9. */
  snapshot(bytes) {
    const c = new Cursor(bytes, 1);
    const reason = c.u8();
    if (reason > 2) c.refuse('FLAGS', 1);
    const boundary = c.u64();
    const digestAt = c.at;
    const digest = c.u32();
    const ts = c.time(this.resolution);
    const count = c.count(SET_MAX);
    const rows = [];
    let unknownFields = 0;
    for (let n = 0; n < count; n++) {
      const part = c.part(n);
      const at = part.at;
      const row = absoluteRow(part, this.resolution);
      unknownFields += part.unknownFields;
      if (n > 0 && row.id <= rows[n - 1].id) part.refuse('SET_ORDER', at);
      rows.push(row);
    }
    c.finish();
    if (digest !== setDigest(rows.map((r) => r.id))) c.refuse('SET_DIGEST', digestAt);
    const commit = () => Object.assign(this, { boundary, ts, images: rows.map(copy), digest });
    return { message: { kind: 'SNAPSHOT', reason, boundary, ts, unknown_fields: unknownFields, rows }, commit };
  }
}

/** Section 10. */
export function ticks(bytes, resolution) {
  const c = new Cursor(bytes, 1);
  c.zero();
  const ts = c.time(resolution);
  const count = c.count(SET_MAX);
  const rows = [];
  for (let n = 0; n < count; n++) {
    const part = c.part(n);
    const row = absoluteRow(part, resolution);
    if (part.rest() > 0) row.book = book(part);
    rows.push(row);
  }
  c.finish();
  return { kind: 'TICKS', ts, rows };
}

function book(c) {
  const depth = () => {
    const at = c.at;
    const levels = c.u8();
    if (levels > 10) c.refuse('COUNT_LIMIT', at);
    return levels;
  };
  const bids = depth();
  const asks = depth();
  const side = (levels) => {
    let price = 0n;
    return Array.from({ length: levels }, () => {
      const at = c.at;
      price = c.i64Within(price + c.zigzag(), at);
      return { price, quantity: c.zigzag() };
    });
  };
  return { bids: side(bids), asks: side(asks) };
}

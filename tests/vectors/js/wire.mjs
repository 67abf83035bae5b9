// Primitives of PROTOCOL.md section 2: a cursor over one message, and the way in which it is refused.

export const U64_MAX = (1n << 64n) - 1n;
export const I64_MAX = (1n << 63n) - 1n;
export const I64_MIN = -(1n << 63n);
export const ID_NONE = 65535;

/** A message that is not valid: which rule, the byte at which the refused item starts, and the row if it is in one. */
export class Refused extends Error {
  constructor(name, offset, row = null) {
    super(`${name} at byte ${offset}${row === null ? '' : ` in row ${row}`}`);
    this.fault = row === null ? { error: name, offset } : { error: name, offset, row };
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0x82f63b78 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32C (2.7). */
export function crc32c(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = CRC_TABLE[(c ^ b) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export const unzigzag = (v) => (v & 1n ? -((v + 1n) >> 1n) : v >> 1n);

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isControl = (c) => c < 0x20 || (c >= 0x7f && c <= 0x9f);

export class Cursor {
  constructor(bytes, at = 0, end = bytes.length, row = null) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.end = end;
    this.row = row;
    this.unknownFields = 0;
  }
  refuse(name, offset = this.at) {
    throw new Refused(name, offset, this.row);
  }
  take(size) {
    if (this.end - this.at < size) this.refuse('TRUNCATED');
    const at = this.at;
    this.at += size;
    return at;
  }
  rest() {
    return this.end - this.at;
  }
  u8() { return this.view.getUint8(this.take(1)); }
  i8() { return this.view.getInt8(this.take(1)); }
  u16() { return this.view.getUint16(this.take(2), true); }
  u32() { return this.view.getUint32(this.take(4), true); }
  u64() { return this.view.getBigUint64(this.take(8), true); }
  i64() { return this.view.getBigInt64(this.take(8), true); }

  /** LEB128 in its shortest form (M6). */
  varint() {
    const start = this.at;
    let value = 0n;
    for (let n = 0; ; n++) {
      if (this.at === this.end) {
        this.at = start;
        this.refuse('TRUNCATED');
      }
      const byte = this.bytes[this.at++];
      if ((n === 9 && byte > 1) || (n > 0 && byte === 0)) this.refuse('VARINT', start);
      value |= BigInt(byte & 0x7f) << BigInt(7 * n);
      if (byte < 0x80) return value;
    }
  }
  varint32() {
    const start = this.at;
    const value = this.varint();
    if (value > 0xffffffffn) this.refuse('VALUE_RANGE', start);
    return Number(value);
  }
  zigzag() { return unzigzag(this.varint()); }

  /** A sum or product that must stay in i64 (M7). */
  i64Within(value, offset) {
    if (value < I64_MIN || value > I64_MAX) this.refuse('DELTA_OVERFLOW', offset);
    return value;
  }
  /** A count of units, in nanoseconds. */
  time(resolution) {
    const start = this.at;
    return this.i64Within(this.zigzag() * resolution, start);
  }
  count(most) {
    const start = this.at;
    const count = this.varint32();
    if (count > most) this.refuse('COUNT_LIMIT', start);
    return count;
  }
  text(least, most) {
    const start = this.at;
    const size = this.u8();
    if (this.rest() < size) this.refuse('TRUNCATED', start);
    if (size < least || size > most) this.refuse('STRING', start);
    const bytes = this.bytes.subarray(this.at, this.at + size);
    let text;
    try {
      text = UTF8.decode(bytes);
    } catch {
      this.refuse('STRING', start);
    }
    for (const c of text) if (isControl(c.codePointAt(0))) this.refuse('STRING', start);
    this.at += size;
    return text;
  }
  /** A byte that must be zero. */
  zero() {
    const start = this.at;
    if (this.u8() !== 0) this.refuse('FLAGS', start);
  }
  within(value, least, most, offset) {
    if (value < least || value > most) this.refuse('VALUE_RANGE', offset);
    return value;
  }
  id() {
    const start = this.at;
    return this.within(this.u16(), 0, ID_NONE - 1, start);
  }
  /** A part of the message with a length of its own; what is behind its known items is ignored (M10). */
  part(row) {
    const outer = this.row;
    this.row = row;
    const start = this.at;
    const size = this.varint();
    if (size > BigInt(this.rest())) this.refuse('TRUNCATED', start);
    const inner = new Cursor(this.bytes, this.at, this.at + Number(size), row);
    this.at += Number(size);
    this.row = outer;
    return inner;
  }
  finish() {
    if (this.at !== this.end) this.refuse('TRAILING_BYTES');
  }
}

/** The number with these low 32 bits that lies nearest to `near` and is not below 0 (6.1). */
export function nearestBoundary(low, near) {
  const base = (near & ~0xffffffffn) | BigInt(low);
  let best = null;
  for (const candidate of [base - (1n << 32n), base, base + (1n << 32n)]) {
    if (candidate < 0n || candidate > U64_MAX) continue;
    const far = candidate > near ? candidate - near : near - candidate;
    if (best === null || far < best.far) best = { candidate, far };
  }
  return best.candidate;
}

// Messages put together by hand: every item is written as PROTOCOL.md section 2 says, valid or not.
import { crc32c } from '../js/wire.mjs';

const little = (value, size) => {
  let left = BigInt.asUintN(8 * size, BigInt(value));
  return Array.from({ length: size }, () => {
    const byte = Number(left & 0xffn);
    left >>= 8n;
    return byte;
  });
};
export const u8 = (v) => little(v, 1);
export const u16 = (v) => little(v, 2);
export const u32 = (v) => little(v, 4);
export const u64 = (v) => little(v, 8);

export function varint(value) {
  let left = BigInt(value);
  const bytes = [];
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return [...bytes, Number(left)];
}
export const zigzagCode = (v) => (BigInt(v) >= 0n ? 2n * BigInt(v) : -2n * BigInt(v) - 1n);
export const zigzag = (v) => varint(zigzagCode(v));
export const utf8 = (text) => [...Buffer.from(text, 'utf8')];
export const text = (t) => [...u8(utf8(t).length), ...utf8(t)];
export const hex = (t) => [...Buffer.from(t.replace(/\s+/g, ''), 'hex')];
export const part = (...items) => {
  const body = items.flat(9);
  return [...varint(body.length), ...body];
};
export const message = (...items) => Uint8Array.from(items.flat(9));
export const digestOf = (ids) => u32(crc32c(Uint8Array.from(ids.flatMap(u16))));

/** [value, width] pairs, lowest bit first, filled up with zeros. */
export function packed(pairs) {
  let all = 0n;
  let width = 0n;
  for (const [value, bits] of pairs) {
    all |= BigInt(value) << width;
    width += BigInt(bits);
  }
  return little(all, Number((width + 7n) / 8n));
}

export const I64_MAX = (1n << 63n) - 1n;
export const I64_MIN = -(1n << 63n);
export const U64_MAX = (1n << 64n) - 1n;

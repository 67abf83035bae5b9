// Every message that needs no channel (PROTOCOL.md sections 4, 5 and 11), and plain() for comparing.
import { Cursor, ID_NONE } from './wire.mjs';
import { FIELDS, ticks } from './channel.mjs';

const ENTRIES_MAX = 4096;
const CHANNELS_MAX = 1;
const EXPONENT_MAX = 18;

const between = (c, least, most) => {
  const at = c.at;
  return c.within(c.u32(), least, most, at);
};

/** The spread is left out where it is 0 or not told; less than its four bytes are a rest like any other. */
function limits(c) {
  const m = {
    instruments_max: between(c, 0, 8192), priority_max: between(c, 0, 8192), message_size_max: between(c, 0, 2 ** 20),
    subscribe_per_second: between(c, 1, 0xffffffff),
  };
  const spread = c.end - c.at >= 4 ? c.u32() : 0;
  return spread > 0 ? { ...m, reconnect_spread_ms: spread } : m;
}

function welcome(c) {
  c.zero();
  const m = { kind: 'WELCOME', instance: c.u64(), lineage: c.u64(), boundary: c.u64() };
  m.features = c.u64();
  m.ts_gateway = c.i64();
  m.dictionary_generation = c.u32();
  m.dictionary_size = c.u32();
  m.frame_interval_ms = between(c, 1, 0xffffffff);
  m.heartbeat_interval_ms = between(c, 1, 0xffffffff);
  m.time_resolution_ns = between(c, 1, 1e9);
  m.token_lifetime_s = c.u32();
  m.limits = limits(c);
  return m;
}

function limitsMessage(c) {
  c.zero();
  return { kind: 'LIMITS', limits: limits(c) };
}

function venueState(c) {
  const venue = c.u8();
  const condition = c.u8() === 0 ? 'live' : 'stale';
  return { kind: 'VENUE_STATE', venue, condition, boundary: c.u64() };
}

function tokenAnswer(c) {
  const at = c.at;
  const accepted = c.within(c.u8(), 0, 1, at) === 1;
  return { kind: 'TOKEN_ANSWER', accepted, lifetime_s: c.u32() };
}

const echo = (c) => ({ kind: 'ECHO', cookie: c.u64() });
const echoReply = (c) => ({ kind: 'ECHO_REPLY', cookie: c.u64(), ts_gateway: c.i64() });

/** Visible ASCII to the end of the message. */
function visible(c, most) {
  const at = c.at;
  const bytes = c.bytes.subarray(at, c.end);
  if (bytes.length === 0 || bytes.length > most) c.refuse('STRING', at);
  bytes.forEach((b) => {
    if (b < 0x21 || b > 0x7e) c.refuse('STRING', at);
  });
  c.at = c.end;
  return String.fromCharCode(...bytes);
}

function token(c) {
  c.zero();
  return { kind: 'TOKEN', token: visible(c, 8192) };
}

function report(c) {
  c.zero();
  return { kind: 'REPORT', stage: c.u8(), interval_ms: between(c, 1, 0xffffffff), text: visible(c, 16384) };
}

function signedExponent(c) {
  const at = c.at;
  return c.within(c.i8(), -EXPONENT_MAX, EXPONENT_MAX, at);
}

function instrument(c) {
  const m = { id: c.id() };
  const at = c.at;
  m.venue = c.within(c.u8(), 0, 254, at);
  const assetClass = c.u8();
  m.asset_class = assetClass <= 7 ? assetClass : 0;
  const format = c.u8();
  m.price_format = format <= 4 ? format : 0;
  m.price_exponent = signedExponent(c);
  m.quantity_exponent = signedExponent(c);
  m.delayed = (c.u8() & 1) === 1;
  m.epoch = c.varint32();
  m.cadence_ms = c.varint32();
  m.multiplier = c.zigzag();
  m.multiplier_exponent = signedExponent(c);
  const countAt = c.at;
  const bandCount = c.u8();
  if (bandCount < 1 || bandCount > 8) c.refuse('COUNT_LIMIT', countAt);
  m.bands = [];
  for (let n = 0; n < bandCount; n++) {
    const fromAt = c.at;
    const band = { from_price: c.zigzag() };
    if (n > 0 && band.from_price <= m.bands[n - 1].from_price) c.refuse('VALUE_RANGE', fromAt);
    const tickAt = c.at;
    band.tick_size = c.zigzag();
    if (band.tick_size <= 0n) c.refuse('VALUE_RANGE', tickAt);
    m.bands.push(band);
  }
  m.symbol = c.text(1, 63);
  m.currency = c.text(0, 11);
  return m;
}

function venueEntry(c) {
  const at = c.at;
  return { venue: c.within(c.u8(), 0, 254, at), name: c.text(1, 31) };
}

const OPERATIONS = new Map([
  [0x80, ['VENUE', venueEntry]],
  [0x81, ['ADD', instrument]],
  [0x82, ['RENAME', (c) => ({ id: c.id(), symbol: c.text(1, 63) })]],
  [0x83, ['TOMBSTONE', (c) => ({ id: c.id() })]],
  [0x84, ['SCALE', instrument]],
]);

/** Entries of 5.2; those with an unknown optional operation are left out and counted. */
function entries(c, message) {
  const count = c.count(ENTRIES_MAX);
  message.entries = [];
  message.unknown = 0;
  for (let n = 0; n < count; n++) {
    c.row = n;
    const at = c.at;
    const operation = c.u8();
    const known = OPERATIONS.get(operation);
    if (known === undefined && operation >= 0x80) c.refuse('MANDATORY_UNKNOWN', at);
    const body = c.part(n);
    if (known !== undefined) {
      const [name, read] = known;
      message.entries.push({ operation: name, ...read(body) });
    } else {
      message.unknown++;
    }
  }
  c.row = null;
  c.finish();
  return message;
}

function dictionary(c) {
  c.zero();
  return entries(c, { kind: 'DICTIONARY', generation: c.u32() });
}

function found(c) {
  const more = (c.u8() & 1) === 1;
  return entries(c, { kind: 'FOUND', more, request: c.u32(), generation: c.u32() });
}

function channelOf(c) {
  const at = c.at;
  return c.within(c.u8(), 0, CHANNELS_MAX, at);
}

const ANSWER_CODES = ['ok', 'unknown', 'not_entitled', 'limit', 'pending', 'too_fast'];

function answer(c) {
  const m = { kind: 'ANSWER', channel: channelOf(c), request: c.u32(), size: c.count(8192), digest: c.u32() };
  const count = c.count(ENTRIES_MAX);
  m.answers = [];
  for (let n = 0; n < count; n++) {
    c.row = n;
    const code = ANSWER_CODES[c.u8()] ?? 'unknown';
    const at = c.at;
    const id = c.u16();
    if (code === 'ok' && id === ID_NONE) c.refuse('VALUE_RANGE', at);
    m.answers.push({ code, id });
  }
  c.row = null;
  c.finish();
  return m;
}

function name(c) {
  const at = c.at;
  switch (c.u8()) {
    case 0:
      return { id: c.id() };
    case 1:
      return { venue: c.text(1, 31), symbol: c.text(1, 63) };
    default:
      return c.refuse('VALUE_RANGE', at);
  }
}

const subscription = (kind, least) => (c) => {
  const m = { kind, channel: channelOf(c), request: c.u32() };
  const at = c.at;
  const count = c.count(ENTRIES_MAX);
  if (count < least) c.refuse('COUNT_LIMIT', at);
  m.names = [];
  for (let n = 0; n < count; n++) {
    c.row = n;
    m.names.push(name(c));
  }
  c.row = null;
  c.finish();
  return m;
};

function find(c) {
  c.zero();
  const m = { kind: 'FIND', request: c.u32() };
  const at = c.at;
  m.limit = c.u32();
  if (m.limit < 1 || m.limit > ENTRIES_MAX) c.refuse('COUNT_LIMIT', at);
  m.prefix = c.text(0, 63);
  m.venue = c.text(0, 31);
  m.after_venue = c.text(0, 31);
  m.after_symbol = c.text(0, 63);
  c.finish();
  return m;
}

const GATEWAY = new Map([
  [0x01, found], [0x02, echoReply], [0x03, venueState], [0x04, limitsMessage], [0x05, tokenAnswer],
  [0x80, welcome], [0x81, dictionary], [0x82, answer],
]);
const CLIENT = new Map([
  [0x41, echo], [0x42, find], [0x43, report], [0xc0, subscription('SUBSCRIBE', 1)], [0xc1, subscription('UNSUBSCRIBE', 1)],
  [0xc2, subscription('RESYNC', 0)], [0xc3, token],
]);

/**
 * Reads one message of `from` ('gateway' or 'client'). Result: {message, commit}; the message of a kind below
 * 0x80 that is not known is {kind: 'UNKNOWN'}. SNAPSHOT and DELTA need a channel, TICKS its resolution only.
 */
export function decode(bytes, from, channel) {
  const c = new Cursor(bytes);
  const kind = c.u8();
  const nothing = () => {};
  if (from === 'gateway') {
    if (kind === 0x83) return channel.snapshot(bytes);
    if (kind === 0x84) return channel.delta(bytes);
    if (kind === 0x85) return { message: ticks(bytes, channel.resolution), commit: nothing };
  }
  const read = (from === 'gateway' ? GATEWAY : CLIENT).get(kind);
  if (read !== undefined) return { message: read(c), commit: nothing };
  if (kind >= 0x80) c.refuse('MANDATORY_UNKNOWN', 0);
  return { message: { kind: 'UNKNOWN' }, commit: nothing };
}

/** A row or image as the vectors write it: 64-bit numbers as decimal text, fields that are null left out. */
function plainRow(row) {
  const fields = {};
  row.fields.forEach((v, n) => {
    if (v !== null) fields[FIELDS[n]] = String(v);
  });
  return { ...plain({ ...row, fields: undefined }), fields };
}

export function plain(value) {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value.fields)) return plainRow(value);
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined).map(([k, v]) => [k, plain(v)]));
}

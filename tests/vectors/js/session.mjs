// What a client knows and does (PROTOCOL.md sections 4 to 6, 9, 11 and 12): for transcripts.
import { Channel, FIELDS } from './channel.mjs';
import { decode } from './messages.mjs';
import { Refused } from './wire.mjs';

const MANDATORY_FEATURES = 0xffffffff00000000n;
const CLOSE_BAD_MESSAGE = 4010;
const CLOSE_TOO_BIG = 1009;
const MESSAGE_MAX = 1 << 20;
const REASON_MAX = 123;

/** What a client does after a close code or a refused upgrade (4.6). */
const AFTER_CLOSE = new Map([
  ...[1000, 1001, 1006, 1011, 1012, 1013, 4008].map((code) => [code, 'retry']),
  ...[1002, 1003, 1007, 1009, 4010, 400, 404].map((code) => [code, 'retry_slowly']),
  ...[4001, 401].map((code) => [code, 'renew_token']),
  ...[4003, 4004, 403].map((code) => [code, 'stop']),
  ...[429, 503].map((code) => [code, 'retry_not_before']),
]);

export function afterClose(code, reason) {
  let reconnect = null;
  if (Buffer.byteLength(reason, 'utf8') <= REASON_MAX) {
    try {
      const told = JSON.parse(reason)?.reconnect_after_ms;
      if (Number.isInteger(told) && told >= 0) reconnect = Math.min(told, 0xffffffff);
    } catch {
      // A reason that is not JSON says nothing.
    }
  }
  return { action: AFTER_CLOSE.get(code) ?? 'retry', reconnect_after_ms: reconnect };
}

const newer = (a, b) => a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq);
const sameVersion = (a, b) => a.epoch === b.epoch && a.seq === b.seq;
const sameValues = (a, b) => FIELDS.every((_, n) => a.fields[n] === b.fields[n]);

export class Session {
  constructor() {
    this.lineage = null;
    this.generation = null;
    this.instruments = new Map(); // id -> {entry, gone, image, live}
    this.requests = new Map();
    this.connect();
  }

  /** A new connection: what is known of instruments stays until WELCOME says otherwise. */
  connect() {
    this.state = 'opening';
    this.channel = new Channel(1n);
    this.messageMax = MESSAGE_MAX;
    this.staleVenues = new Set();
    this.requests.clear();
    this.doubt();
  }

  doubt() {
    for (const instrument of this.instruments.values()) instrument.live = false;
  }

  end(close, why) {
    this.state = 'ended';
    this.why = why;
    this.doubt();
    return [{ effect: 'ended', close }];
  }

  gap() {
    if (this.state === 'resyncing') return [{ effect: 'dropped' }];
    this.state = 'resyncing';
    for (const id of this.channel.ids) {
      const instrument = this.instruments.get(id);
      if (instrument) instrument.live = false;
    }
    return [{ effect: 'asks_resync' }];
  }

  /** A message of the client, for the answers to it. */
  sent(message) {
    if (message.request !== undefined) this.requests.set(message.request, message);
  }

  receive(bytes) {
    if (this.state === 'ended') return [{ effect: 'dropped' }];
    if (bytes.length > this.messageMax) return this.end(CLOSE_TOO_BIG, 'a message over the limit');
    let read;
    try {
      read = decode(bytes, 'gateway', this.channel);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      return this.refused(bytes[0], refused.fault);
    }
    const { message, commit } = read;
    if (message.kind === 'UNKNOWN') return [{ effect: 'ignored' }];
    if ((this.state === 'opening') !== (message.kind === 'WELCOME')) return this.end(CLOSE_BAD_MESSAGE, 'WELCOME is the first message, and comes once');
    return this[message.kind.toLowerCase()](message, commit);
  }

  refused(kind, fault) {
    if (this.state === 'opening') return this.end(CLOSE_BAD_MESSAGE, fault.error);
    if (kind === 0x83 || kind === 0x84 || kind === 0x85) return this.gap();
    if (kind >= 0x80) return this.end(CLOSE_BAD_MESSAGE, fault.error);
    return [{ effect: 'ignored' }];
  }

  welcome(m) {
    if (m.features & MANDATORY_FEATURES) return this.end(CLOSE_BAD_MESSAGE, 'a feature that is not known');
    const effects = [];
    if (this.lineage !== null && this.lineage !== m.lineage) effects.push({ effect: 'lineage_changed' });
    else if (this.generation !== null && this.generation !== m.dictionary_generation) effects.push({ effect: 'generation_changed' });
    if (effects.length > 0) this.instruments.clear();
    this.lineage = m.lineage;
    this.generation = m.dictionary_generation;
    this.state = 'open';
    this.messageMax = m.limits.message_size_max;
    this.channel = new Channel(BigInt(m.time_resolution_ns), { boundary: m.boundary });
    return effects;
  }

  limits(m) {
    this.messageMax = m.limits.message_size_max;
    return [];
  }

  dictionary(m) {
    if (m.generation !== this.generation) return this.end(1000, 'the dictionary has another generation');
    for (const entry of m.entries) {
      const why = this.define(entry);
      if (why !== null) return this.end(CLOSE_BAD_MESSAGE, why);
    }
    return [];
  }

  define(entry) {
    const known = this.instruments.get(entry.id);
    switch (entry.operation) {
      case 'ADD':
        if (known && (known.gone || known.entry.symbol !== entry.symbol || known.entry.venue !== entry.venue)) return 'an id is used again';
        if (known) this.rescale(known, entry);
        else this.instruments.set(entry.id, { entry, gone: false, image: null, live: false });
        break;
      case 'RENAME':
        if (known) known.entry = { ...known.entry, symbol: entry.symbol };
        break;
      case 'TOMBSTONE':
        if (known) Object.assign(known, { gone: true, image: null, live: false });
        break;
      case 'SCALE':
        if (known && !known.gone) this.rescale(known, entry);
        break;
    }
    return null;
  }

  /** Values at the old exponents would be read at the new ones (M18). */
  rescale(known, entry) {
    if (known.entry.price_exponent !== entry.price_exponent || known.entry.quantity_exponent !== entry.quantity_exponent) {
      Object.assign(known, { image: null, live: false });
    }
    known.entry = entry;
  }

  answer(m) {
    const asked = this.requests.get(m.request);
    if (asked === undefined || asked.channel !== m.channel) return [{ effect: 'ignored' }];
    if (asked.names.length !== m.answers.length) return this.end(CLOSE_BAD_MESSAGE, 'an ANSWER with other names than its request');
    if (!m.answers.some((a) => a.code === 'pending')) this.requests.delete(m.request);
    return [{ effect: 'answered', codes: m.answers.map((a) => a.code) }];
  }

  venue_state(m) {
    this.staleVenues[m.condition === 'live' ? 'delete' : 'add'](m.venue);
    // Also at the end of a stale time: what came during it may be old (M15).
    for (const instrument of this.instruments.values()) if (instrument.entry.venue === m.venue) instrument.live = false;
    return [];
  }

  token_answer(m) {
    return [{ effect: m.accepted ? 'token_renewed' : 'token_refused', lifetime_s: m.lifetime_s }];
  }

  echo_reply() { return []; }

  found(m) {
    return m.generation === this.generation ? [] : this.end(1000, 'the dictionary has another generation');
  }

  snapshot(m, commit) {
    const left = this.channel.ids;
    commit();
    const now = new Set(this.channel.ids);
    for (const id of left) if (!now.has(id) && this.instruments.has(id)) this.instruments.get(id).live = null;
    this.state = 'open';
    return this.admit(m.rows);
  }

  delta(m, commit) {
    commit();
    return this.admit(m.rows);
  }

  ticks(m) {
    return this.admit(m.rows);
  }

  /** M18, M30 */
  admit(rows) {
    const counts = {};
    for (const row of rows) {
      const verdict = this.verdict(row);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
    }
    return Object.keys(counts).length === 0 ? [] : [{ effect: 'rows', ...counts }];
  }

  verdict(row) {
    const instrument = this.instruments.get(row.id);
    if (instrument === undefined || instrument.gone) return 'unknown_id';
    if (row.epoch === 0 && row.seq === 0n) return 'never_published';
    if (row.epoch < instrument.entry.epoch) return 'old_epoch';
    const { image } = instrument;
    if (image !== null && sameVersion(row, image)) {
      if (!sameValues(row, image)) return 'integrity_fault';
      instrument.live = true;
      return 'confirmed';
    }
    if (image !== null && !newer(row, image)) return 'older';
    instrument.image = { id: row.id, epoch: row.epoch, seq: row.seq, fields: [...row.fields] };
    instrument.live = true;
    return 'admitted';
  }

  /** What a user could see. */
  view() {
    const instruments = [...this.instruments.values()].map(({ entry, gone, image, live }) => ({
      id: entry.id, symbol: entry.symbol, price_exponent: entry.price_exponent, gone, 
      // null: no channel carries it any more, and nothing is said here of what is shown of it.
      live: live === null ? null : live && this.state === 'open' && !this.staleVenues.has(entry.venue),
      image: image === null ? null : {
        epoch: image.epoch, seq: String(image.seq),
        fields: Object.fromEntries(FIELDS.map((name, n) => [name, image.fields[n]]).filter(([, v]) => v !== null).map(([name, v]) => [name, String(v)])),
      },
    })).sort((a, b) => a.id - b.id);
    return { session: this.state, lineage: this.lineage === null ? null : String(this.lineage), generation: this.generation, instruments };
  }
}

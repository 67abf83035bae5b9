// WELCOME to REPORT and the kinds themselves (PROTOCOL.md sections 1 and 4), and requests (section 11).
import { Family } from './family.mjs';
import { found } from './dictionary.mjs';
import * as w from './bytes.mjs';

export const welcomeOf = (more = {}, ...rest) => {
  const i = {
    kind: 0x80, flags: 0, instance: 11, lineage: 77, boundary: 100, features: 1, ts: 1700000000000000000n, generation: 3, size: 2400, frame: 40, heartbeat: 1000,
    resolution: 100000, token: 3600, instruments: 4096, priority: 16, message: 1 << 20, subscribe: 500, ...more,
  };
  return w.message(w.u8(i.kind), w.u8(i.flags), [i.instance, i.lineage, i.boundary, i.features, i.ts].map(w.u64),
    [i.generation, i.size, i.frame, i.heartbeat, i.resolution, i.token, i.instruments, i.priority, i.message, i.subscribe].map(w.u32), rest);
};

function welcome(f) {
  const good = (name, cites, more, ...rest) => f.good(`WELCOME: ${name}`, cites, 'gateway', welcomeOf(more, ...rest));
  const bad = (name, cites, more, fault) => f.bad(`WELCOME: ${name}`, cites, 'gateway', welcomeOf(more), fault);
  good('as usual', ['M13'], {});
  good('longer than known', ['M10'], {}, [1, 2, 3]);
  good('unknown optional features', ['M13'], { features: 0xffffffff });
  good('64-bit limits', ['M7'], { instance: w.U64_MAX, lineage: 0, boundary: w.U64_MAX, ts: w.I64_MIN, generation: 0xffffffff, size: 0xffffffff, token: 0 });
  good('resolution 1 s', ['M9'], { resolution: 1000000000 });
  good('a spread of reconnects', ['M42'], {}, w.u32(8334));
  good('the longest spread, and longer than known', ['M10', 'M42'], {}, w.u32(0xffffffff), [7]);
  good('a spread of 0 is none', ['M42'], {}, w.u32(0));
  for (const bit of [32, 63]) good(`feature bit ${bit} is read; the session ends over it`, ['M13'], { features: 1n << BigInt(bit) });
  bad('flags', ['M10'], { flags: 1 }, ['FLAGS', 1]);
  bad('frame interval 0', ['M5'], { frame: 0 }, ['VALUE_RANGE', 50]);
  bad('heartbeat interval 0', ['M5'], { heartbeat: 0 }, ['VALUE_RANGE', 54]);
  bad('resolution 0', ['M9'], { resolution: 0 }, ['VALUE_RANGE', 58]);
  bad('resolution over 1 s', ['M9'], { resolution: 1000000001 }, ['VALUE_RANGE', 58]);
  bad('8193 instruments', ['M14'], { instruments: 8193 }, ['VALUE_RANGE', 66]);
  bad('8193 on the priority channel', ['M14'], { priority: 8193 }, ['VALUE_RANGE', 70]);
  bad('messages over 1 MiB', ['M14'], { message: (1 << 20) + 1 }, ['VALUE_RANGE', 74]);
  bad('no subscriptions', ['M14'], { subscribe: 0 }, ['VALUE_RANGE', 78]);
  f.cuts('WELCOME', ['M5'], 'gateway', welcomeOf());
}

export const limitsOf = (instruments, priority, message, subscribe, ...rest) => w.message(w.u8(4), w.u8(0), [instruments, priority, message, subscribe].map(w.u32), rest);
export const venueState = (venue, condition, boundary, ...rest) => w.message(w.u8(3), w.u8(venue), w.u8(condition), w.u64(boundary), rest);
export const tokenOf = (token) => w.message(w.u8(0xc3), w.u8(0), w.utf8(token));
export const reportOf = (stage, interval, text) => w.message(w.u8(0x43), w.u8(0), w.u8(stage), w.u32(interval), w.utf8(text));
export const tokenAnswer = (accepted, lifetime, ...rest) => w.message(w.u8(5), w.u8(accepted), w.u32(lifetime), rest);

function fixed(f) {
  f.good('LIMITS', ['M14'], 'gateway', limitsOf(8192, 0, 1 << 20, 1));
  f.good('LIMITS: longer than known', ['M10'], 'gateway', limitsOf(0, 8192, 0, 0xffffffff, 7));
  f.good('LIMITS: a spread of reconnects', ['M42'], 'gateway', limitsOf(1, 2, 3, 4, w.u32(500)));
  f.good('LIMITS: a spread that is not whole is none', ['M10', 'M42'], 'gateway', limitsOf(1, 2, 3, 4, [1, 2, 3]));
  f.good('LIMITS: a spread, and longer than known', ['M10', 'M42'], 'gateway', limitsOf(1, 2, 3, 4, w.u32(1), [0]));
  f.bad('LIMITS: flags', ['M10'], 'gateway', w.message(w.u8(4), w.u8(2), [1, 1, 1, 1].map(w.u32)), ['FLAGS', 1]);
  f.bad('LIMITS: no subscriptions', ['M14'], 'gateway', limitsOf(1, 1, 1, 0), ['VALUE_RANGE', 14]);
  f.bad('LIMITS: 8193 instruments', ['M14'], 'gateway', limitsOf(8193, 1, 1, 1), ['VALUE_RANGE', 2]);
  f.cuts('LIMITS', ['M5'], 'gateway', limitsOf(1, 2, 3, 4));
  f.good('VENUE_STATE: live', ['M15'], 'gateway', venueState(0, 0, 5), { condition: 'live' });
  f.good('VENUE_STATE: stale', ['M15'], 'gateway', venueState(254, 1, w.U64_MAX), { condition: 'stale' });
  f.good('VENUE_STATE: a condition of a later version reads as stale', ['M15'], 'gateway', venueState(0, 200, 5), { condition: 'stale' });
  f.good('VENUE_STATE: longer than known', ['M10'], 'gateway', venueState(0, 0, 5, 9));
  f.cuts('VENUE_STATE', ['M5'], 'gateway', venueState(0, 0, 5));
  f.good('TOKEN: one letter', ['M4'], 'client', tokenOf('a'), { token: 'a' });
  f.good('TOKEN: every visible letter', ['M4'], 'client', tokenOf(Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join('')));
  f.good('TOKEN: 8192 bytes', ['M4'], 'client', tokenOf('t'.repeat(8192)));
  f.bad('TOKEN: empty', ['M8'], 'client', tokenOf(''), ['STRING', 2]);
  f.bad('TOKEN: 8193 bytes', ['M8'], 'client', tokenOf('t'.repeat(8193)), ['STRING', 2]);
  for (const byte of [0x00, 0x20, 0x7f, 0x80]) f.bad(`TOKEN: byte ${byte}`, ['M8'], 'client', w.message(w.u8(0xc3), w.u8(0), [0x61, byte]), ['STRING', 2]);
  f.bad('TOKEN: flags', ['M10'], 'client', w.message(w.u8(0xc3), w.u8(1), [0x61]), ['FLAGS', 1]);
  f.good('TOKEN_ANSWER: accepted', ['M4'], 'gateway', tokenAnswer(1, 3600), { accepted: true });
  f.good('TOKEN_ANSWER: refused', ['M4'], 'gateway', tokenAnswer(0, 12), { accepted: false });
  f.good('TOKEN_ANSWER: longer than known', ['M10'], 'gateway', tokenAnswer(1, 3600, 0));
  f.bad('TOKEN_ANSWER: accepted 2', ['M5'], 'gateway', tokenAnswer(2, 3600), ['VALUE_RANGE', 1]);
  f.cuts('TOKEN_ANSWER', ['M5'], 'gateway', tokenAnswer(1, 1));
  f.good('ECHO', ['M4'], 'client', w.message(w.u8(0x41), w.u64(w.U64_MAX)));
  f.good('ECHO: longer than known', ['M10'], 'client', w.message(w.u8(0x41), w.u64(5), w.u8(1)));
  f.cuts('ECHO', ['M5'], 'client', w.message(w.u8(0x41), w.u64(5)));
  f.good('ECHO_REPLY', ['M4'], 'gateway', w.message(w.u8(2), w.u64(5), w.u64(-1)));
  f.good('ECHO_REPLY: longer than known', ['M10'], 'gateway', w.message(w.u8(2), w.u64(5), w.u64(w.I64_MIN), w.u8(1)));
  f.cuts('ECHO_REPLY', ['M5'], 'gateway', w.message(w.u8(2), w.u64(5), w.u64(6)));
}

// A histogram of lowest 1, highest 6 x 10^10 and 3 digits, with one value of 1,000, deflated.
const HISTOGRAM = 'HISTFAAAACN4nJNpmSzMwMDAzAABMJoRiHl/uEcw2H+ACJznZwIAXDIFAQ==';

function reports(f) {
  f.good('REPORT: a histogram', ['M40'], 'client', reportOf(0, 60000, HISTOGRAM), { stage: 0 });
  f.good('REPORT: text that is none is for whoever reads the text', ['M40'], 'client', reportOf(1, 1, '~!'));
  f.good('REPORT: a stage of a later version', ['M40'], 'client', reportOf(255, 0xffffffff, 'a'));
  f.good('REPORT: 16384 bytes', ['M40'], 'client', reportOf(0, 1, 'h'.repeat(16384)));
  f.bad('REPORT: empty', ['M40'], 'client', reportOf(0, 1, ''), ['STRING', 7]);
  f.bad('REPORT: 16385 bytes', ['M40'], 'client', reportOf(0, 1, 'h'.repeat(16385)), ['STRING', 7]);
  for (const byte of [0x00, 0x20, 0x7f, 0x80]) f.bad(`REPORT: byte ${byte}`, ['M40'], 'client', w.message(...reportOf(0, 1, 'a'), byte), ['STRING', 7]);
  f.bad('REPORT: an interval of 0', ['M40'], 'client', reportOf(0, 0, 'a'), ['VALUE_RANGE', 3]);
  f.bad('REPORT: flags', ['M10'], 'client', w.message(w.u8(0x43), w.u8(1), w.u8(0), w.u32(1), [0x61]), ['FLAGS', 1]);
  f.cuts('REPORT', ['M5'], 'client', reportOf(0, 1, ''));
}

function kinds(f) {
  f.bad('a message of no byte', ['M4'], 'gateway', w.message(), ['TRUNCATED', 0]);
  for (const kind of [0x00, 0x06, 0x41, 0x42, 0x7f]) f.good(`kind ${kind} from the gateway is ignored`, ['M4'], 'gateway', w.message(w.u8(kind), [1, 2, 3]), { kind: 'UNKNOWN' });
  for (const kind of [0x86, 0xc0, 0xff]) f.bad(`kind ${kind} from the gateway ends the session`, ['M4'], 'gateway', w.message(w.u8(kind), [1, 2, 3]), ['MANDATORY_UNKNOWN', 0]);
  for (const kind of [0x00, 0x01, 0x40, 0x44, 0x7f]) f.good(`kind ${kind} from the client is ignored`, ['M4'], 'client', w.message(w.u8(kind)), { kind: 'UNKNOWN' });
  for (const kind of [0x80, 0x84, 0xbf, 0xc4, 0xff]) f.bad(`kind ${kind} from the client ends the session`, ['M4'], 'client', w.message(w.u8(kind)), ['MANDATORY_UNKNOWN', 0]);
}

export function control() {
  const f = new Family('control', 'Kinds, WELCOME, LIMITS, VENUE_STATE, TOKEN, TOKEN_ANSWER, ECHO, ECHO_REPLY, REPORT (PROTOCOL.md sections 1 and 4)');
  kinds(f);
  welcome(f);
  fixed(f);
  reports(f);
  return f;
}

export const byId = (id) => [w.u8(0), w.u16(id)];
export const byName = (venue, symbol) => [w.u8(1), w.text(venue), w.text(symbol)];
export const SUBSCRIBE = 0xc0;
export const UNSUBSCRIBE = 0xc1;
export const RESYNC = 0xc2;
export const requestOf = (kind, { channel = 0, request = 2, count }, ...names) => w.message(w.u8(kind), w.u8(channel), w.u32(request), w.varint(count ?? names.length), names);
export const answerOf = ({ channel = 0, request = 2, size = 1, digest = 5, count }, ...answers) => w.message(w.u8(0x82), w.u8(channel), w.u32(request), w.varint(size), w.u32(digest), w.varint(count ?? answers.length),
  answers.map(([code, id]) => [w.u8(code), w.u16(id)]));

function requests(f) {
  for (const [kind, name] of [[SUBSCRIBE, 'SUBSCRIBE'], [UNSUBSCRIBE, 'UNSUBSCRIBE'], [RESYNC, 'RESYNC']]) {
    const good = (what, more, ...names) => f.good(`${name}: ${what}`, ['M28'], 'client', requestOf(kind, more, ...names));
    const bad = (what, cites, bytes, fault) => f.bad(`${name}: ${what}`, cites, 'client', bytes, fault);
    good('by id and by name', {}, byId(1), byName('OKX', 'BTC-USDT'), byId(65534));
    good('on the priority channel', { channel: 1, request: 0xffffffff }, byId(0));
    if (kind === SUBSCRIBE) good('4096 names', {}, ...Array.from({ length: 4096 }, (_, n) => byId(n)));
    bad('channel 2', ['M5'], requestOf(kind, { channel: 2 }, byId(1)), ['VALUE_RANGE', 1]);
    bad('4097 names', ['M5'], requestOf(kind, { count: 4097 }, byId(1)), ['COUNT_LIMIT', 6]);
    bad('id 65535', ['M5'], requestOf(kind, {}, byId(1), byId(65535)), ['VALUE_RANGE', 11, 1]);
    bad('a name of form 2', ['M5'], requestOf(kind, {}, [w.u8(2), w.u16(1)]), ['VALUE_RANGE', 7, 0]);
    bad('no venue', ['M8'], requestOf(kind, {}, byName('', 'A')), ['STRING', 8, 0]);
    bad('no symbol', ['M8'], requestOf(kind, {}, byName('A', '')), ['STRING', 10, 0]);
    bad('a symbol of 64 bytes', ['M8'], requestOf(kind, {}, byName('A', 's'.repeat(64))), ['STRING', 10, 0]);
    bad('a byte behind the names', ['M10'], w.message(...requestOf(kind, {}, byId(1)), 0), ['TRAILING_BYTES', 10]);
    f.cuts(name, ['M5'], 'client', requestOf(kind, {}, byId(1), byName('A', 'B')));
  }
  f.good('RESYNC: the whole channel', ['M23'], 'client', requestOf(RESYNC, {}), { names: [] });
  f.bad('SUBSCRIBE: no name', ['M5'], 'client', requestOf(SUBSCRIBE, {}), ['COUNT_LIMIT', 6]);
  f.bad('UNSUBSCRIBE: no name', ['M5'], 'client', requestOf(UNSUBSCRIBE, {}), ['COUNT_LIMIT', 6]);
}

function answers(f) {
  f.good('ANSWER: every code', ['M28'], 'gateway', answerOf({}, [0, 1], [1, 65535], [2, 65535], [3, 4], [4, 65535], [5, 65535]));
  f.good('ANSWER: a code of a later version reads as unknown', ['M28'], 'gateway', answerOf({}, [6, 65535], [255, 3]));
  f.good('ANSWER: no name', ['M28'], 'gateway', answerOf({ channel: 1, size: 8192, digest: 0xffffffff }));
  f.bad('ANSWER: channel 2', ['M5'], 'gateway', answerOf({ channel: 2 }), ['VALUE_RANGE', 1]);
  f.bad('ANSWER: a set of 8193', ['M5'], 'gateway', answerOf({ size: 8193 }), ['COUNT_LIMIT', 6]);
  f.bad('ANSWER: 4097 names', ['M5'], 'gateway', answerOf({ count: 4097 }), ['COUNT_LIMIT', 11]);
  f.bad('ANSWER: ok without an id', ['M28'], 'gateway', answerOf({}, [0, 1], [0, 65535]), ['VALUE_RANGE', 16, 1]);
  f.bad('ANSWER: a byte behind the last', ['M10'], 'gateway', w.message(...answerOf({}, [0, 1]), 0), ['TRAILING_BYTES', 15]);
  f.cuts('ANSWER', ['M5'], 'gateway', answerOf({}, [0, 1], [1, 65535]));
}

export const findOf = ({ flags = 0, request = 9, limit = 200 }, ...texts) => w.message(w.u8(0x42), w.u8(flags), w.u32(request), w.u32(limit), texts.map(w.text));

function finds(f) {
  f.good('FIND: everything from the start', ['M8'], 'client', findOf({ limit: 1 }, '', '', '', ''));
  f.good('FIND: with a cursor', ['M8'], 'client', findOf({ limit: 4096 }, 'BTC', 'OKX', 'OKX', 'BTC-USDT'));
  f.good('FIND: longest texts', ['M8'], 'client', findOf({}, 'p'.repeat(63), 'v'.repeat(31), 'v'.repeat(31), 's'.repeat(63)));
  f.bad('FIND: flags', ['M10'], 'client', findOf({ flags: 1 }, '', '', '', ''), ['FLAGS', 1]);
  f.bad('FIND: limit 0', ['M5'], 'client', findOf({ limit: 0 }, '', '', '', ''), ['COUNT_LIMIT', 6]);
  f.bad('FIND: limit 4097', ['M5'], 'client', findOf({ limit: 4097 }, '', '', '', ''), ['COUNT_LIMIT', 6]);
  f.bad('FIND: a venue of 32 bytes', ['M8'], 'client', findOf({}, '', 'v'.repeat(32), '', ''), ['STRING', 11]);
  f.bad('FIND: a control character', ['M8'], 'client', findOf({}, 'A\n', '', '', ''), ['STRING', 10]);
  f.bad('FIND: a byte behind the texts', ['M10'], 'client', w.message(...findOf({}, '', '', '', ''), 0), ['TRAILING_BYTES', 14]);
  f.cuts('FIND', ['M5'], 'client', findOf({}, 'A', 'B', 'C', 'D'));
}

export function directory() {
  const f = new Family('requests', 'SUBSCRIBE, UNSUBSCRIBE, RESYNC, ANSWER, FIND and FOUND (PROTOCOL.md section 11)');
  requests(f);
  answers(f);
  finds(f);
  found(f);
  return f;
}

// What a vector file says, as the decoder takes it, and what the decoder yields, as a vector file says it.
import { Channel, FIELDS, emptyImage, stateDigest } from './channel.mjs';
import { decode, plain } from './messages.mjs';
import { Refused } from './wire.mjs';

/** A message lists its rows up to this many; beyond, state_digest speaks for them. */
export const ROWS_LISTED_MAX = 16;

export const fromHex = (text) => Uint8Array.from(Buffer.from(text.replace(/\s+/g, ''), 'hex'));

const image = ({ id, epoch, seq, fields }) => ({
  id, epoch, seq: BigInt(seq), fields: FIELDS.map((name) => (fields[name] === undefined ? null : BigInt(fields[name]))),
});

export function channelOf(start = {}) {
  const range = start.set ?? { first: 0, count: 0 };
  const images = Array.from({ length: range.count }, (_, n) => emptyImage(range.first + n)).concat((start.images ?? []).map(image));
  return new Channel(BigInt(start.resolution_ns ?? 100000), {
    boundary: BigInt(start.boundary ?? 0), ts: BigInt(start.ts_gateway_ns ?? 0), images,
  });
}

export const channelState = (channel) => ({
  boundary: String(channel.boundary), ts_gateway_ns: String(channel.ts), set_size: channel.images.length,
  set_digest: channel.digest, state_digest: stateDigest(channel.images),
});

export function messageState(message) {
  const told = plain(message);
  if (told.ts !== undefined) {
    told.ts_gateway_ns = told.ts;
    delete told.ts;
  }
  if (told.ts_gateway !== undefined) {
    told.ts_gateway_ns = told.ts_gateway;
    delete told.ts_gateway;
  }
  if (told.rows !== undefined) {
    told.row_count = told.rows.length;
    if (told.rows.length > ROWS_LISTED_MAX) delete told.rows;
  }
  return told;
}

/** {message, channel} or {error, offset, row}; a message that is refused must leave the channel as it was. */
export function outcome(bytes, from, channel) {
  const before = JSON.stringify(channelState(channel));
  try {
    const { message, commit } = decode(bytes, from, channel);
    commit();
    const told = { message: messageState(message) };
    if (['DELTA', 'SNAPSHOT', 'TICKS'].includes(message.kind)) told.channel = channelState(channel);
    return told;
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    if (JSON.stringify(channelState(channel)) !== before) throw new Error('a refused message changed the channel');
    return refused.fault;
  }
}

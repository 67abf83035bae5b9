// A family of vectors: what the author of each one claims is checked against the decoder before it is written.
import assert from 'node:assert';
import { channelOf, outcome } from '../js/vector.mjs';

export class Family {
  constructor(name, about) {
    this.name = name;
    this.about = about;
    this.vectors = [];
  }

  add(name, cites, from, bytes, expect, channel) {
    assert(!this.vectors.some((v) => v.name === name), `${name}: there are two of them`);
    this.vectors.push({ name, cites, from, ...(channel ? { channel } : {}), bytes: Buffer.from(bytes).toString('hex'), expect });
  }

  /** A valid message; `claim` holds what must be among the decoded items. */
  good(name, cites, from, bytes, claim = {}, channel = undefined) {
    const got = outcome(bytes, from, channelOf(channel));
    assert(got.error === undefined, `${name}: ${got.error} at ${got.offset} in row ${got.row}`);
    for (const [key, value] of Object.entries(claim)) {
      assert.deepStrictEqual(got.message[key], value, `${name}: ${key}`);
    }
    this.add(name, cites, from, bytes, got, channel);
  }

  /** A message that is refused with `error` at byte `offset`, in `row` if it is in one. */
  bad(name, cites, from, bytes, [error, offset, row], channel = undefined) {
    const claim = row === undefined ? { error, offset } : { error, offset, row };
    assert.deepStrictEqual(outcome(bytes, from, channelOf(channel)), claim, name);
    this.add(name, cites, from, bytes, claim, channel);
  }

  /** Cut at every length below its own the message is refused. */
  cuts(name, cites, from, bytes, channel = undefined) {
    for (let size = 0; size < bytes.length; size++) {
      const cut = bytes.slice(0, size);
      const got = outcome(cut, from, channelOf(channel));
      assert(got.error !== undefined, `${name} cut to ${size} bytes is accepted`);
      this.add(`${name}, cut to ${size} bytes`, cites, from, cut, got, channel);
    }
  }
}

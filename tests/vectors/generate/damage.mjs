// Damages vectors at random and writes what the second decoder makes of them, for another decoder to agree:
// node damage.mjs SEED COUNT >FILE
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { channelOf, fromHex, outcome } from '../js/vector.mjs';

const SIZE_MAX = 400; // of a vector that is taken: larger ones are damaged too rarely where it matters
const kit = join(dirname(fileURLToPath(import.meta.url)), '..');
const [seed, count] = process.argv.slice(2).map(Number);

/** mulberry32: the same numbers everywhere. */
let state = seed >>> 0;
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

const INTERESTING = [0x00, 0x01, 0x02, 0x7f, 0x80, 0x81, 0xfe, 0xff];
function damage(bytes) {
  const out = [...bytes];
  for (let n = 1 + random(3); n > 0; n--) {
    const at = random(out.length + 1);
    switch (random(6)) {
      case 0: if (at < out.length) out[at] ^= 1 << random(8); break;
      case 1: if (at < out.length) out[at] = random(256); break;
      case 2: if (at < out.length) out[at] = INTERESTING[random(INTERESTING.length)]; break;
      case 3: out.splice(at, 0, INTERESTING[random(INTERESTING.length)]); break;
      case 4: out.splice(at, 1 + random(3)); break;
      case 5: out.splice(at, 0, ...out.slice(random(out.length + 1)).slice(0, 1 + random(4))); break;
    }
  }
  return Uint8Array.from(out);
}

const vectors = readdirSync(kit).filter((name) => name.endsWith('.json') && name !== 'other_proofs.json').sort()
  .flatMap((name) => JSON.parse(readFileSync(join(kit, name), 'utf8')).vectors)
  .filter((vector) => vector.bytes.length / 2 <= SIZE_MAX && (vector.channel?.set?.count ?? 0) <= 100);
const lines = [];
let valid = 0;
for (let n = 0; n < count; n++) {
  const { name, from, channel, bytes } = vectors[random(vectors.length)];
  const damaged = damage(fromHex(bytes));
  const expect = outcome(damaged, from, channelOf(channel));
  valid += expect.error === undefined ? 1 : 0;
  lines.push(`  ${JSON.stringify({ name: `damaged ${n} of seed ${seed}: ${name}`, cites: [], from, ...(channel ? { channel } : {}), bytes: Buffer.from(damaged).toString('hex'), expect })}`);
}
console.log(`{"format":"tickglass vectors 1","family":"damaged","vectors":[\n${lines.join(',\n')}\n]}`);
console.error(`${count} damaged messages, ${valid} of them valid`);

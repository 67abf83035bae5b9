// Runs vectors and transcripts through this decoder: node run.mjs [FILE...]; without a file, all of the kit.
import assert from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { channelOf, fromHex, outcome } from './vector.mjs';
import { Player } from './transcript.mjs';

const kit = join(dirname(fileURLToPath(import.meta.url)), '..');
const jsonIn = (folder) => readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'other_proofs.json').sort().map((name) => join(folder, name));
const files = process.argv.length > 2 ? process.argv.slice(2) : [...jsonIn(kit), ...jsonIn(join(kit, 'transcripts'))];
const counts = { vectors: 0, steps: 0, failures: 0 };

function check(where, got, expect) {
  try {
    assert.deepStrictEqual(got, expect);
  } catch {
    counts.failures++;
    console.log(`${where}\n  expected ${JSON.stringify(expect)}\n      came ${JSON.stringify(got)}`);
  }
}

for (const file of files) {
  const told = JSON.parse(readFileSync(file, 'utf8'));
  if (told.format === 'tickglass vectors 1') {
    for (const vector of told.vectors) {
      counts.vectors++;
      check(`${file}: ${vector.name}`, outcome(fromHex(vector.bytes), vector.from, channelOf(vector.channel)), vector.expect);
    }
  } else if (told.format === 'tickglass transcript 1') {
    const player = new Player();
    for (const { expect, note, ...step } of told.steps) {
      counts.steps++;
      check(`${file}: step ${counts.steps}, ${note}`, player.play(step), expect);
    }
  } else {
    counts.failures++;
    console.log(`${file}: no format that is known: ${told.format}`);
  }
}
if (counts.vectors + counts.steps === 0) {
  counts.failures++;
  console.log('nothing to run');
}
console.log(`${counts.vectors} vectors, ${counts.steps} transcript steps, ${counts.failures} failures`);
process.exitCode = counts.failures === 0 ? 0 : 1;

// Follows one channel: a message a line in hexadecimal on standard input, a SNAPSHOT first.
import { readFileSync } from 'node:fs';
import { Channel } from './channel.mjs';
import { fromHex, outcome } from './vector.mjs';

const channel = new Channel(100000n);
const lines = readFileSync(0, 'utf8').trim().split('\n');
let rows = 0;
for (const [n, line] of lines.entries()) {
  const told = outcome(fromHex(line), 'gateway', channel);
  if (told.error !== undefined || (n === 0) !== (told.message.kind === 'SNAPSHOT')) {
    console.log(`message ${n}: ${JSON.stringify(told)}`);
    process.exit(1);
  }
  rows += told.message.row_count;
}
console.log(`${lines.length} messages, ${rows} rows`);
process.exitCode = lines.length > 1 && rows > lines.length ? 0 : 1;

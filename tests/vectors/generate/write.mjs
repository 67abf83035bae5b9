// Writes the vector files beside this folder: node write.mjs [FOLDER]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { control, directory } from './control.mjs';
import { delta, deltaShapes } from './delta.mjs';
import { dictionary } from './dictionary.mjs';
import { snapshot, ticks } from './snapshot.mjs';
import { transcripts } from './transcripts.mjs';

const folder = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');
mkdirSync(join(folder, 'transcripts'), { recursive: true });

/** One line for each item, so that a change of one vector is a change of one line. */
function fileText(head, listName, items) {
  const lines = items.map((item) => `  ${JSON.stringify(item)}`).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},"${listName}":[\n${lines}\n]}\n`;
}

for (const f of [control(), dictionary(), directory(), snapshot(), delta(), deltaShapes(), ticks()]) {
  writeFileSync(join(folder, `${f.name}.json`), fileText({ format: 'tickglass vectors 1', family: f.name, about: f.about }, 'vectors', f.vectors));
  console.log(`${f.name}: ${f.vectors.length} vectors`);
}

for (const t of transcripts) {
  const head = { format: 'tickglass transcript 1', name: t.name, about: t.about, cites: t.cites };
  writeFileSync(join(folder, 'transcripts', `${t.name}.json`), fileText(head, 'steps', t.steps));
}
console.log(`${transcripts.length} transcripts, ${transcripts.reduce((sum, t) => sum + t.steps.length, 0)} steps`);

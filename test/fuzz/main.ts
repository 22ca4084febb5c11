/**
 * `npm run fuzz [-- --seconds 60] [--target html,robots] [--seed N] [--corpus DIR]`: what strangers' bytes go into, fed with what
 * reaches ever more of it. Exit code 1: something was found; the input is kept beside the corpus.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder } from '../../lab/kafka/components.ts';
import { runTarget } from './run-target.ts';
import { targets } from './targets.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string', default: Object.keys(targets).join(',') },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    corpus: { type: 'string', default: join(cacheFolder, 'fuzz') },
  },
});
const wanted = values.target.split(',');
const unknown = wanted.find((name) => !(name in targets));
if (unknown !== undefined) {
  console.error(`fuzz: no target ${unknown}: give some of ${Object.keys(targets).join(', ')}`);
  process.exit(2);
}
console.log(`seed ${values.seed}, ${values.seconds} s each`);
for (const target of wanted) {
  const folder = join(values.corpus, target);
  mkdirSync(folder, { recursive: true });
  const { tries, kept, blocks, slowestMs, findings } = await runTarget({
    module: new URL('targets.ts', import.meta.url).href,
    target,
    seed: Number(values.seed),
    tries: Number.POSITIVE_INFINITY,
    forMs: 1000 * Number(values.seconds),
    corpus: readdirSync(folder).map((name) => readFileSync(join(folder, name))),
    ours: ['/topology/', '/services/'],
    cpuMsMax: 2_000,
    hangMs: 20_000,
    heapMb: 512,
  });
  for (const input of kept) keep(folder, input);
  console.log(
    `${target.padEnd(10)} ${tries} tries, ${kept.length} inputs kept, ${blocks} blocks reached, slowest ${Math.round(slowestMs)} ms CPU, ${findings.length} found`,
  );
  for (const { what, input } of findings) {
    const file = keep(join(values.corpus, 'found', target), input);
    console.log(`  ${what.replaceAll('\n', '\n  ')}\n  input: ${file}`);
    process.exitCode = 1;
  }
}

function keep(folder: string, input: Buffer): string {
  const file = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, input);
  return file;
}

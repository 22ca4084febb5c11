/**
 * `npm run fuzz:fields [-- --core 1000000] [--library 50000] [--seed N]`: extremes in every field of the topics that a partition reads, and
 * in every argument of the library's frontier. Exit code 1: a process would have ended, or a row was torn.
 */
import { parseArgs } from 'node:util';
import { fuzzCore } from './fuzz-core.ts';
import { fuzzLibrary } from './fuzz-library.ts';

const { values } = parseArgs({
  options: {
    core: { type: 'string', default: '1000000' },
    library: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
console.log(`seed ${values.seed}`);
for (const [name, fuzz, inputs] of [
  ['library', fuzzLibrary, Number(values.library)],
  ['core', fuzzCore, Number(values.core)],
] as const) {
  const { inputs: tried, findings } = fuzz(inputs, Number(values.seed));
  console.log(`${name.padEnd(10)} ${tried} inputs, ${findings.length} found`);
  for (const finding of findings) console.log(`  ${finding.replaceAll('\n', '\n  ')}`);
  if (findings.length > 0) process.exitCode = 1;
}

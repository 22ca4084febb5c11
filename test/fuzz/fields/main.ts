/**
 * `npm run fuzz:fields [-- --core 1000000] [--library 200000] [--broker 20000] [--seed N]`: extremes in every field of the topics of a crawl,
 * into a partition and through a real broker, and in every argument of the library's frontier. Exit code 1: a process would have ended, or
 * a row was torn.
 */
import { parseArgs } from 'node:util';
import { startBroker } from '../../../lab/kafka/broker.ts';
import { skipReason } from '../../../lab/kafka/components.ts';
import { fuzzBroker } from './fuzz-broker.ts';
import { type FieldsFuzzed, fuzzCore } from './fuzz-core.ts';
import { fuzzLibrary } from './fuzz-library.ts';

const { values } = parseArgs({
  options: {
    core: { type: 'string', default: '1000000' },
    library: { type: 'string', default: '200000' },
    broker: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

async function onBroker(inputs: number, seed: number): Promise<FieldsFuzzed> {
  const broker = await startBroker({ own: true });
  try {
    return await fuzzBroker(broker, inputs, seed);
  } finally {
    await broker.stop();
  }
}

const ways: readonly [
  name: string,
  fuzz: (inputs: number, seed: number) => FieldsFuzzed | Promise<FieldsFuzzed>,
  inputs: string,
][] = [
  ['library', fuzzLibrary, values.library],
  ['broker', onBroker, values.broker],
  ['core', fuzzCore, values.core],
];
const withoutBroker = await skipReason();
console.log(`seed ${values.seed}`);
for (const [name, fuzz, inputs] of ways) {
  if (Number(inputs) === 0) continue;
  if (name === 'broker' && withoutBroker !== undefined) {
    console.log(`${name.padEnd(10)} not tried: ${withoutBroker}`);
    process.exitCode = 1;
    continue;
  }
  const { inputs: tried, findings } = await fuzz(Number(inputs), Number(values.seed));
  console.log(`${name.padEnd(10)} ${tried} inputs, ${findings.length} found`);
  for (const finding of findings) console.log(`  ${finding.replaceAll('\n', '\n  ')}`);
  if (findings.length > 0) process.exitCode = 1;
}

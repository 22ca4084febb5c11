/**
 * A crawl on three brokers, three frontiers and three fetchers, as they are deployed, killed, stopped, frozen and cut off from
 * each other at random for CRAWLSTREAM_TEST_CHAOS_MINUTES (2): what must always hold must hold along the way, and at the end every
 * copy of the state must be the same and every page fetched that could be. CRAWLSTREAM_TEST_CHAOS_SEED draws other strikes.
 * Without network namespaces nobody is cut off, which a line says.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { kafkaJars, skipReason } from '../../lab/kafka/components.ts';
import { drainMs, runMs } from './chaos/times.ts';
import { createZones, zonesMissing } from './zones/zones.ts';

const skip = (await skipReason()) ?? false;

test('a crawl under chaos on Kafka loses nothing, contacts no host early, and ends with equal copies of its state', {
  skip,
  timeout: runMs + drainMs + 300_000,
}, async (t) => {
  // From here: a zone has no way to a repository.
  await kafkaJars();
  const missing = zonesMissing();
  if (missing !== undefined) t.diagnostic(`no broker and no zone is cut off: ${missing}`);
  const network = missing === undefined ? createZones(6) : undefined;
  t.after(() => network?.remove());
  const program = ['--import', 'tsx', join(import.meta.dirname, 'chaos/run.ts')];
  const zones = network === undefined ? [] : [JSON.stringify(network.zones)];
  const [command = '', ...args] = [...(network?.hub ?? []), process.execPath, ...program, ...zones];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: t.signal });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  createInterface(child.stdout).on('line', (line) => t.diagnostic(line));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, errors);
});

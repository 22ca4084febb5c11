/** A leader that is cut off from the two other brokers and stays reachable for clients: our client beside Java's producer. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { kafkaJars, skipReason } from '../../lab/kafka/components.ts';
import { createZones, zonesMissing } from './zones/zones.ts';

const run = promisify(execFile);
const skip = (await skipReason()) ?? zonesMissing() ?? false;
/** Both ask at intervals of seconds, on a machine that is busy. */
const slackMs = 3_000;

test('a partition with a cut-off leader takes appends again no later than with Java’s producer, and nothing acknowledged is lost', {
  skip,
  timeout: 600_000,
}, async (t) => {
  await kafkaJars();
  const { hub, zones, remove } = createZones(3);
  t.after(remove);
  const [command = '', ...args] = [...hub, process.execPath, '--import', 'tsx'];
  const program = join(import.meta.dirname, 'zones/compare.ts');
  const { stdout } = await run(command, [...args, program, JSON.stringify(zones)]);
  const { back, lost, lines } = JSON.parse(stdout.trim().split('\n').at(-1)!);
  t.diagnostic(stdout);
  assert.deepEqual(lost, { ours: 0, java: 0 });
  assert.ok(back.ours <= back.java + slackMs, `ours ${back.ours} ms, Java's ${back.java} ms`);
  assert.ok(back.ours < 30_000, `${back.ours} ms`);
  assert.deepEqual(
    lines.filter((line: string) => line.startsWith('append failed')),
    [],
  );
});

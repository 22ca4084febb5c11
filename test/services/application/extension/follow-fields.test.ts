/** The fields of an extra in a consumer, as the policy on `control` changes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { followFields } from '../../../../services/application/extension/follow-fields.ts';
import type { ProcessorContext } from '../../../../services/application/processor/processor.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';

const shortest = { schema: z.int().min(0), about: 'Characters of a title.', initial: 3, setter: 'owner' } as const;

async function followed() {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 't.control', partitions: 1, retention: 'state' }]);
  const codec = await openCodec(createMemoryRegistry(), 't');
  const said: string[] = [];
  const at = { nowMs: 0, looks: 0, fails: false };
  const offsets: typeof log.offsets = async (...place) => {
    at.looks += 1;
    if (at.fails) throw new Error('the log is away');
    return log.offsets(...place);
  };
  const context = {
    ...{ codec, log: { ...log, offsets, reader: log.reader }, say: (text: string) => said.push(text) },
    ...{ clock: { nowMs: () => at.nowMs }, manifest: { crawl: 't' } },
  };
  const now = followFields(context as unknown as ProcessorContext, 'titles', { shortest });
  const policy = (version: number, extras?: unknown) => {
    const payload = JSON.stringify({ ...defaultPolicy(), version, extras });
    const value = codec.encode('control', controlEvent({ kind: 'policy', atMs: 0, by: 'test', version, payload }));
    return log.append([{ topic: 't.control', partition: 0, key: null, value }]);
  };
  const later = () => {
    at.nowMs += 1_000;
    return now();
  };
  return { at, said, now, later, policy };
}

it('values of an extra follow the policy within a second, and without a look for each batch', async () => {
  const { at, now, later, policy } = await followed();
  assert.deepEqual(await now(), { shortest: 3 });
  await policy(1, { titles: { shortest: 5 } });
  const { looks } = at;
  for (let batch = 0; batch < 5; batch++) assert.deepEqual(await now(), { shortest: 3 });
  assert.equal(at.looks, looks);
  assert.deepEqual(await later(), { shortest: 5 });
  await policy(2);
  assert.deepEqual(await later(), { shortest: 3 });
});

it('a policy that cannot be read leaves the values as they were, and is said once', async () => {
  const { said, now, later, policy } = await followed();
  await policy(1, { titles: { shortest: 5 } });
  assert.deepEqual(await now(), { shortest: 5 });
  await policy(2, 'no fields');
  for (const values of [await later(), await later()]) assert.deepEqual(values, { shortest: 5 });
  assert.match(said[0]!, /^version 2 of the policy cannot be read, and the values before it apply: policy\.extras: /);
  await policy(3, { titles: { shortest: -1 } });
  assert.deepEqual(await later(), { shortest: 3 });
  assert.deepEqual(said.slice(1), ['policy.extras.titles.shortest: its value is invalid; the default applies']);
});

it('a log that cannot be read fails the caller, and the next look finds the policy', async () => {
  const { at, later, policy } = await followed();
  await policy(1, { titles: { shortest: 5 } });
  at.fails = true;
  await assert.rejects(later(), /the log is away/);
  at.fails = false;
  assert.deepEqual(await later(), { shortest: 5 });
});

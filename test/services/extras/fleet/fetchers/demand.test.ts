import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DemandReader, DemandReporter } from '../../../../../services/extras/fleet/fetchers/demand.ts';
import { fleetFetcherLimits } from '../../../../../services/extras/fleet/fetchers/fetcher-limits.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { until } from '../../../until.ts';

const topic = 'f.demand';
const { firstLeases } = fleetFetcherLimits;

test('a frontier grants what its fetchers can hold together: a few each of an unknown crawl, and nothing without fetchers', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions: 1, retention: 'time' }]);
  const reader = new DemandReader({ log, topic });
  const reading = reader.run();
  let reported = 0;
  const stop = reader.listen(() => (reported += 1));
  assert.deepEqual([reader.fetchers, reader.leasesOf('a')], [0, 0]);
  for (const text of ['no JSON', '{"leases":{"a":"many"}}'])
    await log.append([{ topic, partition: 0, key: Buffer.from('z'), value: Buffer.from(text) }]);
  const [one, two] = ['x', 'y'].map((name) => new DemandReporter({ log, topic }, name)) as [
    DemandReporter,
    DemandReporter,
  ];
  let may = false;
  const running = [one.run(() => may), two.run(() => true)];
  await until(() => reader.fetchers === 1);
  assert.equal(reader.leasesOf('a'), firstLeases);
  may = true;
  one.report('a', 20);
  two.report('a', 3);
  await until(() => reader.leasesOf('a') === 23);
  assert.equal(reader.leasesOf('b'), 2 * firstLeases);
  // A name that every object has something under is one like any other.
  assert.equal(reader.leasesOf('constructor'), 2 * firstLeases);
  one.report('constructor', 5);
  await until(() => reader.leasesOf('constructor') === 5 + firstLeases);
  one.forget('constructor');
  two.forget('a');
  await until(() => reader.leasesOf('a') === 20 + firstLeases);
  one.stop();
  await until(() => reader.fetchers === 1);
  assert.equal(reader.leasesOf('a'), firstLeases);
  assert.ok(reported >= 4);
  stop();
  const before = reported;
  two.stop();
  await Promise.all(running);
  await until(() => reader.fetchers === 0);
  assert.equal(reported, before);
  reader.stop();
  await reading;
  await log.close();
});

/** What single sources tell: of brokers, of snapshots on a schedule, of a store's disk, of what is away. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSnapshotMeter } from '../../../../services/hosting/state/snapshot-meter.ts';
import { createTally } from '../../../../services/runtime/log/kafka/tallies.ts';
import { logMetrics } from '../../../../services/runtime/metrics/log-metrics.ts';
import type { MetricSource } from '../../../../services/runtime/metrics/metrics.ts';
import { awayAfter, awayMetrics } from '../../../../services/runtime/metrics/service.ts';
import { storeMetrics } from '../../../../services/runtime/metrics/store-metrics.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

async function reported(source: MetricSource): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const value = (name: string, one: number, labels: object = {}) => {
    values[[name.replace('crawlstream_', ''), ...Object.values(labels)].join(' ')] = one;
  };
  await source({ value, spread: () => assert.fail() } as never);
  return values;
}

test('requests are counted by API, with those without an answer; retries and rebalances are counted', async () => {
  const tally = createTally();
  tally.request('Fetch', 250, true);
  tally.request('Fetch', 10_000, false);
  tally.request('Produce', 5, true);
  tally.retry();
  tally.joined('news.dedup');
  tally.joined('news.dedup');
  assert.deepEqual(await reported(logMetrics({ tallies: () => tally })), {
    'kafka_requests_total Fetch': 2,
    'kafka_request_failures_total Fetch': 1,
    'kafka_request_seconds_total Fetch': 10.25,
    'kafka_requests_total Produce': 1,
    'kafka_request_failures_total Produce': 0,
    'kafka_request_seconds_total Produce': 0.005,
    kafka_produce_retries_total: 1,
    kafka_partitions_blocked: 0,
    'kafka_rebalances_total news.dedup': 2,
  });
  const appendsBlocked = () => ({ text: 'no append to t/0', count: 1 });
  const blocked = await reported(logMetrics({ tallies: () => tally, appendsBlocked }));
  assert.equal(blocked['kafka_partitions_blocked'], 1);
  assert.deepEqual(await reported(logMetrics({})), {}, 'a log in a folder has no brokers');
});

test('a failed snapshot does not make the last one younger; without changes none is overdue', async () => {
  let nowMs = 0;
  const meter = createSnapshotMeter(900_000, { nowMs: () => nowMs });
  const first = { snapshot_interval_seconds: 900, snapshot_age_seconds: 0, snapshot_failures_total: 0 };
  assert.deepEqual(await reported(meter.metrics), first);
  nowMs = 900_000;
  meter.taken(2, 5_000);
  nowMs = 1_800_000;
  meter.failed();
  const last = { snapshot_seconds: 2, snapshot_bytes: 5_000 };
  const failed = { ...first, ...last, snapshot_age_seconds: 900, snapshot_failures_total: 1 };
  assert.deepEqual(await reported(meter.metrics), failed);
  meter.passed();
  assert.deepEqual(await reported(meter.metrics), { ...failed, snapshot_age_seconds: 0 });
});

test('a store is exported with its disk; a store that does not exist yet has no size', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'table'), Buffer.alloc(1_000));
  const values = await reported(storeMetrics('state', folder));
  assert.equal(values['store_bytes state'], 1_000);
  assert.ok(values['disk_free_bytes state']! > 0 && values['disk_free_bytes state']! < values['disk_bytes state']!);
  assert.deepEqual(await reported(storeMetrics('state', join(folder, 'none'))), { 'store_bytes state': 0 });
});

test('missing optional features of a process are exported by name, even after its role has ended', async () => {
  const cut = (what: string | null, brokers: number) => ({
    brokers_away: brokers,
    ...Object.fromEntries(
      ['brokers', 'registry', 'schema', 'disk'].map((one) => [`cut_off ${one}`, one === what ? 1 : 0]),
    ),
  });
  for (const [code, what, brokers] of [
    ['BROKER_UNREACHABLE', 'brokers', 1],
    ['REGISTRY_UNREACHABLE', 'registry', 0],
    ['DISK_FULL', 'disk', 0],
    ['OWNERSHIP_LOST', null, 0],
  ] as const) {
    assert.deepEqual(await reported(awayMetrics({ away: () => awayAfter(code) })), cut(what, brokers));
  }
  assert.deepEqual(await reported(awayMetrics({ away: () => ({ brokers: 0, cutOff: 'schema' }) })), cut('schema', 0));
  assert.deepEqual(await reported(awayMetrics({ away: undefined })), {});
});

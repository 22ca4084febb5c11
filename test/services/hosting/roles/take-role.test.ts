import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeFrontierRole } from '../../../../services/hosting/roles/take-role.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a frontier that is stopped while it joins leaves no watch of topic settings running, so its process ends', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const clock = {
    nowMs: () => 0,
    sleepUntil(_: number, signal?: AbortSignal) {
      signals.push(signal);
      return new Promise<void>(() => {});
    },
  };
  const closed = async () => {
    throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
  };
  const log = new Proxy({}, { get: (_, name) => (name === 'risks' ? async () => [] : closed) });
  const manifest = { crawl: 't', partitions: 1, keyMode: 'host', fingerprintKey: '00'.repeat(16) };
  const role = { log, clock, manifest, codec: {}, service: { listensOn: null }, onFailure() {}, queries: {} };
  const flags = { data: join(temporaryFolder(), 'data'), brokers: 'localhost:1', crawl: 't', standbys: 0 };
  await assert.rejects(takeFrontierRole({ ...role, flags } as unknown as Parameters<typeof takeFrontierRole>[0]), {
    code: 'STORE_CLOSED',
  });
  assert.ok(signals.length > 0);
  assert.ok(signals.every((signal) => signal?.aborted));
});

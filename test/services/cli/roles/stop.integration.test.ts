import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCommand } from '../../../../lab/process/command.ts';
import { cutShort, isCutShort } from '../../../../services/hosting/connect/cut-short.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

test('a role that is stopped while no broker is there ends in good order', async () => {
  const at = ['--brokers', '127.0.0.1:1', '--contact', 'a@example.org', '--http', '127.0.0.1:0'];
  const { child, output, ended } = startCommand(['fetcher', ...at]);
  while (!output().includes('listening on')) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /stopping: handing over/);
});

test('a wait for the log ends when it is aborted, and finished work is left alone', async () => {
  let close = () => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const log = { close: async () => close() };
  const cut = new AbortController();
  assert.equal(await cutShort(cut.signal, log, async () => 'done'), 'done');
  const waits = cutShort(cut.signal, log, async () => {
    await closed;
    throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
  });
  cut.abort();
  await assert.rejects(waits, isCutShort);
  await assert.rejects(
    cutShort(cut.signal, log, async () => assert.fail('it is too late to begin')),
    { code: 'STORE_CLOSED' },
  );
  assert.ok(!isCutShort(new CrawlstreamError('STORE_FAILED', 'the disk is broken')));
});

/** Orders of operators on a crawl, as its view takes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ViewedCrawl, viewOf } from '../../../services/dashboard/crawl-view.ts';
import { seedReader } from '../../../services/hosting/roles/seed-reader.ts';
import { memoryCrawl } from '../cli/inspect/memory-crawl.ts';

async function viewed(change: Partial<ViewedCrawl>) {
  const { crawl, policy, close } = await memoryCrawl();
  await policy();
  const sent: unknown[] = [];
  const send = async (records: readonly unknown[]) => sent.push(...records);
  const { log, codec, topics } = crawl;
  const parts = { log, codec, topics, clock: { nowMs: () => 1_000 }, send, ...change };
  return { view: viewOf(parts as unknown as ViewedCrawl), sent, close };
}

test('a second call to stop a crawl changes nothing, since a second signal would end the process at once', async () => {
  const stops: string[] = [];
  const { view, close } = await viewed({ stop: (by) => stops.push(by) > 0 });
  assert.deepEqual([await view.steer('stop', 'ann'), await view.steer('stop', 'bob')], [true, false]);
  assert.deepEqual(stops, ['ann']);
  await close();
});

test('a stop that reaches nobody changes nothing, and can be repeated', async () => {
  let answer = false;
  const { view, close } = await viewed({ stop: () => answer });
  assert.equal(await view.steer('stop', 'ann'), false);
  answer = true;
  assert.equal(await view.steer('stop', 'ann'), true);
  await close();
});

test('seeds of the dashboard are read as those of the command: no credentials, no white space within', async () => {
  const { view, sent, close } = await viewed({ seedsUnder: seedReader({}) });
  const given = [' a.test ', 'https://me:secret@b.test/', 'https://c.test/a b', 'ftp://d.test/'];
  const answer = await view.addSeeds(given);
  assert.deepEqual(answer.sent, ['https://a.test/']);
  assert.deepEqual(
    answer.refused.map(({ url }) => url),
    given.slice(1),
  );
  assert.match(answer.refused[0]!.why, /it has a user name or password/);
  assert.equal(sent.length > 0, true);
  await close();
});

/** Orders of operators on a crawl, as its view takes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedReader } from '../../../../services/extras/dashboard/command/seed-reader.ts';
import type { ViewedCrawl } from '../../../../services/extras/dashboard/crawl-view.ts';
import { viewOf } from '../../../../services/extras/dashboard/followed-crawl.ts';
import type { HostListStatus, PartitionReport } from '../../../../services/extras/dashboard/status.ts';
import { FirstHosts, type HostRow } from '../../../../topology/frontier/ask/list-hosts.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

async function viewed(change: Partial<ViewedCrawl>) {
  const memory = await memoryCrawl();
  const { crawl, policy, close } = memory;
  await policy();
  const sent: unknown[] = [];
  const send = async (records: readonly unknown[]) => sent.push(...records);
  const { log, codec, topics } = crawl;
  const parts = { log, codec, topics, clock: { nowMs: () => 1_000 }, send, ...change };
  return { view: viewOf(parts as unknown as ViewedCrawl), sent, memory, close };
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

const hit = (url: string, fetchedAtMs: number) => ({ url, title: '', snippet: '', fetchedAtMs });

test('a search shows no page that was purged, before the index has taken it out', async () => {
  const hits = [hit('https://a.test/', 5), hit('https://b.test/', 5)];
  const { view, memory, close } = await viewed({ search: () => async () => hits });
  await memory.purge('a.test', 9);
  assert.deepEqual(
    (await view.search('x')).hits.map(({ url }) => url),
    ['https://b.test/'],
  );
  await close();
});

test('a list of duplicates counts no outcome again, and passes on that its caller has left', async () => {
  let looks = 0;
  const given: (AbortSignal | undefined)[] = [];
  const { view, memory, close } = await viewed({
    places: async () => {
      looks += 1;
      return [];
    },
    duplicates: async (_, signal) => {
      given.push(signal);
      return { clusters: 1, listed: [] };
    },
  });
  await memory.verdict('https://a.test/2', 'https://a.test/1');
  const { signal } = new AbortController();
  assert.equal((await view.duplicates(signal)).clusters, 1);
  assert.deepEqual([looks, given], [0, [signal]]);
  await close();
});

test('the map of hosts has the host with most pages, however many hosts have more URLs without a page', async () => {
  const failing = Array.from({ length: 1_000 }, (_, n) => ({ host: `failing-${n}.test`, fetched: 50, pages: 0 }));
  const all = [...failing, { host: 'small.test', fetched: 4, pages: 4 }] as unknown as HostRow[];
  const { view, close } = await viewed({
    async hosts(asked) {
      const first = new FirstHosts(asked);
      for (const host of all) first.offer(host, () => host);
      return { hosts: first.rows, matched: all.length, known: all.length, missing: [] } as unknown as HostListStatus;
    },
    hostLinks: () => async (hosts) => hosts.map((host) => ({ host, targets: [], isWhole: true })),
  });
  const { hosts, isEstimate } = await view.hostMap();
  assert.deepEqual([hosts, isEstimate], [[{ host: 'small.test', pages: 4 }], false]);
  await close();
});

test('the page of an ended crawl names the hosts that failed, when no process runs it any more', async () => {
  const failed = { host: 'dead.test', hold: '', deadUntilMs: null, failures: 9, throttles: 0, queued: 0 };
  const { view, close } = await viewed({
    places: async () => [partition()],
    members: async () => null,
    fetchers: async () => null,
    activity: async () => ({ idle: { lastWrittenMs: 1, resume: 'x', unpause: 'y' }, silentMs: null }),
    about: async () => null,
    folder: null,
    hosts: async () => ({ hosts: [failed] }) as never,
    search: () => null,
    hostLinks: () => null,
  });
  const { phase, troubles } = await view.look();
  assert.deepEqual([phase, troubles[0]?.text], ['done', '1 host failed until the end: dead.test']);
  await close();
});

/** Of a crawl that has ended. */
function partition(): PartitionReport {
  return {
    ...{
      partition: 0,
      owner: null,
      restored: null,
      freshness: null,
      restoreLeftMs: null,
      readyHosts: null,
      delayedHosts: null,
    },
    ...{ lag: { control: 0, results: 0, discovered: 0 }, counters: { ...zeroCounters(), admitted: 1, done: 1 } },
  } as unknown as PartitionReport;
}

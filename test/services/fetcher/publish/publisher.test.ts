/** What a fetcher appends, in which order and when, with a log that acknowledges when it is told to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  blankHostFacts,
  blankLink,
  blankLinkGroup,
  blankOutcome,
  blankPage,
  blankRender,
  blankRequest,
  blankResponse,
  blankRobotsCopy,
  blankTask,
  blankTaskUrl,
} from '../../../../schemas/blank.ts';
import type { LinkGroup, Task } from '../../../../schemas/types.ts';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { LinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { createPublisher, type UrlReport } from '../../../../services/fetcher/publish/publisher.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { AppendRecord, Log } from '../../../../services/runtime/log/log.ts';
import { logLimits } from '../../../../services/runtime/log/log-limits.ts';
import { RecordTooLarge } from '../../../../services/runtime/log/record-too-large.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import { createFakeClock } from '../fake-clock.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { flushMs, resultsMs, flushBytes, publishBytesMax } = fetcherLimits;
const codec = await openCodec(createMemoryRegistry(), 'c');
const names = ['pages', 'discovered', 'results', 'responses', 'render', 'robots'] as const;
const topics = Object.fromEntries(names.map((name) => [name, `c.${name}`])) as Record<(typeof names)[number], string>;
const partitions = 64;

/** A record in a few words. */
function reported({ topic, partition, key, value }: AppendRecord): string {
  const name = topic.slice(2);
  const at = `${name} ${partition} ${key}`;
  const bytes = value as Buffer;
  if (bytes.length === 0) return `${at} taken back`;
  if (name === 'discovered') {
    const links = codec.decode('discovered', bytes).groups.flatMap((group) => group.links.map(({ url }) => url));
    return `${at}: ${links.join(' ')}`;
  }
  if (name !== 'results') return at;
  const { outcomes, last, requests, completedAtMs } = codec.decode('results', bytes);
  const words = [...outcomes.map(({ index, kind }) => `${index} ${kind}`), ...requests.map(({ url }) => url)];
  return `results ${partition}: ${[...words, completedAtMs, ...(last ? ['last'] : [])].join(', ')}`;
}

/**
 * `answer`: of the log to an append; it is asked when the append is made. Absent: it is durable at once. `isAtomic`: the
 * log takes an append as a whole.
 */
function played(
  answer: (records: readonly AppendRecord[]) => Promise<unknown> | undefined = () => undefined,
  isAtomic = false,
) {
  const clock = createFakeClock();
  const appends: string[][] = [];
  const records: AppendRecord[] = [];
  const failures: unknown[] = [];
  const remembered: number[] = [];
  const durable: unknown[] = [];
  const publisher = createPublisher({
    log: {
      append: async (appended: readonly AppendRecord[]) => {
        appends.push(appended.map(reported));
        records.push(...appended);
        await answer(appended);
        return [];
      },
      ...(isAtomic && { isAtomic }),
    } as unknown as Log,
    ...{ clock, codec, partitions, keyMode: 'host', fetcherId: 'f', topics },
    linkCache: { remember: (pending: readonly number[]) => remembered.push(...pending) } as unknown as LinkCache,
    onDurable: (task, outcomes, last) => durable.push([task.leaseId, outcomes.map(({ index }) => index), last]),
    onFailure: (error) => failures.push(error),
  });
  const urls = [0, 1, 2].map((n) => ({ ...blankTaskUrl, url: `http://a.test/${n}` }));
  const open = (task: Partial<Task> = {}) =>
    publisher.open({ ...blankTask, hostKey: 'a.test', partition: 5, leaseId: 1, urls, ...task });
  const results = () =>
    records.filter(({ topic }) => topic === topics.results).map(({ value }) => codec.decode('results', value!));
  return { publisher, clock, appends, records, failures, remembered, durable, open, results };
}

function report(index: number, more: Partial<UrlReport> = {}): UrlReport {
  const outcome = { ...blankOutcome, index, url: `http://a.test/${index}`, kind: 'fetched' as const };
  const page = { ...blankPage, url: outcome.url };
  return { outcome, requests: [], page, groups: [], pending: [], ...more };
}
const linksTo = (hostKey: string, more: Partial<LinkGroup> = {}): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey, links: [{ ...blankLink, url: `http://${hostKey}/` }] },
  ...more,
});
/** A group of so many bytes. */
function groupOf(bytes: number): LinkGroup {
  const sizeOf = (group: LinkGroup) => codec.writeLinkGroup(group, Buffer.alloc(2 * bytes + 1_000), 0);
  let group = linksTo('b.test', { payload: 'x'.repeat(bytes - 80) });
  while (sizeOf(group) < bytes) group = { ...group, payload: `${group.payload}x` };
  assert.equal(sizeOf(group), bytes);
  return group;
}
const links = (...groups: LinkGroup[]) => report(0, { page: null, groups });
const response = (bytes = 0) => ({
  ...{ ...blankResponse, hostKey: 'b.test', requestBody: Buffer.alloc(0) },
  body: Buffer.alloc(bytes),
});
/** Resolves what it made when told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
const b = partitionOf('b.test', partitions);

describe('a lease report on a log with atomic appends', () => {
  it('a lease report on a log with atomic appends is one append with its pages, links and result', async () => {
    const { opened, open: ack } = gate();
    const { clock, appends, open, remembered, durable } = played(() => opened, true);
    const lease = open();
    lease.report(report(0, { groups: [linksTo('b.test')], pending: [4, 5] }));
    lease.finish();
    await clock.advance(flushMs);
    const whole = [
      'pages 5 http://a.test/0',
      `discovered ${b} b.test: http://b.test/`,
      'results 5: 0 fetched, 0, last',
    ];
    assert.deepEqual(appends, [whole]);
    assert.deepEqual([remembered, durable], [[], []], 'nothing is acked');
    ack();
    await clock.advance(60_000);
    assert.deepEqual([remembered, durable], [[4, 5], [[1, [0], true]]]);
    assert.equal(appends.length, 1);
  });

  it('a lease report on a log with atomic appends has no result twice, and each lease has one end', async () => {
    const { clock, appends, open, durable, publisher } = played(undefined, true);
    const [one, two] = [open({ leaseId: 1 }), open({ leaseId: 2 })];
    one.report(report(0, { page: null }));
    two.report(report(0, { page: null }));
    await clock.advance(flushMs);
    one.report(report(1, { page: null }));
    one.finish();
    await clock.advance(flushMs);
    two.finish();
    await publisher.drain();
    assert.deepEqual(appends, [
      ['results 5: 0 fetched, 0', 'results 5: 0 fetched, 0'],
      ['results 5: 1 fetched, 0, last'],
      ['results 5: 0, last'],
    ]);
    assert.deepEqual(durable, [
      [1, [0], false],
      [2, [0], false],
      [1, [1], true],
      [2, [], true],
    ]);
  });

  it('a lease report on a log with atomic appends waits for the end of its lease if there are many', async () => {
    const { clock, appends, open } = played(undefined, true);
    const lease = open();
    for (let at = 0; at <= fetcherLimits.resultsWithReportsMax; at++) lease.report(report(at % 3));
    await clock.advance(flushMs);
    assert.deepEqual(
      appends.map((records) => records.filter((record) => record.startsWith('results')).length),
      [0],
    );
    lease.finish();
    await clock.advance(flushMs);
    assert.match(appends[1]!.join(), /^results 5: .*last$/);
  });

  it('a lease report on a log with atomic appends that is under way is drained, once', async () => {
    const { opened, open: ack } = gate();
    const { clock, appends, open, publisher, durable } = played(() => opened, true);
    let cycles = 0;
    const { nowMs } = clock;
    clock.nowMs = () => {
      // A loop without an end would stop this test's timers, too.
      cycles += 1;
      assert.ok(cycles < 1_000, 'the publisher has no end');
      return nowMs();
    };
    const lease = open();
    lease.report(report(0));
    lease.finish();
    await clock.advance(flushMs);
    const drained = publisher.drain();
    ack();
    await drained;
    assert.equal(appends.length, 1);
    assert.deepEqual(durable, [[1, [0], true]]);
  });

  it('a lease report on a log with atomic appends fails with its append', async () => {
    const { clock, open, failures, remembered, durable } = played(() => Promise.reject(new Error('full')), true);
    const lease = open();
    lease.report(report(0, { pending: [4] }));
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual([failures.length, remembered, durable], [1, [], []]);
  });
});

describe('a lease report', () => {
  it('a lease report is published after a moment: pages before links, and the result once both are acknowledged', async () => {
    const { opened, open: ack } = gate();
    const { clock, appends, open, remembered, durable } = played((records) =>
      records[0]!.topic === topics.pages ? opened : undefined,
    );
    const request = { ...blankRequest, url: 'http://a.test/0', endMs: 77 };
    const lease = open();
    assert.equal(
      lease.report(report(0, { requests: [request], groups: [linksTo('b.test')], pending: [4, 5] })),
      undefined,
    );
    await clock.advance(flushMs - 1);
    assert.deepEqual(appends, []);
    await clock.advance(1);
    assert.deepEqual(appends, [['pages 5 http://a.test/0', `discovered ${b} b.test: http://b.test/`]]);
    await clock.advance(resultsMs * 2);
    assert.deepEqual([appends.length, remembered], [1, []], 'nothing is acked');
    ack();
    await clock.advance(resultsMs - 1);
    assert.deepEqual([appends.length, remembered], [1, [4, 5]]);
    await clock.advance(1);
    assert.deepEqual(appends[1], ['results 5: 0 fetched, http://a.test/0, 77']);
    assert.deepEqual(durable, [[1, [0], false]]);
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(appends.slice(2), [['results 5: 77, last']]);
    assert.deepEqual(durable[1], [1, [], true]);
    await clock.advance(60_000);
    assert.equal(appends.length, 3);
  });

  it('a lease report that ends at once is sent with its end, but not before everything is acknowledged', async () => {
    const { opened, open: ack } = gate();
    const { clock, appends, open } = played((records) => (records[0]!.topic === topics.pages ? opened : undefined));
    const lease = open();
    lease.report(report(0));
    lease.report(report(1, { page: null }));
    lease.finish();
    await clock.advance(1_000);
    assert.deepEqual(appends, [['pages 5 http://a.test/0']]);
    ack();
    await clock.advance(0);
    assert.deepEqual(appends.slice(1), [['results 5: 0 fetched, 1 fetched, 0, last']]);
  });

  it('a lease report waits at most until its oldest outcome is due, each lease separately', async () => {
    const { clock, appends, open, durable } = played();
    const [one, two] = [open({ leaseId: 1, partition: 1 }), open({ leaseId: 2, partition: 2 })];
    one.report(report(0, { page: null }));
    await clock.advance(flushMs + 100);
    one.report(report(1, { page: null }));
    two.report(report(0, { page: null }));
    await clock.advance(resultsMs - 101);
    assert.deepEqual(appends, []);
    await clock.advance(1);
    assert.deepEqual(appends, [['results 1: 0 fetched, 1 fetched, 0']]);
    await clock.advance(flushMs + 99);
    assert.equal(appends.length, 1);
    await clock.advance(1);
    assert.deepEqual(appends.slice(1), [['results 2: 0 fetched, 0']]);
    assert.deepEqual(durable, [
      [1, [0, 1], false],
      [2, [0], false],
    ]);
    await clock.advance(60_000);
    assert.equal(appends.length, 2, 'and is told once');
  });

  it('a lease report goes out right after the cycle under way, in one cycle', async () => {
    let { opened, open: ack } = gate();
    const { clock, appends, open } = played((records) => (records[0]!.topic === topics.pages ? opened : undefined));
    const lease = open();
    lease.report(report(0));
    await clock.advance(flushMs);
    lease.report(report(1));
    await clock.advance(flushMs);
    lease.report(report(2));
    await clock.advance(flushMs);
    assert.equal(appends.length, 1);
    const ackFirst = ack;
    ({ opened, open: ack } = gate());
    ackFirst();
    await clock.advance(0);
    assert.deepEqual(appends.slice(1), [['pages 5 http://a.test/1', 'pages 5 http://a.test/2']]);
    ack();
    await clock.advance(0);
    assert.equal(appends.length, 2);
  });

  it('a lease report leaves with everything else of that moment; later reports go in the next cycle', async () => {
    const { clock, appends, open } = played();
    const lease = open();
    const at = async (ms: number, index: number) => {
      await clock.advance(ms);
      lease.report(report(index));
    };
    await at(0, 0);
    await at(flushMs - 5, 1);
    await clock.advance(5);
    assert.deepEqual(appends, [['pages 5 http://a.test/0', 'pages 5 http://a.test/1']]);
    await at(5, 2);
    await clock.advance(flushMs - 1);
    assert.equal(appends.length, 1);
    await clock.advance(1);
    assert.equal(appends.length, 2);
    await at(0, 3);
    await clock.advance(5);
    lease.report(links(groupOf(flushBytes)));
    await at(5, 4);
    assert.equal(appends.length, 3, 'early');
    await clock.advance(flushMs - 1);
    assert.equal(appends.length, 3);
    await clock.advance(1);
    assert.equal(appends.length, 4);
  });

  it('a lease report may hold links without a page, which no outcome names', async () => {
    const { clock, appends, open, remembered, failures } = played();
    const lease = open();
    lease.found([linksTo('b.test')], [7]);
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(appends, [[`discovered ${b} b.test: http://b.test/`], ['results 5: 0, last']]);
    assert.deepEqual([remembered, failures], [[7], []]);
  });

  it('a lease report leaves at once if it is large', async () => {
    for (const [bytes, expected] of [
      [flushBytes - 1, 0],
      [flushBytes, 1],
    ] as const) {
      const { clock, appends, open } = played();
      open().report(links(groupOf(bytes)));
      await clock.advance(0);
      assert.equal(appends.length, expected, `${bytes} bytes`);
    }
    const { clock, appends, open, publisher } = played();
    const lease = open();
    lease.report(links(groupOf(flushBytes / 2)));
    lease.found([groupOf(flushBytes / 2)], []);
    await clock.advance(0);
    assert.equal(appends.length, 1, 'together');
    publisher.responded(response(flushBytes));
    lease.report(links(groupOf(100)));
    await clock.advance(0);
    assert.equal(appends.length, 2, 'with what leaves beside');
    lease.report(report(0, { page: { ...blankPage, text: 'x'.repeat(flushBytes) } }));
    await clock.advance(0);
    assert.equal(appends.length, 3, 'pages count, too');
  });

  it('a lease report that waits for an acknowledgement holds nothing of its page’s text', async () => {
    const { opened, open: ack } = gate();
    const { clock, open } = played(() => opened);
    const lease = open();
    lease.report(report(0));
    await clock.advance(flushMs);
    const bytesHeld = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = bytesHeld();
    for (let n = 0; n < 32; n++) {
      // A page of a mebibyte, and a link that is a piece of it.
      const text = `http://b${n}.test/path-of-page-${n} ${'x'.repeat(1 << 20)}`;
      const url = text.slice(0, text.indexOf(' '));
      const group = linksTo(hostKeyOf(url), { links: [{ ...blankLink, url, spelling: url.slice(12) }] });
      lease.report(links(group));
    }
    assert.ok(bytesHeld() - before < 4 << 20, `${bytesHeld() - before} bytes`);
    ack();
    await clock.advance(flushMs);
  });

  it('a lease report waits while too many bytes await acknowledgement, until one cycle is acknowledged', async () => {
    let { opened, open: ack } = gate();
    const { clock, open } = played(() => opened);
    const lease = open();
    lease.report(links(groupOf(1_000)));
    await clock.advance(flushMs);
    assert.equal(lease.report(links(groupOf(publishBytesMax - 1_000))), undefined, 'just as many');
    let proceeds = false;
    const room = lease.found([groupOf(900)], [])!.then(() => (proceeds = true));
    await clock.advance(1_000);
    assert.equal(proceeds, false);
    const ackFirst = ack;
    ({ opened, open: ack } = gate());
    ackFirst();
    await room;
    assert.equal(lease.found([groupOf(100)], []), undefined, 'what is acked counts no more');
    ack();
  });
});

describe('a result', () => {
  it('a result ends with the last contact of its lease, and holds requests that belong to no outcome', async () => {
    const { clock, appends, open } = played();
    const lease = open();
    const request = (url: string, endMs: number) => ({ ...blankRequest, url, endMs });
    lease.requested(request('r1', 50));
    lease.requested(request('r2', 40));
    lease.report(report(0, { page: null, requests: [request('p1', 60), request('p2', 55)] }));
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(appends, [['results 5: 0 fetched, r1, r2, p1, p2, 60, last']]);
    const other = open();
    for (const endMs of [70, 90, 80]) other.requested(request('r', endMs));
    other.finish();
    await clock.advance(flushMs);
    assert.deepEqual(appends[1], ['results 5: r, r, r, 90, last']);
  });

  it('a result holds what was learnt of the host, and each sitemap once', async () => {
    const { clock, open, results } = played();
    const lease = open();
    lease.learnt({ ...blankHostFacts, robotsHash: '1', sitemaps: ['http://a.test/s'] });
    lease.learnt({ ...blankHostFacts, robotsHash: '2' });
    lease.sitemapsRead(7, 3, 'http://a.test/t');
    lease.report(report(0));
    await clock.advance(flushMs + resultsMs);
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(
      results().map(({ host: { robotsHash, sitemaps, sitemapsSinceMs, sitemapsLeft } }) => [
        ...[robotsHash, sitemaps, sitemapsSinceMs, sitemapsLeft],
      ]),
      [
        ['2', ['http://a.test/s'], 7, 3],
        ['2', [], 7, 3],
      ],
    );
  });

  it('the last result of a lease names a sitemap that is left, without a round and without an outcome', async () => {
    const { clock, open, results } = played();
    const lease = open();
    lease.learnt({ ...blankHostFacts, sitemaps: ['http://a.test/s'] });
    lease.report(report(0));
    await clock.advance(flushMs + resultsMs);
    lease.sitemapsRead(-1, 2, 'http://a.test/t');
    lease.finish();
    await clock.advance(flushMs);
    const { outcomes, host } = results().at(-1)!;
    assert.deepEqual(
      [outcomes.length, host.sitemapsSinceMs, host.sitemapsLeft, host.sitemaps],
      [0, 0, 2, ['http://a.test/t']],
    );
  });

  it('a result names URLs in normal form, with their tags', async () => {
    const { clock, open, results } = played();
    const urls = [
      { ...blankTaskUrl, normal: 'http://a.test/normal' },
      { ...blankTaskUrl, tags: ['t'] },
    ];
    const lease = open({ urls });
    for (const index of [0, 1, 2]) lease.report(report(index, { page: null }));
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(
      results()[0]!.outcomes.map(({ url, tags }) => [url, tags]),
      [
        ['http://a.test/normal', []],
        ['http://a.test/1', ['t']],
        ['http://a.test/2', []],
      ],
    );
  });

  it('a result without URLs asks for the lease of another host at once', async () => {
    const { clock, open, results, durable } = played();
    open().requestLease('b.test', {
      url: 'http://b.test/robots.txt',
      asked: ['http://a.test/robots.txt'],
      partition: 5,
    });
    await clock.advance(0);
    assert.deepEqual(
      results().map(({ hostKey, partition, robotsHops }) => [hostKey, partition, robotsHops.length]),
      [['b.test', b, 1]],
    );
    assert.deepEqual(durable, []);
  });
});

describe('a page', () => {
  it('a withdrawn page is a tombstone', async () => {
    const { clock, appends, open } = played();
    const lease = open();
    lease.report(report(0, { page: null, withdrawn: true }));
    lease.report(report(1, { page: null, withdrawn: false }));
    await clock.advance(flushMs);
    assert.deepEqual(appends, [['pages 5 http://a.test/0 taken back']]);
  });

  it('a page continues its trace, which is reported when the page is durable', async () => {
    const { opened, open: ack } = gate();
    const { clock, records, open } = played(() => opened);
    let acked = 0;
    open().report(report(0, { spans: { publishContext: 'ctx', acked: () => (acked += 1) } }));
    await clock.advance(flushMs);
    assert.deepEqual([records[0]!.headers, acked], [{ traceparent: 'ctx' }, 0]);
    ack();
    await clock.advance(0);
    assert.equal(acked, 1);
  });

  it('a page is published up to the largest record of the log', async () => {
    const { clock, records, open } = played();
    const page = (chars: number) => ({ ...blankPage, url: 'http://a.test/0', text: 'x'.repeat(chars) });
    const most = logLimits.recordBytesMax;
    const around = codec.encode('pages', page(most - 1_000)).length - (most - 1_000);
    open().report(report(0, { page: page(most - around) }));
    await clock.advance(0);
    assert.equal(records[0]!.value!.length, most);
  });

  it('a page too large for its topic becomes an outcome that says so; the rest is durable', async () => {
    const error = new RecordTooLarge('c.pages', [1, 2]);
    const { clock, open, publisher, results, failures } = played((records) =>
      records.length === 3 ? Promise.reject(error) : undefined,
    );
    const lease = open();
    lease.report(report(0));
    lease.report(report(1));
    publisher.responded(response());
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(
      results()[0]!.outcomes.map(({ kind, detail }) => [kind, detail]),
      [
        ['fetched', ''],
        ['tooLarge', error.message],
      ],
    );
    assert.deepEqual([publisher.tooLarge, failures], [1, []]);
  });
});

describe('records beside pages', () => {
  it('records beside pages go to the partition of their host', async () => {
    const { clock, appends, publisher } = played();
    publisher.responded(response());
    publisher.needsBrowser({ ...blankRender, hostKey: 'b.test', body: Buffer.alloc(0) });
    publisher.readRobots({ ...blankRobotsCopy, origin: 'http://b.test', hash: 'h', body: Buffer.from('x') });
    await clock.advance(flushMs);
    assert.deepEqual(appends, [[`responses ${b} b.test`, `render ${b} b.test`, `robots ${b} http://b.test h`]]);
  });

  it('a robots.txt waits for the reports of its lease, or for many bytes', async () => {
    const { clock, publisher, appends, open } = played();
    const copy = { ...blankRobotsCopy, origin: 'http://b.test', hash: 'h', body: Buffer.from('x') };
    const lease = open();
    publisher.readRobots(copy);
    await clock.advance(60_000);
    assert.deepEqual(appends, []);
    lease.finish();
    await clock.advance(flushMs);
    assert.deepEqual(appends, [[`robots ${b} http://b.test h`], ['results 5: 0, last']]);
    publisher.readRobots({ ...copy, body: Buffer.alloc(flushBytes) });
    await clock.advance(0);
    assert.equal(appends.length, 3);
    publisher.readRobots(copy);
    await publisher.drain();
    assert.equal(appends.length, 4);
  });

  it('a robots.txt that comes during an append of reports does not wait for the end of its lease', async () => {
    const { opened, open: ack } = gate();
    const { clock, publisher, appends, open } = played(() => opened);
    const lease = open();
    lease.report(report(0));
    await clock.advance(flushMs);
    publisher.readRobots({ ...blankRobotsCopy, origin: 'http://b.test', hash: 'h', body: Buffer.from('x') });
    lease.learnt({ ...blankHostFacts, robotsHash: 'h' });
    ack();
    await clock.advance(flushMs);
    assert.ok(appends.some(([first]) => first === `robots ${b} http://b.test h`));
  });

  it('records beside pages that are too large for the log are dropped and counted', async () => {
    const { clock, records, publisher } = played();
    const most = logLimits.recordBytesMax;
    const around = codec.encode('responses', response(most - 1_000)).length - (most - 1_000);
    publisher.responded(response(most - around));
    publisher.responded(response(most - around + 1));
    assert.equal(publisher.tooLarge, 1);
    await clock.advance(flushMs);
    assert.deepEqual(
      records.map(({ value }) => value!.length),
      [most],
    );
  });

  it('records beside pages count toward the byte limit that leases wait for', async () => {
    const { clock, open, publisher } = played(() => new Promise(() => {}));
    const lease = open();
    lease.report(links(groupOf(1_000)));
    await clock.advance(flushMs);
    assert.equal(lease.report(links(groupOf(publishBytesMax - 2_000))), undefined);
    publisher.responded(response(1_000));
    assert.notEqual(lease.report(links(groupOf(100))), undefined);
  });
});

describe('the end of publishing', () => {
  it('publishing ends when all reports and the results of ended leases are acknowledged', async () => {
    const { publisher, appends, open, durable } = played();
    await publisher.drain();
    assert.deepEqual(appends, []);
    const lease = open();
    lease.report(report(0));
    open({ leaseId: 2 }).report(report(1));
    lease.finish();
    await publisher.drain();
    assert.deepEqual(appends, [
      ['pages 5 http://a.test/0', 'pages 5 http://a.test/1'],
      ['results 5: 0 fetched, 0, last'],
    ]);
    assert.deepEqual(durable, [[1, [0], true]]);
    publisher.responded(response());
    await publisher.drain();
    assert.deepEqual(appends[2], [`responses ${b} b.test`]);
  });

  it('the end of publishing waits for results that are under way', async () => {
    const { opened, open: ack } = gate();
    const { publisher, clock, open, durable } = played((records) =>
      records[0]!.topic === topics.results ? opened : undefined,
    );
    open().finish();
    let isOver = false;
    const drained = publisher.drain().then(() => (isOver = true));
    await clock.advance(1_000);
    assert.deepEqual([isOver, durable], [false, []]);
    ack();
    await drained;
    assert.deepEqual(durable, [[1, [], true]]);
  });
});

describe('a log that failed', () => {
  const broken = new Error('the log is gone');

  it('after a failed append the result is not published, since its pages might be missing', async () => {
    const { clock, appends, failures, open, publisher } = played((records) =>
      records.some(({ topic }) => topic === topics.pages) ? Promise.reject(broken) : undefined,
    );
    const lease = open();
    lease.report(report(0));
    await clock.advance(10_000);
    assert.deepEqual(failures, [broken]);
    const before = appends.length;
    // A lease that has nothing unacked would send its last result by itself.
    lease.report(report(1));
    lease.finish();
    open({ hostKey: 'b.test' }).finish();
    open().requestLease('b.test', { url: '', asked: [], partition: 0 });
    await clock.advance(60_000);
    assert.deepEqual(failures, [broken], 'said once');
    assert.equal(appends.length, before);
    await assert.rejects(publisher.drain(), broken);
  });

  it('links that are too large for the log count as a failed log, since none may be lost', async () => {
    const error = new RecordTooLarge('c.discovered', [0]);
    const { clock, failures, open } = played(() => Promise.reject(error));
    open().report(links(linksTo('b.test')));
    await clock.advance(flushMs);
    assert.deepEqual(failures, [error]);
  });

  it('a refused result counts as a failed log', async () => {
    const { clock, failures, open } = played(() => Promise.reject(broken));
    open().finish();
    for (let n = 0; n < 2; n++) open().requestLease('b.test', { url: '', asked: [], partition: 0 });
    await clock.advance(flushMs);
    assert.deepEqual(failures, [broken], 'said once');
  });

  it('a failed log keeps nobody waiting for room', async () => {
    const { opened, open: ack } = gate();
    const { clock, open, failures } = played(() => opened.then(() => Promise.reject(broken)));
    const lease = open();
    lease.report(links(groupOf(1_000)));
    await clock.advance(flushMs);
    const room = lease.report(links(groupOf(publishBytesMax)));
    assert.notEqual(room, undefined);
    ack();
    await room;
    await clock.advance(0);
    assert.deepEqual(failures, [broken]);
    assert.equal(lease.report(links(groupOf(100))), undefined);
  });
});

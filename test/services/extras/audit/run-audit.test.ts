/** Audits of a small crawl on a log in memory: what binds its requests stands on other topics, and on other partitions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Control, Result } from '../../../../schemas/types.ts';
import { auditOneHost } from '../../../../services/extras/audit/one-host.ts';
import { resultsInTime } from '../../../../services/extras/audit/records-in-time.ts';
import { type AuditRun, runAudit } from '../../../../services/extras/audit/run-audit.ts';
import { drawFrom } from '../../../kept/drawn.ts';
import { bytes, hashOf, outcome, type Placed, record, request, robotsCopy, sourceOf } from './on-log.ts';

const dayMs = 1_700_000_000_000;
const tolerance = { skewMs: 100, noticeMs: 10_000, fromMs: 0 };
const rules = 'User-agent: *\nDisallow: /private\n';

const control = (partition: number, given: Partial<Control>) =>
  record('control', partition, { atMs: dayMs - 60_000, ...given });
const policy = (partition: number) =>
  control(partition, { kind: 'policy', version: 1, payload: '{"delayMs":1000,"delayFactor":0,"delayFactorCapMs":0}' });

/** A request of a lease, at a second after another; its page is fetched by the robots.txt above. */
function visit(partition: number, host: string, startMs: number, path: string, given: Partial<Result> = {}): Placed {
  const url = `https://${host}${path}`;
  const asked = { startMs, endMs: startMs + 50, status: 200, robotsHash: hashOf(rules), robotsAtMs: dayMs - 5_000 };
  return record('results', partition, {
    ...{ partition, leaseId: 1, hostKey: host, fetcherId: 'f1', last: true, completedAtMs: startMs + 60 },
    ...{ grantedAtMs: startMs - 10, policyVersion: 1, userAgent: 'Bot/1', robotsTokens: 'crawlstream' },
    ...{ outcomes: [outcome(url)], requests: [request(url, asked)] },
    ...given,
  });
}

const copies = [robotsCopy(0, 'https://a.test', rules), robotsCopy(1, 'https://b.test', rules)];
const audited = async (records: readonly Placed[], run: Partial<AuditRun> = {}) =>
  runAudit(await sourceOf(records), { ...tolerance, ...run });
const kinds = ({ violations }: { violations: readonly { kind: string; partition: number; offset: number }[] }) =>
  violations.map(({ kind, partition, offset }) => `${kind} ${partition}:${offset}`);

describe('an audit', () => {
  const polite = [
    ...[policy(0), policy(1), ...copies],
    ...[visit(0, 'a.test', dayMs, '/1'), visit(1, 'b.test', dayMs + 10, '/1'), visit(0, 'a.test', dayMs + 1_050, '/2')],
  ];

  it('an audit finds nothing if every delay and rule was kept, and says what it read', async () => {
    const report = await audited(polite);
    assert.deepEqual([report.violations, report.violationCount, report.unreadable], [[], 0, 0]);
    assert.deepEqual(
      [report.counts.fetches, report.counts.hosts, report.counts.cutOff, report.counts.names],
      [3, 2, 0, ['Bot/1']],
    );
    assert.deepEqual(
      report.read.map(({ topic, partition, first, last, records }) => [topic, partition, first, last, records]),
      [
        ['crawl.control', 0, 0, 0, 1],
        ['crawl.control', 1, 0, 0, 1],
        ['crawl.results', 0, 0, 1, 2],
        ['crawl.results', 1, 0, 0, 1],
        ['crawl.robots', 0, 0, 0, 1],
        ['crawl.robots', 1, 0, 0, 1],
      ],
    );
  });

  it('an audit finds each violation, and its location', async () => {
    const report = await audited([
      ...polite,
      visit(1, 'b.test', dayMs + 1_059, '/too-early'),
      visit(0, 'a.test', dayMs + 9_000, '/private/x'),
    ]);
    assert.deepEqual(kinds(report), ['gapTooShort 1:1', 'disallowed 0:2']);
    assert.equal(report.violationCount, 2);
  });

  it('an audit uses the policy of each partition, and no unreadable order', async () => {
    const late = visit(1, 'b.test', dayMs + 500, '/too-early');
    const damaged = bytes('control', 1, 'damaged');
    assert.deepEqual(kinds(await audited([policy(0), damaged, policy(1), ...copies, polite[5]!, late])), [
      'gapTooShort 1:1',
    ]);
    assert.deepEqual(kinds(await audited([damaged, ...copies, polite[5]!, late])), []);
  });

  it('an audit counts unreadable results, and continues', async () => {
    const report = await audited([bytes('results', 0, 'damaged'), ...polite, bytes('results', 1, 'damaged')]);
    assert.deepEqual([report.unreadable, report.counts.fetches], [2, 3]);
    assert.deepEqual(report.read.find(({ topic }) => topic === 'crawl.results')?.records, 3);
  });

  it('an audit skips what came before a time, by the log and by the requests', async () => {
    const early = visit(0, 'a.test', dayMs - 900, '/early');
    const all = [...copies, policy(0), policy(1), early, ...polite.slice(4)];
    assert.equal((await audited(all)).counts.fetches, 4);
    assert.equal((await audited(all, { fromMs: dayMs - 900 })).counts.fetches, 4);
    assert.equal((await audited(all, { fromMs: dayMs - 899 })).counts.fetches, 3);
    // The fake clock of the log began at `dayMs`, and each record came a millisecond after another.
    const report = await audited(all, { fromMs: dayMs + 6 });
    const results = report.read.filter(({ topic }) => topic === 'crawl.results');
    assert.deepEqual(
      results.map(({ partition, first, records }) => [partition, first, records]),
      [
        [0, 2, 1],
        [1, 0, 1],
      ],
    );
  });

  it('an audit of one partition reads only its results, and the payments of the first', async () => {
    const report = await audited([...polite, visit(0, 'a.test', dayMs + 1_100, '/too-early')], { only: 1 });
    assert.deepEqual([kinds(report), report.counts.fetches], [[], 1]);
    const topics = report.read.map(({ topic, partition }) => `${topic} ${partition}`);
    assert.deepEqual(topics.sort(), [
      ...['crawl.control 0', 'crawl.control 1', 'crawl.results 1', 'crawl.robots 0', 'crawl.robots 1'],
    ]);
  });

  it('an audit checks payments against the payments on record, which the first partition has', async () => {
    const pay = JSON.stringify({ pay: { currency: 'USD', total: '2', page: '1' } });
    const budget = control(0, { kind: 'policy', version: 1, payload: pay });
    const offer = (partition: number, path: string) =>
      control(partition, {
        ...{ kind: 'payment', id: path, hostKey: 'a.test', atMs: dayMs },
        payload: JSON.stringify({ state: 'offered', url: `https://a.test${path}`, price: 'USD 1' }),
      });
    const paid = (path: string, startMs: number) =>
      visit(0, 'a.test', startMs, path, { outcomes: [outcome(`https://a.test${path}`, { paid: 'USD 1' })] });
    const report = await audited([
      ...[budget, offer(0, '/1'), offer(1, '/2'), ...copies],
      ...[paid('/1', dayMs), paid('/2', dayMs + 5_000)],
    ]);
    assert.deepEqual(kinds(report), ['payment 0:1']);
    assert.equal(report.violations[0]?.atMs, dayMs + 5_000);
    assert.deepEqual([report.payments.payments, report.payments.asked], [1, 2]);
  });

  it('an audit keeps a thousand violations and counts the others', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) =>
      request(`https://a.test/private/${n}`, {
        ...{ startMs: dayMs + n * 2_000, endMs: dayMs + n * 2_000, robotsHash: hashOf(rules) },
        robotsAtMs: dayMs - 5_000,
      }),
    );
    const report = await audited([policy(0), ...copies, visit(0, 'a.test', dayMs, '/', { requests: many })]);
    assert.deepEqual([report.violations.length, report.violationCount], [1_000, 1_001]);
  });
});

describe('the account of one host', () => {
  const one = { hostKey: 'a.test', partition: 0, domainOf: (host: string) => host };
  const visits = Array.from({ length: 7 }, (_, n) =>
    visit(0, 'a.test', dayMs + n * 2_000, `/${n}`, { userAgent: `Bot/${n}` }),
  );
  const other = [
    visit(0, 'c.test', dayMs, '/private/c', { requests: [request('https://c.test/', { startMs: dayMs + 1 })] }),
    visit(0, 'c.test', dayMs + 3, '/c'),
  ];

  it('the account of one host includes its newest requests with their User-Agents, and its copies and violations only', async () => {
    const source = await sourceOf([policy(0), ...copies, ...other, ...visits]);
    const reported = await auditOneHost(source, one, 2);
    assert.deepEqual(
      reported.requests.map(({ url, userAgent }) => [url, userAgent]),
      [
        ['https://a.test/6', 'Bot/6'],
        ['https://a.test/5', 'Bot/5'],
      ],
    );
    for (const [most, length] of [
      [3, 3],
      [7, 7],
      [99, 7],
    ] as const) {
      const { requests } = await auditOneHost(source, one, most);
      assert.deepEqual([requests.length, requests[0]!.url], [length, 'https://a.test/6']);
      assert.ok(requests.every(({ url }) => url.startsWith('https://a.test/')));
    }
    assert.deepEqual([reported.visits.requests, reported.visits.origins], [7, ['https://a.test']]);
    assert.deepEqual(
      reported.copies.map(({ origin }) => origin),
      ['https://a.test'],
    );
    assert.deepEqual(reported.violations, []);
    const broken = await auditOneHost(
      await sourceOf([policy(0), ...copies, ...other, ...visits, visit(0, 'a.test', dayMs + 20_000, '/private/a')]),
      one,
      2,
    );
    assert.deepEqual(
      broken.violations.map(({ kind, host }) => `${kind} ${host}`),
      ['disallowed a.test'],
    );
  });

  it('the account of one host includes what robots.txt denied', async () => {
    const denied = visit(0, 'a.test', dayMs + 30_000, '/x', {
      ...{ requests: [], outcomes: [outcome('https://a.test/private', { kind: 'robotsDenied' })] },
    });
    const reported = await auditOneHost(await sourceOf([policy(0), ...copies, ...visits, denied]), one, 2);
    assert.deepEqual(reported.visits.deniedUrls, ['https://a.test/private']);
  });
});

describe('results of all partitions', () => {
  it('results of all partitions come in order of their first requests, like a sort of whole partitions', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const draw = drawFrom(seed);
      const records: Placed[] = [];
      const wanted: { readonly partition: number; readonly offset: number; readonly atMs: number }[] = [];
      const [atMs, offsets] = [
        [dayMs, dayMs],
        [0, 0],
      ];
      draw.list(20, () => {
        const partition = draw.below(2);
        // Within a partition times never step back, so that a merge is a sort.
        atMs[partition]! += draw.of([0, 3, 10]);
        const at = { partition, offset: offsets[partition]!++, atMs: atMs[partition]! };
        records.push(visit(partition, 'a.test', at.atMs, '/'));
        wanted.push(at);
      });
      const { log, codec } = await sourceOf(records);
      const span = (partition: number) => ({ partition, from: draw.below(3), to: offsets[partition]! - draw.below(3) });
      const spans = [span(0), span(1)];
      const reported: unknown[] = [];
      for await (const { record, result } of resultsInTime(log, codec, 'crawl.results', spans))
        reported.push({ partition: record.partition, offset: record.offset, atMs: result!.requests[0]!.startMs });
      const within = wanted
        .filter(({ partition, offset }) => offset >= spans[partition]!.from && offset < spans[partition]!.to)
        .sort((a, b) => a.atMs - b.atMs || a.partition - b.partition || a.offset - b.offset);
      assert.deepEqual(reported, within, `seed ${seed}`);
    }
  });

  it('results of all partitions without requests, or unreadable, stand where they were appended', async () => {
    const empty = record('results', 1, { requests: [] });
    const { log, codec } = await sourceOf([
      visit(0, 'a.test', dayMs + 1, '/'),
      empty,
      bytes('results', 1, 'damaged'),
      visit(0, 'a.test', dayMs + 3, '/'),
      bytes('results', 1, 'damaged'),
    ]);
    const spans = [0, 1].map((partition) => ({ partition, from: 0, to: partition + 2 }));
    const reported: string[] = [];
    for await (const { record, result } of resultsInTime(log, codec, 'crawl.results', spans))
      reported.push(`${record.partition}:${record.offset} ${result === null ? 'unreadable' : result.requests.length}`);
    assert.deepEqual(reported, ['0:0 1', '1:0 0', '1:1 unreadable', '0:1 1', '1:2 unreadable']);
  });
});

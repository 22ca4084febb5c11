/** Audits of fleets: each crawl was polite by itself, and what they did to a host together is what is judged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditFleet } from '../../../../services/extras/audit/fleet-audit.ts';
import { hashOf, outcome, type Placed, record, request, robotsCopy, sourceOf } from './on-log.ts';

const dayMs = 1_700_000_000_000;
const run = { skewMs: 100, noticeMs: 10_000, fromMs: 0 };
const slow = 'User-agent: *\nCrawl-delay: 3\n';

function policy(delayMs: number): Placed {
  const payload = JSON.stringify({ delayMs, delayFactor: 0, delayFactorCapMs: 0 });
  return record('control', 0, { atMs: dayMs - 60_000, kind: 'policy', version: 1, payload });
}

interface Visited {
  readonly retryAfterMs?: number;
  readonly robots?: string;
  readonly host?: string;
}

/** A page asked for from `atMs` on, for 50 ms. */
function visit(atMs: number, { retryAfterMs = 0, robots = '', host = 'a.test' }: Visited = {}): Placed {
  const [url, startMs] = [`https://${host}/${atMs}`, dayMs + atMs];
  const status = retryAfterMs > 0 ? 503 : 200;
  const asked = {
    startMs,
    endMs: startMs + 50,
    status,
    retryAfterMs,
    robotsHash: hashOf(robots),
    robotsAtMs: dayMs - 5_000,
  };
  return record('results', 0, {
    ...{ leaseId: 1 + atMs, hostKey: host, fetcherId: 'f1', last: true, completedAtMs: startMs + 60 },
    ...{ grantedAtMs: startMs - 10, policyVersion: 1, userAgent: 'Bot/1', robotsTokens: 'crawlstream' },
    ...{ outcomes: [outcome(url, { status })], requests: [request(url, asked)] },
  });
}

const allowed = (text = '') => robotsCopy(0, 'https://a.test', text);

async function judged(...crawls: readonly (readonly Placed[])[]) {
  const sources = [];
  for (const [n, records] of crawls.entries()) sources.push({ name: `c${n}`, source: await sourceOf(records) });
  const report = await auditFleet(sources, run);
  const between = report.between.map(
    ({ kind, topic, offset, measuredMs, boundMs }) => `${kind} ${topic}:${offset} ${measuredMs} ${boundMs}`,
  );
  return { ...report, between, alone: report.crawls.map((one) => one.report.violations.map(({ kind }) => kind)) };
}

describe('an audit of a fleet', () => {
  it('an audit of a fleet finds nothing if the wait of the less patient crawl lies between two crawls', async () => {
    const { between, alone, counts } = await judged(
      [
        policy(2_000),
        allowed(),
        robotsCopy(0, 'https://b.test', ''),
        visit(0),
        visit(2_100),
        visit(0, { host: 'b.test' }),
      ],
      [policy(500), allowed(), visit(560), visit(1_500)],
    );
    assert.deepEqual([between, alone, counts], [[], [[], []], { hosts: 2, shared: 1 }]);
  });

  it('an audit of a fleet finds what two polite crawls did to a host together, with the crawl of the request', async () => {
    const { between, betweenCount, alone } = await judged(
      [policy(2_000), allowed(), visit(0), visit(2_100)],
      [policy(500), allowed(), visit(30), visit(2_400)],
    );
    assert.deepEqual(between, ['concurrency c1/results:0 20 0', 'gapTooShort c1/results:1 250 500']);
    assert.deepEqual([betweenCount, alone], [2, [[], []]]);
  });

  it('an audit of a fleet holds every crawl to another’s requested pause, and to a Crawl-delay', async () => {
    const paused = await judged(
      [policy(500), allowed(), visit(0, { retryAfterMs: 5_000 })],
      [policy(500), allowed(), visit(4_000), visit(6_000)],
    );
    assert.deepEqual(paused.between, ['retryAfter c1/results:0 3950 5000']);
    const slowed = await judged(
      [policy(500), allowed(), visit(0)],
      [policy(500), allowed(slow), visit(2_000, { robots: slow }), visit(6_000, { robots: slow })],
    );
    assert.deepEqual(slowed.between, ['crawlDelay c1/results:0 1950 3000']);
  });

  it('an audit of a fleet reports a single crawl’s violation once, with that crawl', async () => {
    const { between, alone } = await judged(
      [policy(500), allowed(), visit(0), visit(200)],
      [policy(500), allowed(), visit(5_000)],
    );
    assert.deepEqual([between, alone], [[], [['gapTooShort'], []]]);
  });

  it('an audit of a fleet without crawls judges nothing', async () => {
    const { crawls, betweenCount, counts } = await auditFleet([], run);
    assert.deepEqual([crawls, betweenCount, counts], [[], 0, { hosts: 0, shared: 0 }]);
  });
});

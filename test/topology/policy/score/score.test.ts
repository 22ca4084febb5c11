import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { linkOnly, type ScoreInputs } from '../../../../topology/policy/score/inputs.ts';
import { compileScorer, factorScores, frontQueueOfScore, groupScore } from '../../../../topology/policy/score/score.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { frontQueueOf } from '../../../../topology/url/front-queue.ts';

const score = compileScorer();
const url = 'http://a.org/b?c=1';

const best: ScoreInputs = {
  domain: {
    listedAuthority: null,
    listedQuality: null,
    linkingDomains: 1e9,
    trafficRank: 1,
    pagesGood: 1e9,
    pagesFetched: 1e9,
  },
  page: { cash: 1, inLinks: 1e9, depth: 0, type: 'html', source: 'seed' },
  freshness: { ageMs: 1e15, changesPerDay: 1e12, changedShare: 1 },
};
const worst: ScoreInputs = {
  domain: {
    listedAuthority: null,
    listedQuality: null,
    linkingDomains: 0,
    trafficRank: 1e9,
    pagesGood: 0,
    pagesFetched: 1e9,
  },
  page: { cash: 0, inLinks: 0, depth: 99, type: 'other', source: 'link' },
  freshness: { ageMs: 0, changesPerDay: 0, changedShare: 0 },
};

test('with only the link known, the front queue is that of depth and spelling', () => {
  const urls = ['http://a.org/', 'http://a.org/b', url, 'http://a.org/1/2/3/4/5/6/7?a&b&c&d'];
  for (const one of urls)
    for (let depth = 0; depth < 9; depth++)
      assert.equal(frontQueueOfScore(score(one, linkOnly(depth))), frontQueueOf(one, depth), `${one} at ${depth}`);
});

test('the best of everything scores 1 and front queue 0, the worst near 0 and front queue 7', () => {
  const most = score('http://a.org/', best);
  const least = score('http://a.org/1/2/3/4/5/6/7?a&b&c&d', worst);
  assert.ok(most > 0.999 && most <= 1, `${most}`);
  assert.ok(least >= 0 && least < 0.06, `${least}`);
  assert.equal(frontQueueOfScore(most), 0);
  assert.equal(frontQueueOfScore(least), 7);
});

test('domain, page and freshness weigh 0.3, 0.4 and 0.3', () => {
  const { domain, page, freshness } = defaultScore;
  assert.deepEqual([domain, page, freshness], [0.3, 0.4, 0.3]);
  // Each group by itself at its best, the others at their worst.
  const low = score(url, worst);
  const rise = (inputs: Partial<ScoreInputs>) => score(url, { ...worst, ...inputs }) - low;
  assert.ok(Math.abs(rise({ domain: best.domain }) - 0.3) < 1e-6);
  assert.ok(Math.abs(rise({ freshness: best.freshness }) - 0.3) < 1e-6);
});

test('inner weights of each group add up to 1', () => {
  const sums = new Map<string, number>();
  for (const { group, weight } of factorScores(defaultScore, url, best))
    sums.set(group, (sums.get(group) ?? 0) + weight);
  for (const [group, sum] of sums) assert.ok(Math.abs(sum - 1) < 1e-9, group);
});

test('every factor gives 0 to 1, or unknown, for any input', () => {
  const next = numbers(5);
  const any = () => [null, 0, 1, 0.5, 1e15, next()][next() % 6] as number | null;
  for (let round = 0; round < 500; round++) {
    const inputs: ScoreInputs = {
      domain: {
        listedAuthority: any(),
        listedQuality: any(),
        linkingDomains: any(),
        trafficRank: any(),
        pagesGood: any(),
        pagesFetched: any(),
      },
      page: { cash: any(), inLinks: any(), depth: next() % 20, type: null, source: 'sitemap' },
      freshness: { ageMs: any(), changesPerDay: any(), changedShare: any() },
    };
    for (const { factor, value } of factorScores(defaultScore, url, inputs))
      assert.ok(value === null || (value >= 0 && value <= 1), `${factor} ${value} of ${JSON.stringify(inputs)}`);
    const whole = score(url, inputs);
    assert.ok(whole >= 0 && whole <= 1, `${whole}`);
  }
});

test('more of a good thing never lowers the score', () => {
  const raised: ((n: number) => ScoreInputs)[] = [
    (n) => ({ ...worst, domain: { ...worst.domain, linkingDomains: n } }),
    (n) => ({ ...worst, domain: { ...worst.domain, trafficRank: 1_000_000 - n } }),
    (n) => ({ ...worst, domain: { ...worst.domain, pagesGood: n } }),
    (n) => ({ ...worst, page: { ...worst.page, inLinks: n } }),
    (n) => ({ ...worst, freshness: { ...worst.freshness, ageMs: n * 1e5 } }),
    (n) => ({ ...worst, freshness: { ...worst.freshness, changesPerDay: n } }),
  ];
  for (const [at, inputs] of raised.entries()) {
    let last = -1;
    for (let n = 0; n <= 10_000; n += 100) {
      const now = score(url, inputs(n));
      assert.ok(now >= last, `input ${at} at ${n}`);
      last = now;
    }
  }
});

test('a weight of 0 switches a factor off, and its group if nothing is left', () => {
  const { factors } = defaultScore;
  const off = compileScorer({ ...defaultScore, freshness: 0, factors: { ...factors, depth: 0 } });
  assert.equal(off(url, linkOnly(0)), 0, 'nothing is known that counts');
  assert.equal(off(url, { ...best, freshness: worst.freshness }), off(url, best));
});

test('each factor is listed with its group, value and weight, and groups are means of known factors', () => {
  const { factors } = defaultScore;
  const reported = factorScores(defaultScore, url, best);
  assert.deepEqual(
    reported.map(({ group, factor, weight }) => [group, factor, weight]),
    [
      ['domain', 'authority', factors.authority],
      ['domain', 'traffic', factors.traffic],
      ['domain', 'quality', factors.quality],
      ['page', 'cash', factors.cash ?? 0],
      ['page', 'inLinks', factors.inLinks],
      ['page', 'depth', factors.depth],
      ['page', 'type', factors.type],
      ['page', 'source', factors.source],
      ['freshness', 'timeSince', factors.timeSince],
      ['freshness', 'changeRate', factors.changeRate],
      ['freshness', 'volatility', factors.volatility],
    ],
  );
  const row = (group: 'domain' | 'page', value: number | null, weight: number) =>
    ({ group, factor: 'traffic', value, weight, from: '' }) as const;
  const rows = [
    row('domain', 0.5, 1),
    row('domain', 1, 3),
    row('domain', null, 9),
    row('page', 0, 2),
    row('page', 1, 2),
  ];
  assert.deepEqual([groupScore('domain', rows), groupScore('page', rows)], [0.875, 0.5]);
  assert.equal(groupScore('freshness', rows), null);
  assert.equal(groupScore('domain', [row('domain', 1, 0)]), null);
  assert.equal(groupScore('domain', [row('domain', null, 1)]), null);
});

test('each segment of a path counts against a page, from the first one', () => {
  const at = (path: string) => score(`http://a.org${path}`, linkOnly(3));
  const paths = ['/', '/1', '/1/2', '/1/2/3', '/1/2/3/4'];
  for (const [n, path] of paths.entries()) if (n > 0) assert.ok(at(path) < at(paths[n - 1]!), path);
  assert.equal(at('/1/2?a/b/c'), at('/1/2?a'), 'a slash in a query is no segment');
});

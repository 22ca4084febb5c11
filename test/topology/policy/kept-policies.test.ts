/** What policies say of hosts, pages and times, and what makes a trap, as it was when it was kept. */
import { it } from 'node:test';
import { intents } from '../../../schemas/types.ts';
import { mergeAsked, policyChanges } from '../../../topology/policy/merge.ts';
import { compileMetadataRules } from '../../../topology/policy/metadata-rules.ts';
import { compileParallel } from '../../../topology/policy/parallel.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { changesPerDay } from '../../../topology/policy/recrawl/change-rate.ts';
import { ageOf, daysBetween, freshnessOf } from '../../../topology/policy/recrawl/freshness.ts';
import { noHistory, recentShare, visited } from '../../../topology/policy/recrawl/history.ts';
import { classOf, RateClasses, rateClassOf, rateOfClass } from '../../../topology/policy/recrawl/rate-classes.ts';
import { defaultRecrawl, scheduleNames, visitKinds } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../../topology/policy/recrawl/schedule.ts';
import { linkOnly, type ScoreInputs, unknownDomain } from '../../../topology/policy/score/inputs.ts';
import { compileScorer, factorScores, frontQueueOfScore, groupScore } from '../../../topology/policy/score/score.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { addTrap, type HostTraps, noTraps, releaseTrap } from '../../../topology/policy/traps/active-traps.ts';
import { shapeOf } from '../../../topology/policy/traps/shape.ts';
import { stepSummary, type TrapEvent } from '../../../topology/policy/traps/step.ts';
import { emptySummary, type Trap } from '../../../topology/policy/traps/summary.ts';
import { defaultTraps, type TrapConfig } from '../../../topology/policy/traps/trap-config.ts';
import { noticeTrap, trapOf } from '../../../topology/policy/traps/traps.ts';
import { policyWithoutVersion, validatePolicy } from '../../../topology/policy/validate.ts';
import { compileWindows } from '../../../topology/policy/windows.ts';
import { assertKept } from '../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../kept/drawn.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);
const beginMs = 1_767_225_600_000;
const hour = 3_600_000;
const names = ['a.test', 'www.a.test', 'b.test', 'c.co.uk'] as const;

const token = (draw: Draw) => draw.list(4, () => draw.next().toString(16).padStart(8, '0')).join('');

/** URLs of the families that traps are made of, each along its own way. */
function trapUrl(draw: Draw, family: number, n: number): string {
  const path = [
    () => `/cal/${2020 + Math.floor(n / 12)}/${1 + (n % 12)}`,
    () => `/cal?month=${1 + (n % 12)}&year=${2020 + Math.floor(n / 12)}`,
    () => `/day/2024-0${1 + (n % 9)}-1${n % 9}`,
    () => `/list/page/${n}`,
    () => `/list?page=${n}&x=1`,
    () => `/s/${token(draw)}/p`,
    () => `/p/${n % 7}?sid=${token(draw)}`,
    () => `/f?${'abcdefgh'.slice(n % 8)}=1&${draw.of(['x', 'y'])}${n % 11}=2`,
    () => `/v?a=${n}&b=${n % 3}&c=${n % 5}`,
    () => `/d${'/x/y'.repeat(n % 5)}/`,
    () => `/waste/${n % 3}/${n}`,
    () => `/good/${draw.of(['a', 'b', 'c'])}/${n}.html`,
    () => `/dir/?C=${draw.of(['N', 'M', 'S'])};O=${draw.of(['A', 'D'])}`,
    () => `/wiki/index.php?title=X${n}&action=${draw.of(['edit', 'history', 'view'])}`,
    () => `/forum/viewtopic.php?t=${n}&start=${n}&sid=${token(draw)}`,
  ][family]!();
  return `https://a.test${path}`;
}
const families = 15;

const bounds: Partial<TrapConfig> = {
  ...{ calendarSteps: 5, counterSteps: 6, tokenSteps: 4, parameterSets: 6, parameterVariants: 9, tokenValues: 6 },
  ...{ wasteFetches: 6, wasteShare: 0.7, yieldFetches: 30, yieldShare: 0.3, repeats: 3 },
};

function* trapped(draw: Draw): Generator<unknown> {
  const off = draw.of(Object.keys(bounds) as (keyof TrapConfig)[]);
  const config: TrapConfig = {
    ...defaultTraps,
    ...bounds,
    ...(draw.percent(30) && !/Share/.test(off) && { [off]: null }),
  };
  const chosen = draw.list(3, () => draw.below(families));
  let [summary, url] = [emptySummary, 'https://a.test/'];
  let traps: HostTraps<Trap> = noTraps;
  for (let n = 1; n <= 80; n++) {
    const sourceUrl = url;
    url = trapUrl(draw, draw.of(chosen), draw.percent(80) ? n : draw.below(20));
    const event: TrapEvent = draw.percent(65)
      ? { kind: 'admitted', url, depth: Math.min(n, 3 + draw.below(60)), ...(draw.percent(60) && { sourceUrl }) }
      : {
          kind: 'fetched',
          url,
          status: draw.of([200, 200, 404, 500]),
          contentHash: draw.of(['', 'h1', 'h1', `h${n}`]),
          isWaste: draw.percent(20),
        };
    const before = trapOf(config, traps, url);
    summary = stepSummary(summary, event);
    const found = noticeTrap(config, summary, event, traps);
    if (found !== null) traps = addTrap(traps, found);
    const [first] = traps.trapped;
    if (first !== undefined && draw.percent(4)) traps = releaseTrap(traps, first.pattern);
    yield [shapeOf(url), before, found, traps, n % 10 === 0 ? summary : null];
  }
  yield summary;
}

const maybe = <T>(draw: Draw, value: T): T | null => (draw.percent(75) ? value : null);

function inputs(draw: Draw): ScoreInputs {
  return {
    domain: {
      listedAuthority: draw.percent(20) ? draw.below(101) / 100 : null,
      listedQuality: draw.percent(20) ? draw.below(101) / 100 : null,
      linkingDomains: maybe(draw, draw.of([0, 1, 5, 999, 1_000, 5_000])),
      trafficRank: maybe(draw, draw.of([1, 2, 500, 1_000_000, 2_000_000])),
      pagesGood: maybe(draw, draw.below(9)),
      pagesFetched: maybe(draw, 9 + draw.below(30)),
    },
    page: {
      cash: maybe(draw, draw.below(1_001) / 1_000),
      inLinks: maybe(draw, draw.of([0, 1, 7, 1_000, 9_999])),
      depth: draw.below(14),
      type: maybe(draw, draw.of(['html', 'feed', 'text', 'document', 'other'] as const)),
      source: draw.of(['seed', 'operator', 'redirect', 'sitemap', 'feed', 'link'] as const),
    },
    freshness: {
      ageMs: maybe(draw, draw.of([0, 1, hour, 7 * 24 * hour, 900 * hour])),
      changesPerDay: maybe(draw, draw.of([0, 0.1, 1, 24])),
      changedShare: maybe(draw, draw.of([0, 0.25, 0.5, 1])),
    },
  };
}

function* scored(draw: Draw): Generator<unknown> {
  const factors = Object.fromEntries(
    Object.entries(defaultScore.factors).map(([name, weight]) => [name, draw.percent(80) ? weight : 0]),
  );
  const config = {
    ...defaultScore,
    factors: factors as unknown as typeof defaultScore.factors,
    freshness: draw.of([0, 0.3, 2]),
  };
  const scorer = compileScorer(config);
  for (let round = 0; round < 25; round++) {
    const url = `https://${draw.of(names)}${draw.of(['/', '/a', '/a/b/c', '/x.html', '/x?y=1', '/x?y=1&z=2', `/${'long'.repeat(40)}`])}`;
    const known = draw.percent(10) ? { ...linkOnly(3), domain: unknownDomain } : inputs(draw);
    const all = factorScores(config, url, known);
    const score = scorer(url, known);
    yield [
      score,
      frontQueueOfScore(score),
      all,
      (['domain', 'page', 'freshness'] as const).map((group) => groupScore(group, all)),
    ];
  }
  yield Array.from({ length: 102 }, (_, i) => frontQueueOfScore(i / 100));
}

function* visitedAgain(draw: Draw): Generator<unknown> {
  const recrawl = compileRecrawl({
    ...defaultRecrawl,
    ...{ schedule: draw.of(scheduleNames), intervalMs: draw.of([hour, 168 * hour]), fetchesPerDay: draw.of([null, 3]) },
    ...(draw.percent(50) && { minMs: hour / 2, maxMs: 400 * hour }),
    ...(draw.percent(30) && { feeds: undefined }),
    errorMs: draw.of([null, 5 * hour]),
    goneMs: draw.of([null, 9 * hour]),
    rules: draw.of([
      [],
      [
        { hosts: ['a.test'], url: '/news/', schedule: 'nutch' as const },
        { kinds: ['feed' as const], minMs: 2 * hour },
        { url: 'never', intervalMs: null },
      ],
    ]),
  });
  const classes = new RateClasses();
  for (let i = 0; i < 30; i++) classes.count(classOf(draw.of([0.001, 0.1, 1, 10]), draw.below(4)), 1);
  const price = recrawl.priceFor(classes);
  yield [price, classes.pages];
  let history = noHistory;
  for (let round = 0; round < 90; round++) {
    const changed = draw.of([null, true, false, false]);
    if (changed !== null) history = visited(history, draw.of([0.4, 60, 3_600, 90_000.6]), changed);
    const visit = {
      url: `https://${draw.of(names)}/${draw.of(['news/1', 'x', 'never'])}`,
      kind: draw.of(visitKinds),
      history,
      changed,
      sinceChangeS: draw.of([0, 100, 50_000]),
      frontQueue: draw.below(8),
      ...(draw.percent(30) && { pollS: draw.of([60, 90_000]) }),
    };
    const next = recrawl.next(visit, draw.of([null, price, 0.5]));
    if (next !== null) history = { ...history, intervalS: next.intervalS };
    yield [history, recentShare(history), changesPerDay(history), next];
  }
  for (const rate of [0, 1e-6, 0.01, 0.5, 3, 1_000]) {
    const days = [0, 0.01, 1, 30, 1e5];
    yield [
      rateClassOf(rate),
      rateOfClass(rateClassOf(rate)),
      classOf(rate, 3),
      days.map((one) => [freshnessOf(rate, one), ageOf(rate, one)]),
      [0, 1e-9, 0.1, 5].map((one) => daysBetween(rate, 0.5, one)),
    ];
  }
}

function* timed(draw: Draw): Generator<unknown> {
  const open = compileWindows(
    draw.list(2, () => ({
      hosts: [draw.of(['a.test', 'b.test', '*'])],
      fromHour: draw.below(25),
      toHour: draw.below(25),
      utcOffsetMinutes: draw.of([0, 60, -330, 720]),
      ...(draw.percent(40) && { days: [draw.below(7), draw.below(7)] }),
    })),
  );
  const leases = compileParallel(
    draw.list(2, () => ({ hosts: [draw.of([...names, '*'])], leases: draw.of([1, 2, 500]) })),
  );
  const refuses = compileMetadataRules(
    draw.list(3, () => ({
      name: 'rule',
      ...draw.of([{ url: '/x' }, { offHost: true }, { offHost: false }, { sourceDomains: ['a.test'] }]),
      ...draw.of([
        {},
        { depthFrom: 2 },
        { hopFrom: 1 },
        { modifiedBeforeMs: beginMs },
        { intents: [draw.of(intents)] },
      ]),
    })),
  );
  for (let round = 0; round < 30; round++) {
    const nowMs = beginMs + draw.below(14 * 24) * hour + draw.of([0, 1, hour - 1]);
    const host = draw.of(names);
    const facts = {
      depth: draw.below(4),
      hop: draw.below(3),
      intent: draw.of(intents),
      sourceUrl: draw.of(['', ...names.map((name) => `https://${name}/`)]),
      lastModifiedMs: draw.of([0, beginMs - 1, beginMs]),
    };
    yield [open(host, nowMs) - nowMs, leases(host), refuses(`https://${host}${draw.of(['/', '/x'])}`, facts)];
  }
}

const changes: readonly Partial<PolicyConfig>[] = [
  { maxDepth: 3 },
  { pageQuota: 40, delayMs: 5 },
  { scope: { kind: 'domain', names: ['a.test', 'b.test'] } },
  { scope: { kind: 'domain', names: ['c.test'] } },
  { scope: { kind: 'host', names: ['a.test'] } },
  { sitemaps: { everyMs: hour, rules: [{ urls: ['/s.xml'] }] } },
  { sitemaps: { everyMs: 2 * hour, rules: [{ urls: ['/s.xml'] }, { hosts: ['a.test'], urls: ['/t.xml'] }] } },
  { score: defaultScore },
  { score: { ...defaultScore, page: 2, lists: [] } },
  { retriesMs: [1] },
  { recrawl: { ...defaultRecrawl, share: 0.1 } },
  { filters: { ...defaultPolicy().filters, include: ['x'], portsAllowed: [80] } },
];

function* merged(draw: Draw): Generator<unknown> {
  const drawn = (): PolicyConfig =>
    Object.assign({}, defaultPolicy(), ...draw.list(draw.below(4), () => draw.of(changes)), { version: draw.below(9) });
  for (let round = 0; round < 12; round++) {
    const [before, now, inForce] = [drawn(), drawn(), drawn()];
    yield [mergeAsked(before, now, inForce), policyChanges(before, now)];
  }
}

function* refused(): Generator<unknown> {
  const policy = defaultPolicy();
  const wrong: unknown[] = [
    null,
    [],
    {},
    { ...policy, maxDeph: 1 },
    { ...policy, delayMs: -1 },
    { ...policy, hopsMax: 101 },
    { ...policy, normalize: { ...policy.normalize, www: 1 } },
  ];
  wrong.push(
    { ...policy, filters: { ...policy.filters, include: ['('] } },
    { ...policy, queueShareMax: 0 },
    { ...policy, windows: [{ hosts: [], fromHour: 1, toHour: 25, utcOffsetMinutes: 0 }] },
  );
  wrong.push(
    { ...policy, recrawl: { ...defaultRecrawl, minMs: 9_000, maxMs: 2_000 } },
    { ...policy, traps: { ...defaultTraps, repeats: 1 } },
    { ...policy, version: 0 },
    { ...policy, metadata: [{ name: 'x' }] },
  );
  wrong.push(
    { ...policy, parallel: [{ hosts: ['a'], leases: 0 }] },
    { ...policy, budget: { key: 'x' } },
    { ...policy, unknownThing: 1 },
  );
  for (const value of wrong) {
    for (const read of [() => validatePolicy(value), () => policyWithoutVersion(JSON.stringify(value))]) {
      try {
        yield read();
      } catch (error) {
        yield `${error}`;
      }
    }
  }
  const { admit } = compilePolicy({
    ...policy,
    maxDepth: 2,
    hopsMax: 1,
    scope: { kind: 'host', names: ['a.test'] },
    score: defaultScore,
  });
  for (const url of ['https://a.test/x', 'https://b.test/', 'http://[', 'https://a.test/x.zip'])
    for (const [depth, hop] of [
      [0, 0],
      [2, 1],
      [3, 0],
      [0, 2],
    ] as const)
      yield admit(url, depth, hop);
}

it('trap verdicts are as recorded', () => assertKept(kept('trapped'), bySeed(60, trapped)));
it('scores are as recorded, factor by factor', () => assertKept(kept('scored'), bySeed(12, scored)));
it('visit times are as recorded', () => assertKept(kept('visited-again'), bySeed(24, visitedAgain)));
it('windows, leases and metadata verdicts are as recorded', () => assertKept(kept('timed'), bySeed(40, timed)));
it('merged policies are as recorded', () => assertKept(kept('merged'), bySeed(15, merged)));
it('refused policies and admitted links are as recorded', () =>
  assertKept(kept('refused'), new Map([['all', refused()]])));

/** Policies: their own bounds, traps, lists, hosts with several leases. */

import { Hand } from '../../lab/model/hand.ts';
import { controlOf } from '../../lab/model/model-script.ts';
import { newHostFacts } from '../../topology/frontier/changes/changes.ts';
import { zeroCounters } from '../../topology/frontier/changes/counters.ts';
import { isFull } from '../../topology/frontier/decide/links/queue-room.ts';
import { leaseSize, politeDelayMs } from '../../topology/frontier/decide/politeness.ts';
import { frontierLimits } from '../../topology/frontier/frontier-limits.ts';
import { TrapsState } from '../../topology/frontier/state/traps-state.ts';
import type { parallelLimits, recrawlLimits, waitLimits } from '../../topology/policy/limits.ts';
import { compileParallel } from '../../topology/policy/parallel.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { policyLimits } from '../../topology/policy/policy-limits.ts';
import { RecentPolicies } from '../../topology/policy/recent-policies.ts';
import type { recentPolicyLimits } from '../../topology/policy/recent-policy-limits.ts';
import { defaultRecrawl } from '../../topology/policy/recrawl/recrawl-config.ts';
import { placesOf } from '../../topology/policy/traps/places.ts';
import { shapeOf } from '../../topology/policy/traps/shape.ts';
import { type Admitted, type Fetched, stepSummary } from '../../topology/policy/traps/step.ts';
import { emptySummary, type TrapSummary } from '../../topology/policy/traps/summary.ts';
import { trapLimits } from '../../topology/policy/traps/trap-limits.ts';
import { parsePolicy } from '../../topology/policy/validate.ts';
import type { listLimits } from '../../topology/url/list-limits.ts';
import { compileList } from '../../topology/url/url-lists.ts';
import { type BoundaryTable, cutAt, driven, from, undriven, upTo } from './boundary.ts';
import { urlOf } from './url.ts';

const admitted = (path: string, depth = 1, sourceUrl?: string): Admitted => ({
  kind: 'admitted',
  url: `http://a.test${path}`,
  depth,
  ...(sourceUrl === undefined ? {} : { sourceUrl }),
});
const fetched = (path: string, contentHash = ''): Fetched => ({
  kind: 'fetched',
  url: `http://a.test${path}`,
  status: 200,
  contentHash,
});
/** Texts that have nothing in common. */
const signatureOf = (n: number) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0').repeat(2);
const signed = (path: string, n: number): Fetched => ({ ...fetched(path), textSignature: signatureOf(n) });
const after = (events: readonly (Admitted | Fetched)[]): TrapSummary => events.reduce(stepSummary, emptySummary);
/** Words that are told apart by letters alone: shapes take out digits. */
const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
const many = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));
/** A chain of pages, each one step deeper. */
const chain = (steps: number) => many(steps + 1, (n) => admitted(`/c/${n}`, n + 1));

export const trapBoundaries: BoundaryTable<typeof trapLimits> = {
  shapeCharsMax: cutAt(
    trapLimits.shapeCharsMax,
    (n) => shapeOf(`http://a.test/${'x'.repeat(20)}/${'/y'.repeat(n)}`.slice(0, 13 + n)).length,
  ),
  shapesMax: cutAt(trapLimits.shapesMax, (n) => after(many(n, (i) => admitted(`/${word(i)}`))).shapes.length),
  pathsMax: cutAt(trapLimits.pathsMax, (n) => after(many(n, (i) => admitted(`/${word(i)}?q=1`))).paths.length),
  parametersMax: cutAt(
    trapLimits.parametersMax,
    (n) => after(many(n, (i) => admitted(`/p?${word(i)}=8f3ab0c1d2`))).parameters.length,
  ),
  prefixesMax: cutAt(trapLimits.prefixesMax, (n) => after(many(n, (i) => fetched(`/${word(i)}/x`))).prefixes.length),
  setsMax: cutAt(trapLimits.setsMax, (n) => after(many(n, (i) => admitted(`/p?${word(i)}=1`))).paths[0]!.sets.length),
  parameterPathsMax: cutAt(
    trapLimits.parameterPathsMax,
    (n) => after(many(n, (i) => admitted(`/${word(i)}?s=8f3ab0c1d2`))).parameters[0]!.paths.length,
  ),
  contentsMax: cutAt(
    trapLimits.contentsMax,
    (n) => after(many(n, (i) => fetched('/p', (i + 1).toString(16).padStart(8, '0')))).contents.length,
  ),
  basesMax: cutAt(trapLimits.basesMax, (n) => after(many(n, (i) => fetched(`/${word(i)}?a=1`))).bases.length),
  placesMax: cutAt(
    trapLimits.placesMax,
    (n) => after(many(n, (i) => [fetched(`/?${word(i)}=1`), fetched(`/?${word(i)}=2`)]).flat()).places.length,
  ),
  placeBasesMax: cutAt(
    trapLimits.placeBasesMax,
    (n) =>
      after(['1', '2'].flatMap((value) => many(n, (i) => signed(`/${word(i)}?a=${value}`, i)))).places[0]!.bases.length,
  ),
  placesPerUrlMax: cutAt(
    trapLimits.placesPerUrlMax,
    (n) => placesOf(`http://a.test/?${many(n, (i) => `${word(i)}=1`).join('&')}`).length,
  ),
  valueCharsMax: upTo((n) => placesOf(`http://a.test/?a=${'x'.repeat(n)}`).length === 1),
  nameCharsMax: upTo((n) => placesOf(`http://a.test/?${'x'.repeat(n)}=1`).length === 1),
  foldedMax: undriven('a queue of 32,768 variants with one other URL before them'),
  trapsMax: from((n) => {
    const traps = new TrapsState();
    for (let i = 0; i < n; i++) {
      const frontQueue = traps.freeFrontQueue('a.test', () => false);
      if (frontQueue !== undefined)
        traps.add('a.test', { pattern: `/${word(i)}`, reason: 'calendar', detail: '', frontQueue });
    }
    return traps.freeFrontQueue('a.test', () => false) === undefined;
  }),
  summariesMax: upTo((n) => {
    const traps = new TrapsState();
    for (let i = 0; i < n; i++) traps.learn(`h${i}`, trapLimits.admittedBefore, [admitted('/x')]);
    return traps.summary('h0') !== undefined;
  }),
  hostFetchesMax: driven(
    (n) => after(many(n, () => fetched('/p'))).fetches,
    trapLimits.hostFetchesMax - 1,
    trapLimits.hostFetchesMax / 2,
    trapLimits.hostFetchesMax / 2 + 1,
  ),
  prefixFetchesMax: driven(
    (n) => after(many(n, () => fetched('/p'))).prefixes[0]!.fetches,
    trapLimits.prefixFetchesMax - 1,
    trapLimits.prefixFetchesMax / 2,
    trapLimits.prefixFetchesMax / 2 + 1,
  ),
  // So many links at the chain's last level, and one that goes on.
  chainWidthMax: upTo(
    (n) => after([...many(n, (i) => admitted(`/c/${i}`, 1)), admitted('/c/99', 2)]).shapes[0]!.steps,
    1,
    0,
  ),
  // Another chain beside it is no yield, once it has so many steps.
  chainFrom: from(
    (n) => {
      const other = after(chain(n));
      const shape = { ...other.shapes[0]!, shape: '/d/#', depth: n + 1, steps: 0, brought: 0 };
      const both = { ...other, shapes: [...other.shapes, shape] };
      return stepSummary(both, admitted('/c/77', n + 2)).shapes[1]!.brought;
    },
    1,
    0,
  ),
  eventsPerStep: undriven('how a step weighs against age where shapes are forgotten'),
  admittedBefore: from((n) => {
    const traps = new TrapsState();
    traps.learn('a.test', n, [admitted('/x')]);
    return traps.summary('a.test') !== undefined;
  }),
};

const policyWith = (more: object) => {
  try {
    return parsePolicy(JSON.stringify({ ...defaultPolicy(), ...more })) !== undefined;
  } catch {
    return false;
  }
};

export const waitBoundaries: BoundaryTable<typeof waitLimits> = {
  waitMsMax: upTo((delayMs) => policyWith({ delayMs })),
};

export const parallelBoundaries: BoundaryTable<typeof parallelLimits> = {
  leasesMax: driven(
    (leases) => {
      const rule = { hosts: ['a.test'], leases };
      const hand = new Hand();
      hand.rig.send('control', controlOf({ kind: 'hostLeases', hostKey: 'a.test', amount: leases }));
      hand.rig.step(hand.nowMs, 0);
      const { hosts } = hand.rig.core.state;
      const host = hosts.get('a.test')!;
      return [policyWith({ parallel: [rule] }), compileParallel([rule])('a.test'), hosts.hostSlots.of(host.id).own];
    },
    [true, 63, 63],
    [true, 64, 64],
    [false, 64, 64],
  ),
};

const fits = (act: () => unknown): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};
const list = (kind: 'hosts' | 'patterns' | 'prefixes', text: string) => fits(() => compileList(kind, text, 'l'));

export const listBoundaries: BoundaryTable<typeof listLimits> = {
  entriesMax: undriven('10 million lines take a gigabyte and half a minute'),
  numbersMax: undriven('2 million lines take a quarter of a minute'),
  patternsMax: upTo((n) => list('patterns', many(n, (i) => `p${i}`).join('\n'))),
  entryCharsMax: upTo((n) => list('prefixes', urlOf(n))),
  fileBytesMax: undriven('a file of 512 MB is read whole'),
};

export const recrawlBoundaries: BoundaryTable<typeof recrawlLimits> = {
  priceEveryMs: from((n) => {
    const hand = new Hand({ recrawl: { ...defaultRecrawl, schedule: 'adaptive' } });
    hand.links('a.test', 1);
    const { recrawl } = hand.rig.core.state;
    // Of pages that are known to change there is a price.
    for (let visit = 0; recrawl.pricedAtMs === 0; visit++) {
      if (visit > 10) throw new Error('no price is found');
      hand.report(hand.lease(visit === 0 ? 0 : 400 * 24 * 3_600_000), { contentHash: `${visit}` });
      hand.event('hostDelay', 'b.test');
    }
    const before = recrawl.pricedAtMs;
    hand.nowMs = before + n;
    hand.event('hostDelay', 'b.test');
    return recrawl.pricedAtMs > before;
  }),
};

export const policyBoundaries: BoundaryTable<typeof policyLimits> = {
  retriesMs: undriven('a default of the policy: waits before retries'),
  serverErrorsMax: from((n) => {
    const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 1 });
    hand.links('a.test', n + 1);
    for (let errors = 0; errors < n; errors++)
      hand.report(hand.lease(errors < 3 ? 0 : 10_000), { kind: 'serverError', status: 500 });
    return hand.grant().length === 0;
  }),
  delayMs: driven((n) => waitsFor({ delayMs: 1_000 }, n), false, true, true),
  delayFactor: undriven('a default of the policy: what a factor does is in the audit’s tests and the simulator'),
  delayFactorCapMs: cutAt(policyLimits.delayFactorCapMs, (n) =>
    politeDelayMs(defaultPolicy(), { ...newHostFacts, fetchMs: n / policyLimits.delayFactor }),
  ),
  crawlDelayCapMs: undriven('a default of the policy: lease.test.ts has a Crawl-delay at the cap'),
  // Of URLs that take half of it each, two.
  leadTimeMs: upTo((n) => leaseSize(defaultPolicy(), { ...newHostFacts, ownDelayMs: n / 2 - 1, fetchMs: 1 }), 2, 1),
  urlsPerLeaseMax: cutAt(policyLimits.urlsPerLeaseMax, (n) => {
    // Of a host that is known to be quick: the lead time holds more.
    const hand = new Hand({ delayMs: 0 });
    hand.links('a.test', frontierLimits.firstLeaseUrls + n);
    hand.report(hand.lease(), { tookMs: 1 });
    return hand.lease().urls.length;
  }),
  queuedMax: from((queued) => isFull({ ...zeroCounters(), queued }, 0, defaultPolicy())),
  queueShareMax: undriven('a share of 10 million URLs: queue-share.test.ts has it at 1,000'),
};

/** After reading so many texts of `chars` characters, is the first one still kept? */
function isKept(texts: number, chars = 3): boolean {
  const recent = new RecentPolicies();
  const textOf = (n: number) => `${n}`.padEnd(chars);
  let reads = 0;
  const read = () => ({ ...defaultPolicy(), maxDepth: ++reads });
  for (let n = 0; n < texts; n++) recent.get(textOf(n), read);
  recent.get(textOf(0), read);
  return reads === texts;
}

export const recentPolicyBoundaries: BoundaryTable<typeof recentPolicyLimits> = {
  policiesMax: upTo((n) => isKept(n)),
  charsMax: upTo((n) => isKept(1, n)),
};

/** After a page of a host was fetched, is it leased again after so many ms? */
function waitsFor(policy: { readonly delayMs: number }, afterMs: number): boolean {
  const hand = new Hand({ ...policy, urlsPerLeaseMax: 1 });
  hand.links('a.test', 2);
  hand.report(hand.lease());
  return hand.grant(afterMs).length === 1;
}

/**
 * `npm run bench -- overlays [--seconds N] [--json]`
 *
 * The cost of overlays in the frontier. The same inputs go to partitions in memory, one for each policy, which take
 * short rounds in turns, so that a slow machine slows all of them alike. Each round is divided by the adjacent round of
 * the policy without overlays. The first row compares that policy with itself: its difference is the error of the
 * bench, and only larger differences are real. Rounds are of two kinds: whole decisions (links of which half are new,
 * leases, results), and the policy's share of them alone (links admitted, and settings of the host looked up as for a
 * lease and its result).
 */
import { parseArgs } from 'node:util';
import type { OverlayConfig } from '../../../topology/policy/overlay-config.ts';
import { compilePolicy, defaultPolicy, type Policy } from '../../../topology/policy/policy.ts';
import { Hand } from '../../model/hand.ts';

const linksPerPage = 20;
const hosts = 200;
/** Pages of one round: a few ms of decisions. */
const pagesPerRound = 8;
/** Rounds of the policy alone, which take a fraction of that. */
const pagesAlone = 64;
/** How often the partitions start over, because one of them may have a better place in memory for its whole life. */
const partitionsEach = 3;

const hostOf = (page: number) => `h${page % hosts}.test`;
/** Values as in the policy, so that all policies decide alike: only the lookup is measured. */
const set = { delayMs: 1, maxDepth: 100 };
const ofHosts = (count: number, host: (n: number) => string): readonly OverlayConfig[] =>
  Array.from({ length: count }, (_, n) => ({ name: `o${n}`, match: { hosts: [host(n)] }, set }));
const other = (n: number) => `other${n}.test`;
const byPattern = (count: number): readonly OverlayConfig[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `p${n}`,
    match: { patterns: [`/never${n}/`] },
    set: { frontQueue: 5 },
  }));

/** The first two policies are equal. */
const policies: readonly (readonly [name: string, overlays: readonly OverlayConfig[] | undefined])[] = [
  ['none', undefined],
  ['none, against itself', undefined],
  ['an empty list', []],
  ['1, of another host', ofHosts(1, other)],
  ['100, of other hosts', ofHosts(100, other)],
  ['10,000, of other hosts', ofHosts(10_000, other)],
  ['10,000, one of them of each host', ofHosts(10_000, (n) => (n < hosts ? hostOf(n) : other(n)))],
  ['1 pattern', byPattern(1)],
  ['100 patterns', byPattern(100)],
];

interface Ratios {
  readonly rounds: number;
  /** Share of the cost of the policy itself, not of the policy without overlays. */
  readonly microsPerPage: number;
  readonly least: number;
  readonly median: number;
  readonly most: number;
  /** In nineteen of twenty cases, the median of endless rounds is between these (order statistics). */
  readonly between: readonly [number, number];
}

export function run(args: readonly string[]): void {
  const options = { seconds: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const seconds = Number(values.seconds ?? 40);
  // A round of whole decisions takes longer.
  const whole = measured((2 / 3) * seconds, pagesPerRound, decisions);
  const alone = measured((1 / 3) * seconds, pagesAlone, policyCalls);
  const rows = policies.slice(1).map(([overlays], at) => ({ overlays, whole: whole[at]!, alone: alone[at]! }));
  for (const [what, of] of [
    ['whole decisions', 'whole'],
    ['the policy alone', 'alone'],
  ] as const) {
    process.stdout.write(
      `${what}, ${rows[0]![of].rounds} rounds, µs of CPU a page of ${linksPerPage} links, and a round by the one without overlays next to it:\n`,
    );
    console.table(
      rows.map(({ overlays, [of]: { microsPerPage, least, median, most, between } }) => ({
        overlays,
        µs: microsPerPage,
        min: least,
        median,
        max: most,
        'median lies in': between.join(' – '),
      })),
    );
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'overlays', seconds, rows })}\n`);
}

type Round = (round: number) => void;

/**
 * For each policy but the first: its rounds divided by those of the first. In CPU time, as other processes may run
 * meanwhile.
 */
function measured(
  seconds: number,
  pages: number,
  start: (overlays: readonly OverlayConfig[] | undefined) => Round,
): Ratios[] {
  const times = policies.map((): number[] => []);
  for (let partition = 0; partition < partitionsEach; partition++) {
    const endMs = performance.now() + (1_000 * seconds) / partitionsEach;
    const sides = policies.map(([, overlays]) => start(overlays));
    // The compiling of code is not measured, nor the cost of a host's first page.
    const before = Math.ceil(hosts / pages);
    for (let round = 0; round < 2 * before || performance.now() < endMs; round++) {
      for (let turn = 0; turn < sides.length; turn++) {
        const side = (round + turn) % sides.length;
        const began = process.cpuUsage();
        sides[side]!(round);
        const { user, system } = process.cpuUsage(began);
        if (round >= before) times[side]!.push(user + system);
      }
    }
  }
  return times.slice(1).map((own) => ratiosOf(own, times[0]!, pages));
}

function ratiosOf(own: readonly number[], without: readonly number[], pages: number): Ratios {
  const ratios = own.map((time, at) => time / without[at]!).sort((a, b) => a - b);
  const { length } = ratios;
  const margin = 0.98 * Math.sqrt(length);
  const at = (rank: number) => Number(ratios[Math.max(0, Math.min(length - 1, Math.round(rank)))]!.toFixed(3));
  const middle = [...own].sort((a, b) => a - b)[length >> 1]!;
  return {
    rounds: length,
    microsPerPage: Number((middle / pages).toFixed(1)),
    least: at(0),
    median: at(length / 2),
    most: at(length),
    between: [at(length / 2 - margin), at(length / 2 + margin)],
  };
}

/** A partition, and the decisions that one round of pages causes. */
function decisions(overlays: readonly OverlayConfig[] | undefined): Round {
  const hand = new Hand({ delayMs: 1, ...(overlays && { overlays }) });
  return (round) => {
    for (let page = round * pagesPerRound; page < (round + 1) * pagesPerRound; page++) {
      // The second half of the links of one page of a host is the first half of the next.
      const from = Math.floor(page / hosts) * (linksPerPage / 2);
      hand.links(hostOf(page), linksPerPage, { from });
      if (page % 8 === 7) for (const task of hand.grant(1_000, 8)) hand.report(task);
    }
  };
}

/**
 * The lookups in a policy for one page: its links one by one, and its host as often as a lease and a result look it up.
 */
function policyCalls(overlays: readonly OverlayConfig[] | undefined): Round {
  const policy: Policy = compilePolicy({ ...defaultPolicy(), delayMs: 1, ...(overlays && { overlays }) });
  let kept = 0;
  return (round) => {
    for (let page = round * pagesAlone; page < (round + 1) * pagesAlone; page++) {
      const host = hostOf(page);
      const from = Math.floor(page / hosts) * (linksPerPage / 2);
      for (let n = 0; n < linksPerPage; n++) {
        const { ok } = policy.admit(`https://${host}/${from + n}`, 1, 0);
        if (ok) kept += policy.hostSettings(host).urlsPerHostMax ?? 1;
      }
      const isOpen = policy.openAt(host, page) <= page && policy.leasesOf(host) > 0;
      for (let lookUp = 0; isOpen && lookUp < 6; lookUp++) kept += policy.hostSettings(host).delayMs;
      kept += policy.budgetOf(host);
    }
    if (kept < 0) throw new Error('nothing was admitted');
  };
}

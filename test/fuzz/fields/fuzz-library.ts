/** Arguments at the extremes of their types, into a frontier in memory: it refuses them, or goes on. */
import { numbers } from '../../../lab/web/random.ts';
import { outcomeKinds } from '../../../schemas/types.ts';
import { createFrontier, type HostLease } from '../../../services/library/frontier.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FieldsFuzzed } from './fuzz-core.ts';

const callsPerFrontier = 300;
const findingsMax = 10;
const values: readonly unknown[] = [
  ...[0, 1, -1, 1.5, 255, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), Number.NaN, Infinity, -Infinity],
  ...['', 'a', '\0', '\ud800', 'https://b.test/x', 'https://[/', 'x'.repeat(9_000), '__proto__'],
  ...[null, undefined, true, {}, [], [null], 10n, Symbol('s'), () => 1, new Date(Number.NaN), { url: 5 }],
];

export function fuzzLibrary(inputs: number, seed: number): FieldsFuzzed {
  const next = numbers(seed);
  const below = (max: number) => next() % max;
  const any = () => values[below(values.length)];
  const mostly = <T>(usual: T) => (below(4) === 0 ? (any() as T) : usual);
  const findings: string[] = [];
  let tried = 0;
  while (tried < inputs && findings.length < findingsMax) {
    let nowMs = Date.UTC(2026, 0, 1);
    const frontier = createFrontier({ clock: { nowMs: () => nowMs } });
    const leases: HostLease[] = [];
    let call = '';
    for (let left = Math.min(callsPerFrontier, inputs - tried); left > 0; left--) {
      tried += 1;
      nowMs += below(2_000);
      try {
        call = ['add', 'next', 'done'][below(3)]!;
        if (call === 'add') {
          const urls = mostly([mostly(`https://h${below(9)}.test/${below(99)}`)]);
          const from = { url: mostly('https://a.test/'), depth: mostly(below(9)), hop: mostly(0) };
          frontier.add(urls, below(2) === 0 ? mostly(undefined) : from);
        } else if (call === 'next') {
          const lease = frontier.next();
          if (lease !== null) leases.push(checked(lease));
        } else {
          const lease = leases.splice(below(Math.max(1, leases.length)), 1)[0];
          const outcome = {
            index: mostly(0),
            kind: mostly(outcomeKinds[below(outcomeKinds.length)]!),
            status: mostly(200),
            retryAfterMs: mostly(0),
            redirectUrl: mostly('https://a.test/r'),
          };
          frontier.done(mostly(lease!), mostly([mostly(outcome)]), mostly(-1));
        }
        checkCounters(frontier.counters);
      } catch (error) {
        if (error instanceof CrawlstreamError && error.code !== 'UNSUPPORTED') continue;
        findings.push(`${call}: ${(error as Error).stack ?? String(error)}`);
        break;
      }
    }
  }
  return { inputs: tried, findings };
}

/** A lease is of one host, as its URLs are: a torn row gives those of another. */
function checked(lease: HostLease): HostLease {
  for (const { url, depth, hop } of lease.urls) {
    if (new URL(url).host !== lease.hostKey) throw new Error(`a lease of ${lease.hostKey} has ${url}`);
    if (!Number.isSafeInteger(depth) || depth < 0 || hop < 0) throw new Error(`${url} has depth ${depth}, hop ${hop}`);
  }
  return lease;
}

function checkCounters(counters: object): void {
  for (const [name, value] of Object.entries(counters))
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`counter ${name} is ${value}`);
}

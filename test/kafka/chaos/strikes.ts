/**
 * What is done to whom, and when: drawn from a seed before a run begins. What becomes of it is up to the machine; the
 * strikes are the same each time.
 */
import { chanceOf } from '../../../lab/simulation/chance.ts';

export interface Strike {
  /** From the beginning of the run. */
  readonly atMs: number;
  /** As in frontier-1, fetcher-2, broker-0, zone-1. */
  readonly target: string;
  /**
   * kill: -9. stop: in good order. freeze: SIGSTOP, and SIGCONT when it is over. cut: a zone is cut off from the other
   * zones, or a broker from the other brokers alone. mute: the same, in one direction: the others hear nothing of it.
   */
  readonly kind: 'kill' | 'stop' | 'freeze' | 'cut' | 'mute';
  /** It is away for so long. */
  readonly forMs: number;
}

export interface StrikeOptions {
  readonly seed: number;
  readonly runMs: number;
  readonly frontiers: number;
  readonly fetchers: number;
  readonly brokers: number;
  /** With a broker in each, a network that can be cut between them. */
  readonly zones: boolean;
}

/** Between two strikes. */
const [pauseMsMin, pauseMsMax] = [1_500, 6_000];
/** A killed fetcher's leases end at their deadlines: near the end of a run they only make it longer. */
const fetchersSparedMs = 45_000;
/** Longer than a lease: what it has on its hands is somebody else's when it wakes. */
const [longFreezeMsMin, longFreezeMsMax] = [90_000, 150_000];
/** From less than the sessions of brokers and members to several times as long. */
const [cutMsMin, cutMsMax] = [4_000, 40_000];

/** In order of time. Nobody is struck again while a strike lasts, and of the brokers one at a time is away, seldom two. */
export function drawStrikes({ seed, runMs, frontiers, fetchers, brokers, zones }: StrikeOptions): Strike[] {
  const chance = chanceOf(seed, 'strikes');
  const names = (role: string, count: number) => Array.from({ length: count }, (_, i) => `${role}-${i}`);
  const byRole = {
    frontier: names('frontier', frontiers),
    fetcher: names('fetcher', fetchers),
    broker: names('broker', brokers),
  };
  const backAtMs = new Map<string, number>();
  const strikes: Strike[] = [];
  /** Every other broker is there, so that two of three hear each other. */
  const drawCut = (atMs: number) => {
    if (byRole.broker.some((name) => (backAtMs.get(name) ?? 0) >= atMs) || atMs > runMs - fetchersSparedMs) return;
    const node = chance.between(0, brokers - 1);
    const [kind, forMs] = [chance.pick(['cut', 'cut', 'mute'] as const), chance.between(cutMsMin, cutMsMax)];
    backAtMs.set(`broker-${node}`, atMs + forMs + 3_000);
    strikes.push({ atMs, target: `${chance.pick(['broker', 'zone'])}-${node}`, kind, forMs });
  };
  for (let atMs = pauseMsMin; atMs < runMs; atMs += chance.between(pauseMsMin, pauseMsMax)) {
    const roles = ['frontier', 'frontier', 'fetcher', 'fetcher', 'broker'] as const;
    const role = chance.pick(zones ? ([...roles, 'network', 'network'] as const) : roles);
    if (role === 'network') {
      drawCut(atMs);
      continue;
    }
    const isThere = (name: string) => (backAtMs.get(name) ?? 0) < atMs;
    const there = byRole[role].filter(isThere);
    const away = byRole[role].length - there.length;
    if (there.length === 0 || (role === 'broker' && away > 0 && !chance.happens(0.1))) continue;
    const target = chance.pick(there);
    const kind =
      role === 'broker' ? chance.pick(['kill', 'freeze'] as const) : chance.pick(['kill', 'stop', 'freeze'] as const);
    const isLong = kind === 'freeze' && role !== 'broker' && runMs > 2 * longFreezeMsMax && chance.happens(0.25);
    const forMs = isLong
      ? chance.between(longFreezeMsMin, longFreezeMsMax)
      : chance.between(300, kind === 'freeze' ? 18_000 : 8_000);
    if (role === 'fetcher' && kind !== 'stop' && atMs > runMs - fetchersSparedMs) continue;
    backAtMs.set(target, atMs + forMs + 3_000);
    strikes.push({ atMs, target, kind, forMs });
  }
  return strikes;
}

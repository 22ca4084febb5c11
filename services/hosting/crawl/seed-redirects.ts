/**
 * Seeds that redirect out of the scope. Each is named once with its target. With --follow-seed-redirects the target becomes
 * a seed, and its host or domain part of the scope.
 *
 * A target may redirect again: from seed to last target there are at most `hopsMax` redirects, over all runs. A kill can fall
 * between the stored redirect and the new seed, so a run that follows looks at the stored redirects of all seeds first.
 */
import type { Outcome } from '../../../schemas/types.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { compileScope } from '../../../topology/url/scope.ts';
import type { Clock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { inShell } from '../../runtime/in-shell.ts';

export interface SeedRedirects {
  note(outcome: Pick<Outcome, 'kind' | 'url' | 'redirectUrl'>): void;
  open(run: FollowingRun): Promise<void>;
  /** True while a target waits to become a seed: the crawl must not end. */
  readonly isBusy: boolean;
  /** Makes all targets seeds that wait for it. To be called before the log closes; later redirects are not looked at. */
  settle(): Promise<void>;
  /** Targets that were not followed, by seed. */
  readonly left: ReadonlyMap<string, string>;
}

export interface FollowingRun {
  /** The crawl runs with this policy. */
  readonly policy: PolicyConfig;
  /** Every seed of the crawl that is known. Normal. */
  readonly seeds: readonly string[];
  /** Makes URLs seeds, and resolves to the policy from then on. Throws INVALID_SEED, and adds none, if it refuses one. */
  follow(urls: readonly string[]): Promise<PolicyConfig>;
  /** The redirects that earlier runs stored. It is read again while it brings new URLs of a chain. */
  stored(): AsyncIterable<StoredRedirect>;
}

export interface StoredRedirect {
  readonly url: string;
  readonly redirectUrl: string;
}

interface Origin {
  readonly seed: string;
  /** Redirects from the seed to here. */
  readonly hops: number;
}

interface Target extends Origin {
  readonly url: string;
}

/**
 * Each send reads and writes all seeds of the crawl. So after a send, targets are collected for this many times its
 * duration: sends take at most a fifth of the time, however many seeds there are.
 */
const gatherFactor = 4;

type Noted = Parameters<SeedRedirects['note']>[0];

/** `given`: seeds of this command line, normal. */
export function createSeedRedirects(
  given: readonly string[],
  follows: boolean,
  say: (text: string) => void,
  clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
): SeedRedirects {
  return new SeedFollower(given, follows, say, clock);
}

class SeedFollower implements SeedRedirects {
  readonly left = new Map<string, string>();
  readonly #given: readonly string[];
  readonly #follows: boolean;
  readonly #say: (text: string) => void;
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** Seeds, and where their redirects led. */
  readonly #origins: Map<string, Origin>;
  readonly #seeds: Set<string>;
  readonly #early: Noted[] = [];
  readonly #settling = new AbortController();
  #run!: FollowingRun;
  #rules!: ReturnType<typeof rulesOf>;
  #isOpen = false;
  #waiting: Target[] = [];
  #sending: Promise<void> | undefined;

  constructor(
    given: readonly string[],
    follows: boolean,
    say: (text: string) => void,
    clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
  ) {
    this.#given = given;
    this.#follows = follows;
    this.#say = say;
    this.#clock = clock;
    this.#origins = new Map(given.map((seed) => [seed, { seed, hops: 0 }]));
    this.#seeds = new Set(given);
  }

  get isBusy(): boolean {
    return this.#sending !== undefined;
  }

  async open(opened: FollowingRun): Promise<void> {
    this.#rules = rulesOf(opened.policy);
    for (const seed of opened.seeds) {
      this.#seeds.add(seed);
      if (!this.#follows) this.#origins.set(seed, { seed, hops: 0 });
    }
    this.#run = opened;
    // Nothing is out of that scope.
    if (this.#follows) this.#judgeChains(opened.policy.scope.kind === 'all' ? new Map() : await this.#storedChains());
    this.#isOpen = true;
    for (const { url, redirectUrl } of this.#early.splice(0)) this.#judge(url, redirectUrl);
  }

  note(outcome: Noted): void {
    if (outcome.kind !== 'redirect' || this.#settling.signal.aborted) return;
    if (!this.#isOpen) this.#early.push(outcome);
    else this.#judge(outcome.url, outcome.redirectUrl);
  }

  async settle(): Promise<void> {
    this.#settling.abort();
    await this.#sending;
  }

  #judge(url: string, redirectUrl: string): void {
    const from = this.#origins.get(url);
    if (from === undefined) return;
    // Each redirect of a seed is handled once: a seed may be fetched again.
    this.#origins.delete(url);
    const target = this.#rules.normalize(redirectUrl);
    if (target === null) return;
    const { seed } = from;
    const hops = from.hops + 1;
    const isWithinHops = hops <= this.#rules.hopsMax;
    if (this.#seeds.has(target) || this.#rules.isInScope(target)) {
      if (isWithinHops && !this.#origins.has(target)) this.#origins.set(target, { seed, hops });
      return;
    }
    if (!this.#follows || !isWithinHops) {
      this.left.set(seed, target);
      const add = `to crawl that: add ${inShell(target)} as a seed`;
      this.#say(
        isWithinHops
          ? `${seed} redirects to ${target}, which is out of scope; ${add}, or --follow-seed-redirects`
          : `${seed} redirects to ${target}, after ${counted(from.hops, 'redirect')}: no more are followed; ${add}`,
      );
      return;
    }
    this.#seeds.add(target);
    this.#origins.set(target, { seed, hops });
    this.#waiting.push({ url: target, seed, hops });
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const targets = this.#waiting;
      this.#waiting = [];
      const startedMs = this.#clock.nowMs();
      await this.#sendTogether(targets);
      const endedMs = this.#clock.nowMs();
      await this.#clock.sleepUntil(endedMs + gatherFactor * (endedMs - startedMs), this.#settling.signal);
    }
    // Not in a `finally` of the promise: a target that comes before that ran would wait for ever.
    this.#sending = undefined;
  }

  async #sendTogether(targets: readonly Target[]): Promise<void> {
    try {
      this.#rules = rulesOf(await this.#run.follow(targets.map(({ url }) => url)));
      for (const { seed, url } of targets)
        this.#say(`${seed} redirects to ${url}: its target is a seed now (--follow-seed-redirects)`);
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string };
      // A rule of the policy refuses one of them: the others are good.
      if (code === 'INVALID_SEED' && targets.length > 1) {
        const middle = targets.length >> 1;
        await this.#sendTogether(targets.slice(0, middle));
        await this.#sendTogether(targets.slice(middle));
        return;
      }
      for (const { seed, url } of targets) {
        this.left.set(seed, url);
        this.#origins.delete(url);
        this.#seeds.delete(url);
      }
      const others = targets.length === 1 ? '' : ` and ${counted(targets.length - 1, 'other redirect target')}`;
      this.#say(`${targets[0]!.url}${others} could not become a seed: ${message}`);
    }
  }

  /** Returns the stored redirects of seeds, and of their targets within the scope: URL → normal target. */
  async #storedChains(): Promise<ReadonlyMap<string, string>> {
    const led = new Map<string, string>();
    const wanted = new Set(this.#seeds);
    // Partitions are read one after another, so the next redirect of a chain may be in one that was read before.
    for (let known = -1, pass = 0; known < wanted.size && pass <= this.#rules.hopsMax; pass++) {
      known = wanted.size;
      for await (const { url, redirectUrl } of this.#run.stored()) {
        if (!wanted.has(url) || led.has(url)) continue;
        const target = this.#rules.normalize(redirectUrl);
        if (target === null) continue;
        led.set(url, target);
        if (this.#rules.isInScope(target)) wanted.add(target);
      }
    }
    return led;
  }

  /** Chains begin with seeds to which no other seed redirects, so that a target keeps its place in the chain. */
  #judgeChains(led: ReadonlyMap<string, string>): void {
    const targets = new Set(led.values());
    const own = new Set(this.#given);
    const reached = new Set<string>();
    const later: string[] = [];
    const begin = (seed: string) => {
      this.#origins.set(seed, { seed, hops: 0 });
      for (let url: string | undefined = seed; url !== undefined && this.#origins.has(url); ) {
        const target = led.get(url);
        if (target !== undefined) this.#judge(url, target);
        url = target;
        if (url !== undefined) reached.add(url);
      }
    };
    for (const seed of this.#run.seeds)
      if (own.has(seed) || !targets.has(seed)) begin(seed);
      else later.push(seed);
    for (const seed of later) if (!reached.has(seed)) begin(seed);
  }
}

/** The rules that decide on targets, compiled once for each policy. */
function rulesOf({ scope, overlays = [], normalize, hopsMax }: PolicyConfig) {
  const outOfScope = compileScope(scope);
  /** Overlays that decide on scope may let it in. */
  const isLetIn = overlays.some(({ set }) => set.inScope === true);
  return {
    normalize: compileNormalizer(normalize),
    isInScope: (url: string) => isLetIn || outOfScope(url) === null,
    hopsMax,
  };
}

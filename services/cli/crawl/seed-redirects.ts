/**
 * Seeds that redirect out of the scope. Each is named once with its target. With --follow-seed-redirects the target becomes
 * a seed, and its host or domain part of the scope.
 */
import type { Outcome } from '../../../schemas/types.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { compileScope } from '../../../topology/url/scope.ts';
import { inShell } from '../terminal/in-shell.ts';

export interface SeedRedirects {
  note(outcome: Outcome): void;
  /** The crawl runs with this policy; `follow` makes a URL one more seed of it, and resolves to the policy from then on. */
  open(policy: PolicyConfig, follow: (url: string) => Promise<PolicyConfig>): void;
  /** Does a target wait to become a seed? A crawl must not end before. */
  readonly isBusy: boolean;
  /** Targets that were not followed, by seed. */
  readonly left: ReadonlyMap<string, string>;
}

/** `seeds`: normal. */
export function createSeedRedirects(
  seeds: readonly string[],
  follows: boolean,
  say: (text: string) => void,
): SeedRedirects {
  /** Seeds, and where their redirects led, to the seed. */
  const origins = new Map(seeds.map((url) => [url, url]));
  const left = new Map<string, string>();
  const early: Outcome[] = [];
  let run: { policy: PolicyConfig; follow: (url: string) => Promise<PolicyConfig> } | undefined;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  function judge({ kind, url, redirectUrl }: Outcome): void {
    const seed = kind === 'redirect' ? origins.get(url) : undefined;
    if (seed === undefined) return;
    // Each redirect of a seed is looked at once: a seed may be fetched again.
    origins.delete(url);
    const { policy } = run!;
    const target = compileNormalizer(policy.normalize)(redirectUrl);
    if (target === null) return;
    if (isInScope(policy, target)) {
      origins.set(target, seed);
      return;
    }
    if (!follows) {
      left.set(seed, target);
      const add = `add ${inShell(target)} as a seed, or --follow-seed-redirects`;
      say(`${seed} redirects to ${target}, which is out of scope; to crawl that: ${add}`);
      return;
    }
    origins.set(target, seed);
    say(`${seed} redirects to ${target}: its target is a seed now (--follow-seed-redirects)`);
    waiting += 1;
    last = last
      .then(async () => {
        run!.policy = await run!.follow(target);
      })
      .catch((error: Error) => say(`${target} could not become a seed: ${error.message}`))
      .finally(() => (waiting -= 1));
  }

  return {
    left,
    get isBusy() {
      return waiting > 0;
    },
    open(policy, follow) {
      run = { policy, follow };
      for (const outcome of early.splice(0)) judge(outcome);
    },
    note(outcome) {
      if (outcome.kind !== 'redirect' || !origins.has(outcome.url)) return;
      if (run === undefined) early.push(outcome);
      else judge(outcome);
    },
  };
}

/** Overlays that decide on scope may let it in. */
function isInScope({ scope, overlays = [] }: PolicyConfig, url: string): boolean {
  return overlays.some(({ set }) => set.inScope === true) || compileScope(scope)(url) === null;
}

/**
 * Versions of a crawl's policy on `control`: the existing ones, and the next one.
 *
 * A version never changes; each new one is higher than all before it.
 */
import { resolve } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { listsOf, withLists } from '../../../topology/policy/lists-of.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { checkIdentity } from '../../../topology/policy/url-identity.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { fieldOfList } from '../../../topology/url/url-lists.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { listsOfCrawl } from '../../hosting/connect/policy-lists.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { PlacedEvent } from '../../runtime/crawl/control-log.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { policyVersions } from '../../runtime/crawl/look.ts';
import { policyRequest } from '../../runtime/crawl/requests.ts';
import { bad } from '../../runtime/option-text.ts';
import { readList } from '../../runtime/policy/list-files.ts';
import { print } from '../terminal/print.ts';

export interface Versions {
  /** In the order they were set. */
  readonly all: readonly PlacedEvent[];
  readonly newest: PolicyConfig;
  /** By partition; 0: none yet. */
  readonly inForce: readonly number[];
}

export function versions(flags: KafkaFlags): Promise<Versions> {
  return withCrawl(flags, async ({ log, codec, topics }) => {
    const { crawl, partitions } = topics;
    const { start, end } = await log.offsets(`${crawl}.control`, 0);
    const all: PlacedEvent[] = [];
    for await (const placed of controlEvents(log, codec, crawl, 0, start, end)) {
      const { kind, version } = placed.event;
      if (kind === 'policy' && version > (all.at(-1)?.event.version ?? 0)) all.push(placed);
    }
    const last = all.at(-1);
    if (last === undefined)
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        'the crawl has no policy yet: start it with crawlstream crawl, or add seeds with crawlstream inject',
      );
    return { all, newest: parsePolicy(last.event.payload), inForce: await policyVersions(log, crawl, partitions) };
  });
}

export function configOf(all: readonly PlacedEvent[], version: number): PolicyConfig {
  const found = all.find(({ event }) => event.version === version);
  if (found === undefined)
    throw bad('[version]', String(version), 'give a version listed by `crawlstream policy history`');
  return parsePolicy(found.event.payload);
}

/** Checks that the policy compiles with its lists, and sends it under the next version. */
export async function accept(
  flags: OperatorFlags,
  config: Omit<PolicyConfig, 'version'>,
  newest: PolicyConfig,
): Promise<void> {
  const clock = new SystemClock();
  const nowMs = clock.nowMs();
  const policy: PolicyConfig = { ...config, version: Math.max(nowMs, newest.version + 1) };
  checkIdentity(newest, policy);
  // Lists are copied into the data folder as well, so that later changes of the files do not matter.
  compilePolicy(parsePolicy(JSON.stringify(policy)), await listsOfCrawl(policy, flags));
  const { offsets } = await sendRequest(flags, clock, (topics) => policyRequest(topics, policy, flags.by, nowMs));
  const text = `version ${policy.version} is accepted, recorded on topic control at ${offsets.map((offset, partition) => `${partition}:${offset}`).join(' ')} (partition:offset)`;
  print({ json: { version: policy.version, offsets }, text }, flags.json);
}

/** The policy in force, changed; null: it stays. */
export async function changePolicy(
  flags: OperatorFlags,
  change: (policy: PolicyConfig) => PolicyConfig | null,
): Promise<void> {
  const { newest } = await versions(flags);
  const next = change(newest);
  if (next !== null) await accept(flags, next, newest);
}

/**
 * Returns the policy with each list by absolute path and the hash of its present content. If the file names a hash, it
 * must be the same.
 */
export async function withHashes<T extends Omit<PolicyConfig, 'version'>>(
  config: T,
  folder: string,
  reload = false,
): Promise<T> {
  const hashed = await Promise.all(
    listsOf(config).map(async (list) => {
      const path = resolve(folder, list.path);
      const { sha256 } = await readList(path, fieldOfList(list));
      return { path, sha256: reload || list.sha256 === '' ? sha256 : list.sha256 };
    }),
  );
  return withLists(config, hashed);
}

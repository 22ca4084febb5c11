/** Policy and seeds to a crawl on Kafka: the policy where it differs from the one in force, then the seeds. */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/limits.ts';
import { listsOf } from '../../../topology/policy/lists-of.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { Clock } from '../../runtime/clock.ts';
import { askedBy, readControl } from '../../runtime/crawl/control-log.ts';
import { encodeRequest, policyRecords, samePolicy, seedRequest } from '../../runtime/crawl/requests.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import type { PolicyFlags } from '../flags/policy-flags.ts';
import { checkSeeds, policyOf } from '../flags/policy-flags.ts';
import { createWorkBar } from '../terminal/work-bar.ts';
import type { KafkaConnection } from './kafka-connection.ts';

export interface Sending extends KafkaConnection {
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly ListedSeed[];
  readonly flags: PolicyFlags;
  /** Let the flags make the policy even where one is in force; else it stays, and seeds must be within its scope. */
  readonly always: boolean;
}

/** The policy in force afterwards. */
export async function sendToKafka({
  log,
  codec,
  manifest,
  clock,
  seeds,
  flags,
  always,
}: Sending): Promise<PolicyConfig> {
  const urls = seeds.map(({ url }) => url);
  const before = await readControl(log, codec, manifest.crawl);
  const inForce = before.policy === null ? null : parsePolicy(before.policy.json);
  const asked = before.asked === null ? null : parsePolicy(before.asked.json);
  if (seeds.length === 0 && inForce === null) {
    throw new CrawlstreamError('INVALID_SEED', 'no seed given: name a URL to start from, such as https://example.org/');
  }
  // Without seeds there is nothing for a scope to go by: a crawl that goes on keeps its policy.
  let policy = inForce !== null && (!always || seeds.length === 0) ? inForce : policyOf(flags, urls);
  checkSeeds(urls, policy, await createListFiles().load(listsOf(policy), '/'));
  const version = Math.max(clock.nowMs(), (before.policy?.version ?? 0) + 1);
  // Options that ask for what they asked for last time are no news: an operator's policy since then stays.
  const isNews = inForce === null || !(samePolicy(inForce, policy) || (asked !== null && samePolicy(asked, policy)));
  if (isNews) {
    policy = { ...policy, version };
    await log.append(policyRecords(codec, manifest, policy, askedBy, clock.nowMs()));
  } else policy = inForce;
  const bar = createWorkBar('URLs sent', seeds.length);
  for (let at = 0; at < seeds.length; at += crawlLimits.seedsPerRequest) {
    const some = seeds.slice(at, at + crawlLimits.seedsPerRequest);
    await log.append(encodeRequest(codec, manifest.crawl, seedRequest(manifest, some, clock.nowMs())));
    bar.add(some.length);
  }
  bar.end();
  return policy;
}

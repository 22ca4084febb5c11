/** Sends policy and seeds to a crawl on Kafka: first the policy, if it differs from the current one, then the seeds. */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { ExtraFields } from '../../../topology/policy/extra-fields.ts';
import { keepInForce } from '../../../topology/policy/keep-in-force.ts';
import { listsOf } from '../../../topology/policy/lists-of.ts';
import { mergeAsked, policyChanges } from '../../../topology/policy/merge.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { checkIdentity } from '../../../topology/policy/url-identity.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { Clock } from '../../runtime/clock.ts';
import { askedBy, readControl } from '../../runtime/crawl/control-log.ts';
import { encodeRequest, policyRecords, samePolicy, seedRequest } from '../../runtime/crawl/requests.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import type { PolicyFlags } from '../policy/policy-of.ts';
import { policyOf } from '../policy/policy-of.ts';
import { checkSeeds } from '../policy/seeds.ts';
import { createWorkBar } from '../progress/work-bar.ts';
import type { KafkaConnection } from './kafka-connection.ts';

export interface Sending extends KafkaConnection {
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly ListedSeed[];
  readonly flags: PolicyFlags;
  /** Fields of extras and plugins. Absent: those of installed extras. */
  readonly fields?: ExtraFields;
  /**
   * Effect of the flags on the current policy: they change the fields that they name, replace it, or leave it. In the
   * last case, seeds must be within its scope.
   */
  readonly flagsDo: 'change' | 'replace' | 'nothing';
  say?(text: string): void;
}

/** The policy in force afterwards. */
export async function sendToKafka({
  log,
  codec,
  manifest,
  clock,
  seeds,
  flags,
  fields,
  flagsDo,
  say = () => {},
}: Sending): Promise<PolicyConfig> {
  const urls = seeds.map(({ url }) => url);
  const before = await readControl(log, codec, manifest.crawl);
  const inForce = before.policy === null ? null : parsePolicy(before.policy.json);
  const asked = before.asked === null ? null : parsePolicy(before.asked.json);
  if (seeds.length === 0 && inForce === null) {
    throw new CrawlstreamError(
      'INVALID_SEED',
      'no seed is given: add a URL to start from, such as https://example.org/',
    );
  }
  const base = flagsDo === 'replace' ? null : (asked ?? inForce);
  let policy = inForce ?? policyOf(flags, urls, null, fields);
  if (inForce !== null && flagsDo !== 'nothing') {
    const wanted = policyOf(flags, urls, base, fields);
    policy =
      base === null ? { ...keepInForce(inForce, wanted), version: inForce.version } : mergeAsked(base, wanted, inForce);
  }
  checkSeeds(urls, policy, await createListFiles().load(listsOf(policy), '/'));
  if (inForce !== null) checkIdentity(inForce, policy);
  if (inForce === null || !samePolicy(inForce, policy)) {
    policy = { ...policy, version: Math.max(clock.nowMs(), (before.policy?.version ?? 0) + 1) };
    await log.append(policyRecords(codec, manifest, policy, askedBy, clock.nowMs()));
    for (const change of inForce === null ? [] : policyChanges(inForce, policy)) say(`changed: ${change}`);
  }
  const bar = createWorkBar('URLs sent', seeds.length);
  for (let at = 0; at < seeds.length; at += crawlLimits.seedsPerRequest) {
    const some = seeds.slice(at, at + crawlLimits.seedsPerRequest);
    await log.append(encodeRequest(codec, manifest.crawl, seedRequest(manifest, some, clock.nowMs())));
    bar.add(some.length);
  }
  bar.end();
  return policy;
}

/**
 * Sends policy and seeds to the log of a data folder if they have changed since they were last sent, and stores the
 * request in its crawl.json.
 *
 * The current policy is the newest on `control`: options change only the fields that they name, so later settings of an
 * operator survive. A kill between the append and the file makes the next start send both again. That does little:
 * seeds are found to be duplicates, a policy that is already current is not sent, and URLs that failed for TLS are at
 * worst fetched twice.
 */
import { isDeepStrictEqual } from 'node:util';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { keepInForce } from '../../../topology/policy/keep-in-force.ts';
import { listsOf } from '../../../topology/policy/lists-of.ts';
import { mergeAsked, policyChanges } from '../../../topology/policy/merge.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { checkIdentity } from '../../../topology/policy/url-identity.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { Clock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { askedBy, readControl } from '../../runtime/crawl/control-log.ts';
import { policyRecords, samePolicy, seedRecords } from '../../runtime/crawl/requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { type GivenOptions, readRequest, writeRequest } from '../connect/crawl-folder.ts';
import type { WholeLog } from '../connect/folder-log.ts';
import { checkSeeds } from '../policy/seeds.ts';
import { fetchAgainWhatTlsKeptOut, fetchAgainWhatWasPrivate } from './mended-trust.ts';

export interface Asked {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly ListedSeed[];
  /** The seeds and policy that the options add to earlier ones; null: nothing yet. `all`: every seed of the crawl. */
  ask(all: readonly string[], before: PolicyConfig | null): PolicyConfig;
  /** Options of `crawl` that are not part of the policy. */
  readonly options: GivenOptions;
  /** The trusted authorities and hosts (mended-trust.ts). */
  readonly trust: string;
  /** Private addresses that it may go to (mended-trust.ts). */
  readonly reach: string;
  /** True: the policy consists of the options only. */
  readonly newOptions: boolean;
  say(text: string): void;
}

/** The policy in force from now on. Throws INVALID_SEED for a seed that it refuses. */
export async function sendNews(asked: Asked, { log, codec }: Pick<WholeLog, 'log' | 'codec'>): Promise<PolicyConfig> {
  const { folder, clock, seeds, options, say } = asked;
  const { crawl: name } = folder.manifest;
  const before = await readRequest(folder);
  const newest = (await readControl(log, codec, name)).policy;
  const inForce = newest === null ? null : parsePolicy(newest.json);
  const known = new Set(before.seeds);
  const news = seeds.filter(({ url }) => !known.has(url));
  const newUrls = news.map(({ url }) => url);
  const all = [...before.seeds, ...newUrls];
  // If another command began the crawl, the earlier request is unknown: only the present options change the policy.
  const base = asked.newOptions ? null : (before.policy ?? inForce);
  const wanted = asked.ask(all, base);
  let policy = policyToBe(base, wanted, inForce);
  checkSeeds(newUrls, policy, await createListFiles(folder.part('lists')).load(listsOf(policy), '/'));
  if (inForce !== null) checkIdentity(inForce, policy);
  if (inForce === null || !samePolicy(inForce, policy)) {
    policy = { ...policy, version: Math.max(clock.nowMs(), (newest?.version ?? 0) + 1) };
    await log.append(policyRecords(codec, folder.manifest, policy, askedBy, clock.nowMs()));
    for (const change of inForce === null ? [] : policyChanges(inForce, policy)) say(`changed: ${change}`);
  }
  for (let at = 0; at < news.length; at += crawlLimits.seedsPerRequest) {
    const some = news.slice(at, at + crawlLimits.seedsPerRequest);
    await log.append(seedRecords(codec, folder.manifest, some, clock.nowMs()));
  }
  const { trust, reach } = asked;
  if (before.seeds.length > 0 && trust !== (before.trust ?? '')) {
    const again = await fetchAgainWhatTlsKeptOut(log, codec, folder.manifest, clock.nowMs());
    if (again.urls > 0)
      say(
        `trusted certificates changed (--ca, --insecure): refetching ${counted(again.urls, 'URL')} of ${counted(again.hosts, 'host')} with TLS failures`,
      );
  }
  if (before.seeds.length > 0 && reach !== '' && reach !== before.reach) {
    const again = await fetchAgainWhatWasPrivate(log, codec, folder.manifest, clock.nowMs());
    if (again.urls > 0)
      say(
        `private addresses are allowed now: refetching ${counted(again.urls, 'URL')} of ${counted(again.hosts, 'host')} refused before`,
      );
  }
  const after = { seeds: all, policy: wanted, options, trust, reach };
  if (!isDeepStrictEqual(before, after)) await writeRequest(folder, after);
  return policy;
}

function policyToBe(base: PolicyConfig | null, wanted: PolicyConfig, inForce: PolicyConfig | null): PolicyConfig {
  if (inForce === null) return wanted;
  if (base === null) return { ...keepInForce(inForce, wanted), version: inForce.version };
  return mergeAsked(base, wanted, inForce);
}

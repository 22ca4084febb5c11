/** The task that carries a lease. Made once the lease's URLs have been read, before the next step: results end them. */
import { blankSitemapRound } from '../../../schemas/blank.ts';
import type { Task, TaskUrl } from '../../../schemas/types.ts';
import type { Policy } from '../../policy/policy.ts';
import { handedOn } from '../../policy/score/opic.ts';
import { queueSpan } from '../../trace/journey.ts';
import { formatTraceparent } from '../../trace/trace-context.ts';
import type { Tracing } from '../../trace/tracing.ts';
import { spelt } from '../../url/spelling.ts';
import type { UrlRecord } from '../changes/changes.ts';
import { attemptsOf, unread } from '../hosts/lease.ts';
import { textOfPayload } from '../pull/payload.ts';
import type { FrontierState } from '../state/state.ts';
import type { PartitionIdentity } from './decision.ts';
import { sitemapsOf } from './sitemaps.ts';

/** A lease that a step has granted. */
export interface Granted extends Pick<Task, 'robotsHops'> {
  readonly leaseId: number;
}

export function taskOf(state: FrontierState, identity: PartitionIdentity, policy: Policy, granted: Granted): Task {
  const { leaseId, robotsHops } = granted;
  const { host, entries, deadlineMs, delayMs, pages } = state.leases.get(leaseId)!;
  const { crawlDelayCapMs, delayFactor, serverErrorsMax = 0 } = policy.hostSettings(host.key);
  const read = entries.map((entry, index) => {
    if (entry === null || entry === unread) throw new Error(`URL ${index} of lease ${leaseId} is missing`);
    return entry;
  });
  // Visits compare each text with that of the visit before.
  const compared =
    policy.recrawl === null
      ? state.traps.textsToCompare(
          host.key,
          read.map(({ url }) => url),
        )
      : null;
  const urls = read.map((entry, index) => {
    const record = pages.get(index)?.record;
    return {
      url: spelt(entry.url, entry.spelling),
      depth: entry.depth,
      hop: entry.hop,
      attempt: attemptsOf({ pages }, index, entry),
      ...validatorsOf(record),
      cash: policy.cash === null ? 0 : handedOn(policy.cash, heldBy(state, entry.url)),
      traceparent:
        policy.tracing === null ? '' : traceparentOf(state, policy.tracing, host.key, entry.url, leaseId, record),
      payload: entry.payload === undefined ? '' : textOfPayload(entry.payload),
      normal: entry.spelling === undefined ? '' : entry.url,
      tags: state.tagSets.tagsOf(entry.tags),
      unsigned: compared !== null && !compared.has(entry.url),
    };
  });
  return {
    partition: identity.partition,
    epoch: state.changelog.epoch,
    leaseId,
    hostKey: host.key,
    grantedAtMs: state.nowMs,
    deadlineMs,
    lanes: state.hosts.hostSlots.of(host.id).most,
    notBeforeMs: state.hosts.facts.readyAtMs(host.id),
    delayMs,
    crawlDelayCapMs,
    delayFactor,
    serverErrorsMax,
    serverErrors: serverErrorsMax === 0 ? 0 : host.facts.serverErrors,
    signatures: urls.some(({ unsigned }) => !unsigned),
    policyVersion: state.policyVersion,
    urls,
    robotsHops,
    sitemaps: robotsHops.length > 0 ? blankSitemapRound : sitemapsOf(state, policy, host),
  };
}

/**
 * The trace context of the lease, which follows the URL's time in the queue. `record`: the record of its last visit.
 */
function traceparentOf(
  state: FrontierState,
  tracing: Tracing,
  hostKey: string,
  url: string,
  leaseId: number,
  record: unknown,
): string {
  const [hi, lo] = state.identityOf(hostKey, url);
  return tracing.traces(hostKey, lo!) ? formatTraceparent(queueSpan(hi!, lo!, leaseId, record !== undefined)) : '';
}

function heldBy(state: FrontierState, url: string): number {
  const [hi, lo] = state.fingerprintOf(url);
  return state.cash.heldBy(hi!, lo!);
}

/**
 * Validators only of a page, because a 304 for anything else would make it a page. States of earlier versions also
 * have validators of other answers.
 */
function validatorsOf(record: UrlRecord | undefined): Pick<TaskUrl, 'etag' | 'lastModified'> {
  if (record === undefined || (record.status !== 'page' && record.contentHash === ''))
    return { etag: '', lastModified: '' };
  return { etag: record.etag, lastModified: record.lastModified };
}

/**
 * The data of the dashboard's page of one host: what `hosts HOST` knows, and why it waits, in the words of `explain`.
 */
import { isFailingServer, politeDelayMs } from '../../../../topology/frontier/decide/politeness.ts';
import { queueName } from '../../../../topology/frontier/queues/held-queues.ts';
import { compilePolicy } from '../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { listsOfCrawl } from '../../../hosting/connect/policy-lists.ts';
import { nothingToFetch, whyItWaits } from '../../../hosting/inspect/host-status.ts';
import type { PlacedAnswer } from '../../../hosting/inspect/hosts.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { RecordCodec } from '../../../runtime/avro/record-codec.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { readControl } from '../../../runtime/crawl/control-log.ts';
import type { Log } from '../../../runtime/log/log.ts';
import type { HostPageStatus } from '../status.ts';

interface PagedCrawl {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly crawl: string;
}

/** URLs of a page of its queue. */
export const hostPageUrls = 50;

/** `ask`: the host's answer, from `from` on. */
export function hostPager(
  { log, codec, clock, crawl }: PagedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  ask: (hostKey: string, from: string | undefined) => Promise<PlacedAnswer>,
) {
  return async (hostKey: string, from: string): Promise<Omit<HostPageStatus, 'outcomes'>> => {
    const [answer, control] = await Promise.all([
      ask(hostKey, from === '' ? undefined : from),
      readControl(log, codec, crawl),
    ]);
    const config = control.policy === null ? undefined : parsePolicy(control.policy.json);
    const policy = config && compilePolicy(config, await listsOfCrawl(config, flags));
    const { facts: given, frontQueues, again, leases, parallel, queue, next } = answer;
    const nowMs = clock.nowMs();
    const { crawlDelayMs, ownDelayMs, pagesMax, ownBudget } = given;
    const unset = {
      ...{ crawlDelayMs: crawlDelayMs ?? -1, ownDelayMs: ownDelayMs ?? -1 },
      ...{ pagesMax: pagesMax ?? -1, ownBudget: ownBudget ?? -1 },
    };
    const facts = { ...given, ...unset };
    const hostSlots = { own: parallel.own ?? -1, most: parallel.leases };
    const held = (isHeld: boolean) =>
      frontQueues.filter(({ held }) => (held || given.hold !== '') === isHeld).reduce((sum, { urls }) => sum + urls, 0);
    const nothing = nothingToFetch(answer);
    const { hold, deadUntilMs, readyAtMs, fetched, pages, failures, throttles, fetchMs } = given;
    return {
      ...{ host: hostKey, atMs: nowMs, hold, fetched, pages, failures, throttles, fetchMs },
      why:
        policy === undefined
          ? ''
          : whyItWaits(policy, hostKey, { facts, leasesOut: leases.map(({ id }) => id), hostSlots, nowMs }, nothing),
      deadUntilMs: deadUntilMs > nowMs ? deadUntilMs : null,
      readyAtMs: readyAtMs === 0 ? null : readyAtMs,
      isFree: hold === '' && nothing === null,
      serverFails: policy !== undefined && isFailingServer(policy.hostSettings(hostKey), facts),
      delayMs: policy === undefined ? 0 : politeDelayMs(policy.hostSettings(hostKey), facts),
      ...{ crawlDelayMs, ownDelayMs, pagesMax, again, leases },
      queued: held(false) + (hold === '' ? again.urls : 0),
      deferred: held(true) + (hold === '' ? 0 : again.urls),
      queue: queue.map(({ frontQueue, depth, url }) => ({ frontQueue: queueName(frontQueue), depth, url })),
      next,
    };
  };
}

/**
 * The data of the dashboard's page of one host: what `hosts HOST` knows, and why it waits, in the words of `explain`.
 */
import { isFailingServer, politeDelayMs } from '../../../../topology/frontier/decide/politeness.ts';
import { queueName } from '../../../../topology/frontier/queues/held-queues.ts';
import { compilePolicy } from '../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { listsOfCrawl } from '../../../hosting/connect/policy-lists.ts';
import { crawlObstacle, type ObstructedCrawl } from '../../../hosting/inspect/crawl-obstacle.ts';
import { nothingToFetch } from '../../../hosting/inspect/host-status.ts';
import { hostFactsOf, whyHostWaits } from '../../../hosting/inspect/host-why.ts';
import type { PlacedAnswer } from '../../../hosting/inspect/hosts.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { RecordCodec } from '../../../runtime/avro/record-codec.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { readControl } from '../../../runtime/crawl/control-log.ts';
import type { HostPageStatus } from '../status.ts';

interface PagedCrawl extends ObstructedCrawl {
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** URLs of a page of its queue. */
export const hostPageUrls = 50;

/** `ask`: the host's answer, from `from` on. */
export function hostPager(
  crawl: PagedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  ask: (hostKey: string, from: string | undefined) => Promise<PlacedAnswer>,
) {
  const { log, codec, clock, topics } = crawl;
  return async (hostKey: string, from: string): Promise<Omit<HostPageStatus, 'outcomes'>> => {
    const [answer, control] = await Promise.all([
      ask(hostKey, from === '' ? undefined : from),
      readControl(log, codec, topics.crawl),
    ]);
    const config = control.policy === null ? undefined : parsePolicy(control.policy.json);
    const policy = config && compilePolicy(config, await listsOfCrawl(config, flags));
    const { facts: given, frontQueues, again, leases, queue, next } = answer;
    const nowMs = clock.nowMs();
    const { crawlDelayMs, ownDelayMs, pagesMax } = given;
    const facts = hostFactsOf(answer);
    const held = (isHeld: boolean) =>
      frontQueues.filter(({ held }) => (held || given.hold !== '') === isHeld).reduce((sum, { urls }) => sum + urls, 0);
    const nothing = nothingToFetch(answer);
    const obstacle = config === undefined ? null : await crawlObstacle(crawl, config, flags.data, nowMs);
    const { hold, deadUntilMs, readyAtMs, fetched, pages, failures, throttles, fetchMs } = given;
    return {
      ...{ host: hostKey, atMs: nowMs, hold, fetched, pages, failures, throttles, fetchMs },
      why: policy === undefined ? '' : whyHostWaits(policy, hostKey, answer, nowMs, obstacle),
      deadUntilMs: deadUntilMs > nowMs ? deadUntilMs : null,
      readyAtMs: readyAtMs === 0 ? null : readyAtMs,
      isFree: hold === '' && nothing === null && obstacle === null,
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

/** A crawl for the webmaster page: its orders, its visits to a host, and the way to `control`. */
import type { KeyObject } from 'node:crypto';
import { compilePolicy } from '../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import type { ReadableCrawl } from '../../../hosting/connect/open-crawl.ts';
import { listsOfCrawl } from '../../../hosting/connect/policy-lists.ts';
import { sendRequest } from '../../../hosting/connect/send-request.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { StateSource } from '../../../hosting/state/state-source.ts';
import { signReceipt } from '../../../operation/forget/receipt.ts';
import { controlEvents, readControl } from '../../../runtime/crawl/control-log.ts';
import { encodeRequest } from '../../../runtime/crawl/requests.ts';
import { auditLimits } from '../../audit/audit-limits.ts';
import { hostPage } from '../../audit/host-page.ts';
import { auditOneHost } from '../../audit/one-host.ts';
import type { DeskCrawl } from '../desk.ts';
import { deskLimits } from '../desk-limits.ts';

/** Its calls run one at a time: a data folder's log is read as of one moment. */
export function deskCrawl(
  {
    log,
    brokersLog,
    codec,
    clock,
    manifest,
    refresh,
  }: Pick<StateSource, 'clock' | 'manifest'> & Omit<ReadableCrawl, 'topics'>,
  flags: KafkaFlags,
  key: KeyObject,
): DeskCrawl {
  const { crawl, partitions, keyMode } = manifest;
  const partitionOfHost = (hostKey: string) => partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  return {
    crawl,
    async events(hostKey, before) {
      await refresh();
      const partition = partitionOfHost(hostKey);
      const { start, end } = await log.offsets(`${crawl}.control`, partition);
      const found = [];
      for await (const { event } of controlEvents(log, codec, crawl, partition, start, before ?? end))
        if (event.hostKey === hostKey) found.push(event);
      return found;
    },
    async policyDelayMs(hostKey) {
      await refresh();
      const { policy } = await readControl(log, codec, crawl);
      if (policy === null) return 0;
      const config = parsePolicy(policy.json);
      return compilePolicy(config, await listsOfCrawl(config, flags)).hostSettings(hostKey).delayMs;
    },
    async account(hostKey) {
      await refresh();
      const { visits, requests, copies, violations } = await auditOneHost(
        { log, codec, crawl, partitions },
        { hostKey, partition: partitionOfHost(hostKey), domainOf: (host) => partitionKeyOf(host, 'domain') },
        deskLimits.requestsMax,
      );
      const { skewMs } = auditLimits;
      return {
        text: hostPage({ host: hostKey, crawl, visits, copies, violations, skewMs }),
        requests: requests.map(({ startMs, url, kind, status, bytes, robotsHash, userAgent }) => ({
          ...{ atMs: startMs, url, kind, status, bytes, robotsHash, userAgent },
        })),
        copies: copies.map(({ hash, url, fetchedAtMs, status }) => ({ hash, url, atMs: fetchedAtMs, status })),
      };
    },
    async send(make, said) {
      if (brokersLog === null) {
        const { records, offsets } = await sendRequest(flags, clock, (topics) => make(topics, said));
        return records.map(({ partition }, index) => ({ partition, offset: offsets[index]! }));
      }
      const records = make(manifest, said);
      const offsets = await brokersLog.append(encodeRequest(codec, crawl, records));
      return records.map(({ partition }, index) => ({ partition, offset: offsets[index]! }));
    },
    sign: async (receipt) => signReceipt(receipt, key),
  };
}

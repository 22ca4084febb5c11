/**
 * Shares look-ups fairly among registrable domains: names of one domain wait for each other, and not for those of other
 * domains. A page may name thousands of hosts with name servers that never answer.
 */
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { requestLimits } from '../http/request-limits.ts';
import type { DnsAnswer, DnsLookup } from './dns-lookup.ts';

export interface FairLookup {
  /** `onBegin` is called once name servers are asked: until then the name waits for others. */
  lookup(hostname: string, onBegin?: () => void): Promise<DnsAnswer>;
  /** Look-ups that wait for others. */
  readonly waiting: number;
}

interface Waiting {
  readonly hostname: string;
  readonly onBegin: (() => void) | undefined;
  readonly settle: (answer: Promise<DnsAnswer>) => void;
}

export function createFairLookup(ask: DnsLookup): FairLookup {
  const { lookupsMax, lookupsPerDomainMax } = requestLimits;
  let underWay = 0;
  let waiting = 0;
  const ofDomain = new Map<string, number>();
  /** Domains with names that wait, in turn. */
  const queues = new Map<string, Waiting[]>();

  const begin = (domain: string, { hostname, onBegin, settle }: Waiting) => {
    underWay += 1;
    ofDomain.set(domain, (ofDomain.get(domain) ?? 0) + 1);
    onBegin?.();
    const answer = ask(hostname);
    settle(answer);
    const end = () => {
      underWay -= 1;
      const left = ofDomain.get(domain)! - 1;
      if (left === 0) ofDomain.delete(domain);
      else ofDomain.set(domain, left);
      beginSome();
    };
    answer.then(end, end);
  };

  /** Starts a look-up for each domain below its limit, in turn: a domain goes to the end after its turn. */
  const beginSome = () => {
    for (const [domain, queue] of queues) {
      if (underWay >= lookupsMax) return;
      if ((ofDomain.get(domain) ?? 0) >= lookupsPerDomainMax) continue;
      queues.delete(domain);
      const next = queue.shift()!;
      if (queue.length > 0) queues.set(domain, queue);
      waiting -= 1;
      begin(domain, next);
    }
  };

  return {
    get waiting() {
      return waiting;
    },
    lookup(hostname, onBegin) {
      const domain = partitionKeyOf(hostname, 'domain');
      return new Promise((resolve) => {
        const queue = queues.get(domain);
        const one = { hostname, onBegin, settle: resolve };
        if (queue === undefined) queues.set(domain, [one]);
        else queue.push(one);
        waiting += 1;
        beginSome();
      });
    },
  };
}

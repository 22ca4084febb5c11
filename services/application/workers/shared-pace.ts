/**
 * The politeness limits that all workers of a crawl share: the time between starts on one address, and the cap on
 * bytes. The crawl's process keeps both, and workers ask it through their channels. So a limit is neither exceeded
 * nor divided among idle workers. A delay per host needs no sharing, because each host belongs to one worker.
 *
 * The start of a permitted request is recorded when its message arrives, which is later: so two starts are never too
 * close. A worker that dies may have started every request that it had a permit for, and counts as having done so.
 */
import { setMaxListeners } from 'node:events';
import { type AddressPacer, type AddressPermit, createAddressPacer } from '../../fetcher/pace/address-pacer.ts';
import { type Bandwidth, createBandwidth, type Passage } from '../../fetcher/pace/bandwidth.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Channel, Served } from '../../runtime/log/channel/message-channel.ts';

export interface SharedPace {
  /** For one worker. Call `close` when it has ended. */
  serve(): { readonly served: Served; close(): void };
}

export function createSharedPace(clock: Clock, addressDelayMs: number): SharedPace {
  const alone = () => 1;
  const addresses = createAddressPacer(clock, addressDelayMs, alone);
  const bandwidth = createBandwidth(clock, alone);
  let rate: number | null = null;

  return {
    serve() {
      const ending = new AbortController();
      setMaxListeners(0, ending.signal);
      const permits = new Map<number, AddressPermit>();
      const passages = new Map<number, Passage>();
      let isGone = false;
      const end = (id: number, how: 'start' | 'pass') => {
        permits.get(id)?.[how]();
        permits.delete(id);
      };
      return {
        served: {
          'address.acquire': async (id: number, address: string, latestStartMs: number, hostSlots?: number) => {
            const permit = await addresses.acquire(address, latestStartMs, ending.signal, hostSlots);
            if (permit === null) return null;
            permits.set(id, permit);
            if (isGone) end(id, 'pass'); // It never heard of it.
            return permit.apartMs;
          },
          'address.delay': (delayMs: number) => addresses.setDelay(delayMs),
          'address.start': (id: number) => end(id, 'start'),
          'address.pass': (id: number) => end(id, 'pass'),
          // Each worker reads every policy: only news counts, as a new rate frees the line.
          'bandwidth.rate': (bytesPerSecond: number | null) => {
            if (bytesPerSecond !== rate) bandwidth.setRate((rate = bytesPerSecond));
          },
          'bandwidth.take': async (id: number, latestStartMs: number) => {
            const passage = await bandwidth.take(latestStartMs, ending.signal);
            if (passage !== null) passages.set(id, passage);
            return passage !== null;
          },
          'bandwidth.received': (id: number, bytes: number) => {
            passages.get(id)?.received(bytes);
            passages.delete(id);
          },
          'pace.end': () => ending.abort(),
        },
        close() {
          isGone = true;
          ending.abort();
          for (const id of [...permits.keys()]) end(id, 'start');
        },
      };
    },
  };
}

/** A worker's end of it. */
export function paceOverChannel(
  channel: Pick<Channel, 'call' | 'notify'>,
  addressDelayMs: number,
): { readonly addressPacer: AddressPacer; readonly bandwidth: Bandwidth } {
  const free: Passage = { received: () => {} };
  let nextId = 1;
  let delayMs = addressDelayMs;
  let rate: number | null = null;
  let hears: AbortSignal | undefined;
  const hear = (signal: AbortSignal) => {
    if (hears === signal) return;
    hears = signal;
    signal.addEventListener('abort', () => channel.notify('pace.end'), { once: true });
  };

  return {
    addressPacer: {
      get active() {
        return delayMs > 0;
      },
      setDelay(ms) {
        delayMs = ms;
        channel.notify('address.delay', ms);
      },
      async acquire(address, latestStartMs, signal, hostSlots) {
        hear(signal);
        const id = nextId++;
        const apartMs = (await channel.call('address.acquire', id, address, latestStartMs, hostSlots)) as number | null;
        if (apartMs === null) return null;
        return {
          apartMs,
          start: () => channel.notify('address.start', id),
          pass: () => channel.notify('address.pass', id),
        };
      },
      size: 0,
    },
    bandwidth: {
      setRate(bytesPerSecond) {
        rate = bytesPerSecond;
        channel.notify('bandwidth.rate', bytesPerSecond);
      },
      take(latestStartMs, signal) {
        if (rate === null) return free;
        hear(signal);
        const id = nextId++;
        const passage: Passage = { received: (bytes) => channel.notify('bandwidth.received', id, bytes) };
        return channel.call('bandwidth.take', id, latestStartMs).then((isFree) => (isFree === true ? passage : null));
      },
    },
  };
}

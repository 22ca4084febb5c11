/**
 * An operator's orders to a running crawl, as events on `control`: each names its sender and time, and has a unique id,
 * so that a repetition after a crash is recognised.
 */
import { randomBytes } from 'node:crypto';
import type { Control } from '../../../schemas/types.ts';
import {
  leastDelay,
  ofWebmaster,
  type RequeuePayload,
  takenBackDelay,
} from '../../../topology/frontier/decide/control-payloads.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { controlEvent } from './control-log.ts';
import type { CrawlTopics, RequestRecord } from './requests.ts';
import { aboutHost, crawlWide } from './requests.ts';

export interface Said {
  readonly by: string;
  readonly atMs: number;
}

export type HostEventKind = 'blockHost' | 'releaseHost' | 'hostDelay' | 'hostLimit' | 'hostLeases' | 'budget';

/** `amount` as the kind means it (schemas/control.avsc). */
export function hostEvent(
  topics: CrawlTopics,
  said: Said,
  kind: HostEventKind,
  hostKey: string,
  amount = 0,
): RequestRecord[] {
  return aboutHost(topics, event(said, { kind, hostKey, amount }));
}

/** A longer delay of the policy has precedence, also one that is set later. */
export function leastDelayEvent(topics: CrawlTopics, said: Said, hostKey: string, delayMs: number): RequestRecord[] {
  return aboutHost(topics, event(said, { kind: 'hostDelay', hostKey, amount: delayMs, payload: leastDelay }));
}

/**
 * Removes a least delay, and no other: then `insteadMs`, an operator's earlier order, counts again; -1: the policy's
 * delay.
 */
export function takeBackDelayEvent(
  topics: CrawlTopics,
  said: Said,
  hostKey: string,
  insteadMs: number,
): RequestRecord[] {
  return aboutHost(topics, event(said, { kind: 'hostDelay', hostKey, amount: -1, payload: takenBackDelay(insteadMs) }));
}

/** A webmaster's own pause, or its end: an operator's block is neither replaced nor ended by it. */
export function pauseEvent(topics: CrawlTopics, said: Said, hostKey: string, isEnd: boolean): RequestRecord[] {
  return aboutHost(topics, event(said, { kind: isEnd ? 'releaseHost' : 'blockHost', hostKey, payload: ofWebmaster }));
}

/** `url` null: the whole host. */
export function purgeEvent(topics: CrawlTopics, said: Said, hostKey: string, url: string | null): RequestRecord[] {
  return aboutHost(
    topics,
    event(said, { kind: 'purge', hostKey, payload: url === null ? '' : JSON.stringify({ url }) }),
  );
}

/** `key`: env:NAME or file:PATH, as each fetcher reads it. Fetchers read it from partition 0. */
export function signingKeyEvent(said: Said, key: string): RequestRecord[] {
  const record = event(said, { kind: 'signingKey', payload: JSON.stringify({ key }) });
  return [{ topic: 'control', partition: 0, key: null, record }];
}

export function trapEvent(
  topics: CrawlTopics,
  said: Said,
  kind: 'trap' | 'releaseTrap',
  hostKey: string,
  pattern: string,
  detail = '',
): RequestRecord[] {
  return aboutHost(topics, event(said, { kind, hostKey, payload: JSON.stringify({ pattern, detail }) }));
}

/** `url` is normal. */
export function raiseEvent(topics: CrawlTopics, said: Said, url: string): RequestRecord[] {
  return aboutHost(topics, event(said, { kind: 'raise', hostKey: hostKeyOf(url), payload: JSON.stringify({ url }) }));
}

/** `url` is normal; `frontQueue`: the queue to put it at the end of. */
export function lowerEvent(topics: CrawlTopics, said: Said, url: string, frontQueue: number): RequestRecord[] {
  const payload = JSON.stringify({ url, frontQueue });
  return aboutHost(topics, event(said, { kind: 'lower', hostKey: hostKeyOf(url), payload }));
}

/** `hostKey` empty: URLs of every host. */
export function requeueEvent(
  topics: CrawlTopics,
  said: Said,
  hostKey: string,
  payload: RequeuePayload,
): RequestRecord[] {
  const requeue = event(said, { kind: 'requeue', hostKey, payload: JSON.stringify(payload) });
  return hostKey === '' ? crawlWide(topics, requeue) : aboutHost(topics, requeue);
}

function event(said: Said, fields: Partial<Control> & Pick<Control, 'kind'>): Control {
  return controlEvent({ ...said, ...fields, id: randomBytes(12).toString('hex') });
}

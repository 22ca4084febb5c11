/**
 * Finds the events of one URL in records of the Avro topics. Each function takes a decoded record and returns its
 * events; most records have none.
 */
import type { Control, DeadLetter, Duplicate, Page, Render, Response, Result, Task } from '../../schemas/types.ts';
import {
  isOfWebmaster,
  leastDelayPayload,
  lowerPayload,
  purgePayload,
  raisePayload,
  trapPayload,
} from '../frontier/decide/control-payloads.ts';
import type { TopicName } from '../topics.ts';
import { seenKey } from '../url/seen-key.ts';
import type { TimelineKind, UnversionedEvent } from './timeline-event.ts';

/** Position of a record, and the time when it was appended. */
export interface Place {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
}

/** The URL in question, in each of its spellings. */
export class Subject {
  readonly url: string;
  readonly hostKey: string;
  readonly #key: string;
  readonly normalize: (url: string) => string | null;

  /** `url` is normal; `normalize` is the policy's. */
  constructor(url: string, hostKey: string, normalize: (url: string) => string | null) {
    this.url = url;
    this.hostKey = hostKey;
    this.#key = seenKey(url);
    this.normalize = normalize;
  }

  is(other: string): boolean {
    if (other === this.url) return true;
    const normal = this.normalize(other);
    return normal !== null && (normal === this.url || seenKey(normal) === this.#key);
  }
}

export function taskEvents(subject: Subject, task: Task, place: Place): UnversionedEvent[] {
  const index = task.urls.findIndex(({ url }) => subject.is(url));
  if (index < 0) return [];
  const { leaseId, delayMs, deadlineMs, notBeforeMs, urls } = task;
  const { attempt, etag, lastModified } = urls[index]!;
  const conditional = etag !== '' || lastModified !== '';
  const text = `task of lease ${leaseId} sent to the fetchers: URL ${index + 1} of ${urls.length}, ${seconds(delayMs)} between requests${attempt > 0 ? `, attempt ${attempt + 1}` : ''}${conditional ? ', if it has changed' : ''}`;
  return [event('task', place, task.grantedAtMs, text, { leaseId, index, attempt, delayMs, deadlineMs, notBeforeMs })];
}

export function resultEvents(subject: Subject, result: Result, place: Place): UnversionedEvent[] {
  const events: UnversionedEvent[] = [];
  for (const outcome of result.outcomes) {
    if (!subject.is(outcome.url)) continue;
    const { kind, status, bytes, redirectUrl, retryAfterMs, links, detail, index } = outcome;
    const requests = result.requests.filter(({ outcomeIndex }) => outcomeIndex === index);
    const [first, last] = [requests[0], requests.at(-1)];
    const atMs = last?.endMs || result.completedAtMs || place.timestampMs;
    const took = first === undefined ? '' : ` in ${seconds(atMs - first.startMs)}`;
    const parts = [
      `${kind}${status > 0 ? ` (${status})` : ''}${took}`,
      bytes > 0 ? `${bytes} bytes${outcome.truncated ? ', cut at --max-body' : ''}` : '',
      links > 0 ? `${links} links` : '',
      outcome.linksDropped > 0 ? `${outcome.linksDropped} more dropped (--links-per-page)` : '',
      redirectUrl === '' ? '' : `to ${redirectUrl}`,
      retryAfterMs > 0 ? `Retry-After ${seconds(retryAfterMs)}` : '',
      detail,
    ];
    const text = parts.filter((part) => part !== '').join(', ');
    const { leaseId, fetcherId } = result;
    const startMs = first?.startMs ?? null;
    const details = { outcome: kind, status, bytes, links, startMs, endMs: last?.endMs ?? null, leaseId, index };
    events.push(event('fetched', place, atMs, text, { ...details, redirectUrl, requests: requests.length, fetcherId }));
  }
  return events;
}

export function pageEvents(subject: Subject, page: Page, place: Place): UnversionedEvent[] {
  if (!subject.is(page.url)) return [];
  const { title, contentHash, bytes, language, noindex, rendered, canonical } = page;
  const text = `page published${title === '' ? '' : `: “${title}”`}${rendered ? ', as a browser shows it' : ''}${noindex ? ', not to be indexed' : ''}`;
  const details = { title, contentHash, bytes, language, noindex, rendered, canonical };
  return [event('page', place, Math.max(page.fetchedAtMs, place.timestampMs), text, details)];
}

export function responseEvents(subject: Subject, response: Response, place: Place): UnversionedEvent[] {
  if (!subject.is(response.url)) return [];
  const { status, truncated, body, address } = response;
  const text = `raw response published for archives: ${status}, ${body.length} bytes received`;
  return [event('response', place, place.timestampMs, text, { status, bytes: body.length, truncated, address })];
}

export function renderEvents(subject: Subject, render: Render, place: Place): UnversionedEvent[] {
  if (!subject.is(render.url)) return [];
  return [event('render', place, place.timestampMs, 'the page needs a browser: sent to a renderer', {})];
}

export function duplicateEvents(subject: Subject, duplicate: Duplicate, place: Place): UnversionedEvent[] {
  const { url, representative, method, members, pageOffset, atMs } = duplicate;
  if (!subject.is(url)) return [];
  const text =
    representative === url
      ? 'its content is not a duplicate'
      : `its content is a duplicate of ${representative} (${method}, ${members} pages in the cluster)`;
  return [event('duplicate', place, atMs || place.timestampMs, text, { representative, method, members, pageOffset })];
}

export function deadLetterEvents(subject: Subject, deadLetter: DeadLetter, place: Place): UnversionedEvent[] {
  if (deadLetter.url === '' || !subject.is(deadLetter.url)) return [];
  const { reason, attempts, lastOutcome, status, detail, atMs } = deadLetter;
  const text =
    reason === 'replayed'
      ? `its dead letter ${detail} was replayed`
      : `dead letter: ${reason}${attempts > 0 ? ` after ${attempts} attempts` : ''}${status > 0 ? `, last ${status}` : ''}${detail === '' ? '' : `, ${detail}`}`;
  return [event('deadLetter', place, atMs || place.timestampMs, text, { reason, attempts, lastOutcome, status })];
}

/** Operators' orders and policies that affect the URL: those about the URL, its host, or the whole crawl. */
export function controlEvents(subject: Subject, control: Control, place: Place): UnversionedEvent[] {
  const text = controlText(subject, control);
  if (text === null) return [];
  const { kind, by, hostKey, version, amount, atMs } = control;
  const who = by === '' ? '' : `, by ${by}`;
  const details = { event: kind, by, hostKey, version, amount };
  return [event('control', place, atMs || place.timestampMs, `${text}${who}`, details)];
}

function controlText(subject: Subject, control: Control): string | null {
  const { kind, hostKey, version, amount, payload } = control;
  if (kind === 'policy') return `policy version ${version}`;
  if (hostKey !== subject.hostKey && !(kind === 'requeue' && hostKey === '')) return null;
  const orPolicy = (words: string) => (amount < 0 ? 'as in the policy' : words);
  switch (kind) {
    case 'blockHost':
      return isOfWebmaster(payload) ? `host ${hostKey} paused by its webmaster` : `host ${hostKey} blocked`;
    case 'releaseHost':
      return isOfWebmaster(payload) ? `pause of ${hostKey} ended by its webmaster` : `host ${hostKey} released`;
    case 'pauseHost':
      return `host ${hostKey} failing: leases before ${version} are returned`;
    case 'hostDelay':
      return `delay of ${hostKey}: ${delayText(amount, payload)}`;
    case 'hostLimit':
      return `limit of ${hostKey}: ${orPolicy(`${amount} pages`)}`;
    case 'hostLeases':
      return `leases at once of ${hostKey}: ${orPolicy(`${amount}`)}`;
    case 'budget':
      return `budget of ${hostKey}: ${orPolicy(`${amount} URLs`)}`;
    case 'raise': {
      const url = raisePayload(payload);
      return url !== null && subject.is(url) ? 'raise ordered: first in its host’s queue' : null;
    }
    case 'lower': {
      const lower = lowerPayload(payload);
      return lower !== null && subject.is(lower.url) ? `lower ordered: to front queue ${lower.frontQueue}` : null;
    }
    case 'requeue':
      return `refetch ordered: ${payload || 'all URLs'}`;
    case 'trap':
    case 'releaseTrap':
      return `${kind === 'trap' ? 'a trap of' : 'no trap of'} ${hostKey}: ${trapPayload(payload)?.pattern ?? payload}`;
    case 'purge': {
      const url = purgePayload(payload)?.url;
      if (url === undefined) return null;
      if (url === '') return `host ${hostKey} purged`;
      return subject.is(url) ? 'purge ordered: its data is deleted' : null;
    }
    case 'duplicates':
      return `duplicates counted on ${hostKey}`;
    default:
      return null;
  }
}

/**
 * A webmaster's delay counts if the operator's is shorter. After the webmaster removes it, the operator's earlier order
 * counts again.
 */
function delayText(amount: number, payload: string): string {
  const least = leastDelayPayload(payload);
  if (least === null) return amount < 0 ? 'as in the policy' : seconds(amount);
  if (amount >= 0) return `at least ${seconds(amount)}`;
  return least.instead < 0 ? 'as in the policy' : `${seconds(least.instead)}, as before`;
}

function event(
  kind: TimelineKind,
  { topic, partition, offset }: Place,
  atMs: number,
  text: string,
  details: UnversionedEvent['details'],
): UnversionedEvent {
  return { kind, topic, partition, offset, atMs, text, details };
}

/** 250 ms, 1.5 s, 30 s. */
export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))} s`;
}

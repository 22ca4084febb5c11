/**
 * Links to one URL, as they came on `discovered`, and what the commits that took them decided of each.
 *
 * A commit names the links it took by position, and what it admitted; what it did not admit, it only counts. To find
 * out why, the policy that decided is asked again: if it refuses the link, that is the reason; otherwise the URL was
 * known, or there was no room.
 */
import type { Discovered, LinkGroup } from '../../schemas/types.ts';
import type { InputPosition, InputRange } from '../frontier/changes/changelog.ts';
import type { TallyName } from '../frontier/changes/changes.ts';
import type { Policy } from '../policy/policy.ts';
import type { Place, Subject } from './record-events.ts';
import type { TimelineKind, UnversionedEvent } from './timeline-event.ts';

interface Discovery {
  readonly at: InputPosition;
  readonly url: string;
  readonly depth: number;
  readonly hop: number;
  readonly intent: Discovered['groups'][number]['intent'];
  readonly sourceUrl: string;
  readonly lastModifiedMs: number;
}

/** What a commit made of the URL, beside the links it took. */
export interface Deciding {
  readonly partition: number;
  readonly offset: number;
  readonly atMs: number;
  /** How many of these links it admitted. */
  readonly admitted: number;
  /** The URL was admitted before this commit. */
  readonly wasKnown: boolean;
  /** Counted in this commit. */
  readonly tallies: ReadonlySet<TallyName>;
  /** The policy that decided; null: it is not known any more. */
  readonly policy: Policy | null;
  /** Where a link leads by what its host has proved; null: to itself. */
  foldedInto(url: string): string | null;
}

export class Discoveries {
  readonly #subject: Subject;
  readonly #discoveries: Discovery[] = [];
  /** Links before this one are decided. */
  #next = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** `groupKeys`: keys under which senders group links of the URL's host. */
  take(message: Discovered, place: Place, groupKeys: readonly string[]): UnversionedEvent[] {
    const events: UnversionedEvent[] = [];
    let slice = 0;
    for (const {
      hostKey,
      links,
      depth,
      hop,
      intent,
      sourceUrl,
      discoveredAtMs,
      front,
      foundIn,
      tags,
    } of message.groups) {
      for (const [index, { url, lastModifiedMs }] of groupKeys.includes(hostKey) ? links.entries() : []) {
        if (!this.#subject.is(url)) continue;
        const at = { offset: place.offset, slice: slice + index };
        this.#discoveries.push({ at, url, depth, hop, intent, sourceUrl, lastModifiedMs });
        const { topic, partition, offset, timestampMs } = place;
        const from =
          sourceUrl === ''
            ? 'added as a seed'
            : hop > 0
              ? `redirected from ${sourceUrl}`
              : `found on ${sourceUrl}${placeText(foundIn)}`;
        const how = intent === 'force' ? ', forced' : intent === 'refresh' ? ', to be refetched' : '';
        const text = `${from}, depth ${depth}${how}${url === this.#subject.url ? '' : `, as ${url}`}`;
        const extra = { ...(foundIn !== 'unknown' && { foundIn }), ...(tags.length > 0 && { tags: tags.join() }) };
        const details = { url, sourceUrl, depth, hop, intent, front, lastModifiedMs, ...extra };
        events.push({
          kind: 'discovered',
          topic,
          partition,
          offset,
          atMs: discoveredAtMs || timestampMs,
          text,
          details,
        });
      }
      slice += links.length;
    }
    return events;
  }

  /** Does the commit take a link that waits to be decided? */
  has(range: InputRange): boolean {
    const next = this.#discoveries[this.#next];
    return next !== undefined && isBefore(next.at, range.to);
  }

  /** What the commit decided about the links that it took and did not admit. */
  decide(range: InputRange, deciding: Deciding): UnversionedEvent[] {
    const events: UnversionedEvent[] = [];
    let { admitted, wasKnown } = deciding;
    for (; this.has(range); this.#next++) {
      const discovery = this.#discoveries[this.#next]!;
      // It was read before what is kept of the changelog, or passed over by an operator.
      if (isBefore(discovery.at, range.from)) continue;
      const refusal = deciding.policy?.admit(discovery.url, discovery.depth, discovery.hop, discovery);
      const { partition, offset, atMs } = deciding;
      const base = { topic: 'frontier-changelog', partition, offset, atMs } as const;
      const source = { discoveredOffset: discovery.at.offset, sourceUrl: discovery.sourceUrl };
      if (refusal?.ok === false) {
        const { rule, detail } = refusal;
        const text = `refused by ${rule}: ${detail}`;
        events.push({ kind: 'refused', ...base, text, details: { rule, detail, ...source } });
      } else if (admitted > 0 && !(wasKnown && discovery.intent === 'discover')) {
        admitted -= 1;
        wasKnown = true;
      } else {
        const into = wasKnown ? null : deciding.foldedInto(discovery.url);
        const [kind, text] = into === null ? verdictOf(wasKnown, deciding.tallies) : foldedText(into);
        events.push({ kind, ...base, text, details: source });
      }
    }
    return events;
  }
}

function foldedText(into: string): [TimelineKind, string] {
  return ['known', `rewritten to ${into}, by earlier redirects of its host: not requested`];
}

function verdictOf(wasKnown: boolean, tallies: ReadonlySet<TallyName>): [TimelineKind, string] {
  if (wasKnown) return ['known', 'already known: not admitted again'];
  if (tallies.has('hostFull')) return ['dropped', 'dropped: the queue of its host was full'];
  if (tallies.has('queueFull')) return ['dropped', 'dropped: the queue of its partition was full'];
  if (tallies.has('purged')) return ['refused', 'refused: it was purged'];
  if (tallies.has('duplicates')) return ['known', 'treated as known by the Bloom filter: not admitted'];
  return ['refused', 'not admitted'];
}

function isBefore(a: InputPosition, b: InputPosition): boolean {
  return a.offset < b.offset || (a.offset === b.offset && a.slice < b.slice);
}

/** What a page's elements say of where a link stands. */
function placeText(foundIn: LinkGroup['foundIn']): string {
  if (foundIn === 'content') return ', in its content';
  return foundIn === 'navigation' || foundIn === 'footer' ? `, in its ${foundIn}` : '';
}

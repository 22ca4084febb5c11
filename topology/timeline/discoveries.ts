/**
 * Links to one URL on `discovered`, and the decision of a commit on each.
 *
 * A commit names the links it took by position, and those it admitted; the others it only counts. To find the reason
 * for these, the policy of the commit is applied again: if it refuses the link, that is the reason; otherwise the URL
 * was known, or a queue was full.
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

/** The facts of a commit that explain its decisions on the links. */
export interface Deciding {
  readonly partition: number;
  readonly offset: number;
  readonly atMs: number;
  /** Number of these links that it admitted. */
  readonly admitted: number;
  /** The URL was admitted before this commit. */
  readonly wasKnown: boolean;
  /** Counted in this commit. */
  readonly tallies: ReadonlySet<TallyName>;
  /** The policy of the decision; null: no longer known. */
  readonly policy: Policy | null;
  /** Returns the URL that replaces a link, because its host has proved the two equal; null: none. */
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

  /** True if the commit takes an undecided link. */
  has(range: InputRange): boolean {
    const next = this.#discoveries[this.#next];
    return next !== undefined && isBefore(next.at, range.to);
  }

  /** Returns an event for each link that the commit took and did not admit. */
  decide(range: InputRange, deciding: Deciding): UnversionedEvent[] {
    const events: UnversionedEvent[] = [];
    let { admitted, wasKnown } = deciding;
    for (; this.has(range); this.#next++) {
      const discovery = this.#discoveries[this.#next]!;
      // An earlier commit, no longer stored, read the link, or an operator skipped it.
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

/** Names the part of the page that contains the link. */
function placeText(foundIn: LinkGroup['foundIn']): string {
  if (foundIn === 'content') return ', in its content';
  return foundIn === 'navigation' || foundIn === 'footer' ? `, in its ${foundIn}` : '';
}

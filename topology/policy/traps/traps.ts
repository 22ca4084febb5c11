/**
 * Traps: places of a host that hold URLs without end and nothing worth fetching. Source of the kinds: the trap
 * chapters of Heydon & Najork, "Mercator" (1999) §3.8, and of Olston & Najork, "Web Crawling" (2010) §5.
 *
 * Two questions. `trapOf`: is this URL in a trap? It is asked of each URL before it is admitted, and is cheap while the
 * host has no trap. `noticeTrap`: does the summary, now that it holds this event, show a new one? Asked after each
 * step.
 *
 * Pure. The summary follows from events alone, the verdicts from it and the policy: a replay notices the same traps.
 */

import { type HostTraps, noTraps } from './active-traps.ts';
import { knownView } from './known-views.ts';
import { isPlacePattern, patternOf, placesOf, type Value, withValues } from './places.ts';
import { repeatedSegments } from './repeated-segments.ts';
import { shapeOf } from './shape.ts';
import { isSortLink, sortPattern } from './sort-links.ts';
import type { TrapEvent } from './step.ts';
import { isSibling, prefixOf, siblings, siblingsOf } from './step-contents.ts';
import type { ShapeStat, Trap, TrapSummary } from './summary.ts';
import { defaultTraps, type TrapConfig } from './trap-config.ts';
import { isProved } from './variants.ts';

/**
 * A parameter counts as a session if it has tokens on at least this many paths; otherwise it may be the id of one
 * kind of page.
 */
const tokenPathsMin = 5;

/** Pattern of all paths that repeat themselves. A normal path has no empty segment, so the pattern is unambiguous. */
export const repeatPattern = '//';

/** The trap of a normal URL; null: none. `traps` undefined: the host has none. */
export function trapOf<T extends Trap>(
  config: TrapConfig,
  traps: HostTraps<T> | undefined,
  url: string,
): T | Trap | null {
  if (config.repeats !== null) {
    const path = repeatedSegments(url, config.repeats);
    if (path !== null && traps?.released.some(({ pattern }) => pattern === repeatPattern) !== true)
      return (
        traps?.trapped.find(({ pattern }) => pattern === repeatPattern) ?? {
          pattern: repeatPattern,
          reason: 'repeatedSegments',
          detail: `paths that repeat themselves ${config.repeats} times, as ${path}`,
        }
      );
  }
  const named = isSortLink(url)
    ? ({ pattern: sortPattern, reason: 'sortLinks', detail: 'the same directory, in another order' } as const)
    : viewTrap(url);
  if (named !== null && traps?.released.some(({ pattern }) => pattern === named.pattern) !== true)
    return traps?.trapped.find(({ pattern }) => pattern === named.pattern) ?? named;
  if (traps === undefined || traps.trapped.length === 0) return null;
  const shape = shapeOf(url);
  const found = traps.trapped.find(({ pattern }) => holds(pattern, shape)) ?? null;
  // The URL that other variants count as has a token, and is not a further variant.
  return found?.reason === 'tokens' && traps.trapped.some(({ pattern }) => hasValues(url, pattern)) ? null : found;
}

function hasValues(url: string, pattern: string): boolean {
  return isPlacePattern(pattern) && withValues(url, pattern) === url && placesOf(url).some((one) => isOf(one, pattern));
}

function isOf(value: Value, pattern: string): boolean {
  return patternOf(value) === pattern;
}

function viewTrap(url: string): Trap | null {
  const known = knownView(url);
  return known === null ? null : { pattern: known.pattern, reason: 'knownViews', detail: known.detail };
}

/** Does a trap's pattern hold a shape? */
export function holds(pattern: string, shape: string): boolean {
  // Its URLs count as another one, and do not wait.
  if (isPlacePattern(pattern)) return false;
  if (pattern.endsWith(siblings)) return isSibling(pattern, shape);
  if (!pattern.startsWith('&')) return shape.startsWith(pattern);
  return shape.includes(pattern) || shape.includes(`?${pattern.slice(1)}`);
}

/** A trap that the newest event has brought to light. `summary` already holds the event. */
export function noticeTrap(
  config: TrapConfig,
  summary: TrapSummary,
  event: TrapEvent,
  traps: HostTraps = noTraps,
): Trap | null {
  const shape = shapeOf(event.url);
  if (event.kind === 'admitted') return ifNew(traps, ofAdmitted(config, summary, shape));
  const fetched = ifNew(traps, ofFetched(config, summary, shape));
  return fetched ?? ofVariants(config, summary, event.url).find((trap) => ifNew(traps, trap) !== null) ?? null;
}

/** Null as well if the host has or had the trap, or has one for each of its places. */
function ifNew({ trapped, released }: HostTraps, trap: Trap | null): Trap | null {
  if (trap === null) return null;
  const known = [...trapped, ...released].map(({ pattern }) => placeOf(pattern));
  const place = placeOf(trap.pattern);
  return known.includes(place) || place.split(' ').every((one) => known.includes(one)) ? null : trap;
}

function ofAdmitted(config: TrapConfig, summary: TrapSummary, shape: string): Trap | null {
  const stat = summary.shapes.find((one) => one.shape === shape);
  return (stat === undefined ? null : ofChain(config, stat)) ?? ofQuery(config, summary, shape);
}

function ofChain(config: TrapConfig, stat: ShapeStat): Trap | null {
  const reason = chainReason(stat);
  if (reason === null) return null;
  const most = { calendar: config.calendarSteps, counter: config.counterSteps, tokens: config.tokenSteps }[reason];
  if (most === null || stat.steps < most) return null;
  return { pattern: stat.shape, reason, detail: `${stat.steps} pages in a row that led only to the next` };
}

/** The reason for a chain. Chains of titles end at some point; only numbers and random tokens continue forever. */
function chainReason({ shape, calendar }: ShapeStat): 'calendar' | 'counter' | 'tokens' | null {
  if (shape.includes('~')) return 'tokens';
  const title = shape.indexOf('*');
  const question = shape.indexOf('?');
  if (!shape.includes('#') || (title >= 0 && (question < 0 || title < question))) return null;
  return calendar ? 'calendar' : 'counter';
}

function ofQuery(config: TrapConfig, summary: TrapSummary, shape: string): Trap | null {
  const question = shape.indexOf('?');
  if (question < 0) return null;
  const path = shape.slice(0, question + 1);
  const stat = summary.paths.find((one) => one.path === path);
  if (stat !== undefined) {
    const { parameterSets, parameterVariants } = config;
    const { sets, variants } = stat;
    const bySets = parameterSets !== null && sets.length >= parameterSets;
    if (bySets || (parameterVariants !== null && variants >= parameterVariants)) {
      const detail = `${sets.length} sets of parameters, ${variants} URLs with three and more`;
      return { pattern: path, reason: 'parameterExplosion', detail };
    }
  }
  if (config.tokenValues === null) return null;
  for (const { name, values, paths } of summary.parameters) {
    if (values < config.tokenValues || paths.length < tokenPathsMin || !holds(`&${name}=~`, shape)) continue;
    return { pattern: `&${name}=~`, reason: 'tokens', detail: `${values} values of ${name} on many paths` };
  }
  return null;
}

function ofFetched(config: TrapConfig, summary: TrapSummary, shape: string): Trap | null {
  const prefix = prefixOf(shape);
  const stat = summary.prefixes.find((one) => one.prefix === prefix);
  const { wasteFetches, wasteShare, yieldFetches, yieldShare } = config;
  if (stat !== undefined && wasteFetches !== null && stat.fetches >= wasteFetches) {
    const { fetches, wasted } = stat;
    if (wasted >= wasteShare * fetches)
      return {
        pattern: siblingsOf(prefix),
        reason: 'duplicateContent',
        detail: `${wasted} of ${fetches} pages are no news`,
      };
  }
  const { fetches, good } = summary;
  if (yieldFetches === null || fetches < yieldFetches || good >= yieldShare * fetches) return null;
  return { pattern: '/', reason: 'hostYield', detail: `${good} of ${fetches} fetches brought a page` };
}

/** The places of the URL with values that were proved not to matter. The patterns have the values of this URL. */
function ofVariants(config: TrapConfig, { places }: TrapSummary, url: string): Trap[] {
  const { sameContent: proofs = defaultTraps.sameContent } = config;
  if (proofs == null || !places.some(({ same }) => same >= proofs)) return [];
  return placesOf(url).flatMap((value): Trap[] => {
    const stat = places.find(({ place }) => place === value.place);
    if (stat === undefined || !isProved(stat, value, proofs)) return [];
    const detail = `${stat.same} pages were the same under another value`;
    return [{ pattern: patternOf(value), reason: 'sameContent', detail }];
  });
}

/** Two traps must not have this in common: the pattern or, if it gives values, its places. */
function placeOf(pattern: string): string {
  return isPlacePattern(pattern) ? pattern.replace(/\}=[^ ]*/g, '}') : pattern;
}

/** The URL that a normal URL of the host counts as, by the traps of its variants; the same URL if none applies. */
export function asOneVariant(traps: HostTraps, url: string): string {
  let folded = url;
  for (const { pattern } of traps.trapped) if (isPlacePattern(pattern)) folded = withValues(folded, pattern);
  return folded;
}

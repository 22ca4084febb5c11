/**
 * What fetching brought, per prefix and for the whole host.
 *
 * A page is no news where its siblings have said the same. That another place of the site has it too says nothing: the
 * pages of a translated manual stand at `/` and at `/en/`, each once, and which of the two is met first is chance.
 */
import { trapLimits } from '../limits.ts';
import type { Fetched } from './step.ts';
import { hash32, keptNewest } from './step-queries.ts';
import type { PrefixStat, TrapSummary } from './summary.ts';

type Changed = Pick<TrapSummary, 'prefixes' | 'contents' | 'fetches' | 'good'>;

export function stepContents(before: TrapSummary, event: Fetched, shape: string): Changed {
  const prefix = prefixOf(shape);
  const content = (Number.parseInt(event.contentHash.slice(0, 8), 16) ^ hash32(prefix)) >>> 0;
  const hasContent = event.contentHash !== '';
  const isDuplicate = hasContent && before.contents.includes(content);
  const answered = event.status >= 200 && event.status < 300;
  const wasted = isDuplicate || event.soft404 === true;
  const contents =
    hasContent && !isDuplicate ? [...before.contents, content].slice(-trapLimits.contentsMax) : before.contents;
  const met = before.events + 1;
  const old = before.prefixes.find((one) => one.prefix === prefix) ?? { prefix, met, fetches: 0, wasted: 0 };
  const stat: PrefixStat = halved({ ...old, met, fetches: old.fetches + 1, wasted: old.wasted + (wasted ? 1 : 0) });
  const halve = before.fetches + 1 >= trapLimits.hostFetchesMax;
  const fetches = before.fetches + 1;
  const good = before.good + (answered && !wasted ? 1 : 0);
  return {
    prefixes: keptNewest(before.prefixes, (one) => one.prefix === prefix, stat, trapLimits.prefixesMax),
    contents,
    fetches: halve ? fetches >> 1 : fetches,
    good: halve ? good >> 1 : good,
  };
}

/** A shape up to its last segment or its query: what its siblings begin with. */
export function prefixOf(shape: string): string {
  const question = shape.indexOf('?');
  return question >= 0 ? shape.slice(0, question + 1) : shape.slice(0, shape.lastIndexOf('/') + 1);
}

/** The pattern of what lies directly under a prefix; what lies deeper has siblings of its own. */
export function siblingsOf(prefix: string): string {
  return prefix.endsWith('?') ? prefix : prefix + siblings;
}

/** No normal path holds braces. */
export const siblings = '{}';

function halved(stat: PrefixStat): PrefixStat {
  if (stat.fetches < trapLimits.prefixFetchesMax) return stat;
  return { ...stat, fetches: stat.fetches >> 1, wasted: stat.wasted >> 1 };
}

/**
 * Counts the results of fetches, per prefix and for the whole host.
 *
 * A page is a duplicate if a sibling had the same content. The same content in another place of the site does not
 * count: the pages of a translated manual are at `/` and at `/en/`, each once, and which of the two is fetched first
 * is chance.
 */

import { fnv1a } from '../../url/fnv.ts';
import type { Fetched } from './step.ts';
import { keptNewest } from './step-queries.ts';
import type { PrefixStat, TrapSummary } from './summary.ts';
import { trapLimits } from './trap-limits.ts';

type Changed = Pick<TrapSummary, 'prefixes' | 'contents' | 'fetches' | 'good'>;

export function stepContents(before: TrapSummary, event: Fetched, shape: string): Changed {
  const prefix = prefixOf(shape);
  const content = (Number.parseInt(event.contentHash.slice(0, 8), 16) ^ fnv1a(prefix)) >>> 0;
  const hasContent = event.contentHash !== '';
  const isDuplicate = hasContent && before.contents.includes(content);
  const answered = event.status >= 200 && event.status < 300;
  const wasted = isDuplicate || event.isWaste === true;
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

/**
 * The common part of siblings: a shape up to its last segment or, with a query, without the values, because views
 * differ by name.
 */
export function prefixOf(shape: string): string {
  return shape.includes('?') ? withoutValues(shape) : shape.slice(0, shape.lastIndexOf('/') + 1);
}

/** Pattern of the siblings under a prefix. Deeper paths, and those with other parameters, have their own pattern. */
export function siblingsOf(prefix: string): string {
  return prefix + siblings;
}

/** Returns whether a pattern of siblings matches a shape. */
export function isSibling(pattern: string, shape: string): boolean {
  const stem = pattern.slice(0, -siblings.length);
  if (stem.includes('?')) return withoutValues(shape) === stem;
  return shape.startsWith(stem) && !/[/?]/.test(shape.slice(stem.length));
}

/** No normal path holds braces. */
export const siblings = '{}';

function withoutValues(shape: string): string {
  const question = shape.indexOf('?');
  return shape.slice(0, question) + shape.slice(question).replace(/=[^&]*/g, '=');
}

function halved(stat: PrefixStat): PrefixStat {
  if (stat.fetches < trapLimits.prefixFetchesMax) return stat;
  return { ...stat, fetches: stat.fetches >> 1, wasted: stat.wasted >> 1 };
}

/** Parameters: how many sets of names a path takes, and which of them carry tokens. */

import { fnv1a } from '../../url/fnv.ts';
import type { ParameterStat, PathStat } from './summary.ts';
import { trapLimits } from './trap-limits.ts';

/** Facets are combinations: a URL with fewer parameters than this is a plain listing or an item. */
const facetParameters = 3;

export function stepPaths(before: readonly PathStat[], shape: string, question: number, met: number): PathStat[] {
  const path = shape.slice(0, question + 1);
  const names = shape.slice(question + 1).replace(/=[^&]*/g, '');
  const set = fnv1a(names);
  const isFacet = names.split('&').length >= facetParameters;
  const old = before.find((stat) => stat.path === path) ?? { path, met, sets: [], variants: 0 };
  const isNew = !old.sets.includes(set) && old.sets.length < trapLimits.setsMax;
  const sets = isNew ? [...old.sets, set] : old.sets;
  const stat = { path, met, sets, variants: old.variants + (isFacet ? 1 : 0) };
  return keptNewest(before, (one) => one.path === path, stat, trapLimits.pathsMax);
}

export function stepParameters(
  before: readonly ParameterStat[],
  shape: string,
  question: number,
  met: number,
): readonly ParameterStat[] {
  if (!shape.includes('=~', question)) return before;
  const path = fnv1a(shape.slice(0, question));
  let after = before;
  for (const piece of shape.slice(question + 1).split('&')) {
    if (!piece.endsWith('=~')) continue;
    const name = piece.slice(0, -2);
    const old = after.find((stat) => stat.name === name) ?? { name, met, values: 0, paths: [] };
    const isNew = !old.paths.includes(path) && old.paths.length < trapLimits.parameterPathsMax;
    const stat = { name, met, values: old.values + 1, paths: isNew ? [...old.paths, path] : old.paths };
    after = keptNewest(after, (one) => one.name === name, stat, trapLimits.parametersMax);
  }
  return after;
}

/** Adds `stat`, replacing the one with the same key or, without room, the least recent one. */
export function keptNewest<T extends { readonly met: number }>(
  before: readonly T[],
  isLike: (one: T) => boolean,
  stat: T,
  most: number,
): T[] {
  const at = before.findIndex(isLike);
  if (at >= 0) return before.with(at, stat);
  if (before.length < most) return [...before, stat];
  let oldest = 0;
  for (let i = 1; i < before.length; i++) if (before[i]!.met < before[oldest]!.met) oldest = i;
  return before.with(oldest, stat);
}

/** Kinds of duplicate pages, for people: the dedup's verdicts by method and by domain. */
import type { Duplicate } from '../../schemas/types.ts';
import { domainOf } from '../url/domain-of.ts';

/** `syndicated`: the representative is on another registrable domain, whether the contents are equal or nearly so. */
export const duplicateKinds = ['exact', 'near', 'syndicated'] as const;
export type DuplicateKind = (typeof duplicateKinds)[number];

/** Null: the page is not a duplicate. */
export function duplicateKindOf({
  url,
  representative,
  method,
}: Pick<Duplicate, 'url' | 'representative' | 'method'>): DuplicateKind | null {
  if (representative === url) return null;
  if (domainOf(url) !== domainOf(representative)) return 'syndicated';
  return method === 'exact' ? 'exact' : 'near';
}

/** All lists that a policy refers to: those of filters, and domains with numbers for the score. */
import type { ListName } from '../url/url-lists.ts';
import type { PolicyConfig } from './policy.ts';

type WithLists = Pick<PolicyConfig, 'filters' | 'score'>;

export function listsOf({ filters, score }: WithLists): readonly ListName[] {
  const numbers = score === undefined || score.kind === 'opic' ? [] : (score.lists ?? []);
  return [...(filters.lists ?? []), ...numbers];
}

/** The same policy with other hashes and paths of its lists. `changed` has them in the order of `listsOf`. */
export function withLists<T extends WithLists>(config: T, changed: readonly Pick<ListName, 'path' | 'sha256'>[]): T {
  const { filters, score } = config;
  let at = 0;
  const next = <L extends ListName>(list: L): L => {
    const { path, sha256 } = changed[at++]!;
    return { ...list, path, sha256 };
  };
  const lists = filters.lists?.map(next);
  const numbers = score === undefined || score.kind === 'opic' ? undefined : score.lists?.map(next);
  return {
    ...config,
    ...(lists === undefined ? {} : { filters: { ...filters, lists } }),
    ...(numbers === undefined ? {} : { score: { ...score, lists: numbers } }),
  };
}

/** The number under which a partition knows a list of tags; a new one becomes a change. */
import { tagsOf } from '../../../url/tags.ts';
import type { Decision } from '../decision.ts';

/** Undefined: there are no tags, or the partition has too many lists of tags, which is counted. */
export function tagNumber(decision: Decision, given: readonly string[]): number | undefined {
  if (given.length === 0) return undefined;
  const { tagSets } = decision.state;
  const tags = tagsOf(given);
  if (tags.length === 0) return undefined;
  const known = tagSets.numberOf(tags);
  if (known > 0) return known;
  if (tagSets.isFull) {
    decision.tally('untagged');
    return undefined;
  }
  const number = tagSets.nextNumber;
  decision.emit({ kind: 'tagSet', number, tags });
  return number;
}

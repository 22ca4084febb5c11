/**
 * Tags: labels of a seed that distinguish the pages it led to. Links inherit them from their page, and pages keep them.
 * A tag is a word, or a key and its value as in `customer=acme`.
 */
import { tagLimits } from './tag-limits.ts';

/** Neither white space nor a comma, because commas separate tags in every format. */
const form = /^[^\s,\p{C}]+$/u;

/** Why `tag` is invalid, with the remedy; null if it is valid. */
export function tagFault(tag: string): string | null {
  if (tag.length > tagLimits.charsMax)
    return `a tag has ${tag.length} characters; at most ${tagLimits.charsMax} are allowed`;
  return form.test(tag)
    ? null
    : `${JSON.stringify(tag)} is not a tag; write words without spaces, as in tags=news,legal`;
}

/** The valid tags of `given`, each once, sorted, at most `perUrlMax`. Invalid tags are dropped. */
export function tagsOf(given: readonly string[]): readonly string[] {
  if (given.length === 0) return given;
  const tags = [...new Set(given.filter((tag) => tagFault(tag) === null))].sort();
  return tags.slice(0, tagLimits.perUrlMax);
}

/** Notes on a seed, such as its priority: after the URL in a list, in columns of a table, or as fields in JSON. */
import { frontQueueCount } from './front-queue.ts';
import { tagLimits } from './tag-limits.ts';
import { tagFault } from './tags.ts';

export interface SeedNotes {
  /** Front queue of the seed, 0 first to 7 last, before any score; -1: none given, so the policy decides. */
  readonly priority: number;
  /** Link distance that the seed counts as, so that `maxDepth` reaches less far from it; absent: 0. */
  readonly depth?: number;
  /** Tags that its links inherit (tags.ts), each once, sorted. Absent: none. */
  readonly tags?: readonly string[];
}

const depthMost = 1_000_000;

/** The allowed notes, in words, for messages. */
export const notesAllowed = `priority=N (0, first, to ${frontQueueCount - 1}), depth=1 and tags=news,legal`;

/**
 * Parses notes. `notes`: pairs of name and value as text. `keys`: other names that become tags, as `name=value`.
 * Returns a string that says what is wrong, if a note is invalid.
 */
export function seedNotes(
  notes: readonly (readonly [name: string, value: string])[],
  keys: readonly string[] = [],
): SeedNotes | string {
  let [priority, depth] = [-1, 0];
  const tags = new Set<string>();
  for (const [name, value] of notes) {
    const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
    if (name === 'priority' && number < frontQueueCount) priority = number;
    else if (name === 'depth' && number <= depthMost) depth = number;
    else if (name === 'tags') for (const tag of value.split(',')) tags.add(tag.trim());
    else if (keys.includes(name)) tags.add(`${name}=${value}`);
    else if (name.startsWith('nutch.')) return `${name}: keys of Nutch have no effect here; write priority=0 to 7`;
    else
      return `${name}=${value}: ${notesAllowed} may follow a seed; to use other keys as tags, name them in --seed-keys`;
  }
  for (const tag of tags) {
    const fault = tagFault(tag);
    if (fault !== null) return fault;
  }
  if (tags.size > tagLimits.perUrlMax) return `${tags.size} tags; a seed may have at most ${tagLimits.perUrlMax}`;
  return {
    priority,
    ...(depth > 0 && { depth }),
    ...(tags.size > 0 && { tags: [...tags].sort() }),
  };
}

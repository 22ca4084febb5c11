/** What is said of a seed beside its URL: in a list after it, in a table in columns, in JSON as fields. */
import { frontQueueCount } from './front-queue.ts';
import { tagLimits } from './tag-limits.ts';
import { tagFault } from './tags.ts';

export interface SeedNotes {
  /** The front queue that it waits in, 0 first to 7 last, before any score; -1: not said, and the policy decides. */
  readonly priority: number;
  /** The link distance that it counts as, so that `maxDepth` reaches less far from it; absent: 0. */
  readonly depth?: number;
  /** What its links inherit (tags.ts), each once, in order. Absent: nothing. */
  readonly tags?: readonly string[];
}

const depthMost = 1_000_000;

/** What may be said, in words. */
export const notesAllowed = `priority=N (0, first, to ${frontQueueCount - 1}), depth=1 and tags=news,legal`;

/** `notes`: names with values as text. `keys`: other names that become tags, as `name=value`. A string: what is wrong. */
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

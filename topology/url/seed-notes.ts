/** What is said of a seed beside its URL: in a list after it, in a table in columns, in JSON as fields. */
import { frontQueueCount } from './front-queue.ts';

export interface SeedNotes {
  /** The front queue that it waits in, 0 first to 7 last, before any score; -1: not said, and the policy decides. */
  readonly priority: number;
  /** The link distance that it counts as, so that `maxDepth` reaches less far from it; absent: 0. */
  readonly depth?: number;
}

const depthMost = 1_000_000;

/** What may be said, in words. */
export const notesAllowed = `priority=0 (first) to priority=${frontQueueCount - 1} and depth=1`;

/** `notes`: names with values as text. A string: what is wrong. */
export function seedNotes(notes: readonly (readonly [name: string, value: string])[]): SeedNotes | string {
  let [priority, depth] = [-1, 0];
  for (const [name, value] of notes) {
    const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
    if (name === 'priority' && number < frontQueueCount) priority = number;
    else if (name === 'depth' && number <= depthMost) depth = number;
    else if (name.startsWith('nutch.')) return `${name}: Nutch's own keys mean nothing here; write priority=0 to 7`;
    else return `${name}=${value}: ${notesAllowed} may be said of a seed`;
  }
  return depth === 0 ? { priority } : { priority, depth };
}

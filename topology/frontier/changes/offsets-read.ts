import type { Commit, InputTopic } from './changelog.ts';

/**
 * Returns the offsets of a topic that a commit read: [from, to). A record that was read in part is among them, since
 * a replay of the commit needs it.
 */
export function offsetsRead(commit: Commit, topic: InputTopic): readonly [from: number, to: number] {
  const range = commit.inputs.find((one) => one.topic === topic);
  if (range === undefined || range.to.offset < range.from.offset) return [0, 0];
  return [range.from.offset, range.to.offset + (range.to.slice > 0 ? 1 : 0)];
}

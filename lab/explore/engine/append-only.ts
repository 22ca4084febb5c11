/**
 * Logs identified by their content: a log is a node of a tree, and an append leads to a child. Logs with a common
 * beginning share it, and equal logs are one node.
 */
import { hashText } from './hash.ts';

export interface LogNode<Value> {
  readonly id: number;
  readonly parent: LogNode<Value> | null;
  /** Number of records up to this node. */
  readonly length: number;
  /** The newest record. Of the empty log: undefined. */
  readonly value: Value;
}

export class LogTree<Value> {
  readonly empty: LogNode<Value> = { id: 0, parent: null, length: 0, value: undefined as Value };
  readonly #children = new Map<string, LogNode<Value>>();

  /** `text`: equal for equal values. */
  append(parent: LogNode<Value>, text: string, value: Value): LogNode<Value> {
    const name = `${parent.id} ${text}`;
    let node = this.#children.get(name);
    if (node === undefined) {
      node = { id: hashText(name), parent, length: parent.length + 1, value };
      this.#children.set(name, node);
    }
    return node;
  }
}

/** The log as it was with `length` records. */
export function logAt<Value>(node: LogNode<Value>, length: number): LogNode<Value> {
  let at = node;
  while (at.length > length) at = at.parent!;
  return at;
}

export function continues<Value>(log: LogNode<Value>, before: LogNode<Value>): boolean {
  return log.length >= before.length && logAt(log, before.length) === before;
}

/** Records from an offset on, oldest first. */
export function recordsFrom<Value>(node: LogNode<Value>, offset: number): LogNode<Value>[] {
  const nodes: LogNode<Value>[] = [];
  for (let at = node; at.length > offset; at = at.parent!) nodes.push(at);
  return nodes.reverse();
}

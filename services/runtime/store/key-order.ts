/** Rows in the order of their keys: both native stores insert sorted keys at a quarter of the cost of random ones. */
import type { StoreOp } from './store.ts';

/** Two operations on one key stay in their order: the sort is stable. The array given is not changed. */
export function inKeyOrder(ops: readonly StoreOp[]): readonly StoreOp[] {
  for (let i = 1; i < ops.length; i++) {
    if (Buffer.compare((ops[i - 1] as StoreOp).key, (ops[i] as StoreOp).key) > 0) {
      return [...ops].sort((a, b) => Buffer.compare(a.key, b.key));
    }
  }
  return ops;
}

export function bytesOf(ops: readonly StoreOp[]): number {
  let bytes = 0;
  for (const { key, value } of ops) bytes += key.length + (value?.length ?? 0);
  return bytes;
}

/**
 * A state store in memory that can lose power: the unsynced writes are lost from some write on: a suffix, and never a
 * hole.
 */
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import type { StateStore, StoreOp } from '../../services/runtime/store/store.ts';
import type { Plan } from './power-disk.ts';
import type { Random } from './random.ts';

export class PowerStore {
  readonly #now = createMemoryStore();
  #durable: StoreOp[] = [];
  #pending: (readonly StoreOp[])[] = [];
  onStep: () => void = () => {};
  plan: Plan = () => undefined;

  /** A handle for one opening; closing it closes nothing else. Writes of a process that has died have no effect. */
  open(isAlive: () => boolean = () => true): StateStore {
    const { get, getMany, scan } = this.#now;
    return {
      get,
      getMany,
      scan,
      write: (ops, options) => (isAlive() ? this.#write(ops, options?.sync === true, isAlive) : new Promise(() => {})),
      close: async () => {},
    };
  }

  async #write(ops: readonly StoreOp[], isSynced: boolean, isAlive: () => boolean): Promise<void> {
    // As in a store: the call returns first, and writes apply in their order.
    await undefined;
    if (!isAlive()) await new Promise(() => {});
    try {
      this.#pending.push(ops);
      await this.#now.write(ops);
      if (!isSynced) return;
      const fault = this.plan('store');
      if (fault !== undefined) throw new Error(`${fault}: planned, store`);
      this.#durable.push(...this.#pending.flat());
      this.#pending = [];
    } finally {
      this.onStep();
    }
  }

  cut(random: Random, how: 'all' | 'none' | 'some'): PowerStore {
    const kept = how === 'all' ? this.#pending.length : how === 'none' ? 0 : random.below(this.#pending.length + 1);
    const rows = [...this.#durable, ...this.#pending.slice(0, kept).flat()];
    const store = new PowerStore();
    store.#durable = rows;
    // A store in memory applies a write before it returns.
    for (const row of rows) void store.#now.write([row]);
    return store;
  }
}

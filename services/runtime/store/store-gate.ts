/**
 * A gate before a native store: it refuses calls after close, and close waits for current calls.
 *
 * The native modules need it: RocksDB's kills the process if it is called on a closed store.
 */
import { storeClosed } from './store-errors.ts';

export interface StoreGate {
  isOpen(): boolean;
  /** Throws STORE_CLOSED after close. */
  check(): void;
  /** Call at the start of a call. Throws STORE_CLOSED after close. */
  enter(): void;
  /** Call at the end of a call. */
  leave(): void;
  /** Refuses further calls, waits until it is idle, then runs `end`, only once however often it is called. */
  close(end: () => Promise<void>): Promise<void>;
}

export function createStoreGate(): StoreGate {
  let isOpen = true;
  let underWay = 0;
  let closing: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;
  const check = () => {
    if (!isOpen) throw storeClosed();
  };
  return {
    isOpen: () => isOpen,
    check,
    enter: () => {
      check();
      underWay++;
    },
    leave: () => {
      if (--underWay === 0) onIdle?.();
    },
    close: (end) => {
      isOpen = false;
      closing ??= (async () => {
        if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
        await end();
      })();
      return closing;
    },
  };
}

/**
 * Stands before a native store: nothing gets in after close, and close waits for what is under way.
 *
 * The native modules need it: RocksDB's kills the process when it is called on a store that is closed.
 */
import { storeClosed } from './store-errors.ts';

export interface StoreGate {
  isOpen(): boolean;
  /** Throws STORE_CLOSED after close. */
  check(): void;
  /** One call begins. Throws STORE_CLOSED after close. */
  enter(): void;
  /** The call that began has ended. */
  leave(): void;
  /** Lets nothing in any more, waits until it is idle, then runs `end`, only once however often it is called. */
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

/** Reloads the owners of a running fleet regularly, until the signal. A replaced or removed key becomes invalid. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Callers } from './callers.ts';
import type { Owner } from './owner-file.ts';
import { ownerLimits } from './owner-limits.ts';
import type { Quotas } from './quotas.ts';

export interface Following {
  /** The owners in force at the start. */
  readonly owners: readonly Owner[];
  /** Throws an error that describes the fault of the file, or of a key. */
  read(): readonly Owner[];
  readonly callers: Pick<Callers, 'setOwners'>;
  readonly quotas: Pick<Quotas, 'setOwners'>;
  readonly clock: Clock;
  say(text: string): void;
}

export async function followOwners(following: Following, signal: AbortSignal): Promise<void> {
  const { read, callers, quotas, clock, say } = following;
  let inForce = JSON.stringify(following.owners);
  let said = '';
  for (;;) {
    await clock.sleepUntil(clock.nowMs() + ownerLimits.readEveryMs, signal);
    if (signal.aborted) return;
    try {
      const owners = read();
      said = '';
      const reloaded = JSON.stringify(owners);
      if (reloaded === inForce) continue;
      callers.setOwners(owners);
      await quotas.setOwners(owners);
      inForce = reloaded;
      say(`owners file reloaded: ${owners.length} owners`);
    } catch (error) {
      // The file of owners and the files of keys change one after another. So the same fault is reported only once.
      const { message } = error as Error;
      if (message !== said) say(`${message}: the previous owners stay in force`);
      said = message;
    }
  }
}

/** Storage of a consumer's positions: with its group on the log, or in the consumer's own store. */
import type { Log, Position } from '../log/log.ts';

export interface Positions {
  /** The next offset to read; undefined: none was saved yet. */
  load(topic: string, partition: number): Promise<number | undefined>;
  /** Throws OWNERSHIP_LOST if a partition now belongs to another member. */
  save(positions: readonly Position[]): Promise<void>;
}

export function groupPositions(log: Pick<Log, 'commit' | 'committed'>, group: string): Positions {
  return {
    load: (topic, partition) => log.committed(group, topic, partition),
    save: (positions) => log.commit(group, positions),
  };
}

/** Uses the positions that a consumer stores with its state. The group gets copies, only for monitoring the lag. */
export function ownPositions(own: Pick<Positions, 'load'>, group: Pick<Positions, 'save'>): Positions {
  return { load: own.load, save: group.save };
}

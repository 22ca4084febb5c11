/**
 * Tasks that were read and not started, and the commit of their offsets, which comes before their first request: from
 * then on a lease's expiry is its only redelivery (docs/design.md §4.5).
 *
 * Invariant: tasks that were read before their partition was taken away are neither committed nor started afterwards,
 * even if the partition is given back: the member that had it in between has started those tasks, and a commit would
 * move the group back to them. A commit that was acked counts whatever comes after it: the log lets no successor read
 * from before it.
 *
 * A fetcher that has all tasks to itself, and begins at their end, commits nothing: nobody would read it.
 */
import { hasCode } from '../../../topology/errors.ts';
import type { Log, LogRecord, Position } from '../../runtime/log/log.ts';

export interface TaskBacklog {
  readonly length: number;
  /** The partition is read from there. */
  begin(position: Position): void;
  /** The partition is not read any more. */
  end(partition: number): void;
  /** Records just read, in order. */
  put(records: readonly LogRecord[]): void;
  /** Takes the oldest tasks, `count` at most; they are committed, or given up, before more are taken. */
  take(count: number): LogRecord[];
  /**
   * Commits accepted tasks. Returns the partitions of which only this fetcher may start tasks up to these positions.
   */
  commit(positions: readonly Position[]): Promise<ReadonlySet<number>>;
  /** The next task to start, of each assigned partition. */
  positions(): readonly Position[];
}

/** `group` null: nothing is committed. */
export function createTaskBacklog(log: Pick<Log, 'commit'>, group: string | null): TaskBacklog {
  let records: LogRecord[] = [];
  const next = new Map<number, Position>();
  /** Partitions taken away since the newest records were taken. */
  const ended = new Set<number>();

  const isHeld = ({ partition }: { readonly partition: number }) => !ended.has(partition);

  const isCommitted = async (positions: readonly Position[]): Promise<boolean> => {
    try {
      if (group !== null) await log.commit(group, positions);
      return true;
    } catch (error) {
      if (!hasCode(error, 'OWNERSHIP_LOST', 'PROCESS_ENDED')) throw error;
      return false;
    }
  };

  return {
    get length() {
      return records.length;
    },
    begin: (position) => void next.set(position.partition, position),
    end(partition) {
      next.delete(partition);
      ended.add(partition);
      records = records.filter((record) => record.partition !== partition);
    },
    put(more) {
      for (const record of more) {
        // The partition may have been taken away, or begun again, while these were on their way here.
        const from = next.get(record.partition);
        if (from !== undefined && record.offset >= from.offset) records.push(record);
      }
    },
    take(count) {
      ended.clear();
      return records.splice(0, count);
    },
    async commit(positions) {
      const held = positions.filter(isHeld);
      const committed: Position[] = [];
      if (await isCommitted(held)) committed.push(...held);
      // One of the partitions moved, and its new member reads it from the last commit.
      else
        for (const position of held) if (isHeld(position) && (await isCommitted([position]))) committed.push(position);
      for (const position of committed) if (isHeld(position)) next.set(position.partition, position);
      return new Set(committed.map(({ partition }) => partition));
    },
    positions: () => [...next.values()],
  };
}

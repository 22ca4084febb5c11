/**
 * Lets another process use this process's log, over a channel (log-over-channel.ts is the other end).
 *
 * This process stays the only writer: an append is answered once it is durable, and appends are issued in the order
 * of the other process. When that process is gone, its readers are closed and its groups left.
 */
import type { GroupOptions, Log, LogReader, LogTopic, Membership, PollOptions, Position, ReadBefore } from '../log.ts';
import { type Channel, plainError, type Served } from './message-channel.ts';
import { appendsOf, flatRecords } from './records.ts';

export interface ServedLog {
  readonly served: Served;
  /** Call when the other process is gone. */
  close(): Promise<void>;
}

/** A group member's options, without its callbacks. */
export type JoinOptions = Omit<GroupOptions, 'onAssigned' | 'onFailure' | 'holds' | 'caughtUp'>;

/** Seeks and drops that the reader had received before it returned these records, which are flat. */
export type PollAnswer = readonly [heard: number, records: readonly unknown[]];

interface ServedReader {
  readonly reader: LogReader;
  /** Seeks and drops so far. */
  moves: number;
  /** Thrown by calls without an answer, such as a seek: the next poll reports it. */
  failure?: { readonly error: unknown };
}

/** `channel`: called when it exists, because the functions that it serves are created first. */
export function serveLog(log: Log, channel: () => Pick<Channel, 'notify'>): ServedLog {
  const readers = new Map<number, ServedReader>();
  const memberships = new Map<number, Promise<Membership>>();

  const readerOf = (id: number): ServedReader => {
    const found = readers.get(id);
    if (found !== undefined) return found;
    const opened: ServedReader = { reader: log.reader(), moves: 0 };
    readers.set(id, opened);
    return opened;
  };
  const move = (id: number, act: (reader: LogReader) => void) => {
    readerOf(id).moves += 1;
    notify(id, act);
  };
  const notify = (id: number, act: (reader: LogReader) => void) => {
    const one = readerOf(id);
    try {
      act(one.reader);
    } catch (error) {
      one.failure = { error };
    }
  };
  const join = (id: number, joining: JoinOptions): Promise<Membership> => {
    let membership: Membership | undefined;
    const joined = log.join({
      ...joining,
      onAssigned: (partitions, standbys) =>
        channel().notify('group.assigned', id, partitions, standbys, membership?.members ?? 1),
      onFailure: (error) => channel().notify('group.failed', id, plainError(error)),
    });
    return joined.then((one) => (membership = one));
  };

  return {
    served: {
      'log.createTopics': (specs: readonly LogTopic[]) => log.createTopics(specs),
      'log.partitionsOf': (topic: string) => log.partitionsOf(topic),
      'log.append': (flat: readonly unknown[], leads: boolean) => log.append(appendsOf(flat), { leads }),
      'log.offsets': (topic: string, partition: number) => log.offsets(topic, partition),
      'log.offsetAt': (topic: string, partition: number, timeMs: number) => log.offsetAt(topic, partition, timeMs),
      'log.last': async (topic: string, partition: number) => {
        const record = await log.last(topic, partition);
        return flatRecords(record === undefined ? [] : [record]);
      },
      'log.trim': (topic: string, partition: number, before: number) => log.trim(topic, partition, before),
      'log.commit': (group: string, positions: readonly Position[]) => log.commit(group, positions),
      'log.committedAll': (group: string, topic: string, partitions: readonly number[]) =>
        log.committedAll(group, topic, partitions),
      'log.groups': (prefix: string) => log.groups(prefix),
      'log.forgetGroup': (group: string) => log.forgetGroup(group),
      'log.membersOf': (group: string) => log.membersOf(group),
      'reader.seek': (id: number, topic: string, partition: number, offset: number, before?: ReadBefore) =>
        move(id, (reader) => reader.seek(topic, partition, offset, before)),
      'reader.drop': (id: number, topic: string, partition: number) =>
        move(id, (reader) => reader.drop(topic, partition)),
      'reader.pause': (id: number, topic: string, partition: number) =>
        notify(id, (reader) => reader.pause(topic, partition)),
      'reader.resume': (id: number, topic: string, partition: number) =>
        notify(id, (reader) => reader.resume(topic, partition)),
      'reader.wake': (id: number) => notify(id, (reader) => reader.wake()),
      'reader.poll': async (id: number, options: PollOptions): Promise<PollAnswer> => {
        const one = readerOf(id);
        if (one.failure !== undefined) throw one.failure.error;
        const records = await one.reader.poll(options);
        return [one.moves, flatRecords(records)];
      },
      'reader.close': async (id: number) => {
        await readers.get(id)?.reader.close();
        readers.delete(id);
      },
      'group.join': async (id: number, joining: JoinOptions) => {
        const joined = join(id, joining);
        memberships.set(id, joined);
        const { name, members } = await joined;
        return { name, members };
      },
      'group.leave': async (id: number) => {
        const joined = memberships.get(id);
        memberships.delete(id);
        await (await joined)?.leave();
      },
    },
    async close() {
      const left = [...memberships.values()].map(async (joined) => (await joined).leave());
      const closed = [...readers.values()].map(({ reader }) => reader.close());
      memberships.clear();
      readers.clear();
      await Promise.allSettled([...left, ...closed]);
    },
  };
}

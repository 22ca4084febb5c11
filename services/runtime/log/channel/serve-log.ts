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
  return new LogServer(log, channel);
}

/** Its public acts are fields, since callers hand out single ones. */
class LogServer implements ServedLog {
  readonly #log: Log;
  readonly served: Served;
  readonly #channel: () => Pick<Channel, 'notify'>;
  readonly #readers = new Map<number, ServedReader>();
  readonly #memberships = new Map<number, Promise<Membership>>();

  constructor(log: Log, channel: () => Pick<Channel, 'notify'>) {
    this.#log = log;
    this.#channel = channel;
    this.served = { ...this.#logCalls(), ...this.#readerCalls(), ...this.#groupCalls() };
  }

  #readerOf(id: number): ServedReader {
    const found = this.#readers.get(id);
    if (found !== undefined) return found;
    const opened: ServedReader = { reader: this.#log.reader(), moves: 0 };
    this.#readers.set(id, opened);
    return opened;
  }

  #move(id: number, act: (reader: LogReader) => void) {
    this.#readerOf(id).moves += 1;
    this.#notify(id, act);
  }

  #notify(id: number, act: (reader: LogReader) => void) {
    const one = this.#readerOf(id);
    try {
      act(one.reader);
    } catch (error) {
      one.failure = { error };
    }
  }

  #join(id: number, joining: JoinOptions): Promise<Membership> {
    let membership: Membership | undefined;
    const joined = this.#log.join({
      ...joining,
      onAssigned: (partitions, standbys) =>
        this.#channel().notify('group.assigned', id, partitions, standbys, membership?.members ?? 1),
      onFailure: (error) => this.#channel().notify('group.failed', id, plainError(error)),
    });
    return joined.then((one) => (membership = one));
  }

  #logCalls(): Served {
    return {
      'log.createTopics': (specs: readonly LogTopic[]) => this.#log.createTopics(specs),
      'log.partitionsOf': (topic: string) => this.#log.partitionsOf(topic),
      'log.append': (flat: readonly unknown[], leads: boolean) => this.#log.append(appendsOf(flat), { leads }),
      'log.offsets': (topic: string, partition: number) => this.#log.offsets(topic, partition),
      'log.offsetAt': (topic: string, partition: number, timeMs: number) =>
        this.#log.offsetAt(topic, partition, timeMs),
      'log.last': async (topic: string, partition: number) => {
        const record = await this.#log.last(topic, partition);
        return flatRecords(record === undefined ? [] : [record]);
      },
      'log.trim': (topic: string, partition: number, before: number) => this.#log.trim(topic, partition, before),
      'log.commit': (group: string, positions: readonly Position[]) => this.#log.commit(group, positions),
      'log.committedAll': (group: string, topic: string, partitions: readonly number[]) =>
        this.#log.committedAll(group, topic, partitions),
      'log.groups': (prefix: string) => this.#log.groups(prefix),
      'log.forgetGroup': (group: string) => this.#log.forgetGroup(group),
      'log.membersOf': (group: string) => this.#log.membersOf(group),
    };
  }

  #readerCalls(): Served {
    return {
      'reader.seek': (id: number, topic: string, partition: number, offset: number, before?: ReadBefore) =>
        this.#move(id, (reader) => reader.seek(topic, partition, offset, before)),
      'reader.drop': (id: number, topic: string, partition: number) =>
        this.#move(id, (reader) => reader.drop(topic, partition)),
      'reader.pause': (id: number, topic: string, partition: number) =>
        this.#notify(id, (reader) => reader.pause(topic, partition)),
      'reader.resume': (id: number, topic: string, partition: number) =>
        this.#notify(id, (reader) => reader.resume(topic, partition)),
      'reader.wake': (id: number) => this.#notify(id, (reader) => reader.wake()),
      'reader.poll': async (id: number, options: PollOptions): Promise<PollAnswer> => {
        const one = this.#readerOf(id);
        if (one.failure !== undefined) throw one.failure.error;
        const records = await one.reader.poll(options);
        return [one.moves, flatRecords(records)];
      },
      'reader.close': async (id: number) => {
        await this.#readers.get(id)?.reader.close();
        this.#readers.delete(id);
      },
    };
  }

  #groupCalls(): Served {
    return {
      'group.join': async (id: number, joining: JoinOptions) => {
        const joined = this.#join(id, joining);
        this.#memberships.set(id, joined);
        const { name, members } = await joined;
        return { name, members };
      },
      'group.leave': async (id: number) => {
        const joined = this.#memberships.get(id);
        this.#memberships.delete(id);
        await (await joined)?.leave();
      },
    };
  }

  readonly close: ServedLog['close'] = async () => {
    const left = [...this.#memberships.values()].map(async (joined) => (await joined).leave());
    const closed = [...this.#readers.values()].map(({ reader }) => reader.close());
    this.#memberships.clear();
    this.#readers.clear();
    await Promise.allSettled([...left, ...closed]);
  };
}

/**
 * The log port of a process without a log: each call goes to the process with the log (serve-log.ts).
 *
 * The same contract holds: an append resolves once the other process has made it durable. The cost is a copy of the
 * bytes and a round trip. Errors keep their code and message, not their class.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type {
  GroupMember,
  GroupOptions,
  GroupStatus,
  Log,
  LogReader,
  LogRecord,
  Membership,
  OffsetRange,
  StandbyPlace,
} from '../log.ts';
import { type Channel, errorOf, type Served } from './message-channel.ts';
import { flatAppends, recordsOf } from './records.ts';
import type { JoinOptions, PollAnswer } from './serve-log.ts';

export interface ChannelLog {
  readonly log: Log;
  /** Calls that the channel must serve for it. */
  readonly served: Served;
}

interface Joined {
  members: number;
  readonly options: GroupOptions;
}

/** `channel`: called when it exists, because the functions that it serves are created first. */
export function logOverChannel(channel: () => Channel): ChannelLog {
  const appends = new Set<Promise<unknown>>();
  const readers = new Set<LogReader>();
  const groups = new Map<number, Joined>();
  let nextId = 1;
  let isOpen = true;

  const call = <T>(name: string, ...given: readonly unknown[]): Promise<T> =>
    isOpen ? (channel().call(name, ...given) as Promise<T>) : Promise.reject(closedError());
  const committedAll: Log['committedAll'] = (group, topic, partitions) =>
    call('log.committedAll', group, topic, partitions);

  const log: Log = {
    createTopics: (specs) => call('log.createTopics', specs),
    partitionsOf: (topic) => call('log.partitionsOf', topic),
    append(records, { leads = false } = {}) {
      const append = call<number[]>('log.append', flatAppends(records), leads);
      appends.add(append);
      const done = () => void appends.delete(append);
      append.then(done, done);
      return append;
    },
    reader() {
      if (!isOpen) throw closedError();
      const reader = readerOver(channel(), nextId++, () => readers.delete(reader));
      readers.add(reader);
      return reader;
    },
    offsets: (topic, partition) => call<OffsetRange>('log.offsets', topic, partition),
    offsetAt: (topic, partition, timeMs) => call('log.offsetAt', topic, partition, timeMs),
    last: async (topic, partition) => recordsOf(await call<unknown[]>('log.last', topic, partition))[0],
    trim: (topic, partition, before) => call('log.trim', topic, partition, before),
    commit: (group, positions) => call('log.commit', group, positions),
    committed: async (group, topic, partition) => (await committedAll(group, topic, [partition])).get(partition),
    committedAll,
    groups: (prefix) => call<GroupStatus[]>('log.groups', prefix),
    forgetGroup: (group) => call('log.forgetGroup', group),
    join: (options) => joinOver(call, groups, nextId++, options),
    membersOf: (group) => call<readonly GroupMember[]>('log.membersOf', group),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await Promise.allSettled(appends);
      await Promise.all([...readers].map((reader) => reader.close()));
    },
  };

  return {
    log,
    served: {
      'group.assigned': (
        id: number,
        partitions: readonly number[],
        standbys: readonly StandbyPlace[],
        members: number,
      ) => {
        const group = groups.get(id);
        if (group === undefined) return;
        group.members = members;
        group.options.onAssigned(partitions, standbys);
      },
      'group.failed': (id: number, error: Parameters<typeof errorOf>[0]) =>
        groups.get(id)?.options.onFailure(errorOf(error)),
    },
  };
}

type Call = <T>(name: string, ...given: readonly unknown[]) => Promise<T>;

/** Joins in the other process; its reports reach the group by `id`. */
async function joinOver(
  call: Call,
  groups: Map<number, Joined>,
  id: number,
  options: GroupOptions,
): Promise<Membership> {
  const { onAssigned: _, onFailure: __, holds: ___, caughtUp: ____, ...joining } = options;
  const group: Joined = { members: 1, options };
  groups.set(id, group);
  const { name, members } = await call<{ name: string; members: number }>(
    'group.join',
    id,
    joining satisfies JoinOptions,
  );
  group.members = members;
  return {
    name,
    get members() {
      return group.members;
    },
    async leave() {
      groups.delete(id);
      await call('group.leave', id);
    },
  };
}

/**
 * Records may be under way while this side seeks, drops or pauses their partition. After a seek or a drop they are
 * discarded; records of a paused partition are read again later. A poll that waits in the other process learns of a
 * seek, too, and its answer may already come from the new position. So both sides count seeks and drops, and an answer
 * says how many it takes into account.
 */
function readerOver(channel: Channel, id: number, onClose: () => void): LogReader {
  const assigned = new Set<string>();
  let moves = 0;
  /** By partition: number of its last seek. */
  const moved = new Map<string, number>();
  const paused = new Set<string>();
  let isPolling = false;
  let isOpen = true;
  const keyOf = (topic: string, partition: number) => `${topic}/${partition}`;

  const seek: LogReader['seek'] = (topic, partition, offset, before) => {
    moved.set(keyOf(topic, partition), ++moves);
    channel.notify('reader.seek', id, topic, partition, offset, before);
  };
  const wanted = ([heard, flat]: PollAnswer): LogRecord[] => {
    const reread = new Set<string>();
    return recordsOf(flat).filter(({ topic, partition, offset }) => {
      const key = keyOf(topic, partition);
      if ((moved.get(key) ?? 0) > heard) return false;
      if (!paused.has(key)) return true;
      if (!reread.has(key)) seek(topic, partition, offset);
      reread.add(key);
      return false;
    });
  };

  return {
    seek(topic, partition, offset, before) {
      assigned.add(keyOf(topic, partition));
      seek(topic, partition, offset, before);
    },
    drop(topic, partition) {
      assigned.delete(keyOf(topic, partition));
      moved.set(keyOf(topic, partition), ++moves);
      paused.delete(keyOf(topic, partition));
      channel.notify('reader.drop', id, topic, partition);
    },
    pause(topic, partition) {
      if (!assigned.has(keyOf(topic, partition))) return;
      paused.add(keyOf(topic, partition));
      channel.notify('reader.pause', id, topic, partition);
    },
    resume(topic, partition) {
      paused.delete(keyOf(topic, partition));
      channel.notify('reader.resume', id, topic, partition);
    },
    async poll(options) {
      if (!isOpen) throw closedError();
      if (isPolling) throw new Error('one poll at a time: the previous poll has not returned');
      isPolling = true;
      try {
        return wanted((await channel.call('reader.poll', id, options)) as PollAnswer);
      } finally {
        isPolling = false;
      }
    },
    wake: () => channel.notify('reader.wake', id),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      onClose();
      await channel.call('reader.close', id).catch(() => {});
    },
  };
}

function closedError(): CrawlstreamError {
  return new CrawlstreamError('STORE_CLOSED', 'the log is closed');
}

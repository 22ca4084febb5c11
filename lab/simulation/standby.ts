/**
 * Reads every record as it lands, as a standby of each partition would, and checks what must always be true:
 *
 * - Conservation, and counters that equal a recount of the state, after every commit; one lease per host, or its
 *   number.
 * - A task exists only for a lease that a valid commit has granted; a lease is run once.
 * - An outcome exists only when its page and all its links have landed.
 * - Our records are never mistaken for unreadable ones.
 */
import type { Task } from '../../schemas/types.ts';
import type { RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import type { LogRecord } from '../../services/runtime/log/log.ts';
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { lostUrls } from '../../topology/frontier/changes/counters.ts';
import { eachRow } from '../../topology/frontier/check/digest.ts';
import { budgetQueue } from '../../topology/frontier/queues/held-queues.ts';
import { replay } from '../../topology/frontier/replay.ts';
import type { FingerprintKey } from '../../topology/frontier/state/state.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import type { Judge } from './judge.ts';
import { checkVisits } from './recrawl.ts';
import type { World } from './world.ts';

export interface Standby {
  readonly states: readonly FrontierState[];
  /** Pages published, by URL. */
  readonly pages: ReadonlyMap<string, number>;
  /** URLs that were given up, with the reason. */
  readonly givenUp: ReadonlyMap<string, string>;
  /** Pages of the quota with their grant or return in a lost part of a changelog: as many may be granted again. */
  readonly quotaForgotten: number;
  see(record: LogRecord): void;
  /** A changelog has lost its tail: its present records are all that is left. */
  seeLost(partition: number, changelog: readonly LogRecord[]): void;
}

export interface StandbyOptions {
  readonly world: World;
  readonly codec: RecordCodec;
  readonly key: FingerprintKey;
  readonly judge: Judge;
  readonly violate: (what: string) => void;
  /** `topic`: its full name. */
  readonly isGarbage: (topic: string, partition: number, offset: number) => boolean;
}

/** A recount costs more than the rest; later commits do not repair an error of an earlier one. */
const recountEvery = 8;

export function createStandby({ world, codec, key, judge, violate, isGarbage }: StandbyOptions): Standby {
  const states = Array.from({ length: world.partitions }, () => new FrontierState(key));
  const granted = new Set<string>();
  /** How each lease ended. */
  const endings = new Map<string, string>();
  /** Partitions that forgot leases: their numbers are assigned again, and their owners' epochs. */
  const forgetful = new Set<number>();
  const links = new Set<string>();
  const pages = new Map<string, number>();
  const givenUp = new Map<string, string>();
  let quotaForgotten = 0;

  const seeChangelog = ({ partition, offset, value }: LogRecord) => {
    const state = states[partition]!;
    const nextId = state.leases.nextId;
    const record = readChangelog(value);
    replay(state, offset, record);
    for (let id = nextId; id < state.leases.nextId; id++) granted.add(leaseName(partition, state.changelog.epoch, id));
    if (world.recrawl !== null) checkVisits(state, nextId, `partition ${partition} at ${offset}`, violate);
    const lost = lostUrls(state.counters);
    if (lost !== 0) violate(`partition ${partition} lost ${lost} URLs at ${offset}`);
    const busy = new Map<string, number>();
    for (const { host } of state.leases.values()) busy.set(host.key, (busy.get(host.key) ?? 0) + 1);
    for (const [key, leases] of busy) {
      const { hostSlots } = world.byName.get(key)!;
      if (leases > hostSlots)
        violate(`partition ${partition} has ${leases} leases of ${key} at ${offset}, not ${hostSlots}`);
    }
    if (offset % recountEvery === 0) recount(state, `partition ${partition} at ${offset}`, violate);
  };

  const seeTask = (task: Task) => {
    const name = leaseName(task.partition, task.epoch, task.leaseId);
    if (!granted.has(name)) violate(`a task was published for lease ${name}, which nobody granted`);
  };

  const seeResult = (record: LogRecord) => {
    const result = codec.decode('results', record.value);
    const name = leaseName(result.partition, result.epoch, result.leaseId);
    if (result.last && !forgetful.has(result.partition)) {
      // Its content: if it is passed on, it may have another schema's id.
      const ending = JSON.stringify(result);
      if (endings.has(name) && endings.get(name) !== ending) violate(`lease ${name} was run twice`);
      endings.set(name, ending);
    }
    const current = states[result.partition]!.leases.has(result.leaseId);
    for (const { url, kind, retryAfterMs } of result.outcomes) {
      const page = world.byUrl.get(url);
      if (retryAfterMs > 0 && current)
        judge.asked(result.hostKey, retryAfterMs, result.completedAtMs, result.fetcherId);
      if (kind === 'redirect' && !links.has(page!.redirect!)) violate(`${url} has an outcome before its target`);
      if (kind !== 'fetched') continue;
      if (!pages.has(url)) violate(`${url} has an outcome before its page`);
      for (const link of page!.links) {
        if (!links.has(link)) violate(`${url} has an outcome before its link ${link}`);
      }
    }
  };

  return {
    states,
    pages,
    givenUp,
    get quotaForgotten() {
      return quotaForgotten;
    },
    seeLost(partition, changelog) {
      const state = new FrontierState(key);
      for (const { offset, value } of changelog) replay(state, offset, readChangelog(value));
      quotaForgotten += quotaLost(states[partition]!, state);
      states[partition] = state;
      forgetful.add(partition);
    },
    see(record) {
      switch (record.topic.slice(record.topic.indexOf('.') + 1)) {
        case 'frontier-changelog':
          return seeChangelog(record);
        case 'tasks':
          return seeTask(codec.decode('tasks', record.value));
        case 'results':
          return seeResult(record);
        case 'discovered':
          for (const group of codec.decode('discovered', record.value).groups) {
            for (const { url } of group.links) links.add(url);
          }
          return;
        case 'pages': {
          const { url } = codec.decode('pages', record.value);
          pages.set(url, (pages.get(url) ?? 0) + 1);
          return;
        }
        case 'dead-letters': {
          const { url, reason, ...source } = codec.decode('dead-letters', record.value);
          givenUp.set(url, reason);
          const crawl = record.topic.slice(0, record.topic.indexOf('.'));
          const topic = `${crawl}.${source.sourceTopic.replace(`${crawl}.`, '')}`;
          if (reason !== 'undecodable' || isGarbage(topic, source.sourcePartition, source.sourceOffset)) return;
          violate(`a record of ours is a dead letter: ${topic}/${source.sourcePartition}@${source.sourceOffset}`);
        }
      }
    },
  };
}

function leaseName(partition: number, epoch: number, id: number): string {
  return `${partition}/${epoch}/${id}`;
}

/** The returned quota that a partition's account lost, and the granted quota that the book lost. */
function quotaLost(before: FrontierState, now: FrontierState): number {
  let pages = before.counters.quotaReturned - now.counters.quotaReturned;
  for (const [of, { granted }] of before.quota.book) pages += granted - (now.quota.book.get(of)?.granted ?? 0);
  return pages;
}

/**
 * Reports counters that differ from the state. `seenIsExact`: nothing was purged, and no URL was forced, so that every
 * admitted URL was new and still counts.
 */
export function recount(
  state: FrontierState,
  where: string,
  violate: (what: string) => void,
  seenIsExact = true,
): void {
  const held = new Set<string>();
  const rows = { hosts: 0, leases: 0, leased: 0, seen: 0, queued: 0, retrying: 0, deferred: 0 };
  const waiting: {
    readonly hostKey: string;
    readonly place: 'queued' | 'retrying' | 'deferred';
    readonly count: number;
  }[] = [];
  const isHeld = (hostKey: string, frontQueue: number) =>
    frontQueue === budgetQueue
      ? !state.hosts.get(hostKey)!.facts.deferredOpen
      : state.traps.of(hostKey).trapped.some((trap) => trap.frontQueue === frontQueue);
  eachRow(state, ([kind, name, number, dueAtMs, ...rest]) => {
    if (kind === 'host') {
      rows.hosts += 1;
      if (['crawlDelay', 'blocked', 'limit', 'paused'].some((hold) => rest.includes(hold))) held.add(`${name}`);
    } else if (kind === 'lease') rows.leases += 1;
    else if (kind === 'leased') rows.leased += 1;
    else if (kind === 'seen') rows.seen = Number(name);
    else if (kind === 'band') {
      const place = isHeld(`${name}`, Number(number)) ? 'deferred' : 'queued';
      waiting.push({ hostKey: `${name}`, place, count: Number(dueAtMs) });
    } else if (kind === 'again')
      waiting.push({ hostKey: `${name}`, place: Number(dueAtMs) > 0 ? 'retrying' : 'queued', count: 1 });
  });
  for (const { hostKey, place, count } of waiting) rows[held.has(hostKey) ? 'deferred' : place] += count;
  for (const name of ['hosts', 'leases', 'leased', 'queued', 'retrying', 'deferred'] as const) {
    if (rows[name] !== state.counters[name]) {
      violate(`${where} counts ${state.counters[name]} ${name} and holds ${rows[name]}`);
    }
  }
  if (seenIsExact && rows.seen !== state.counters.admitted) {
    violate(`${where} counts ${state.counters.admitted} admitted and has seen ${rows.seen}`);
  }
}

/** The checks at the end of a run: all copies of the state are equal, and every reachable page is fetched. */
import { isDeepStrictEqual } from 'node:util';
import { openPartition } from '../../services/frontier/open/open-partition.ts';
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { sumCounters } from '../../topology/frontier/changes/counters.ts';
import { digest } from '../../topology/frontier/check/digest.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { clockOf } from '../model/clock-of.ts';
import { chanceOf } from './chance.ts';
import { checkDecidedAgain } from './decided-again.ts';
import { firstUnfair } from './fair-order.ts';
import type { Fault } from './faults.ts';
import type { Judge } from './judge.ts';
import { crawl, fingerprintKey, type Machine } from './machines.ts';
import type { Outages } from './outages.ts';
import { createProcess } from './process.ts';
import type { Setting } from './setting.ts';
import { createSimLog } from './sim-log.ts';
import { recount } from './standby.ts';
import { mustBeFetched } from './world.ts';

/** A finished run. */
export interface EndedRun extends Setting {
  readonly machines: readonly Pick<Machine, 'name' | 'disk' | 'live' | 'copies' | 'kill'>[];
  readonly foreign: ReadonlySet<string>;
}

export async function checkEnd(stage: EndedRun, judge: Judge, faults: readonly Fault[]): Promise<void> {
  const { standby, violate } = stage;
  standby.states.forEach((state, partition) => {
    recount(state, `partition ${partition} at its end`, violate);
    for (const { key } of state.hosts.values()) {
      const home = partitionOf(key, stage.world.partitions);
      if (home !== partition) violate(`partition ${partition} has a queue of ${key}, which belongs to ${home}`);
    }
  });
  checkCopies(stage);
  checkDecidedAgain(stage);
  checkFairOrder(stage);
  checkFetched(stage, judge, faults);
  await checkFolders(stage);
}

/** No host that is ready is passed over. */
function checkFairOrder({ world, cluster, violate }: Setting): void {
  for (let partition = 0; partition < world.partitions; partition++) {
    const { records } = cluster.partition(`${crawl}.frontier-changelog`, partition);
    const unfair = firstUnfair(
      records.map(({ offset, value }) => [offset, value] as const),
      fingerprintKey,
    );
    if (unfair !== null) violate(`partition ${partition} is not fair at ${unfair}`);
  }
}

/** digest(live) = digest(standby) = digest(warm copies) = digest(rebuild). */
function checkCopies({ machines, standby, cluster, violate }: EndedRun): void {
  standby.states.forEach((state, partition) => {
    const expected = digest(state);
    const rebuilt = new FrontierState(fingerprintKey);
    const copies = machines.flatMap(({ name, copies }) => {
      const state = copies.get(partition)?.state;
      return state === undefined ? [] : [{ name, state }];
    });
    for (const { offset, value } of cluster.partition(`${crawl}.frontier-changelog`, partition).records) {
      replay(rebuilt, offset, readChangelog(value));
      // A copy that has read as far as this.
      for (const { name, state } of copies) {
        if (state.changelog.offset !== offset + 1 || digest(state) === digest(rebuilt)) continue;
        violate(`${name} keeps a copy of partition ${partition} that is not what its owner had at ${offset}`);
      }
    }
    if (digest(rebuilt) !== expected) violate(`partition ${partition} is rebuilt to another state than its standby's`);
    const owners = machines.flatMap(({ live }) => live.get(partition) ?? []);
    const owner = owners.find((one) => one.state.changelog.epoch === state.changelog.epoch);
    if (owner === undefined || digest(owner.state) !== expected) {
      violate(`partition ${partition}'s owner has another state than its standby`);
    }
  });
}

/** Opening a partition gives the same state, whatever is on its disk. */
async function checkFolders(stage: EndedRun): Promise<void> {
  const { machines, standby, scheduler, world, seed, violate } = stage;
  const expected = standby.states.map(digest);
  for (const machine of machines) machine.kill('all', Number.POSITIVE_INFINITY);
  for (const { name, disk } of machines) {
    const process = createProcess({ name: `${name}.after`, scheduler, chance: chanceOf(seed, 'after'), clockOffMs: 0 });
    const log = createSimLog({ ...stage, process, embedded: world.embedded, faultOf: () => undefined });
    for (const folder of disk.folders().keys()) {
      const partition = Number(folder);
      const store = await settle(disk.open(process, folder));
      const identity = { crawl, partition, partitions: world.partitions };
      const opening = openPartition({
        log,
        store,
        identity,
        key: fingerprintKey,
        clock: process.clock,
        endsLeases: false,
        nonce: () => 'after',
      });
      const { state } = await settle(opening);
      if (digest(state) !== expected[partition]) violate(`${name} opens partition ${partition} to another state`);
      else if (!isDeepStrictEqual(clockOf(state), clockOf(standby.states[partition]!)))
        violate(`${name} opens partition ${partition} with hosts that wait for another time, or for ever`);
    }
  }

  async function settle<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    promise.then(
      () => (done = true),
      () => (done = true),
    );
    await scheduler.run(Number.POSITIVE_INFINITY, () => done);
    return promise;
  }
}

/** Liveness: every reachable page was fetched; and without faults, once. */
function checkFetched(stage: EndedRun, judge: Judge, faults: readonly Fault[]): void {
  const { standby, world, web, foreign, violate } = stage;
  const { pages, givenUp } = standby;
  const { page, dead, quotaSpent } = sumCounters(standby.states.map(({ counters }) => counters));
  const deadLetters = [...givenUp.keys()].filter((url) => url !== '').length;
  if (dead > deadLetters) violate(`${dead} URLs are dead, and there are letters of ${deadLetters}`);
  if (world.pageQuota !== null) {
    const quotaMax = world.pageQuota + standby.quotaForgotten;
    if (page > quotaMax || quotaSpent > quotaMax) violate(`${page} pages of a quota of ${world.pageQuota}`);
    if (page < world.pageQuota && quotaSpent >= world.pageQuota) violate(`a quota spent on ${page} pages`);
    return;
  }
  if (page > pages.size) violate(`${page} pages are counted, and ${pages.size} were published`);
  checkAlive(stage, faults);
  for (const [url, reason] of givenUp) {
    if (url === '' || !world.byName.get(new URL(url).host)!.steady) continue;
    if (!excused(url, reason, faults, web.outages))
      violate(`${url} was given up on (${reason}), and its host is steady`);
  }
  for (const url of mustBeFetched(world, new Set(givenUp.keys()), foreign)) {
    if (!pages.has(url)) violate(`${url} was never fetched`);
    else if (faults.length === 0) {
      const times = judge.fetches.get(url)!;
      const isRight = world.recrawl === null ? times === 1 : times > 1;
      if (!isRight) violate(`${url} was fetched ${times} times, and nothing went wrong`);
    }
  }
}

/** A host in trouble may use up the retries of its URLs, and faults the leases of one. */
function excused(url: string, reason: string, faults: readonly Fault[], outages: Outages | undefined): boolean {
  if (reason === 'tooManyRedirects') return true;
  if (reason === 'leaseExpired') return faults.filter(({ kind }) => !isOfWay(kind)).length >= 3;
  if (reason === 'retriesExhausted' && faults.some((fault) => fault.kind === 'brokenAnswer' && fault.url === url))
    return true;
  return mayFail(new URL(url).host, faults, outages);
}

function mayFail(hostName: string, faults: readonly Fault[], outages: Outages | undefined): boolean {
  const isInTrouble = faults.some((fault) => fault.kind === 'trouble' && fault.host === hostName);
  return isInTrouble || outages?.mayPay(hostName) === true;
}

/** No host counts as dead that always answers. */
function checkAlive({ standby, world, web, violate }: EndedRun, faults: readonly Fault[]): void {
  for (const { hosts } of standby.states)
    for (const { key, facts } of hosts.values()) {
      const isSteady = world.byName.get(key)!.steady && !mayFail(key, faults, web.outages);
      if (isSteady && facts.deadUntilMs > 0) violate(`${key} counts as dead, and it always answers`);
    }
}

/** Faults between fetchers and hosts make no lease expire. */
function isOfWay(kind: Fault['kind']): boolean {
  return kind === 'outage' || kind === 'brokenAnswer';
}

/**
 * `npm run bench -- takeover [--urls N] [--hosts N] [--json]`
 *
 * How long partitions stand still if their owner is killed with -9, with a warm standby and without: from the kill to
 * the first durable commit of each partition's next owner. Two frontiers run on a real Kafka on loopback, and every URL
 * is new and queued. `noticed` depends on the consumer group: the session of the dead member has to expire.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { frontierMembers } from '../../../services/runtime/crawl/frontier-members.ts';
import { type KafkaAccess, openKafkaAccess } from '../../../services/runtime/crawl/kafka-access.ts';
import { policyRecords } from '../../../services/runtime/crawl/requests.ts';
import type { Log } from '../../../services/runtime/log/log.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { startBroker } from '../../kafka/broker.ts';
import { type Running, startCommand } from '../../process/command.ts';
import { benchOptions } from '../bench-options.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { LinkSource } from './link-source.ts';

const partitions = 4;
const linksPerMessage = 2_000;

interface TakeOver {
  readonly standbys: number;
  readonly urls: number;
  /** From the kill to the first claim, s. */
  readonly noticed: number;
  /** From the first claim to the last partition's first commit, s. */
  readonly takenOver: number;
  readonly both: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { urls, hosts, json } = benchOptions(args, { urls: 1_000_000, hosts: 20_000 });
  const broker = await startBroker({ own: true });
  try {
    const all: TakeOver[] = [];
    for (const standbys of [0, 1]) {
      const access = { brokers: broker.brokers, crawl: `takeover-${standbys}` };
      all.push(await inTemporaryFolder((folder) => measure(access, folder, { standbys, urls, hosts })));
    }
    console.table(all);
    if (json) process.stdout.write(`${JSON.stringify({ name: 'takeover', all })}\n`);
  } finally {
    await broker.stop();
  }
}

async function measure(
  access: KafkaAccess,
  folder: string,
  { standbys, urls, hosts }: { readonly standbys: number; readonly urls: number; readonly hosts: number },
): Promise<TakeOver> {
  const { brokers, crawl } = access;
  const frontier = (name: string) => {
    const at = ['--brokers', brokers, '--crawl', crawl, '--partitions', `${partitions}`, '--data', join(folder, name)];
    return startCommand(['frontier', ...at, '--standbys', `${standbys}`, '--instance-id', name], {
      patienceMs: 600_000,
    });
  };
  const running = [frontier('a')];
  try {
    await untilReady(running[0]!);
    const { log, codec } = await openKafkaAccess(access);
    try {
      await log.append(
        policyRecords(codec, { crawl, partitions, keyMode: 'host' }, defaultPolicy(), 'bench', Date.now()),
      );
      const source = new LinkSource({ hosts, duplicates: 0 });
      for (let sent = 0; sent < urls; sent += linksPerMessage) {
        const { groups } = source.message(linksPerMessage);
        const records = Array.from({ length: partitions }, (_, partition) => {
          const own = groups.filter(({ hostKey }) => partitionOf(hostKey, partitions) === partition);
          const value = codec.encode('discovered', { groups: own });
          return { topic: `${crawl}.discovered`, partition, key: null, value };
        });
        await log.append(records);
      }
      running.push(frontier('b'));
      await untilReady(running[1]!);
      await untilQuiet(log, crawl, urls, standbys);
      const dead = (await frontierMembers(log, crawl, Date.now())).find(({ name }) => name === 'a')!.owned;
      const ends = await Promise.all(dead.map((one) => log.offsets(`${crawl}.frontier-changelog`, one)));
      const killedMs = Date.now();
      running[0]!.child.kill('SIGKILL');
      const took = await Promise.all(dead.map((one, i) => nextOwner(log, crawl, one, ends[i]!.end)));
      const firstClaimMs = Math.min(...took.map(({ claimMs }) => claimMs));
      const lastCommitMs = Math.max(...took.map(({ commitMs }) => commitMs));
      const seconds = (ms: number) => Number((ms / 1000).toFixed(2));
      return {
        standbys,
        urls,
        noticed: seconds(firstClaimMs - killedMs),
        takenOver: seconds(lastCommitMs - firstClaimMs),
        both: seconds(lastCommitMs - killedMs),
      };
    } finally {
      await log.close();
    }
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
  }
}

async function untilReady({ output, ended }: Running): Promise<void> {
  const early = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  while (!/ready, crawl/.test(output())) await Promise.race([sleep(50), early]);
}

/** Every URL is admitted, every partition assigned, and copied if there are standbys. */
async function untilQuiet(log: Log, crawl: string, urls: number, standbys: number): Promise<void> {
  for (;;) {
    await sleep(500);
    let admitted = 0;
    for (let partition = 0; partition < partitions; partition++) {
      const last = await log.last(`${crawl}.frontier-changelog`, partition);
      const record = last && decodeChangelog(last.value);
      if (record?.kind === 'commit') admitted += record.counters.admitted;
    }
    if (admitted < 0.99 * urls) continue;
    const members = await frontierMembers(log, crawl, Date.now()).catch(() => []);
    const copies = members.flatMap((member) => member.standbys);
    const isShared = members.length === 2 && members.every(({ owned }) => owned.length === partitions / 2);
    if (isShared && copies.length === standbys * partitions && copies.every(({ behind }) => behind === 0)) return;
  }
}

/** When a partition's next owner claimed it, and when that owner first decided. */
async function nextOwner(log: Log, crawl: string, partition: number, from: number) {
  let [epoch, claimMs] = [-1, 0];
  for await (const { offset, value, timestampMs } of recordsOf(
    log,
    `${crawl}.frontier-changelog`,
    partition,
    from,
    Number.POSITIVE_INFINITY,
  )) {
    const record = decodeChangelog(value);
    if (record.kind === 'claim') [epoch, claimMs] = [offset, timestampMs];
    else if (record.epoch === epoch) return { claimMs, commitMs: timestampMs };
  }
  throw new Error(`partition ${partition} has no next owner`);
}

/** The environment of a run's machines: a log, groups, a web and a registry on virtual time, and the observers. */
import { topicNames } from '../../topology/topics.ts';
import { chanceOf } from './chance.ts';
import { createCluster } from './cluster.ts';
import { type Fetcherless, watchFetcherless } from './fetcherless.ts';
import { createGroups } from './groups.ts';
import { createJudge, type Judge } from './judge.ts';
import { crawl, fingerprintKey, type MachineOptions } from './machines.ts';
import { createSimRegistry, openWatchersCodec } from './registry.ts';
import type { Scheduler } from './scheduler.ts';
import { createStandby, type Standby } from './standby.ts';
import { createWeb, type Web } from './web.ts';
import type { World } from './world.ts';

export interface Setting extends MachineOptions {
  readonly judge: Judge;
  readonly standby: Standby;
  readonly fetcherless: Fetcherless;
}

export async function createSetting(
  seed: number,
  world: World,
  scheduler: Scheduler,
  violate: (what: string) => void,
  /** Parts shared with other crawls, or made for special ones. */
  shared?: { readonly judge: Judge; readonly web: Web },
): Promise<Setting> {
  const judge = shared?.judge ?? createJudge(world, violate);
  const codec = await openWatchersCodec(crawl);
  const isGarbage = (topic: string, partition: number, offset: number) =>
    cluster.partition(topic, partition).records[offset]?.headers['garbage'] !== undefined;
  const standby = createStandby({ world, codec, key: fingerprintKey, judge, violate, isGarbage });
  const fetcherless = watchFetcherless(scheduler, codec, violate);
  const cluster = createCluster(scheduler, (record) => {
    if (record.headers['garbage'] !== undefined) return;
    standby.see(record);
    fetcherless.see(record, standby);
    web.outages?.see(record, codec);
  });
  const groups = createGroups(scheduler, chanceOf(seed, 'groups'));
  const web = shared?.web ?? createWeb({ seed, world, judge, scheduler });
  for (const name of topicNames) cluster.create(`${crawl}.${name}`, world.partitions);
  const registry = createSimRegistry();
  return { seed, world, scheduler, cluster, groups, web, codec, registry, violate, judge, standby, fetcherless };
}

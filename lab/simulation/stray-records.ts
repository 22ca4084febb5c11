/**
 * Records on wrong partitions for their key, as a producer with another partitioner sends them: links of pages that
 * must be fetched like any others, and copies of tasks, results and events.
 */
import { blankControl, blankLinkGroup } from '../../schemas/blank.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import type { Chance } from './chance.ts';
import { crawl } from './machines.ts';
import type { Stage } from './run.ts';
import { mustBeFetched, type SimHost, type SimPage } from './world.ts';

export type StrayTopic = 'discovered' | 'results' | 'control' | 'tasks';

export function sendAstray(stage: Stage, topic: StrayTopic, chance: Chance): void {
  const { cluster, codec, world, scheduler } = stage;
  if (world.partitions === 1) return;
  const host = chance.pick(topic === 'discovered' ? hostsWithUnfound(stage) : world.hosts);
  const home = partitionOf(host.name, world.partitions);
  const partition = (home + chance.between(1, world.partitions - 1)) % world.partitions;
  const land = (value: Buffer) =>
    cluster.land({ topic: `${crawl}.${topic}`, partition, key: Buffer.from(host.name), value, headers: {} });
  if (topic === 'discovered') {
    const urls = Array.from({ length: chance.between(1, 3) }, () => chance.pick(unfoundFirst(stage, host)).url);
    const links = urls.map((url) => ({ url, lastModifiedMs: 0, priority: -1, spelling: '' }));
    land(
      codec.encode('discovered', { groups: [{ ...blankLinkGroup, hostKey: host.name, depth: 1, links }] }) as Buffer,
    );
    for (const url of urls) stage.foreign.add(url);
  } else if (topic === 'control') {
    const payload = JSON.stringify({ url: chance.pick(host.pages).url });
    const event = {
      ...blankControl,
      kind: 'raise' as const,
      atMs: scheduler.nowMs(),
      by: 'stray',
      id: `stray ${chance.next()}`,
    };
    land(codec.encode('control', { ...event, hostKey: host.name, payload }) as Buffer);
  } else {
    const { records } = cluster.partition(`${crawl}.${topic}`, home);
    // Excludes records that are strays already: passed on, they would be a task's second copy, which none of our
    // producers makes.
    const isHome = (value: Buffer) => partitionOf(codec.decode(topic, value).hostKey, world.partitions) === home;
    const sound = records.filter(({ headers, value }) => headers['garbage'] === undefined && isHome(value));
    if (sound.length > 0) land(chance.pick(sound).value);
  }
}

/** Records beyond the crawl's own partitions belong to nobody. */
export function growTopic({ cluster, codec, world }: Stage, topic: StrayTopic, by: number, chance: Chance): void {
  cluster.grow(`${crawl}.${topic}`, by);
  const host = chance.pick(world.hosts);
  const links = [{ url: host.pages[0]!.url, lastModifiedMs: 0, priority: -1, spelling: '' }];
  const value = codec.encode('discovered', { groups: [{ ...blankLinkGroup, hostKey: host.name, links }] }) as Buffer;
  if (topic === 'discovered')
    cluster.land({ topic: `${crawl}.${topic}`, partition: world.partitions, key: null, value, headers: {} });
}

/** If nothing else leads to a page, nothing replaces it. */
function hostsWithUnfound(stage: Stage): readonly SimHost[] {
  const { hosts } = stage.world;
  const some = hosts.filter((host) => host.steady && unfound(stage, host).length > 0);
  return some.length > 0 ? some : hosts;
}

function unfoundFirst(stage: Stage, host: SimHost): readonly SimPage[] {
  const some = unfound(stage, host);
  return some.length > 0 ? some : host.pages;
}

function unfound({ world, foreign }: Stage, { pages }: SimHost): readonly SimPage[] {
  const found = mustBeFetched(world, new Set(), foreign);
  return pages.filter(({ url, forbidden, redirect }) => !forbidden && redirect === null && !found.has(url));
}

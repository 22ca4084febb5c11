/**
 * Each outage for real, under the roles of one crawl: the brokers, the registry, all fetchers, all frontiers, room on a
 * disk. While it lasts every scrape is answered, the alert for it is there and no other, and a line in a log tells its
 * beginning; when it is over a line tells that, and everything is at work again without help.
 */
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { freePorts } from '../../lab/kafka/daemon.ts';
import { type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { planWeb } from '../../lab/web/plan.ts';
import { type RunningWeb, startWeb } from '../../lab/web/server.ts';
import { promtool } from '../deploy/promtool.ts';
import { startRegistry, type TestRegistry } from '../kafka/registry.ts';
import { mountSmallDisk } from '../services/cli/full-disk.ts';
import { listening } from '../services/cli/listening.ts';
import { type Cuttable, cuttable } from './cuttable.ts';
import { Scrapes } from './scrapes.ts';

const skip = (await skipReason()) ?? (await promtool.skipReason()) ?? false;
/** Without help; and on a busy machine, as long as so many commands. */
const backMsLeast = 30_000;
const backCommands = 15;
const patienceMs = 120_000;
const diskMegabytes = 96;

describe('an outage', { skip, timeout: 900_000 }, () => {
  let broker: TestBroker;
  let registry: TestRegistry;
  let way: Cuttable;
  let folder: string;
  let web: RunningWeb;
  let backMsMax: number;
  // Here, so that it is there until the end of all of them.
  const disk = mountSmallDisk(diskMegabytes);
  const pods = new Map<string, Running>();

  const at = () => ['--brokers', broker.brokers, '--crawl', 'news', '--registry', registryUrl()];
  const registryUrl = () => registry.url.replace(/:\d+\//, `:${way.port}/`);
  const roleOf: Readonly<Record<string, () => readonly string[]>> = {
    frontier: () => ['frontier', '--data', join(disk?.folder ?? folder, 'frontier')],
    fetcher: () => ['fetcher', '--resolve', `*:${web.port}:127.0.0.1`, '--concurrency', '10'],
    dedup: () => ['dedup', '--data', join(folder, 'dedup')],
  };
  const start = (pod: string): Running => {
    const [role] = pod.split('-');
    const running = startCommand([...roleOf[role!]!(), ...at(), '--http', '0'], { patienceMs: 900_000 });
    pods.set(pod, running);
    return running;
  };
  const kill = async (pod: string) => {
    const { child, ended } = pods.get(pod)!;
    child.kill('SIGKILL');
    await ended;
    pods.delete(pod);
  };

  before(async () => {
    const [port] = (await freePorts(1)) as [number];
    [broker, registry] = await Promise.all([startBroker({ own: true }), startRegistry()]);
    way = await cuttable(port, Number(new URL(registry.url).port));
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-outages-'));
    const plan = planWeb({ hosts: 240, domains: 240, pagesPerHost: 400, seed: 34 });
    web = await startWeb(plan);
    const beganMs = Date.now();
    const made = await runCommand(['topics', 'create', ...at(), '--partitions', '3']);
    assert.equal(made.code, 0, made.stderr);
    backMsMax = Math.max(backMsLeast, backCommands * (Date.now() - beganMs));
    for (const pod of ['frontier-0', 'fetcher-0', 'fetcher-1', 'dedup-0']) start(pod);
    const sent = await runCommand(['inject', ...plan.seeds(web.port), ...at(), '--delay', '1000ms']);
    assert.equal(sent.code, 0, sent.stderr);
  });
  after(async () => {
    for (const { child } of pods.values()) child.kill('SIGKILL');
    await way?.cut();
    await Promise.all([broker?.stop(), registry?.stop(), web?.close()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Beats until it holds. */
  const beatUntil = async (scrapes: Scrapes, what: string, holds: () => boolean, forMs = patienceMs) => {
    for (const deadline = Date.now() + forMs; !holds(); await scrapes.beat()) {
      if (Date.now() < deadline) continue;
      const outputs = [...pods].map(([pod, { output }]) => `${pod}: ${output()}`);
      assert.fail(`waited in vain: ${what}\n${outputs.join('\n')}`);
    }
  };

  interface Outage {
    readonly alert: string;
    /** Whose log tells of it, in which words: at its beginning, and at its end. */
    readonly says: Readonly<Record<string, readonly [begins: RegExp, ends: RegExp]>>;
    begin(): Promise<void>;
    mend(): Promise<void>;
    /** Beats that the alert waits from when the log has told of the outage. */
    readonly waits: number;
  }

  const produce = async (t: { diagnostic(text: string): void }, outage: Outage) => {
    const scrapes = new Scrapes();
    const follow = async () => {
      for (const [pod, running] of pods) scrapes.targets.set(pod, await listening(running));
      for (const pod of scrapes.targets.keys()) if (!pods.has(pod)) scrapes.targets.delete(pod);
    };
    await follow();
    const isAtWork = () =>
      [...pods.keys()].every((pod) => scrapes.last(pod, 'crawlstream_ready') === 1) &&
      scrapes.last('frontier-0', 'crawlstream_frontier_fetchers') === 2;
    // Of more hosts than fetchers can hold: else there is nothing to be alarmed about.
    const isReady = () => (scrapes.last('frontier-0', 'crawlstream_frontier_hosts', { state: 'ready' }) ?? 0) > 0;
    const works = async (what: string, forMs?: number) => {
      const before = web.requests().length;
      await scrapes.beat();
      await beatUntil(scrapes, what, () => isAtWork() && web.requests().length > before, forMs);
    };
    await works('the crawl works');
    await beatUntil(scrapes, 'hosts are ready', isReady);
    scrapes.forget();
    await scrapes.beatFor(4);
    const said = new Map([...pods.values()].map((running) => [running, running.output().length]));
    const lines = (pod: string) => {
      const running = pods.get(pod)!;
      const text = running.output().slice(said.get(running) ?? 0);
      return text.split('\n').filter((line) => line !== '' && !line.includes('listening on'));
    };
    let beginsMs = Date.now();
    await outage.begin();
    await follow();
    try {
      const reported = () =>
        Object.entries(outage.says).every(([pod, [begins]]) => lines(pod).some((one) => begins.test(one)));
      await beatUntil(scrapes, 'the logs tell of it', reported);
      t.diagnostic(`told of after ${((Date.now() - beginsMs) / 1000).toFixed(1)} s`);
      await scrapes.beatFor(outage.waits);
    } finally {
      await outage.mend();
    }
    const alertAt = scrapes.beats - 1;
    beginsMs = Date.now();
    // Prometheus hears of a new pod once it is there.
    await follow();
    await works('it is over', backMsMax);
    t.diagnostic(`at work after ${((Date.now() - beginsMs) / 1000).toFixed(1)} s`);
    const over = () =>
      Object.entries(outage.says).every(([pod, [, ends]]) => lines(pod).some((line) => ends.test(line)));
    await beatUntil(scrapes, 'the logs tell of its end', over, backMsMax);
    await scrapes.beatFor(5);
    for (const [pod, [begins, ends]] of Object.entries(outage.says)) {
      const own = lines(pod);
      assert.equal(own.length, 2, `${pod} has a line for its beginning, and one for its end:\n${own.join('\n')}`);
      assert.match(own[0]!, begins);
      assert.match(own[1]!, ends);
    }
    assert.equal(await scrapes.verdict(folder, outage.alert, alertAt), '');
  };

  it('an outage of the brokers is survived', (t) => {
    const says = [/broker \S+ does not answer: /, /broker \S+ answers again, after \d+ s$/] as const;
    return produce(t, {
      alert: 'CrawlstreamBrokersAway',
      says: { 'frontier-0': says, 'fetcher-0': says, 'fetcher-1': says, 'dedup-0': says },
      begin: () => broker.kill(),
      mend: () => broker.restart(),
      waits: 8,
    });
  });

  it('an outage of the registry stops no running process, and a starting one waits for it', (t) =>
    produce(t, {
      alert: 'CrawlstreamRegistryAway',
      says: { 'dedup-0': [/registry .*; retrying$/, /ready, crawl news$/] },
      async begin() {
        await way.cut();
        await kill('dedup-0');
        start('dedup-0');
      },
      mend: () => way.mend(),
      waits: 8,
    }));

  it('an outage of all fetchers is survived', (t) =>
    produce(t, {
      alert: 'CrawlstreamNoFetcher',
      says: { 'frontier-0': [/no fetcher: start one/, /resolved after \d+ s: no fetcher$/] },
      begin: () => Promise.all(['fetcher-0', 'fetcher-1'].map(kill)).then(() => {}),
      async mend() {
        for (const pod of ['fetcher-0', 'fetcher-1']) start(pod);
      },
      waits: 6,
    }));

  it('an outage of all frontiers is survived', (t) => {
    const says = [/no frontier: start one/, /resolved after \d+ s: no frontier$/] as const;
    return produce(t, {
      alert: 'CrawlstreamNoFrontier',
      says: { 'fetcher-0': says, 'fetcher-1': says },
      begin: () => kill('frontier-0'),
      async mend() {
        start('frontier-0');
      },
      waits: 2,
    });
  });

  it('a full disk is survived', async (t) => {
    if (disk === undefined) return t.skip('nobody lets us mount a small disk');
    const ballast = join(disk.folder, 'ballast');
    const { blocks, bsize } = await statfs(disk.folder);
    assert.equal(blocks * bsize, diskMegabytes << 20, 'no other disk is filled');
    await produce(t, {
      alert: 'CrawlstreamDiskFull',
      says: { 'frontier-0': [/the disk of \S+ is full.*; retrying$/, /ready, crawl news$/] },
      async begin() {
        // A little at the end: whatever the store frees or writes meanwhile.
        for (const bytes of [1 << 20, 1 << 12]) await fill(ballast, bytes);
      },
      mend: () => rm(ballast),
      waits: 6,
    });
  });

  async function fill(file: string, bytes: number): Promise<void> {
    for (const block = Buffer.alloc(bytes, 1); ; await sleep(0)) {
      try {
        await appendFile(file, block);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        return;
      }
    }
  }
});

/**
 * Each release that is kept is replaced by today's build while it crawls, one process at a time, and put back the same way:
 * every page is fetched, and none twice.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { assertFlawless, type SmallWeb, startSmallWeb } from '../services/cli/small-web.ts';
import { commandOf, historyMissing, isCutOff, releases } from './releases.ts';

const skip = (await skipReason()) ?? false;
const patienceMs = 120_000;
/** While processes are replaced, so that there is work until the end; and after that. */
const [delayMs, quickMs] = [1_000, 20];
/** In the order of an upgrade (deploy/KAFKA.md); a rollback goes the other way. */
const order = ['frontier-0', 'frontier-1', 'fetcher-0', 'fetcher-1', 'dedup-0'] as const;
type Pod = (typeof order)[number];

for (const release of releases) {
  const missing = await historyMissing(release);
  // A clone without its history can't build the release, and nothing installs that.
  if (missing !== undefined)
    test(`an upgrade from ${release.version} is skipped in a shallow clone: ${missing}`, async () => {
      assert.equal(await isCutOff(), true, 'the whole history is here, without the release');
    });

  const described = missing === undefined ? describe : () => {};
  described(`an upgrade from ${release.version}, and back`, { skip, timeout: 600_000 }, () => {
    let broker: TestBroker;
    let folder: string;
    let web: SmallWeb;
    let old: string;
    const pods = new Map<Pod, Running>();

    before(async () => {
      [broker, old] = await Promise.all([startBroker({ own: true }), commandOf(release)]);
      folder = await mkdtemp(join(tmpdir(), 'crawlstream-rolling-'));
    });
    after(async () => {
      for (const { child } of pods.values()) child.kill('SIGKILL');
      await broker?.stop();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    const at = () => ['--brokers', broker.brokers, '--crawl', 'news'];
    const argumentsOf = (pod: Pod): string[] => {
      const data = ['--data', join(folder, pod)];
      if (pod.startsWith('frontier')) return ['frontier', ...at(), ...data, '--instance-id', pod, '--standbys', '1'];
      if (pod.startsWith('dedup')) return ['dedup', ...at(), ...data];
      return ['fetcher', ...at(), '--resolve', `*:${web.port}:127.0.0.1`, '--concurrency', '12'];
    };
    /** `script`: of the release; undefined: of today. */
    const start = (pod: Pod, script: string | undefined) =>
      pods.set(pod, startCommand(argumentsOf(pod), { patienceMs: 600_000, ...(script !== undefined && { script }) }));
    const isReady = (pod: Pod) => /ready, crawl news/.test(pods.get(pod)!.output());
    const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
      for (const deadline = Date.now() + patienceMs; !(await holds()); await sleep(100)) {
        if (Date.now() < deadline) continue;
        assert.fail(
          `waited in vain: ${what}\n${[...pods].map(([pod, { output }]) => `${pod}: ${output()}`).join('\n')}`,
        );
      }
    };
    const fetched = () => web.web.requests().length;
    const goesOn = async (what: string) => {
      const before = fetched();
      await until(what, () => fetched() > before + 10);
    };
    const replace = async (pod: Pod, script: string | undefined) => {
      const { child, ended } = pods.get(pod)!;
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      assert.equal(code, 0, `${pod}: ${stderr}`);
      start(pod, script);
      await until(`${pod} is ready`, () => isReady(pod));
      if (!pod.startsWith('dedup')) await goesOn(`the crawl goes on with ${pod}`);
    };
    const command = async (script: string | undefined, ...args: string[]) => {
      const ended = await runCommand(args, script === undefined ? {} : { script });
      assert.equal(ended.code, 0, ended.stderr);
      return ended;
    };

    it('a rolling upgrade loses nothing, and fetches nothing twice', async (t) => {
      web = await startSmallWeb({ hosts: 24, domains: 24, pagesPerHost: 150, sameHostShare: 0.9, seed: 10 });
      await command(old, 'topics', 'create', ...at(), '--partitions', '4');
      for (const pod of order) start(pod, old);
      await command(old, 'inject', ...web.seeds, ...at(), '--delay', `${delayMs}ms`);
      for (const pod of order) await until(`${pod} is ready`, () => isReady(pod));
      await goesOn('the release crawls');
      for (const pod of order) await replace(pod, undefined);
      const upgraded = fetched();
      t.diagnostic(`${upgraded} requests until all were of today`);
      for (const pod of [...order].reverse()) await replace(pod, old);
      t.diagnostic(`${fetched()} until all were of ${release.version} again`);
      for (const [pod, { output }] of pods) assert.doesNotMatch(output(), /dead letter|damaged|diverged/, pod);
      assert.equal(web.check({ delayMs }).shortGaps.count, 0);
      await command(undefined, 'inject', web.seeds[0]!, ...at(), '--delay', `${quickMs}ms`);
      const { fetch } = web.plan.expected(web.port);
      const isDone = async () =>
        (lastJson(await command(undefined, 'stats', ...at(), '--json'))['pages'] as number) >= fetch.size;
      // Asking takes more of the processor than the crawl does: only once it has come to rest.
      for (let before = -1; before !== fetched(); await sleep(2_000)) before = fetched();
      await until('the crawl ends', isDone);
      assertFlawless(web.check({ delayMs: quickMs }));
      const { deadLettered, undecodable } = lastJson(await command(undefined, 'stats', ...at(), '--json'));
      assert.deepEqual({ deadLettered, undecodable }, { deadLettered: 0, undecodable: 0 });
    });
  });
}

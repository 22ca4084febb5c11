/** Three frontiers, updated as a StatefulSet updates its pods: the last one first, and each once the one before has been ready for `minReadySeconds`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand } from '../../lab/process/command.ts';
import type { PartitionPlace } from '../../services/frontier/query/partition-places.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';
import { besideBroker } from './beside-broker.ts';

const skip = (await skipReason()) ?? false;
const patienceMs = 120_000;
const [members, partitions] = [3, 6];
/** During the roll, so that there is work until its end; and after it. */
const [delayMs, quickMs] = [1_000, 20];
const manifest = join(import.meta.dirname, '../../deploy/base/frontier.yaml');
const { minReadySeconds } = parseAllDocuments(readFileSync(manifest, 'utf8'))
  .map((one) => one.toJS())
  .find(({ kind }) => kind === 'StatefulSet').spec;
/** A member that does not come back has its partitions until its session ends: 10 s (docs/operations.md). The rest is this machine's. */
const standsStillMsMax = 20_000;
/** Of a copy that an owner can be made from at once, in records and in time. */
const [behindMax, staleMsMax] = [256, 10_000];

test('a roll of three frontiers by readiness finds a warm copy of each partition of the next one, stops none for longer than a session, and loses nothing', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, 600_000);
  const web = await startSmallWeb({ hosts: 36, domains: 36, pagesPerHost: 150, sameHostShare: 0.9, seed: 11 });
  const at = ['--brokers', broker.brokers, '--crawl', 'rolled'];
  const done = async (...args: string[]) => {
    const ended = await runCommand([...args, ...at]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  await done('topics', 'create', '--partitions', String(partitions));
  const pods = new Map<number, { readonly running: Running; readonly base: string }>();
  const start = async (pod: number) => {
    const name = `frontier-${pod}`;
    const own = ['--data', join(root, name), '--instance-id', name, '--standbys', '1', '--http', '127.0.0.1:0'];
    const running = command(['frontier', ...at, ...own]);
    pods.set(pod, { running, base: await listening(running) });
  };
  const places = async (pod: number) => {
    const answer = await fetch(`${pods.get(pod)!.base}/partitions`);
    return ((await answer.json()) as { readonly partitions: readonly PartitionPlace[] }).partitions;
  };
  const isReadyFor = async (pod: number, seconds: number) => {
    await untilReady(pods.get(pod)!.base);
    await sleep(1_000 * seconds);
  };

  await Promise.all(Array.from({ length: members }, (_, pod) => start(pod)));
  for (let one = 0; one < 2; one++)
    command(['fetcher', ...at, '--resolve', `*:${web.port}:127.0.0.1`, '--concurrency', '24']);
  await done('inject', ...web.seeds, '--delay', `${delayMs}ms`);
  for (const pod of pods.keys()) await isReadyFor(pod, 0);
  const owners = async () => new Set((await places(0)).flatMap(({ owner }) => owner ?? []));
  for (const untilMs = Date.now() + patienceMs; (await owners()).size < members; await sleep(500))
    assert.ok(Date.now() < untilMs, 'each frontier owns partitions');
  for (const pod of pods.keys()) await isReadyFor(pod, pod === 0 ? minReadySeconds : 0);

  const watched = await watchCommits(broker.brokers, 'rolled.frontier-changelog');
  atEnd(() => watched.stop());
  for (const pod of [2, 1, 0]) {
    const all = await places((pod + 1) % members);
    const own = all.filter(({ owner }) => owner?.includes(`frontier-${pod}`));
    assert.ok(own.length > 0, JSON.stringify(all.map(({ owner }) => owner)));
    for (const { partition, standbys } of own) {
      const isWarm = standbys.some(
        ({ member, behind, staleMs }) =>
          !member.includes(`frontier-${pod}`) &&
          (behind ?? Number.POSITIVE_INFINITY) <= behindMax &&
          (staleMs ?? Number.POSITIVE_INFINITY) <= staleMsMax,
      );
      assert.ok(isWarm, `partition ${partition} of frontier-${pod}: ${JSON.stringify(standbys)}`);
    }
    const { running } = pods.get(pod)!;
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
    await start(pod);
    await isReadyFor(pod, minReadySeconds);
  }
  const longest = await watched.stop();
  t.diagnostic(
    `longest time without a commit, by partition: ${longest.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`,
  );
  for (const [partition, ms] of longest.entries())
    assert.ok(ms <= standsStillMsMax, `partition ${partition}: ${ms} ms`);

  await done('inject', web.seeds[0]!, '--delay', `${quickMs}ms`);
  const wanted = web.plan.expected(web.port).fetch.size;
  const pages = async () => lastJson(await done('stats', '--json'))['pages'] as number;
  for (const untilMs = Date.now() + 2 * patienceMs; (await pages()) < wanted; await sleep(2_000))
    assert.ok(Date.now() < untilMs, 'the crawl ends');
  assertFlawless(web.check({ delayMs: quickMs }));
  const { deadLettered, undecodable } = lastJson(await done('stats', '--json'));
  assert.deepEqual({ deadLettered, undecodable }, { deadLettered: 0, undecodable: 0 });
});

/** Follows how partitions of a topic grow. `stop` returns the longest time that each did not, ms. */
async function watchCommits(brokers: string, topic: string) {
  const log = await openKafkaLog({ brokers: [brokers], clientId: 'roll' });
  const [last, longest] = [new Map<number, { end: number; sinceMs: number }>(), Array<number>(partitions).fill(0)];
  let isOver = false;
  const look = async (partition: number) => {
    const { end } = await log.offsets(topic, partition);
    const [nowMs, before] = [performance.now(), last.get(partition)];
    if (before !== undefined) longest[partition] = Math.max(longest[partition]!, nowMs - before.sinceMs);
    if (before?.end !== end) last.set(partition, { end, sinceMs: nowMs });
  };
  const following = (async () => {
    for (; !isOver; await sleep(100)) await Promise.all(longest.map((_, partition) => look(partition)));
  })();
  let ended: Promise<void> | undefined;
  const stop = async () => {
    isOver = true;
    ended ??= following.then(() => log.close());
    await ended;
    return longest;
  };
  return { stop };
}

/**
 * A crawl on three brokers, three frontiers and three fetchers, as they are deployed, killed, stopped and frozen at random
 * for CRAWLSTREAM_TEST_CHAOS_MINUTES (2): what must always hold must hold along the way, and at the end every copy of the state
 * must be the same and every page fetched that could be. CRAWLSTREAM_TEST_CHAOS_SEED draws other strikes.
 */
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { fingerprintKeyOf } from '../../services/hosting/connect/crawl-folder.ts';
import { type KafkaConnection, withKafka } from '../../services/hosting/connect/kafka-connection.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { digest } from '../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { startAsker } from './chaos/asker.ts';
import { startFleet } from './chaos/fleet.ts';
import { startFollower } from './chaos/follower.ts';
import { judge } from './chaos/politeness.ts';
import { drawStrikes } from './chaos/strikes.ts';

const skip = (await skipReason()) ?? false;
const minutes = Number(process.env['CRAWLSTREAM_TEST_CHAOS_MINUTES'] ?? 2);
const seed = Number(process.env['CRAWLSTREAM_TEST_CHAOS_SEED'] ?? 1);
const runMs = minutes * 60_000;
/** After the last strike leases of the dead run out, and what they had is fetched: a busy machine may take its time, */
const drainMs = 300_000 + 2 * runMs;
/** but not stand still: in so long somebody asks the web for something, or the crawl is done. */
const stillMs = 180_000;
const crawl = 'chaos';
const partitions = 6;
const members = 3;
const delayMs = 500;
const hosts = 24;
/** Short leases, so that those of the dead soon run out. */
const pace = { delayMs, delayFactor: 0, retriesMs: [1_000, 2_000, 4_000], leadTimeMs: 8_000 };
/** At the full rate the crawl would be done in a third of the run: hosts of dead fetchers lose a minute each time. */
const pagesPerHost = Math.ceil((0.35 * runMs) / (delayMs + 30));

describe('a crawl under chaos on Kafka', { skip, timeout: runMs + drainMs + 300_000 }, () => {
  it('a crawl under chaos on Kafka loses nothing, contacts no host early, and ends with equal copies of its state', async (t) => {
    const web = await startSmallWeb({ preset: 'full', hosts, pagesPerHost, crawlDelayMs: 700, slowMs: 30, seed });
    const broker = await startBroker({ own: true, brokers: 3 });
    const folder = await mkdtemp(join(tmpdir(), 'crawlstream-chaos-'));
    const at = ['--brokers', broker.brokers, '--crawl', crawl];
    const started = ['--partitions', `${partitions}`];
    const commands = new Map<string, readonly string[]>();
    const folderOf = (name: string) => join(folder, name);
    for (let i = 0; i < members; i++) {
      const name = `frontier-${i}`;
      const standing = ['--standbys', '1', '--instance-id', name, '--http', '127.0.0.1:0'];
      commands.set(name, ['frontier', ...at, ...started, '--data', folderOf(name), ...standing]);
      const reported = ['--resolve', `*:${web.port}:127.0.0.1`, '--contact', `fetcher-${i}@example.org`];
      commands.set(`fetcher-${i}`, ['fetcher', ...at, ...started, ...reported]);
    }
    const begunMs = Date.now();
    const say = (text: string) => t.diagnostic(`${((Date.now() - begunMs) / 1000).toFixed(0)} s: ${text}`);
    const fleet = startFleet({ broker, commands, patienceMs: runMs + drainMs + 240_000, say });
    try {
      await withKafka({ brokers: broker.brokers, crawl, partitions }, new SystemClock(), true, act);
    } finally {
      await fleet.destroy();
      await broker.stop();
      await rm(folder, { recursive: true, force: true });
    }

    async function act({ log, codec, manifest }: KafkaConnection): Promise<void> {
      const nowMs = Date.now();
      await log.append(policyRecords(codec, manifest, { ...defaultPolicy(), ...pace, version: nowMs }, 'chaos', nowMs));
      await log.append(seedRecords(codec, manifest, web.seeds, nowMs));
      const follower = startFollower({ log, codec, crawl, partitions, key: fingerprintKeyOf(manifest) });
      await fleet.untilReady();
      say('everybody is up');
      const strikes = drawStrikes({ seed, runMs, frontiers: members, fetchers: members, brokers: 3 });
      const startMs = Date.now();
      const over = new AbortController();
      setMaxListeners(0, over.signal);
      const struck = strikes.map(async (strike) => {
        await sleep(Math.max(0, startMs + strike.atMs - Date.now()), undefined, { signal: over.signal });
        await fleet.strike(strike);
      });
      const frontiers = [...commands.keys()].filter((name) => name.startsWith('frontier'));
      const asker = startAsker(fleet, frontiers, web.seeds, seed);
      await Promise.all(struck).finally(() => over.abort());
      say('the last strike is over');
      const end = await untilDone(() => follower.isIdle);
      say(`the crawl is done: ${end['pages']} pages`);
      await asker.stop();
      await fleet.stop();
      await follower.stop();
      const findings = [...fleet.findings, ...follower.findings, ...asker.findings];
      for (const finding of findings) t.diagnostic(finding);
      assert.equal(findings.length, 0, findings[0]);
      assert.ok(asker.answers.owner > 0, JSON.stringify(asker.answers));
      t.diagnostic(`questions answered: ${JSON.stringify(asker.answers)}`);

      const requests = [...web.web.requests()];
      const polite = judge(web.plan, requests, fleet.freezes, delayMs);
      assert.deepEqual(polite.findings, [], 'no host is contacted early');
      const { missing, duplicates } = web.check({ delayMs });
      const lost = [...follower.givenUp].filter(([url]) => web.plan.expected(web.port).fetch.has(url));
      const poisoned = lost.filter(([, reason]) => reason === 'leaseExpired').map(([url]) => url);
      assert.ok(missing.count <= poisoned.length, `every page is fetched that could be: ${missing.details.join('; ')}`);
      assert.deepEqual(
        lost.filter(([url]) => !poisoned.includes(url)),
        [],
        'no page is given up on',
      );

      const copies = await checkCopies(
        follower.states.map((state) => ({ at: state.changelog.offset, digest: digest(state) })),
      );
      t.diagnostic(
        `seed ${seed}: ${strikes.length} strikes, ${follower.claims} claims, ${polite.requests} requests, ` +
          `${polite.excused} of them excused, ${duplicates.count} pages fetched again, ${poisoned.length} URLs given up on after three expiries, ${copies} copies equal`,
      );
    }

    /** As whoever asks is told; it is worth asking once nothing is left. */
    async function untilDone(isIdle: () => boolean): Promise<Record<string, unknown>> {
      const deadline = Date.now() + drainMs;
      let [requests, movedMs] = [-1, 0];
      const hasTime = () => {
        const made = web.web.requests().length;
        if (made !== requests) [requests, movedMs] = [made, Date.now()];
        return Date.now() < Math.min(deadline, movedMs + stillMs);
      };
      for (;;) {
        while (!isIdle() && hasTime()) await sleep(100);
        const ended = await runCommand(['stats', ...at, '--json']);
        const now = ended.code === 0 ? lastJson(ended) : undefined;
        if (now?.['end'] === 'done') return now;
        const quiet = `${((Date.now() - movedMs) / 1000).toFixed(0)} s after request ${requests}`;
        assert.ok(hasTime(), `the crawl stands still, ${quiet}: ${JSON.stringify(now)} ${ended.stderr}`);
        await sleep(500);
      }
    }

    /** The folders of owners and standbys alike hold what the changelog gives at their positions; gives their number. */
    async function checkCopies(ends: readonly { readonly at: number; readonly digest: string }[]): Promise<number> {
      let [copies, newest] = [0, 0];
      const verified = Array.from({ length: members }, (_, i) =>
        runCommand(['state', 'verify', ...at, '--data', folderOf(`frontier-${i}`), '--json']),
      );
      for (const [i, ended] of (await Promise.all(verified)).entries()) {
        const { equal, partitions: found } = lastJson(ended) as {
          readonly equal: boolean;
          readonly partitions: readonly {
            readonly partition: number;
            readonly position: number;
            readonly digest: string;
          }[];
        };
        assert.ok(equal, ended.stdout);
        copies += found.length;
        for (const { partition, position, digest: kept } of found) {
          if (position !== ends[partition]!.at) continue;
          newest += 1;
          assert.equal(kept, ends[partition]!.digest, `partition ${partition} of frontier-${i} and of who followed`);
        }
      }
      assert.ok(newest >= partitions, `every partition has a copy at its changelog's end, of ${newest}`);
      return copies;
    }
  });
});

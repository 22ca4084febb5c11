/**
 * The run of chaos.integration.test.ts, and its checks. The argument names six zones, if the test has some: three with a
 * broker each, and three with a frontier and a fetcher each; this process runs in their hub. Prints what happens.
 */
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '../../../lab/kafka/broker.ts';
import { lastJson, runCommand } from '../../../lab/process/command.ts';
import { checkCrawl } from '../../../lab/web/check.ts';
import { planWeb } from '../../../lab/web/plan.ts';
import { startWeb } from '../../../lab/web/server.ts';
import { fingerprintKeyOf } from '../../../services/hosting/connect/crawl-folder.ts';
import { type KafkaConnection, withKafka } from '../../../services/hosting/connect/kafka-connection.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../../services/runtime/crawl/requests.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { hubHost, type Zones } from '../zones/zones.ts';
import { startAsker } from './asker.ts';
import { type Command, startFleet } from './fleet.ts';
import { type Follower, startFollower } from './follower.ts';
import { judge } from './politeness.ts';
import { drawStrikes, type Strike } from './strikes.ts';
import { drainMs, runMs, seed } from './times.ts';

/** Where nothing moves for so long, the crawl stands still: nobody asks the web for anything. */
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

const zones = process.argv[2] === undefined ? undefined : (JSON.parse(process.argv[2]) as Zones['zones']);
const here = { host: '127.0.0.1', within: [] as readonly string[] };
const webHost = zones === undefined ? here.host : hubHost;

const plan = planWeb({ preset: 'full', hosts, pagesPerHost, crawlDelayMs: 700, slowMs: 30, seed });
const web = await startWeb(plan, { address: webHost });
const seeds = plan.seeds(web.port);
const broker = await startBroker({ own: true, brokers: 3, ...(zones && { places: zones.slice(0, 3) }) });
const folder = await mkdtemp(join(tmpdir(), 'crawlstream-chaos-'));
const folderOf = (name: string) => join(folder, name);
const at = ['--brokers', broker.brokers, '--crawl', crawl];
const commands = commandsOf();
const begunMs = Date.now();
const print = (text: string) => void process.stdout.write(`${text}\n`);
const say = (text: string) => print(`${((Date.now() - begunMs) / 1000).toFixed(0)} s: ${text}`);
const fleet = startFleet({ broker, commands, zones, patienceMs: runMs + drainMs + 240_000, say });
process.once('exit', () => void fleet.destroy());
process.once('SIGTERM', () => process.exit(1));
try {
  await withKafka({ brokers: broker.brokers, crawl, partitions }, new SystemClock(), true, act);
} finally {
  await fleet.destroy();
  await broker.stop();
  await web.close();
  await rm(folder, { recursive: true, force: true });
}

function commandsOf(): Map<string, Command> {
  const found = new Map<string, Command>();
  const started = ['--partitions', `${partitions}`];
  for (let i = 0; i < members; i++) {
    const { host, within } = zones?.[members + i] ?? here;
    const name = `frontier-${i}`;
    const standing = ['--standbys', '1', '--instance-id', name, '--http', `${host}:0`, '--http-open', 'reads'];
    found.set(name, { args: ['frontier', ...at, ...started, '--data', folderOf(name), ...standing], within });
    const reported = ['--resolve', `*:${web.port}:${webHost}`, '--contact', `fetcher-${i}@example.org`];
    found.set(`fetcher-${i}`, { args: ['fetcher', ...at, ...started, ...reported], within });
  }
  return found;
}

async function act({ log, codec, manifest }: KafkaConnection): Promise<void> {
  const nowMs = Date.now();
  await log.append(policyRecords(codec, manifest, { ...defaultPolicy(), ...pace, version: nowMs }, 'chaos', nowMs));
  await log.append(seedRecords(codec, manifest, seeds, nowMs));
  const follower = startFollower({ log, codec, crawl, partitions, key: fingerprintKeyOf(manifest) });
  await fleet.untilReady();
  say('everybody is up');
  const counts = { frontiers: members, fetchers: members, brokers: members };
  const strikes = drawStrikes({ seed, runMs, ...counts, zones: zones !== undefined });
  const frontiers = [...commands.keys()].filter((name) => name.startsWith('frontier'));
  const asker = startAsker(fleet, frontiers, seeds, seed);
  const startMs = Date.now();
  await strikeAll(strikes);
  const pauseMs = longestPause(startMs, Date.now());
  say(`the last strike is over; for ${(pauseMs / 1000).toFixed(1)} s at most nothing was requested`);
  const end = await untilDone(() => follower.isIdle);
  say(`the crawl is done: ${end['pages']} pages`);
  await asker.stop();
  await fleet.stop();
  await follower.stop();
  const findings = [...fleet.findings, ...follower.findings, ...asker.findings];
  for (const finding of findings) print(finding);
  assert.equal(findings.length, 0, findings[0]);
  assert.ok(asker.answers.owner > 0, JSON.stringify(asker.answers));
  print(`questions answered: ${JSON.stringify(asker.answers)}`);
  const audited = checkRequests(follower);
  const copies = await checkCopies(
    follower.states.map((state) => ({ at: state.changelog.offset, digest: digest(state) })),
  );
  print(`strikes: ${byKind(strikes)}`);
  print(`seed ${seed}: ${strikes.length} strikes, ${follower.claims} claims, ${audited}, ${copies} copies equal`);
}

async function strikeAll(strikes: readonly Strike[]): Promise<void> {
  const startMs = Date.now();
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const struck = strikes.map(async (strike) => {
    await sleep(Math.max(0, startMs + strike.atMs - Date.now()), undefined, { signal: over.signal });
    await fleet.strike(strike);
  });
  await Promise.all(struck).finally(() => over.abort());
}

/** The longest time without a request to any host, ms. */
function longestPause(fromMs: number, toMs: number): number {
  const times = web.requests().flatMap(({ startMs }) => (startMs > fromMs && startMs < toMs ? [startMs] : []));
  const all = [fromMs, ...times.sort((a, b) => a - b), toMs];
  return Math.max(...all.slice(1).map((ms, i) => ms - all[i]!));
}

/** No host was contacted early, and every page was fetched that could be. Returns the counts, in words. */
function checkRequests(follower: Follower): string {
  const requests = [...web.requests()];
  const polite = judge(plan, requests, fleet.freezes, delayMs);
  assert.deepEqual(polite.findings, [], 'no host is contacted early');
  const { missing, duplicates } = checkCrawl(plan, requests, { delayMs, dropped: web.dropped });
  const lost = [...follower.givenUp].filter(([url]) => plan.expected(web.port).fetch.has(url));
  const poisoned = lost.filter(([, reason]) => reason === 'leaseExpired').map(([url]) => url);
  assert.ok(missing.count <= poisoned.length, `every page is fetched that could be: ${missing.details.join('; ')}`);
  assert.deepEqual(
    lost.filter(([url]) => !poisoned.includes(url)),
    [],
    'no page is given up on',
  );
  return (
    `${polite.requests} requests, ${polite.excused} of them excused, ` +
    `${duplicates.count} pages fetched again, ${poisoned.length} URLs given up on after three expiries`
  );
}

function byKind(strikes: readonly Strike[]): string {
  const counts = new Map<string, number>();
  for (const { kind, target } of strikes) {
    const name = `${kind} ${target.split('-')[0]}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

/** As `stats` reports it, which is worth a question once nothing is left. */
async function untilDone(isIdle: () => boolean): Promise<Record<string, unknown>> {
  const deadline = Date.now() + drainMs;
  let [requests, movedMs] = [-1, 0];
  const hasTime = () => {
    const made = web.requests().length;
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

interface Verified {
  readonly equal: boolean;
  readonly partitions: readonly { readonly partition: number; readonly position: number; readonly digest: string }[];
}

/** The folders of owners and standbys alike hold what the changelog gives at their positions. Returns their number. */
async function checkCopies(ends: readonly { readonly at: number; readonly digest: string }[]): Promise<number> {
  let [copies, newest] = [0, 0];
  const verified = Array.from({ length: members }, (_, i) =>
    runCommand(['state', 'verify', ...at, '--data', folderOf(`frontier-${i}`), '--json']),
  );
  for (const [i, ended] of (await Promise.all(verified)).entries()) {
    const { equal, partitions: found } = lastJson(ended) as unknown as Verified;
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

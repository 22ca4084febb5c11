/**
 * Honest owners of a fleet in one process, first alone, then beside hostile ones: what the honest keep of their pages, what it
 * costs the process, and whether a hostile owner got something private.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CrawlAnswer } from '../../../services/extras/fleet/fleet-schemas.ts';
import { heapSizeMb } from '../../../services/planning/heap-size.ts';
import { type FleetClient, startFleet } from '../../services/extras/fleet/running-fleet.ts';
import { coreTimeOf } from '../core-time.ts';
import { setFirst, setLast } from '../core-turns.ts';
import { guardSecrets, memoryMibOf, probe, startAttackers, startSilentNameServer } from '../surroundings.ts';
import {
  type FleetFigures,
  fleetMemoryMibMax,
  type HonestCalls,
  noteCall,
  type Part,
  partText,
} from './fleet-figures.ts';
import { type HonestWeb, honestName, hostsOfOwner, startHonestWeb } from './honest-web.ts';
import { ownerAttacks } from './owner-attacks.ts';
import type { Orders } from './owners.ts';

export interface FleetRunOptions {
  readonly honest: number;
  /** Names of attacks, each with an owner. */
  readonly attacks: readonly string[];
  /** Until all has begun: not measured. */
  readonly warmUpSeconds: number;
  readonly aloneSeconds: number;
  readonly besideSeconds: number;
  /** For data, which the caller removes. */
  readonly folder: string;
  say(text: string): void;
}

const operatorToken = 'token-of-the-operator-0123456789';
const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;

/** Quotas that the operator of a process of this size gives. */
function ownersFile(options: FleetRunOptions): string {
  const owner = (name: string, more = '') =>
    `- { name: ${name}, key: { env: KEY_${name.replace('-', '_')} }${more} }\n`;
  const honest = Array.from({ length: options.honest }, (_, n) => owner(honestName(n)));
  const hostile = options.attacks.map((attack, n) =>
    owner(`evil-${n}`, `, crawlsMax: 3, keptMax: 50${attack === 'quotaGame' ? ', pagesPerDay: 100' : ''}`),
  );
  return [...honest, ...hostile].join('');
}

export async function fleetBeside(options: FleetRunOptions): Promise<FleetFigures> {
  const { honest, attacks, folder, say } = options;
  // The honest web and the prober are here and below: what they wait for a core counts against the fleet.
  setFirst(process.pid);
  const web = await startHonestWeb();
  const secrets = await guardSecrets();
  const attackers = await startAttackers(secrets.port);
  const nameServer = await startSilentNameServer();
  const names = [...Array.from({ length: honest }, (_, n) => honestName(n)), ...attacks.map((_, n) => `evil-${n}`)];
  const heapMb = heapSizeMb({ role: 'fleet', limitMb: fleetMemoryMibMax });
  const env = {
    ...process.env,
    ...nameServer.env,
    // As in a container of the image with this limit (deploy/Dockerfile).
    ...{ NODE_OPTIONS: `--max-old-space-size=${heapMb}`, MALLOC_ARENA_MAX: '2' },
    ...Object.fromEntries(names.map((name) => [`KEY_${name.replace('-', '_')}`, keyOf(name)])),
    CRAWLSTREAM_HTTP_TOKEN: operatorToken,
  };
  const file = join(folder, 'owners.yaml');
  writeFileSync(file, ownersFile(options));
  const resolve = [web.port, attackers.port].flatMap((port) => ['--resolve', `*.test:${port}:127.0.0.1`]);
  const flags = [...resolve, '--host-delay', '1s', '--contact', 'me@example.org', '--owners', file];
  const fleet = await startFleet(join(folder, 'fleet'), flags, {
    env,
    patienceMs: 1_000 * (options.aloneSeconds + options.besideSeconds + 300),
  });
  const { child } = fleet.running;
  const pid = child.pid!;
  setFirst(pid);
  attackers.setFleetPort(Number(new URL(fleet.base).port));
  const probing = probe(`${fleet.base}/livez`, pid);
  const honestCalls: HonestCalls = { calls: 0, failed: 0, slowestMs: 0, slowest: '', slow: new Map() };
  const ending = new AbortController();
  try {
    for (let n = 0; n < honest; n++) {
      const call = {
        name: honestName(n),
        seeds: web.seedsOf(n),
        policy: { delayMs: honestDelayMs, delayFactor: 0, maxDepth: 1_000 },
      };
      const { status, body } = await callAs(fleet, honestName(n), 'POST', '/v1/crawls', call);
      if (status !== 201) throw new Error(JSON.stringify(body));
      void useAsHonest(fleet, honestName(n), honestCalls, ending.signal);
    }
    const fromNow = () => partFromNow(web, honest, pid);
    await sleep(1_000 * options.warmUpSeconds);
    const lookAlone = fromNow();
    await sleep(1_000 * options.aloneSeconds);
    const alone = lookAlone();
    const memoryMibAlone = memoryMibOf(pid) ?? 0;
    say(`${honest} honest owners alone: ${partText(alone)}`);
    const owners = startOwners({
      ...{
        base: fleet.base,
        sitePort: attackers.port,
        others: Array.from({ length: honest }, (_, n) => honestName(n)),
      },
      owners: attacks.map((attack, n) => ({ name: `evil-${n}`, key: keyOf(`evil-${n}`), attack })),
    });
    const lookBeside = fromNow();
    let memoryMib = 0;
    for (
      let second = 0;
      second < options.besideSeconds && child.exitCode === null && child.signalCode === null;
      second++
    ) {
      await sleep(1_000);
      memoryMib = memoryMibOf(pid) ?? memoryMib;
      if (second % 15 === 14) {
        const { livezMsMax, livezLate } = probing.looks;
        say(
          `${second + 1} s: ${partText(lookBeside())}, ${memoryMib.toFixed(0)} MiB, /livez ${livezMsMax.toFixed(0)} ms at most, late ${livezLate}`,
        );
      }
    }
    const beside = lookBeside();
    const endedEarly =
      child.exitCode === null && child.signalCode === null ? null : `${child.exitCode ?? child.signalCode}`;
    ending.abort();
    say('hostile owners end');
    const ends = await owners.end();
    const inward = endedEarly === null ? await pagesInward(fleet, secrets.port) : [];
    probing.end();
    say('the fleet stops');
    const stoppingMs = performance.now();
    child.kill('SIGTERM');
    await fleet.running.ended;
    const took = [...probing.tookMs].sort((a, b) => a - b);
    return {
      ...{ alone, beside, rateMax: (1_000 * hostsOfOwner) / honestDelayMs },
      ...probing.looks,
      livezMs99: took[Math.floor(took.length * 0.99)] ?? 0,
      ...{ memoryMibAlone, memoryMib, honestCalls },
      ...{ faults: [...ends.faults, ...inward], answers: ends.answers, privateReached: secrets.reached() },
      endedEarly: endedEarly === null ? null : `${endedEarly}: ${fleet.running.output().slice(-3_000)}`,
      stopSeconds: (performance.now() - stoppingMs) / 1_000,
    };
  } finally {
    ending.abort();
    child.kill('SIGKILL');
    await fleet.running.ended;
    writeFileSync(join(folder, 'fleet.txt'), fleet.running.output());
    probing.end();
    attackers.end();
    nameServer.close();
    secrets.close();
    web.close();
  }
}

/** Of the honest crawls, for each host, ms. */
const honestDelayMs = 1_000;

function callAs(fleet: FleetClient, owner: string, method: string, path: string, body?: object) {
  return fleet.call(method, path, body, { authorization: `Bearer ${keyOf(owner)}` });
}

/** Returns a function that measures from now until its call. */
function partFromNow(web: HonestWeb, honest: number, pid: number): () => Part {
  const fromMs = performance.now();
  const from = coreTimeOf(pid);
  return () => {
    const toMs = performance.now();
    const core = coreTimeOf(pid);
    const forSecond = (ms: number) => (1_000 * ms) / (toMs - fromMs);
    return {
      rates: Array.from({ length: honest }, (_, n) => forSecond(web.pages(n, fromMs, toMs))),
      ranMs: forSecond((core?.ranMs ?? 0) - (from?.ranMs ?? 0)),
      waitedMs: forSecond((core?.waitedMs ?? 0) - (from?.waitedMs ?? 0)),
    };
  };
}

/** What an honest owner does meanwhile: looks at its crawl, reads pages, has one read. */
async function useAsHonest(fleet: FleetClient, owner: string, counts: HonestCalls, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const beganMs = performance.now();
    const route = ['/v1/crawls/{name}', '/v1/crawls/{name}/pages?limit=50', '/v1/owners'][n % 3]!;
    const path = route.replace('{name}', owner);
    const answer = await callAs(fleet, owner, 'GET', path).catch(() => undefined);
    if (signal.aborted) return;
    noteCall(counts, path, route, performance.now() - beganMs, answer?.status === 200);
    await sleep(2_000, undefined, { signal }).catch(() => {});
  }
}

function startOwners(orders: Orders) {
  const script = fileURLToPath(new URL('owners.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  setLast(child.pid!);
  child.stdin.write(`${JSON.stringify(orders)}\n`);
  const faults = new Set<string>();
  const answers: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { fault, attack, counts } = JSON.parse(line) as { fault?: string; attack?: string; counts?: object };
    if (fault !== undefined) faults.add(fault);
    else answers.push(`${attack}: ${JSON.stringify(counts)}`);
  });
  return {
    async end() {
      child.stdin.end();
      const ended = once(child, 'close');
      await Promise.race([ended, sleep(20_000)]);
      child.kill('SIGKILL');
      await ended;
      return { faults: [...faults], answers };
    },
  };
}

/** Pages of hostile crawls that came from where nobody may be asked. */
async function pagesInward(fleet: FleetClient, privatePort: number): Promise<string[]> {
  const found: string[] = [];
  const ports = [new URL(fleet.base).port, `${privatePort}`];
  const operator = { authorization: `Bearer ${operatorToken}` };
  const listed = fleet.call('GET', '/v1/crawls', undefined, operator).catch(() => undefined);
  const body = (await Promise.race([listed, sleep(30_000, undefined)]))?.body;
  if (body === undefined) return ['GET /v1/crawls was not answered within 30 s'];
  const { crawls } = body as { readonly crawls: readonly CrawlAnswer[] };
  for (const { name } of crawls.filter(({ owner }) => owner.startsWith('evil-'))) {
    const pages = await Promise.race([
      fleet.call('GET', `/v1/crawls/${name}/pages?limit=100`, undefined, operator).catch(() => ({ body: '' })),
      sleep(5_000, { body: '' }),
    ]);
    for (const [, port] of `${typeof pages.body === 'string' ? pages.body : ''}`.matchAll(
      /"url":"https?:\/\/[^"/]*:(\d+)\//g,
    ))
      if (ports.includes(port!)) found.push(`crawl ${name} has a page of port ${port}`);
  }
  return [...new Set(found)];
}

/** The attacks that there are, in their order, again from the first if more owners are wanted. */
export function attacksOf(owners: number): string[] {
  const all = Object.keys(ownerAttacks);
  return Array.from({ length: owners }, (_, n) => all[n % all.length]!);
}

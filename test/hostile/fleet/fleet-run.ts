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
import { type FleetClient, startFleet } from '../../services/extras/fleet/running-fleet.ts';
import { type CoreTime, coreTimeOf } from '../core-time.ts';
import { guardSecrets, memoryMibOf, probe, startAttackers, startSilentNameServer } from '../surroundings.ts';
import { startHonestWeb } from './honest-web.ts';
import { ownerAttacks } from './owner-attacks.ts';
import type { Orders } from './owners.ts';

export interface FleetRunOptions {
  readonly honest: number;
  /** Names of attacks, each with an owner. */
  readonly attacks: readonly string[];
  readonly aloneSeconds: number;
  readonly besideSeconds: number;
  /** For data, which the caller removes. */
  readonly folder: string;
  say(text: string): void;
}

export interface FleetFigures {
  /** Pages a second of each honest owner alone and beside the hostile ones, for the time of a core that the process had. */
  readonly owners: readonly { readonly alone: number; readonly beside: number }[];
  readonly livezMsMax: number;
  readonly livezMs99: number;
  readonly livezLate: number;
  readonly livezAsked: number;
  /** VmHWM alone, and at the end. */
  readonly memoryMibAlone: number;
  readonly memoryMib: number;
  readonly coreShares: readonly [alone: number, beside: number];
  /** What hostile owners got that is not theirs. */
  readonly faults: readonly string[];
  readonly privateReached: number;
  readonly answers: readonly string[];
  /** null: it ran until it was stopped. */
  readonly endedEarly: string | null;
  readonly stopSeconds: number;
  readonly honestCalls: { readonly calls: number; readonly failed: number; readonly slowestMs: number };
}

const operatorToken = 'token-of-the-operator-0123456789';
const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;
const honestName = (n: number) => `honest-${n}`;

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
  const web = await startHonestWeb();
  const secrets = await guardSecrets();
  const attackers = await startAttackers(secrets.port);
  const nameServer = await startSilentNameServer();
  const names = [...Array.from({ length: honest }, (_, n) => honestName(n)), ...attacks.map((_, n) => `evil-${n}`)];
  const env = {
    ...process.env,
    ...nameServer.env,
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
  attackers.setFleetPort(Number(new URL(fleet.base).port));
  const probing = probe(`${fleet.base}/livez`, pid);
  const honestCalls = { calls: 0, failed: 0, slowestMs: 0 };
  const ending = new AbortController();
  try {
    for (let n = 0; n < honest; n++) {
      const call = {
        name: honestName(n),
        seeds: web.seedsOf(n),
        policy: { delayMs: 1_000, delayFactor: 0, maxDepth: 1_000 },
      };
      const { status, body } = await callAs(fleet, honestName(n), 'POST', '/v1/crawls', call);
      if (status !== 201) throw new Error(JSON.stringify(body));
      void useAsHonest(fleet, honestName(n), honestCalls, ending.signal);
    }
    const rates = () => rated(web, honest, pid);
    await sleep(warmUpMs);
    const alone = rates();
    await sleep(1_000 * options.aloneSeconds);
    const aloneRates = alone.rates();
    const memoryMibAlone = memoryMibOf(pid) ?? 0;
    say(
      `${honest} honest owners alone: ${sum(aloneRates).toFixed(1)} pages/s, with a core ${percent(alone.coreShare())}`,
    );
    const owners = startOwners({
      ...{
        base: fleet.base,
        sitePort: attackers.port,
        others: Array.from({ length: honest }, (_, n) => honestName(n)),
      },
      owners: attacks.map((attack, n) => ({ name: `evil-${n}`, key: keyOf(`evil-${n}`), attack })),
    });
    const beside = rates();
    let memoryMib = 0;
    for (
      let second = 0;
      second < options.besideSeconds && child.exitCode === null && child.signalCode === null;
      second++
    ) {
      await sleep(1_000);
      memoryMib = memoryMibOf(pid) ?? memoryMib;
      if (second % 15 === 14) {
        const now = beside.rates();
        say(
          `${second + 1} s: ${sum(now).toFixed(1)} pages/s, with a core ${percent(beside.coreShare())}, ${memoryMib.toFixed(0)} MiB, /livez ${probing.looks.livezMsMax.toFixed(0)} ms at most, late ${probing.looks.livezLate}`,
        );
      }
    }
    const besideRates = beside.rates();
    const coreShares = [alone.coreShare(), beside.coreShare()] as const;
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
      owners: aloneRates.map((rate, n) => ({ alone: rate / coreShares[0], beside: besideRates[n]! / coreShares[1] })),
      ...probing.looks,
      livezMs99: took[Math.floor(took.length * 0.99)] ?? 0,
      ...{ memoryMibAlone, memoryMib, coreShares, honestCalls },
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

/** Until all has begun. */
const warmUpMs = 10_000;

const sum = (rates: readonly number[]) => rates.reduce((all, one) => all + one, 0);
const percent = (share: number) => `${(100 * share).toFixed(0)} % of the time`;

function callAs(fleet: FleetClient, owner: string, method: string, path: string, body?: object) {
  return fleet.call(method, path, body, { authorization: `Bearer ${keyOf(owner)}` });
}

/** From now on. */
function rated(web: Awaited<ReturnType<typeof startHonestWeb>>, honest: number, pid: number) {
  const fromMs = performance.now();
  const from = coreTimeOf(pid);
  return {
    rates(): number[] {
      const toMs = performance.now();
      return Array.from({ length: honest }, (_, n) => (1_000 * web.pages(n, fromMs, toMs)) / (toMs - fromMs));
    },
    coreShare: () => shareBetween(from, coreTimeOf(pid)),
  };
}

function shareBetween(from: CoreTime | undefined, to: CoreTime | undefined): number {
  if (from === undefined || to === undefined) return 1;
  const [ran, waited] = [to.ranMs - from.ranMs, to.waitedMs - from.waitedMs];
  return ran / (ran + waited);
}

/** What an honest owner does meanwhile: looks at its crawl, reads pages, has one read. */
async function useAsHonest(
  fleet: FleetClient,
  owner: string,
  counts: { calls: number; failed: number; slowestMs: number },
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const beganMs = performance.now();
    const path = [`/v1/crawls/${owner}`, `/v1/crawls/${owner}/pages?limit=50`, '/v1/owners'][n % 3]!;
    const answer = await callAs(fleet, owner, 'GET', path).catch(() => undefined);
    if (signal.aborted) return;
    counts.calls++;
    if (answer?.status !== 200) counts.failed++;
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - beganMs);
    await sleep(2_000, undefined, { signal }).catch(() => {});
  }
}

function startOwners(orders: Orders) {
  const script = fileURLToPath(new URL('owners.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
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

/** For people. */
export function fleetFiguresText(figures: FleetFigures): string {
  const { owners, coreShares, honestCalls } = figures;
  return [
    ...owners.map(
      ({ alone, beside }, n) =>
        `${honestName(n)}: ${beside.toFixed(2)} pages/s of ${alone.toFixed(2)} alone: ${((100 * beside) / alone).toFixed(0)} %`,
    ),
    `a core for ${percent(coreShares[0])} alone, ${percent(coreShares[1])} beside; the rates are for the core that the process had`,
    `/livez: ${figures.livezMsMax.toFixed(0)} ms at most by the clock, 99 % within ${figures.livezMs99.toFixed(0)} ms though it had a core; later than a second though it had a core ${figures.livezLate} of ${figures.livezAsked} times`,
    `memory: ${figures.memoryMibAlone.toFixed(0)} MiB alone, ${figures.memoryMib.toFixed(0)} MiB at most`,
    `calls of honest owners: ${honestCalls.failed} of ${honestCalls.calls} failed, the slowest took ${honestCalls.slowestMs.toFixed(0)} ms`,
    `stopped within ${figures.stopSeconds.toFixed(1)} s`,
    `private: reached ${figures.privateReached} times; ${figures.faults.length === 0 ? 'nothing read' : figures.faults.join('; ')}`,
    figures.endedEarly === null ? 'the process went on to the end' : `THE PROCESS ENDED ${figures.endedEarly}`,
  ].join('\n');
}

/** What is not as it should be. `shareMin`: of the pages of each honest owner. */
export function fleetFaults(figures: FleetFigures, shareMin: number, memoryMibMax: number): string[] {
  const poor = figures.owners.filter(({ alone, beside }) => beside < shareMin * alone).length;
  return [
    ...(figures.endedEarly === null ? [] : ['the process ended']),
    ...(poor === 0 ? [] : [`${poor} honest owners keep less than ${100 * shareMin} % of their pages`]),
    ...(figures.livezLate === 0 ? [] : ['/livez took longer than a second']),
    ...(figures.memoryMib <= memoryMibMax ? [] : [`memory is beyond ${memoryMibMax} MiB`]),
    ...(figures.privateReached === 0 && figures.faults.length === 0 ? [] : ['something private was read']),
  ];
}

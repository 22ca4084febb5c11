/**
 * Two crawls of the same honest hosts, the second beside hostile ones that attack in all ways at once: what the honest get of
 * it, what it costs, and whether anything private was reached, counted where it would be.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCommand } from '../../lab/process/command.ts';
import { type CheckReport, checkCrawl } from '../../lab/web/check.ts';
import { planWeb } from '../../lab/web/plan.ts';
import { startWeb } from '../../lab/web/server.ts';
import { listening } from '../services/cli/listening.ts';
import { hostName } from './attacks.ts';
import { type CoreTime, coreShareOf, coreTimeOf } from './core-time.ts';
import {
  guardSecrets,
  memoryMibOf,
  type Probing,
  probe,
  startAttackers,
  startSilentNameServer,
} from './surroundings.ts';

export interface HostileOptions {
  readonly honest: number;
  readonly hostile: number;
  readonly pagesPerHost: number;
  readonly delayMs: number;
  /** A crawl is stopped when all honest pages are fetched and so long has passed, or after `secondsMax`. */
  readonly seconds: number;
  readonly secondsMax: number;
  /** For data, which the caller removes. */
  readonly folder: string;
}

export interface Figures {
  readonly report: CheckReport;
  /** Honest pages a second, until the last of them. */
  readonly rate: number;
  /** The part of its time in which the crawl's first thread could run and had a core; other work takes the rest. */
  readonly coreShare: number;
  readonly seconds: number;
  /** VmHWM of the crawl, MiB. */
  readonly memoryMib: number;
  /** Answers of /livez, ms: the slowest, and how many took longer than a second for another reason than want of a core, of how many. */
  readonly livezMsMax: number;
  readonly livezLate: number;
  readonly livezAsked: number;
  /** What it was before it was told to stop; null: it was running. */
  readonly endedEarly: string | null;
  readonly exit: string;
  /** Connections to what only this machine may be asked. */
  readonly privateReached: number;
}

export async function crawlBeside(options: HostileOptions, hostile: number): Promise<Figures> {
  const { honest, pagesPerHost, delayMs, folder } = options;
  const plan = planWeb({ hosts: honest, pagesPerHost, domains: honest });
  const web = await startWeb(plan);
  const secrets = await guardSecrets();
  const nameServer = await startSilentNameServer();
  const attackers = hostile === 0 ? undefined : await startAttackers(secrets.port);
  const seeds = join(folder, `seeds-${hostile}`);
  const evil = Array.from({ length: hostile }, (_, n) => `http://${hostName(n)}:${attackers?.port}/`);
  writeFileSync(seeds, [...plan.seeds(web.port), ...evil].join('\n'));
  const ports = [web.port, ...(attackers === undefined ? [] : [attackers.port])];
  const crawl = startCommand(
    [
      ...['crawl', seeds, ...ports.flatMap((port) => ['--resolve', `*.test:${port}:127.0.0.1`])],
      ...['--data', join(folder, `data-${hostile}`), '--delay', `${delayMs}ms`, '--retries', '1s', '--http', '0'],
      // So that what leads out is looked at by the guard of addresses, too.
      ...['--scope', 'all'],
    ],
    { patienceMs: (options.secondsMax + 300) * 1_000, env: { ...process.env, ...nameServer.env } },
  );
  let probing: Probing | undefined;
  try {
    const url = await listening(crawl);
    const beganMs = performance.now();
    const passed = () => (performance.now() - beganMs) / 1_000;
    const wanted = plan.expected(web.port).fetch.size;
    probing = probe(`${url}/livez`, crawl.child.pid!);
    let memoryMib = 0;
    let coreTime: CoreTime | undefined;
    let doneSeconds: number | undefined;
    while (passed() < options.secondsMax && (doneSeconds === undefined || passed() < options.seconds)) {
      if (crawl.child.exitCode !== null || crawl.child.signalCode !== null) break;
      memoryMib = memoryMibOf(crawl.child.pid!) ?? memoryMib;
      coreTime = coreTimeOf(crawl.child.pid!) ?? coreTime;
      const pages = web.requests().filter(({ status, path }) => status === 200 && path !== '/robots.txt').length;
      if (pages >= wanted) doneSeconds ??= passed();
      await sleep(500);
    }
    const { exitCode, signalCode } = crawl.child;
    // Without hostile hosts there is an end to it.
    const isOver = hostile === 0 && exitCode === 0;
    const endedEarly =
      isOver || (exitCode === null && signalCode === null)
        ? null
        : `${exitCode ?? signalCode}: ${crawl.output().slice(-2_000)}`;
    probing.end();
    crawl.child.kill('SIGTERM');
    const { code, signal } = await crawl.ended;
    const report = checkCrawl(plan, web.requests(), { delayMs, dropped: web.dropped });
    const seconds = report.seconds;
    return {
      ...{ report, seconds, rate: report.fetched / seconds, coreShare: coreShareOf(coreTime), memoryMib },
      ...{ ...probing.looks, endedEarly },
      ...{ exit: `${code ?? signal}`, privateReached: secrets.reached() },
    };
  } finally {
    crawl.child.kill('SIGKILL');
    await crawl.ended;
    attackers?.end();
    probing?.end();
    nameServer.close();
    secrets.close();
    await web.close();
  }
}

/** For people. */
export function figuresText(name: string, figures: Figures): string {
  const { report, rate, coreShare, seconds, memoryMib, livezMsMax, livezLate, livezAsked, endedEarly, privateReached } =
    figures;
  return [
    `${name}: ${report.fetched} of ${report.expected} honest pages in ${seconds.toFixed(1)} s, ${rate.toFixed(1)} a second, with a core ${(100 * coreShare).toFixed(0)} % of the time it wanted one;`,
    `memory ${memoryMib.toFixed(0)} MiB at most; /livez within ${livezMsMax.toFixed(0)} ms, later than a second though it had a core ${livezLate} of ${livezAsked} times;`,
    `private addresses reached ${privateReached} times; ${endedEarly === null ? 'no process ended' : `ENDED ${endedEarly}`}`,
  ].join('\n  ');
}

/**
 * Serves the suite to a crawler until its visit is over, and grades it.
 *
 * The visit is over when the command that started the crawler ends, a while after the last request, on request, or at a
 * time limit. A command that still runs then is ended: a crawler may wait hours for a busy host.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Pace } from './check/check.ts';
import { type SuiteCard, suiteCard } from './check/verdict.ts';
import { type RunningSuite, startSuite } from './suite-server.ts';

export interface SuiteOptions {
  readonly address: string;
  readonly port: number;
  /** As of startSuite. A crawler then needs no proxy, and gets none. */
  readonly byAddress: boolean;
  readonly nameServerPort: number | undefined;
  readonly pace: Pace;
  /** Ends the visit after this time without a request, ms; and after this time in any case. */
  readonly quietMs: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** The crawler and its arguments; empty: someone else starts it. `{seed}`, `{proxy}`, `{port}` and `{ca}` are replaced. */
  readonly command: readonly string[];
  readonly onReady: (way: Way) => void;
}

/** How a crawler gets to the suite. */
export interface Way {
  readonly seed: string;
  readonly proxy: string;
  readonly port: string;
  /** File of the authority that signs the certificates, PEM. */
  readonly ca: string;
  /** Port of the name server; undefined: there is none. */
  readonly nameServerPort: number | undefined;
  /** Number of checks. */
  readonly checks: number;
  readonly usesProxy: boolean;
}

export interface SuiteRun {
  readonly card: SuiteCard;
  /** Exit code of the command; null: none, or it was ended by a signal or the time limit. */
  readonly exitCode: number | null;
}

const lookEveryMs = 250;
/** Time between asking a command to end and ending it. */
const graceMs = 5_000;

export async function runSuite(checks: readonly Check[], options: SuiteOptions): Promise<SuiteRun> {
  const { address, port, byAddress, nameServerPort, pace, command } = options;
  const web = await startSuite(checks, pace, {
    ...{ address, port, byAddress },
    ...(nameServerPort === undefined ? {} : { nameServerPort }),
  });
  const folder = mkdtempSync(join(tmpdir(), 'crawler-suite-'));
  const ca = join(folder, 'ca.pem');
  const way: Way = {
    ...{ seed: web.seed, proxy: `http://${address}:${web.port}`, port: String(web.port), ca },
    ...{ nameServerPort: web.nameServerPort, checks: web.checks.length },
    usesProxy: !byAddress && nameServerPort === undefined,
  };
  let child: ChildProcess | undefined;
  try {
    writeFileSync(ca, web.ca);
    options.onReady(way);
    if (command.length > 0) child = await startCrawler(command, way);
    await visitEnds(web, options, child);
    return { card: suiteCard(web.checks, web.visited(), pace), exitCode: child?.exitCode ?? null };
  } finally {
    if (child !== undefined) await end(child);
    await web.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws RangeError if the command cannot be started. */
async function startCrawler(command: readonly string[], way: Way): Promise<ChildProcess> {
  const [name, ...words] = command.map((word) =>
    word.replace(/\{(seed|proxy|port|ca)\}/g, (_all, key: 'seed' | 'proxy' | 'port' | 'ca') => way[key]),
  );
  const { seed, proxy, ca, usesProxy } = way;
  const environment = Object.entries(process.env).filter(([name]) => !/^(no|https?|all)_proxy$/i.test(name));
  const proxies = { http_proxy: proxy, HTTP_PROXY: proxy, https_proxy: proxy, HTTPS_PROXY: proxy, CRAWL_PROXY: proxy };
  // By the names that OpenSSL, Go, Node, requests and curl know.
  const trust = { SSL_CERT_FILE: ca, NODE_EXTRA_CA_CERTS: ca, REQUESTS_CA_BUNDLE: ca, CURL_CA_BUNDLE: ca };
  const child = spawn(name!, words, {
    detached: true,
    // Only the card is on standard output.
    stdio: ['ignore', 2, 2],
    env: {
      ...Object.fromEntries(environment),
      ...{ CRAWL_SEED: seed, CRAWL_CA: ca },
      ...trust,
      ...(usesProxy ? proxies : {}),
    },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(
        new RangeError(
          `The command "${name}" cannot be started: ${cause.message}. Give a program that is in PATH after --.`,
        ),
      ),
    );
  });
  return child;
}

async function visitEnds(web: RunningSuite, options: SuiteOptions, child: ChildProcess | undefined): Promise<void> {
  const { quietMs, limitMs, signal } = options;
  const beganMs = performance.now();
  let [seen, newsMs] = [0, beganMs];
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
    const nowMs = performance.now();
    if (web.size > seen || web.open > 0) [seen, newsMs] = [web.size, nowMs];
    if (nowMs - beganMs >= limitMs) return;
    if (child !== undefined && hasEnded(child)) return;
    if (seen > 0 && nowMs - newsMs >= quietMs) return;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Ends the command with the processes that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // It has ended.
  }
}

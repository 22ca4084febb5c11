/**
 * Serves the suite to a crawler until its visit is over, and grades it.
 *
 * The visit is over when the command that started the crawler ends, a while after the last request, on request, or at a
 * time limit. A command that still runs then is ended: a crawler may wait hours for a busy host.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Pace } from './check/check.ts';
import { type SuiteCard, suiteCard } from './check/verdict.ts';
import { type RunningSuite, startSuite } from './suite-server.ts';

export interface SuiteOptions {
  readonly address: string;
  readonly port: number;
  readonly pace: Pace;
  /** Ends the visit after this time without a request, ms; and after this time in any case. */
  readonly quietMs: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** The crawler and its arguments; empty: someone else starts it. `{seed}`, `{proxy}` and `{port}` are replaced. */
  readonly command: readonly string[];
  readonly onReady: (seed: string, proxy: string) => void;
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
  const { address, port, pace, command } = options;
  const web = await startSuite(checks, pace, { address, port });
  const proxy = `http://${address}:${web.port}`;
  let child: ChildProcess | undefined;
  try {
    options.onReady(web.seed, proxy);
    if (command.length > 0) child = await startCrawler(command, { seed: web.seed, proxy, port: String(web.port) });
    await visitEnds(web, options, child);
    return { card: suiteCard(checks, web.visited(), pace), exitCode: child?.exitCode ?? null };
  } finally {
    if (child !== undefined) await end(child);
    await web.close();
  }
}

/** @throws RangeError if the command cannot be started. */
async function startCrawler(
  command: readonly string[],
  values: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const [name, ...words] = command.map((word) =>
    word.replace(/\{(seed|proxy|port)\}/g, (_all, key: string) => values[key]!),
  );
  const { no_proxy: _none, NO_PROXY: _no, ...environment } = process.env;
  const { seed, proxy } = values;
  const child = spawn(name!, words, {
    detached: true,
    // Only the card is on standard output.
    stdio: ['ignore', 2, 2],
    env: { ...environment, CRAWL_SEED: seed, CRAWL_PROXY: proxy, http_proxy: proxy, HTTP_PROXY: proxy },
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

/**
 * What a release leaves behind, as it is kept: a crawl that was stopped half-way in its data folder (topics, changelog,
 * states, the store of a consumer), a snapshot of it and a dump; and what that release itself said of it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { planWeb } from '../../lab/web/plan.ts';
import { type RunningWeb, startWeb } from '../../lab/web/server.ts';
import type { StoreName } from '../../services/runtime/store/open-store.ts';

/** URLs have it, so it is the same at each reading. */
export const keptPort = 21_734;
/** Of a web that has redirects, failures, rules and sitemaps. */
const plan = planWeb({
  preset: 'full',
  hosts: 8,
  domains: 4,
  pagesPerHost: 8,
  calendarMonths: 3,
  hostileShare: 0,
  seed: 20,
});

export const keptPlan = plan;
export const expected = plan.expected(keptPort);
export const pagesBefore = 20;

export function startKeptWeb(): Promise<RunningWeb> {
  return startWeb(plan, { port: keptPort });
}

/** The crawl, with its folder; the same command goes on with it. */
export const crawlOf = (data: string): string[] => [
  ...['crawl', ...plan.seeds(keptPort), '--data', data, '--resolve', `*:${keptPort}:127.0.0.1`, '--scope', 'all'],
  ...['--delay', '10ms', '--retries', '100ms,200ms', '--with', 'dedup'],
];

/** What a release said of what it left. */
export interface Book {
  readonly version: string;
  readonly store: StoreName;
  /** URLs of the pages, sorted. */
  readonly pages: readonly string[];
  readonly stats: Readonly<Record<string, unknown>>;
  /** Requests made for it, as the web had them: host and path. */
  readonly requests: readonly string[];
}

export const fileOf = (version: string, store: StoreName, kind: 'tar.gz' | 'json') =>
  fileURLToPath(new URL(`./kept/${version}-${store}.${kind}`, import.meta.url));

/** Commands of some build, told to succeed. */
export function commandsOf(script: string | undefined, store: StoreName) {
  const env = { ...process.env, CRAWLSTREAM_STORE: store };
  return async (...args: readonly string[]) => {
    const ended = await runCommand(args, { env, patienceMs: 120_000, ...(script !== undefined && { script }) });
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.stderr}`);
    return ended;
  };
}

export async function pagesOf(run: ReturnType<typeof commandsOf>, data: string): Promise<string[]> {
  const { stdout } = await run('pages', '--data', data);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { readonly url: string }).url).sort();
}

export async function statsOf(run: ReturnType<typeof commandsOf>, data: string) {
  return lastJson(await run('stats', '--data', data, '--json'));
}

export async function withFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-kept-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const tar = (...args: readonly string[]) => promisify(execFile)('tar', args);
